"""The rounds of a tournament: how an event changes a round, its tables, and the results that count. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from google.protobuf.message import Message

from faristol.kernel.event_types import find_handlers, folds_in
from faristol.kernel.pairings import seats_of
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.pb.results.v1 import results_pb2 as results
from faristol.read_models.projections.championship import Broken, Championship
from faristol.read_models.projections.changes import copies, sets
from faristol.read_models.projections.scoresheet import turns_taken
from faristol.read_models.storage.rows import Adjustment, Bye, ByeKind, Game, Match, Round, Sanction, Seat


def _round(of: Championship, event: Any) -> Round:
    try:
        return of.rounds[event.round]
    except KeyError:
        raise Broken(f"{event.DESCRIPTOR.name} is of a round that was not paired") from None


def _apply_round_paired(of: Championship, event: pairing.RoundPaired) -> None:
    teams = {each.match: (each.first_team_id, each.second_team_id) for each in event.matches}
    round_ = of.rounds[event.round] = Round(
        of.id, event.round, results.ROUND_PHASE_PAIRED, event.algorithm, tables=len(event.pairings)
    )
    round_.paired_at = event.occurred_at.ToNanoseconds()
    round_.seeds = tuple(event.seeded_player_ids)
    round_.games = [
        _game(of.id, event.round, place, pair, teams.get(pair.match, ())) for place, pair in enumerate(event.pairings)
    ]
    round_.matches = [Match(of.id, event.round, match, *sides) for match, sides in teams.items()]
    for place, bye in enumerate(event.requested_byes):
        kind = ByeKind.REQUESTED
        round_.byes.append(
            Bye(of.id, event.round, kind, place, bye.player_id, bye.team_id, bye.kind, bye.match, bye.board)
        )
    resting = [(event.bye_team_id, 0)] if event.bye_team_id else []
    resting += [(each.team_id, each.kind) for each in event.team_byes]
    for place, (team_id, worth) in enumerate(resting):
        round_.byes.append(Bye(of.id, event.round, ByeKind.TEAM, place, team_id=team_id, worth=worth))


def _game(tournament_id: str, round_: int, number: int, pair: pairing.Pairing, teams: Sequence[str]) -> Game:
    game = Game(
        pair.game_id,
        tournament_id,
        round_,
        number,
        table=pair.table,
        hall=pair.hall,
        match=pair.match,
        board=pair.board,
    )
    for place, player_id in enumerate(seats_of(pair)):
        team_id = teams[place] if place < len(teams) else ""
        game.seats.append(Seat(pair.game_id, place, tournament_id, round_, player_id, team_id))
    return game


def _apply_round_unpaired(of: Championship, event: pairing.RoundUnpaired | pairing.RoundUnpublished) -> None:
    _round(of, event)
    del of.rounds[event.round]


def _apply_bye_awarded(of: Championship, event: pairing.ByeAwarded) -> None:
    round_ = of.rounds.setdefault(event.round, Round(of.id, event.round))
    round_.phase = results.ROUND_PHASE_PAIRED
    round_.byes = [bye for bye in round_.byes if bye.kind != ByeKind.ALLOCATED]
    round_.byes.append(Bye(of.id, event.round, ByeKind.ALLOCATED, 0, event.player_id))


def _apply_round_started(of: Championship, event: pairing.RoundStarted) -> None:
    round_ = _round(of, event)
    round_.phase, round_.started_at = results.ROUND_PHASE_STARTED, event.occurred_at.ToNanoseconds()


def _apply_round_closed(of: Championship, event: pairing.RoundClosed) -> None:
    round_ = _round(of, event)
    round_.phase, round_.closed_at = results.ROUND_PHASE_CLOSED, event.occurred_at.ToNanoseconds()


ROUND_HANDLERS: Mapping[type[Message], Callable[[Championship, Any], None]] = folds_in(__name__)
"""The effect of an event on a round as a whole."""


def _change_game_postponed(game: Game, event: pairing.GamePostponed, version: int) -> None:
    game.postponed_to = event.postponed_to.ToNanoseconds()


def _change_spread_adjusted(game: Game, event: pairing.SpreadAdjusted, version: int) -> None:
    game.spread_adjustments += (Adjustment(event.player_id, event.points, event.article),)


def _change_player_sanctioned(game: Game, event: pairing.PlayerSanctioned, version: int) -> None:
    game.score_sanctions += (Sanction(event.player_id, event.points, event.article, version),)


def _change_sanction_lifted(game: Game, event: pairing.SanctionLifted, version: int) -> None:
    game.score_sanctions = tuple(each for each in game.score_sanctions if each.version != event.version)


def _change_points_adjusted(game: Game, event: pairing.PointsAdjusted, version: int) -> None:
    """Move the last sanction from the score to the spread, beside the result."""
    last = game.score_sanctions[-1] if game.score_sanctions else None
    if last is not None and (last.player_id, last.points) == (event.player_id, -event.points):
        game.score_sanctions = game.score_sanctions[:-1]
    game.spread_adjustments += (Adjustment(event.player_id, event.points, event.article, sanction=True),)


def _change_result_corrected(game: Game, event: pairing.ResultCorrected, version: int) -> None:
    if not event.before_confirmation:
        game.corrected, game.corrected_by = True, event.arbiter_id or game.corrected_by
    game.winner_id, game.lost_by_all = event.winner_id, event.lost_by_all
    if event.HasField("unplayed"):
        game.condition, game.unplayed = event.condition, event.unplayed
        game.loser_ids = tuple(event.loser_ids)
    _score(game, event.scores)


def _change_result_recorded(game: Game, event: pairing.ResultRecorded, version: int) -> None:
    game.final, game.postponed_to = True, None
    game.winner_id, game.lost_by_all = event.winner_id, event.lost_by_all
    game.condition, game.unplayed = event.condition, event.unplayed
    game.loser_ids = tuple(event.loser_ids)
    _score(game, event.scores)


def _score(game: Game, scores: Sequence[game_events.FinalScore]) -> None:
    by_player = {each.player_id: each.score for each in scores}
    for seat in game.seats:
        seat.score = by_player[seat.player_id]


RESULT_HANDLERS: Mapping[type[Message], Callable[[Game, Any, int], None]] = {
    **find_handlers(globals(), "event", "_change_"),
    pairing.ResultEntered: copies(entered_by="arbiter_id"),
    pairing.PostponementCancelled: sets(postponed_to=None),
    pairing.PostponedGameStarted: sets(postponed_to=None),
}
"""The effect of an event of a round on one table and its result. A lifted sanction is identified by the version
of the stream that its event made.
"""

RANKED: frozenset[type[Message]] = frozenset(
    (
        pairing.RoundPaired,
        pairing.RoundUnpaired,
        pairing.RoundUnpublished,
        pairing.ByeAwarded,
        pairing.ResultRecorded,
        pairing.ResultCorrected,
        pairing.SpreadAdjusted,
        pairing.PointsAdjusted,
    )
)
"""Events after which the standings after their round and all later ones may change."""


def change_result(of: Championship, game: Game, event: Any, version: int) -> None:
    """Apply an event of one table of a round. Raises ``Broken`` if it cannot follow."""
    round_ = _round(of, event)
    was_final, was = game.final, _result(game)
    RESULT_HANDLERS[type(event)](game, event, version)
    round_.finished += game.final - was_final
    opened_again = isinstance(event, pairing.ResultRecorded) and event.revision > 0
    if opened_again or isinstance(event, pairing.ResultCorrected):
        for later in of.rounds.values():
            if later.round > event.round:
                _mark(later, game, was)


def _result(game: Game) -> str:
    """Return the result of a table for the standings as a text that changes with it."""
    scores = " ".join(f"{seat.player_id}={seat.score}" for seat in game.seats)
    return f"{game.game_id} {scores} {game.winner_id} {game.lost_by_all:d} {game.unplayed:d} {','.join(game.loser_ids)}"


def _mark(later: Round, game: Game, was: str) -> None:
    """Note that a round was paired by a result that has changed; remove the note if it is corrected back."""
    others = tuple(each for each in later.paired_by if each.partition(" ")[0] != game.game_id)
    (then,) = {*later.paired_by} - {*others} or {was}
    later.paired_by = others if then == _result(game) else (*others, then)
    later.corrected_before = bool(later.paired_by)


def takes_no_points(event: Message) -> bool:
    """Check whether the event imposes or lifts a sanction other than of points: no round shows it."""
    if not isinstance(event, pairing.PlayerSanctioned | pairing.SanctionLifted):
        return False
    return event.kind != pairing.SANCTION_KIND_POINTS


def mirror(game: Game) -> None:
    """Copy first player, scores and turns of a table to the game of the tournament.

    A recorded result is the tournament's and is not changed by the table: standings use the results on record.
    """
    if game.final or game.sheet is None:
        return
    game.first_player_id = game.sheet.first_player_id
    game.turns = turns_taken(game)
    for seat in game.seats:
        seat.score = seat.table_score
