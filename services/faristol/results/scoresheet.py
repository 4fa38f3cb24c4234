"""A game as the public sees it: board, scoresheet, clocks.

No rack and no seed is ever taken over from an event, so none can leak: of a draw only the size of the bag is
kept, of an exchange only the number of tiles.
"""

from __future__ import annotations

from google.protobuf.message import Message

from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.results.v1 import results_pb2 as results
from faristol.results.broken import Broken
from faristol.results.clocks import TICKING, UNTICKING, tick
from faristol.rules.board import Direction, Square
from faristol.rules.notation import Notation, Start

NOT_SHOWN = (
    game.StartTileDrawn,
    game.ChallengeRuled,
    game.SheetSigned,
    game.TilesLaid,
    game.TilesTakenBack,
    game.OffCentreDecided,
    game.ScoreWritten,
    game.PlayAccepted,
    game.AppealRaised,
    game.AppealRuled,
    game.ChallengePenalty,
    game.ExchangeAnnounced,
    game.IllegalExchangeFound,
    game.IllegalExchangeResolved,
    game.FreeExchangeShown,
    game.FreeExchanged,
    game.CannotPlay,
    game.TurnLost,
    game.NextTurnForfeited,
    game.OverdrawFound,
    game.OverdrawResolved,
    game.UnderdrawFound,
    game.UnderdrawResolved,
    game.TilesFound,
    game.BlankSettled,
    game.ArbiterAssigned,
    game.ArbiterCalled,
    game.ArbiterLeft,
    game.SanctionImposed,
    game.WordAsked,
    game.CountDisputed,
    game.CountSettled,
    game.PlayCorrected,
    game.TotalCorrected,
    game.EndAgreed,
    game.Abandoned,
    game.ScoreAdjusted,
    game.GameReopened,
    *UNTICKING,
)
"""Events of a game that change nothing on its public page."""

SHOWN = (
    game.GameOpened,
    game.StartDecided,
    game.TilesDrawn,
    game.GameStarted,
    game.PlayPlaced,
    game.ChallengeRaised,
    game.PlayWithdrawn,
    game.Exchanged,
    game.Passed,
    game.PlayCompleted,
    game.GameEnded,
    game.RackPenalty,
    game.OutBonus,
    game.TimePenalty,
    game.ResultFinal,
    *TICKING,
)
"""Events that change a game's public page."""


_TICKING = frozenset(TICKING)

COUNTING = frozenset(
    (
        game.PlayWithdrawn,
        game.PlayCompleted,
        game.RackPenalty,
        game.OutBonus,
        game.TimePenalty,
        game.ResultFinal,
    )
)
"""Events after which a game's scores or the number of its turns may be others."""


def apply_to_game(state: results.GetGameResponse | None, event: Message) -> results.GetGameResponse:
    """The game after ``event``; ``state`` is left as it was. Raises ``Broken`` for an event that cannot follow."""
    if state is not None:
        before, state = state, results.GetGameResponse()
        state.CopyFrom(before)
    return change_game(state, event)


def change_game(state: results.GetGameResponse | None, event: Message) -> results.GetGameResponse:
    """The game after ``event``, by changing ``state`` itself. Raises ``Broken`` for an event that cannot follow."""
    if isinstance(event, game.GameOpened):
        return _opened(event)
    if state is None:
        raise Broken(f"{event.DESCRIPTOR.name} is of a game that was not opened")
    if isinstance(event, NOT_SHOWN):
        return state
    if type(event) in _TICKING:
        tick(state, event)
    else:
        _play(state, event)
    return state


def turns_taken(state: results.GetGameResponse) -> int:
    """Turns completed or lost."""
    return sum(1 for entry in state.entries if entry.turn and entry.complete)


def _opened(event: game.GameOpened) -> results.GetGameResponse:
    return results.GetGameResponse(
        game_id=event.game_id,
        tournament_id=event.tournament_id,
        round=event.round,
        table=event.table,
        seats=[results.Seat(player_id=player) for player in event.player_ids],
        ruleset=event.ruleset,
        lexicon=event.lexicon,
    )


