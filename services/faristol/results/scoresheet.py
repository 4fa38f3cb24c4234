"""A game as the public sees it: board, scoresheet, clocks.

No rack is ever taken over from an event, nor a seed before it is revealed, so none can leak: of a draw only the size of
the bag is kept, of an exchange only the number of tiles.
"""

from __future__ import annotations

from google.protobuf.message import Message

from faristol.kernel import facts
from faristol.pb.event.v1 import event_pb2 as options
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.results.v1 import results_pb2 as results
from faristol.results.broken import Broken, Unknown
from faristol.results.clocks import tick
from faristol.results.incidents import note, note_incident, settled
from faristol.rules.board import Direction, Square
from faristol.rules.notation import Notation, Start

CLOCKS = facts.that_change(options.CHANGE_CLOCKS)
INCIDENTS = facts.that_change(options.CHANGE_INCIDENTS)
SHEET = facts.that_change(options.CHANGE_SHEET)
SHOWN = CLOCKS | INCIDENTS | SHEET
"""Events that change a game's public page."""


def change_game(state: results.GetGameResponse | None, event: Message) -> results.GetGameResponse:
    """The game after ``event``, by changing ``state`` itself; what its page does not show leaves it as it is.

    Raises ``Broken`` for an event that cannot follow.
    """
    kind = type(event)
    if kind is game.GameOpened:
        state = results.GetGameResponse()
    elif state is None:
        raise Broken(f"{event.DESCRIPTOR.name} is of a game that was not opened")
    if kind in CLOCKS:
        tick(state, event)
    elif kind in INCIDENTS:
        note_incident(state, event)
    elif kind in SHEET:
        play(state, event)
    return state


def turns_taken(state: results.GetGameResponse) -> int:
    """Turns completed or lost."""
    return sum(1 for entry in state.entries if entry.turn and entry.complete)


def play(after: results.GetGameResponse, event: Message) -> None:
    """Bring board and sheet to what they are after ``event``. Raises ``Broken`` for an event that cannot follow."""
    match event:
        case game.GameOpened():
            after.game_id, after.tournament_id = event.game_id, event.tournament_id
            after.round, after.table = event.round, event.table
            after.seats.extend(results.Seat(player_id=player) for player in event.player_ids)
            after.ruleset.CopyFrom(event.ruleset)
            after.lexicon.CopyFrom(event.lexicon)
        case game.DrawsCommitted():
            after.draw_commitment = event.commitment
        case game.SeedRevealed():
            after.seed = event.seed
        case game.StartDecided():
            after.first_player_id = event.player_id
        case game.TilesDrawn():
            after.bag_left = event.bag_left
        case game.GameStarted():
            after.turn_player_id = event.first_player_id
        case game.TilesLaid():
            after.laid.extend(event.placements)
        case game.TilesTakenBack():
            _taken_back(after, event)
        case game.PlayPlaced():
            _placed(after, event)
        case game.ScoreWritten():
            _entry(after, event.turn).written.add(player_id=event.player_id, score=event.score, total=event.total)
        case game.ChallengeRaised():
            _entry(after, event.turn).challenged = True
        case game.ChallengeRuled():
            _entry(after, event.turn).ruled_words.extend(event.words)
        case game.PlayWithdrawn():
            _withdrawn(after, event)
        case game.BlankSettled():
            for tile in after.board:
                if (tile.row, tile.column) == (event.row, event.column):
                    tile.face = event.face
        case game.Exchanged():
            _idle(after, results.ENTRY_KIND_EXCHANGE, event.turn, event.player_id).exchanged = len(event.faces)
        case game.FreeExchanged():
            entry = _idle(after, results.ENTRY_KIND_FREE_EXCHANGE, 0, event.player_id)
            entry.exchanged, entry.complete = len(event.faces), True
        case game.Passed():
            _idle(after, results.ENTRY_KIND_PASS, event.turn, event.player_id)
        case game.CannotPlay():
            _idle(after, results.ENTRY_KIND_CANNOT_PLAY, event.turn, event.player_id)
        case game.TurnLost():
            entry = _idle(after, results.ENTRY_KIND_LOST_TURN, event.turn, event.player_id)
            entry.lost_for, entry.article, entry.complete = event.reason, event.article, True
            after.turn_player_id = _next(after, event.player_id)
            del after.laid[:]
        case game.PlayCompleted():
            _completed(after, event)
        case game.GameEnded():
            _ended(after, event)
        case game.ResultFinal() | game.TableClosed():
            if isinstance(event, game.TableClosed):
                _ended(after, game.GameEnded(condition=event.condition, loser_ids=event.loser_ids))
            after.final = True
            after.winner_id = event.winner_id
            after.lost_by_all = event.lost_by_all
            for final in event.scores:
                _seat(after, final.player_id).score = final.score
        case game.EntriesTakenBack():
            _entries_taken_back(after, event)
        case game.GameReopened():
            after.final, after.winner_id, after.lost_by_all = False, "", False
            note(after, results.INCIDENT_KIND_REOPENED, _last_turn(after))
        case _:
            _count(after, event)


