"""`faristol person career`, `person merges` and `season bests`: careers, merged entries, best results of a season."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

import typer

from faristol.cli.client import Client, ServiceClient
from faristol.cli.options import MAX_CONTRACT_NUMBER
from faristol.cli.season.seasons import SeasonArgument
from faristol.gateway.api.contract_json import to_json
from faristol.kernel.refusal import N_
from faristol.kernel.times import to_datetime
from faristol.pb.results.v1 import careers_pb2 as pb
from faristol.pb.results.v1 import results_pb2 as results
from faristol.pb.season.v1 import season_pb2 as season
from faristol.presentation.names import Named, candidates
from faristol.table_terminal.shared.common import columns
from faristol.table_terminal.shared.names import find_named
from faristol.text import number, say, translations

CAREER = N_("{name}: {tournaments} {tournaments:tournament|tournaments}, {wins} won, {draws} drawn, {losses} lost")
HIGHEST_GAME = N_("Highest game: {score}–{other} ({game})")
MEDAL = N_("Place {place} in {tournament}")
BEST_HEADINGS = (N_("Highest games"), N_("Highest spreads"), N_("Highest plays"))

MERGED_LINE = N_("{merged} is {person} since {at}")
SEPARATED_LINE = N_("{merged} was {person} from {at} to {until}")
NO_MERGES = N_("No entries are merged.")

PersonArgument = Annotated[str, typer.Argument(metavar="PERSON", help="Name or ID of the player.")]
OpponentOption = Annotated[
    str, typer.Option("--opponent", help="Name or ID of an opponent: print the games between them.")
]
MinGamesOption = Annotated[
    int, typer.Option("--min-games", min=0, max=MAX_CONTRACT_NUMBER, help="Number of games that an average requires.")
]


def show_career(client: Client, person: PersonArgument, opponent: OpponentOption = "") -> None:
    """Print the career of a player, or the games against an opponent."""
    player_id, opponent_id = (_find_player(given, client) for given in (person, opponent))
    found: pb.GetCareerResponse = client.answer_to(pb.GetCareerRequest(player_id=player_id, opponent_id=opponent_id))
    client.print(to_json(found), format_career(found, client.language))


def _find_player(given: str, client: ServiceClient) -> str:
    """Return the id of a player of any tournament; ``given`` if it means none. Raises ``Unclear`` for several."""
    if not given:
        return ""
    found: results.SearchPlayersResponse = client.answer_to(results.SearchPlayersRequest(search=given))
    known = [Named(player.player_id, player.name, player.club) for player in found.players]
    return find_named(given, known).id if candidates(given, known) else given


def format_career(found: pb.GetCareerResponse, language: str) -> Iterator[str]:
    """Yield the totals of a player, the medals, and the opponents with their games."""
    params: dict[str, str | int] = {
        "name": found.name or found.player_id,
        "tournaments": found.tournaments,
        "wins": found.wins,
        "draws": found.draws,
        "losses": found.losses,
    }
    yield say(CAREER, params, language)
    if found.HasField("highest_game"):
        best = found.highest_game
        highest: dict[str, str | int] = {"score": best.score, "other": best.opponent_score, "game": best.game_id}
        yield say(HIGHEST_GAME, highest, language)
    for medal in found.medals:
        yield say(MEDAL, {"place": medal.place, "tournament": medal.tournament_name}, language)
    for line in found.opponents:
        balance = f"{line.wins}–{line.draws}–{line.losses}"
        yield f"{line.opponent_name or line.opponent_id}  {balance}  {line.spread:+}"
        rows = [[f"  {game.game_id}", f"{game.score}–{game.opponent_score}"] for game in line.games]
        yield from columns(rows) if rows else ()


def show_bests(client: Client, season: SeasonArgument, min_games: MinGamesOption = 0) -> None:
    """Print the best results of a season: games, spreads, plays, averages and medals."""
    request = pb.GetSeasonBestsRequest(season_id=season, min_games=min_games)
    found: pb.GetSeasonBestsResponse = client.answer_to(request)
    client.print(to_json(found), format_bests(found, client.language))


def format_bests(found: pb.GetSeasonBestsResponse, language: str) -> Iterator[str]:
    """Yield each list of best results under its heading."""
    read = translations(language).gettext
    lists: Sequence[tuple[str, Sequence[pb.SeasonBest]]] = [
        (BEST_HEADINGS[0], found.games),
        (BEST_HEADINGS[1], found.spreads),
        (BEST_HEADINGS[2], found.plays),
    ]
    for heading, lines in lists:
        if lines:
            yield read(heading)
            yield from columns(
                [f"  {each.value}", each.name or each.player_id, each.game_id, each.word] for each in lines
            )
    if found.averages:
        yield read(N_("Highest averages"))
        yield from columns(
            [f"  {number(each.average_hundredths / 100, language)}", each.name or each.player_id, str(each.games)]
            for each in found.averages
        )
    if found.medals:
        yield read(N_("Medals"))
        yield from columns(
            [
                f"  {each.name or each.player_id}",
                *(str(len(won)) for won in (each.first_ids, each.second_ids, each.third_ids)),
            ]
            for each in found.medals
        )


def merges(_request: object, answer: season.ListMergesResponse, _known: object, language: str) -> Iterator[str]:
    """Yield a line for each merge of persons, the latest first."""
    for each in answer.merges:
        params = {"merged": each.merged_id, "person": each.person_id, "at": f"{to_datetime(each.merged_at):%Y-%m-%d}"}
        if each.HasField("separated_at"):
            undone = params | {"until": f"{to_datetime(each.separated_at):%Y-%m-%d}"}
            yield say(SEPARATED_LINE, undone, language)
        else:
            yield say(MERGED_LINE, params, language)
    if not answer.merges:
        yield say(NO_MERGES, {}, language)
