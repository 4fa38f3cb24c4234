"""`faristol standings show` and `prospects`: the standings, and places still possible; `hall list`: the halls."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import typer

from faristol.cli.client import Client
from faristol.cli.options import Tournament
from faristol.gateway.api.contract_json import tie_break_value, to_json
from faristol.gateway.rpc.results import Results
from faristol.host import StartError
from faristol.kernel.divisions import format_title
from faristol.kernel.refusal import N_
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.presentation import labels as words
from faristol.presentation.names import Named, labels
from faristol.presentation.ruleset_lookup import is_of_duplicate_games
from faristol.presentation.sentences import NO_HALLS
from faristol.table_terminal.shared.common import as_json, columns, format_number, localize
from faristol.table_terminal.shared.names import played_round

AFTER = N_("Standings of {tournament} after round {round}.")
ANNULLED = N_("{player} left before half of the games, which are not scored for any player (FIDE C.05 6.6).")
BEFORE = N_("Standings of {tournament}: no round is scored yet.")

OF_DUPLICATES = N_("{tournament} has duplicate games: `faristol duplicate standings {id}` lists their total")

Answer = pb.GetStandingsResponse | pb.GetTeamStandingsResponse


def show(
    client: Client,
    tournament: Tournament,
    of_teams: Annotated[bool, typer.Option("--teams", help="Standings of the teams, in team tournaments.")] = False,
    round_: Annotated[
        int, typer.Option("--round", min=0, max=999, help="Round of the standings; default: the results so far.")
    ] = 0,
) -> None:
    """Show the standings in the words of their page: rank, name, points, W–D–L and the tie-breaks.

    `faristol standings export` writes them for other programs.
    """

    async def ask(results: Results, tournament_id: str) -> tuple[str, Answer]:
        head = (await results.tournament(tournament_id)).tournament
        if is_of_duplicate_games(head):
            raise StartError(localize(OF_DUPLICATES, tournament=head.name, id=tournament_id))
        if round_:
            played_round(head, round_)
        if of_teams:
            return format_title(head), await results.team_standings(tournament_id, round_)
        return format_title(head), await results.standings(tournament_id, round_)

    name, found = client.ask_results(tournament, ask)
    client.print(to_json(found), format_standings(name, found))


def format_standings(tournament: str, found: Answer) -> Iterator[str]:
    """Yield a heading, then the lines of the standings in columns."""
    yield localize(AFTER if found.round else BEFORE, tournament=tournament, round=found.round)
    lines = found.standings
    if not lines:
        return
    breaks = [localize(words.TIE_BREAKS.get(item.name, (item.name, item.name))[1]) for item in lines[0].tie_breaks]
    if isinstance(found, pb.GetTeamStandingsResponse):
        by_match = any(item.name == "board-points" for item in lines[0].tie_breaks)
        points = localize(words.TIE_BREAKS["match-points" if by_match else "board-points"][1])
        rows = []
        for team in found.standings:
            score = team.match_half_points if by_match else team.board_half_points
            rows.append([str(team.rank), team.name or team.team_id, *_figures(team, score)])
        yield from columns([["", localize("Team"), points, localize("W–D–L"), *breaks], *rows])
        return
    called = dict(labels([Named(line.player_id, line.name) for line in found.standings]))
    rows = [[str(line.rank), called[line.player_id], *_figures(line, line.half_points)] for line in found.standings]
    yield from columns([["", localize("Player"), localize("Points"), localize("W–D–L"), *breaks], *rows])
    for line in found.standings:
        if line.annulled:
            yield localize(ANNULLED, player=called[line.player_id])


def _figures(line: pb.Standing | pb.TeamStanding, half_points: int) -> Iterator[str]:
    """Yield the cells of a line: points, wins, draws and losses, and the tie-breaks, the spread with its sign."""
    yield format_number(half_points / 2)
    yield f"{line.wins}–{line.draws}–{line.losses}"
    for item in line.tie_breaks:
        value = format_number(tie_break_value(item))
        yield f"+{value}" if item.name == "spread" and item.quarters > 0 else value


def halls(client: Client, tournament: Tournament) -> None:
    """List the halls with the numbers of their tables, from the next pairing on."""
    known = client.load_names(tournament).tournament
    rows = [
        [hall.name, f"{hall.first_table}–{hall.last_table}", "+".join(map(str, hall.row_tables))]
        for hall in known.halls
    ]
    client.print(list(map(as_json, known.halls)), columns(rows) if rows else localize(NO_HALLS))


HEADING = N_(
    "Places still possible in {tournament}: {rounds} {rounds:round|rounds} to be paired, "
    "{tables} {tables:table|tables} without a result."
)


def prospects(
    client: Client,
    tournament: Tournament,
    place: Annotated[
        int, typer.Option("--place", min=1, max=100_000, help="Chances are those of the first places up to this one.")
    ] = 1,
) -> None:
    """Show the best and the worst place that each player can still reach.

    Pairings to come are taken as free, and equal points can be ranked either way.
    """

    async def ask(results: Results, tournament_id: str) -> tuple[str, pb.GetProspectsResponse]:
        head = (await results.tournament(tournament_id)).tournament
        return head.name, await results.prospects(tournament_id, place)

    name, found = client.ask_results(tournament, ask)
    client.print(to_json(found), format_prospects(name, found))


def format_prospects(tournament: str, found: pb.GetProspectsResponse) -> Iterator[str]:
    """Yield a heading, then a line for each player in columns."""
    yield localize(HEADING, tournament=tournament, rounds=found.rounds_left, tables=found.tables_left)
    called = dict(labels([Named(line.player_id, line.name) for line in found.lines]))
    rows = [
        [
            str(line.rank),
            called[line.player_id],
            format_number(line.half_points / 2),
            str(line.best),
            str(line.worst),
            *(localize(words.CHANCES[each.chance]) for each in line.goals),
        ]
        for line in found.lines
    ]
    goals = [goal.name or f"{goal.first_place}–{goal.last_place}" for goal in found.goals]
    heads = ["", localize("Player"), localize("Points"), localize("Best place"), localize("Worst place"), *goals]
    yield from columns([heads, *rows])