def _count(after: results.GetGameResponse, event: Message) -> None:
    """Events that change points outside turns."""
    match event:
        case game.RackPenalty():
            entry = _settle(after, results.ENTRY_KIND_RACK_PENALTY, event.player_id, -event.points)
            entry.faces.extend(event.faces)
        case game.OutBonus():
            _settle(after, results.ENTRY_KIND_OUT_BONUS, event.player_id, event.points)
        case game.TimePenalty():
            entry = _settle(after, results.ENTRY_KIND_TIME_PENALTY, event.player_id, -event.points)
            entry.overtime_ms = event.overtime_ms
        case game.ChallengePenalty():
            _settle(after, results.ENTRY_KIND_CHALLENGE_PENALTY, event.player_id, event.points)
        case game.ScoreAdjusted():
            _settle(after, _ADJUSTMENTS[event.reason], event.player_id, event.points).article = event.article
        case game.CountSettled():
            settled(after)
            if after.entries and after.entries[-1].turn == event.turn and not after.entries[-1].complete:
                entry = after.entries[-1]
                entry.total += event.score - entry.score
                entry.score = event.score
        case game.PlayCorrected():
            _corrected(after, event)
        case game.TotalCorrected():
            _settle(after, results.ENTRY_KIND_CORRECTION, event.player_id, event.total - event.before)
        case _:
            raise Unknown("the scoresheet", event)


_ADJUSTMENTS = {
    game.ADJUSTMENT_REASON_ABANDONMENT: results.ENTRY_KIND_ABANDONMENT,
    game.ADJUSTMENT_REASON_FORFEIT: results.ENTRY_KIND_FORFEIT,
    game.ADJUSTMENT_REASON_SANCTION: results.ENTRY_KIND_SANCTION,
}


def _placed(after: results.GetGameResponse, event: game.PlayPlaced) -> None:
    del after.laid[:]
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


def _taken_back(after: results.GetGameResponse, event: game.TilesTakenBack) -> None:
    """Tiles laid, or a play announced and not fixed yet, came back to the rack: nothing of them stays on the sheet."""
    del after.laid[:]
    if after.entries and after.entries[-1].turn == event.turn:
        _clear(after, after.entries[-1])
        del after.entries[-1]


def _entries_taken_back(after: results.GetGameResponse, event: game.EntriesTakenBack) -> None:
    """Lines from a turn on leave the sheet, their tiles the board, their points the totals, their draws the racks."""
    first = next((place for place, line in enumerate(after.entries) if line.turn >= event.turn), len(after.entries))
    for place in reversed(range(first, len(after.entries))):
        line = after.entries[place]
        if not line.turn and line.kind != results.ENTRY_KIND_CHALLENGE_PENALTY:
            continue  # what an arbiter imposed stands
        if line.kind == results.ENTRY_KIND_PLAY:
            _clear(after, line)
        if line.complete:
            _seat(after, line.player_id).score -= line.score
        del after.entries[place]
    del after.laid[:]
    for incident in after.incidents:
        incident.open = False
    after.bag_left = event.bag_left
    after.turn_player_id = event.player_id
    note(after, results.INCIDENT_KIND_TAKEN_BACK, event.turn, event.player_id)


def _clear(after: results.GetGameResponse, entry: results.Entry) -> None:
    """The tiles of a play come off the board."""
    gone = {(placement.row, placement.column) for placement in entry.placements}
    kept = [placement for placement in after.board if (placement.row, placement.column) not in gone]
    del after.board[:]
    after.board.extend(kept)


def _withdrawn(after: results.GetGameResponse, event: game.PlayWithdrawn) -> None:
    entry = _entry(after, event.turn)
    _clear(after, entry)
    challenged = event.reason == game.WITHDRAWAL_REASON_CHALLENGED
    entry.kind = results.ENTRY_KIND_PHONY if challenged else results.ENTRY_KIND_WITHDRAWN
    entry.withdrawn_for = event.reason
    if entry.complete:  # it was withdrawn before the next player began
        _seat(after, event.player_id).score -= entry.score
    else:
        after.turn_player_id = _next(after, event.player_id)
    entry.score = 0
    entry.total = _seat(after, event.player_id).score
    entry.complete = True
    if event.returned:
        after.bag_left = event.bag_left


def _corrected(after: results.GetGameResponse, event: game.PlayCorrected) -> None:
    """Another count of a play: the totals after it move with it."""
    entry, change = _entry(after, event.turn), event.score - event.before
    entry.score = event.score
    for line in list(after.entries)[list(after.entries).index(entry) :]:
        if line.player_id == event.player_id:
            line.total += change
    _seat(after, event.player_id).score = event.total
    note(after, results.INCIDENT_KIND_PLAY_CORRECTED, event.turn, event.player_id, change)


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
    after.turn_player_id = _next(after, event.player_id)


def _ended(after: results.GetGameResponse, event: game.GameEnded) -> None:
    after.end_condition = event.condition
    after.turn_player_id = ""
    after.loser_ids[:] = event.loser_ids
    del after.laid[:]
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


def _next(state: results.GetGameResponse, player_id: str) -> str:
    """Who has the turn after a player."""
    seats = [seat.player_id for seat in state.seats]
    return seats[(seats.index(player_id) + 1) % len(seats)]


def _last_turn(state: results.GetGameResponse) -> int:
    return max((entry.turn for entry in state.entries), default=0)


def _entry(state: results.GetGameResponse, turn: int) -> results.Entry:
    for entry in reversed(state.entries):
        if entry.turn == turn:
            return entry
    raise Broken(f"{state.game_id} has no turn {turn} on its scoresheet")