def _play(after: results.GetGameResponse, event: Message) -> None:
    match event:
        case game.StartDecided():
            after.first_player_id = event.player_id
        case game.TilesDrawn():
            after.bag_left = event.bag_left
        case game.GameStarted():
            after.turn_player_id = event.first_player_id
        case game.PlayPlaced():
            _placed(after, event)
        case game.ChallengeRaised():
            _entry(after, event.turn).challenged = True
        case game.PlayWithdrawn():
            _withdrawn(after, event)
        case game.Exchanged():
            _idle(after, results.ENTRY_KIND_EXCHANGE, event.turn, event.player_id).exchanged = len(event.faces)
        case game.Passed():
            _idle(after, results.ENTRY_KIND_PASS, event.turn, event.player_id)
        case game.PlayCompleted():
            _completed(after, event)
        case game.GameEnded():
            _ended(after, event)
        case game.RackPenalty():
            entry = _settle(after, results.ENTRY_KIND_RACK_PENALTY, event.player_id, -event.points)
            entry.faces.extend(event.faces)
        case game.OutBonus():
            _settle(after, results.ENTRY_KIND_OUT_BONUS, event.player_id, event.points)
        case game.TimePenalty():
            entry = _settle(after, results.ENTRY_KIND_TIME_PENALTY, event.player_id, -event.points)
            entry.overtime_ms = event.overtime_ms
        case game.ResultFinal():
            after.final = True
            after.winner_id = event.winner_id
            for final in event.scores:
                _seat(after, final.player_id).score = final.score
        case _:
            raise Broken(f"the scoresheet does not know the event {event.DESCRIPTOR.full_name}")


def _placed(after: results.GetGameResponse, event: game.PlayPlaced) -> None:
    main = event.words[0]
    start = Start(Square(main.row, main.column), Direction.ACROSS if main.across else Direction.DOWN)
    after.board.extend(event.placements)
    after.entries.add(
        kind=results.ENTRY_KIND_PLAY,
        turn=event.turn,
        player_id=event.player_id,
        placements=event.placements,
        words=event.words,
        score=event.score,
        total=_seat(after, event.player_id).score + event.score,
        bingo=event.bingo,
        coordinates=Notation.FISC.write(start),
    )


def _withdrawn(after: results.GetGameResponse, event: game.PlayWithdrawn) -> None:
    entry = _entry(after, event.turn)
    gone = {(placement.row, placement.column) for placement in entry.placements}
    kept = [placement for placement in after.board if (placement.row, placement.column) not in gone]
    del after.board[:]
    after.board.extend(kept)
    entry.kind = results.ENTRY_KIND_PHONY
    entry.score = 0
    entry.total = _seat(after, event.player_id).score
    entry.complete = True
    after.turn_player_id = _other(after, event.player_id)


def _idle(
    after: results.GetGameResponse, kind: results.EntryKind.ValueType, turn: int, player_id: str
) -> results.Entry:
    return after.entries.add(kind=kind, turn=turn, player_id=player_id, total=_seat(after, player_id).score)


def _completed(after: results.GetGameResponse, event: game.PlayCompleted) -> None:
    entry = _entry(after, event.turn)
    entry.score = event.score
    entry.total = event.total
    entry.complete = True
    _seat(after, event.player_id).score = event.total
    after.turn_player_id = _other(after, event.player_id)


def _ended(after: results.GetGameResponse, event: game.GameEnded) -> None:
    after.end_condition = event.condition
    after.turn_player_id = ""
    if after.entries and not after.entries[-1].complete:  # time ran out on it: it does not count
        after.entries[-1].total = _seat(after, after.entries[-1].player_id).score


def _settle(
    after: results.GetGameResponse, kind: results.EntryKind.ValueType, player_id: str, points: int
) -> results.Entry:
    seat = _seat(after, player_id)
    seat.score += points
    return after.entries.add(kind=kind, player_id=player_id, score=points, total=seat.score, complete=True)


def _seat(state: results.GetGameResponse, player_id: str) -> results.Seat:
    for seat in state.seats:
        if seat.player_id == player_id:
            return seat
    raise Broken(f"player {player_id!r} does not sit at {state.game_id}")


def _other(state: results.GetGameResponse, player_id: str) -> str:
    first, second = state.seats
    return second.player_id if first.player_id == player_id else first.player_id


def _entry(state: results.GetGameResponse, turn: int) -> results.Entry:
    for entry in reversed(state.entries):
        if entry.turn == turn:
            return entry
    raise Broken(f"{state.game_id} has no turn {turn} on its scoresheet")
