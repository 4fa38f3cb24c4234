"""Careers of players and the best results of seasons. Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from faristol.pb.results.v1 import careers_pb2 as pb
from faristol.pb.results.v1 import results_pb2 as results
from faristol.read_models.computed.circuits import SeasonTournament
from faristol.read_models.computed.standings import PAIR_TABLE_PLAYERS
from faristol.read_models.storage.rows import Line, ScoredWord, decode_tuples

MEDAL_PLACES_COUNT = 3
"""Places with a medal."""

BESTS_LINES_COUNT = 10
"""Lines of each list of the best results of a season; those equal to the last follow."""

_WON, _DRAWN, _LOST = results.OUTCOME_WIN, results.OUTCOME_DRAW, results.OUTCOME_LOSS


def build_career(found: results.GetPlayerResponse, opponent_id: str) -> pb.GetCareerResponse:
    """Return the career of a player with all their tournaments, the latest first.

    With an ``opponent_id``, only this opponent is in it, with the games; without a game, the opponent is left out.
    """
    games = [game for each in found.tournaments for game in _list_games(each, found.player_id)]
    count = Counter(game.outcome for game in games)
    answer = pb.GetCareerResponse(
        player_id=found.player_id,
        name=found.name,
        tournaments=found.total,
        wins=count[_WON],
        draws=count[_DRAWN],
        losses=count[_LOST],
        total=sum(game.score for game in games),
        total_against=sum(game.opponent_score for game in games),
        medals=_list_medals(found),
        opponents=_list_opponents(found, games, opponent_id),
        position=found.position,
    )
    if games:
        answer.highest_game.CopyFrom(max(games, key=attrgetter("score")))
        answer.highest_spread.CopyFrom(max(games, key=lambda game: game.score - game.opponent_score))
    return answer


def unite_entries(
    found: Sequence[results.GetPlayerResponse], person_of: Callable[[str], str]
) -> results.GetPlayerResponse:
    """Return the entries of a person as one player, whose tournaments are in order, the latest first.

    Opponents have the ids under which they are counted, too.
    """
    first = found[0]
    united = results.GetPlayerResponse(
        player_id=person_of(first.player_id),
        name=next((each.name for each in found if each.name), ""),
        tournaments=sorted(
            (entry for each in found for entry in each.tournaments),
            key=lambda entry: (-entry.tournament.created_at.ToNanoseconds(), entry.tournament.tournament_id),
        ),
        total=sum(each.total for each in found),
        position=min(each.position for each in found),
    )
    for entry in united.tournaments:
        for game in entry.games:
            for seat in game.table.seats:
                seat.player_id = person_of(seat.player_id)
    return united


def _list_games(entry: results.PlayerTournament, player_id: str) -> Iterator[pb.CareerGame]:
    """Yield the played games of two with a result."""
    for game in entry.games:
        table = game.table
        if not table.final or table.unplayed or len(table.seats) != PAIR_TABLE_PLAYERS:
            continue
        own, other = sorted(table.seats, key=lambda seat: seat.player_id != player_id)
        yield pb.CareerGame(
            game_id=game.game_id,
            tournament_id=entry.tournament.tournament_id,
            tournament_name=entry.tournament.name,
            round=game.round,
            score=own.score,
            opponent_score=other.score,
            outcome=game.outcome,
            opponent_id=other.player_id,
        )


def _list_medals(found: results.GetPlayerResponse) -> list[pb.CareerPlace]:
    return [
        pb.CareerPlace(
            tournament_id=each.tournament.tournament_id,
            tournament_name=each.tournament.name,
            place=each.standing.rank,
            entry_id=each.player.player_id,
        )
        for each in found.tournaments
        if _is_finished(each.tournament) and 1 <= each.standing.rank <= MEDAL_PLACES_COUNT
    ]


def _is_finished(tournament: results.Tournament) -> bool:
    closed = sum(each.phase == results.ROUND_PHASE_CLOSED for each in tournament.played)
    return tournament.over or 0 < len(tournament.played) == closed >= tournament.rounds


def _list_opponents(
    found: results.GetPlayerResponse, games: Iterable[pb.CareerGame], opponent_id: str
) -> list[pb.HeadToHead]:
    by_opponent: defaultdict[str, list[pb.CareerGame]] = defaultdict(list)
    for game in games:
        if opponent_id in ("", game.opponent_id):
            by_opponent[game.opponent_id].append(game)
    names = {
        seat.player_id: seat.name for each in found.tournaments for game in each.games for seat in game.table.seats
    }
    lines = [
        pb.HeadToHead(
            opponent_id=player_id,
            opponent_name=names[player_id],
            wins=sum(game.outcome == _WON for game in own),
            draws=sum(game.outcome == _DRAWN for game in own),
            losses=sum(game.outcome == _LOST for game in own),
            spread=sum(game.score - game.opponent_score for game in own),
            games=own if opponent_id else (),
        )
        for player_id, own in by_opponent.items()
    ]
    return sorted(lines, key=lambda line: (-(line.wins + line.draws + line.losses), line.opponent_id))


@dataclass(frozen=True, slots=True)
class BestsTournament:
    """A tournament of a season with its highest plays."""

    tournament: SeasonTournament
    plays: Sequence[Line]
    """Complete plays; at least the highest of each player."""


def build_bests(tournaments: Sequence[BestsTournament], min_games: int) -> pb.GetSeasonBestsResponse:
    """Return the best results of tournaments, given in their order, without names. Equal values are in this order."""
    games = list[pb.SeasonBest]()
    spreads = list[pb.SeasonBest]()
    plays = list[pb.SeasonBest]()
    count, total = Counter[str](), Counter[str]()
    for each in tournaments:
        head = each.tournament.head
        rounds = {}
        for round_ in each.tournament.rounds:
            for game in round_.games:
                rounds[game.game_id] = round_.round
                if not game.final or game.unplayed:
                    continue
                for seat in game.seats:
                    place: dict[str, Any] = {
                        "player_id": seat.player_id,
                        "tournament_id": head.tournament_id,
                        "tournament_name": head.name,
                        "round": round_.round,
                        "game_id": game.game_id,
                    }
                    games.append(pb.SeasonBest(value=seat.score, **place))
                    count[seat.player_id] += 1
                    total[seat.player_id] += seat.score
                    others = [other.score for other in game.seats if other is not seat]
                    if len(others) == 1 and seat.score > others[0]:
                        spreads.append(pb.SeasonBest(value=seat.score - others[0], **place))
        # A table that was paired after the rounds were read is left out: the next answer has it.
        plays += [
            _build_play(each.tournament, line, rounds[line.game_id]) for line in each.plays if line.game_id in rounds
        ]
    averages = [
        pb.SeasonAverage(
            player_id=player_id,
            games=count[player_id],
            total=total[player_id],
            average_hundredths=(200 * total[player_id] + count[player_id]) // (2 * count[player_id]),
        )
        for player_id in sorted(count)
        if count[player_id] >= min_games
    ]
    return pb.GetSeasonBestsResponse(
        games=_select_highest(games),
        spreads=_select_highest(spreads),
        plays=_select_highest(plays),
        averages=sorted(averages, key=lambda each: (-each.average_hundredths, each.player_id))[:BESTS_LINES_COUNT],
        medals=_count_medals(each.tournament for each in tournaments),
        min_games=min_games,
    )


def _build_play(tournament: SeasonTournament, line: Line, number: int) -> pb.SeasonBest:
    words = decode_tuples(ScoredWord, line.words)
    return pb.SeasonBest(
        value=line.score,
        player_id=line.player_id,
        tournament_id=tournament.head.tournament_id,
        tournament_name=tournament.head.name,
        round=number,
        game_id=line.game_id,
        word="".join(words[0].faces) if words else "",
        turn=line.turn,
    )


def _select_highest(found: Sequence[pb.SeasonBest]) -> list[pb.SeasonBest]:
    """Return the highest values above 0, and those equal to the last."""
    ordered = sorted((each for each in found if each.value > 0), key=lambda each: -each.value)
    if len(ordered) <= BESTS_LINES_COUNT:
        return ordered
    least = ordered[BESTS_LINES_COUNT - 1].value
    return [each for each in ordered if each.value >= least]


def _count_medals(tournaments: Iterable[SeasonTournament]) -> list[pb.MedalLine]:
    """Return the players with medals, those with the most first places first, then second, then third."""
    lines: dict[str, pb.MedalLine] = {}
    for each in tournaments:
        for player_id, place in sorted(each.places.items()) if each.is_finished else ():
            if place <= MEDAL_PLACES_COUNT:
                line = lines.setdefault(player_id, pb.MedalLine(player_id=player_id))
                (line.first_ids, line.second_ids, line.third_ids)[place - 1].append(each.head.tournament_id)
    return sorted(
        lines.values(),
        key=lambda line: (-len(line.first_ids), -len(line.second_ids), -len(line.third_ids), line.player_id),
    )
