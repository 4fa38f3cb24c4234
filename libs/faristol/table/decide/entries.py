"""Entries of scorers at a recorded table: the first player, and the tiles on the racks. Pure."""

from __future__ import annotations

from collections import Counter

from google.protobuf.message import Message

from faristol.kernel.errors import Invalid, check_range
from faristol.kernel.refusal import N_, Refusal
from faristol.kernel.times import Instant
from faristol.pb.game.v1 import events_pb2 as events
from faristol.pb.game.v1 import game_pb2
from faristol.table import Table
from faristol.table.decide.checks import (
    check_arbiter,
    check_not_final,
    check_not_over,
    check_running,
    check_seated,
    no_arbiter,
)
from faristol.table.decide.draws import check_possible
from faristol.table.game.evolution import evolve
from faristol.table.game.state import UNENTERED_TILE


def start_game(table: Table, request: game_pb2.StartGameRequest, at: Instant) -> list[Message]:
    """Start the game with ``player_id``, as drawn at the table (FISC I.5).

    If the pairing names the first player, only that player may begin (FISE 4.1, 4.2, PES Γ.α).
    """
    game, ruleset = table.game, table.ruleset
    player_id = request.player_id
    check_seated(table, player_id)
    _check_recorded(table)
    check_not_over(table)
    if game.turn:
        raise Refusal("STARTED_ALREADY", N_("The game has started already."), article=ruleset.article("start.method"))
    if ruleset.arbiter.required and not game.arbiter:
        raise no_arbiter(ruleset)
    if ruleset.start.by_pairing and player_id != game.player_ids[0]:
        raise Refusal(
            "NOT_FIRST_NAMED",
            N_("{first} begins, as the first player of the pairing, not {player}."),
            {"first": game.player_ids[0], "player": player_id},
            article=ruleset.article("start.method"),
        )
    return [
        events.StartDecided(player_id=player_id),
        events.GameStarted(first_player_id=player_id),
    ]


def state_rack(table: Table, request: game_pb2.StateRackRequest, at: Instant) -> list[Message]:
    """State the rack of ``player_id``, at any time before the result is final.

    Raises ``Invalid`` if the number of tiles is wrong, a known tile is missing, or a tile is seen elsewhere.
    """
    game, ruleset = table.game, table.ruleset
    faces = request.faces
    check_seated(table, request.player_id)
    _check_recorded(table)
    check_not_final(table)
    rack = game.racks[request.player_id]
    known = Counter(face for face in rack if face != UNENTERED_TILE)
    if len(faces) != len(rack) or known - Counter(faces):
        expected = N_("expected {count} {count:tile|tiles}, got {faces}")
        if known:
            expected = N_("expected {count} {count:tile|tiles}, {known} among them; got {faces}")
        faces_known = " ".join(known.elements())
        raise Invalid("faces", expected, {"faces": " ".join(faces) or "–", "count": len(rack), "known": faces_known})
    check_possible(game, ruleset, "faces", (Counter(faces) - known).elements())
    return [events.RackStated(player_id=request.player_id, faces=faces)]


def take_back_entries(table: Table, request: game_pb2.TakeBackEntriesRequest, at: Instant) -> list[Message]:
    """Restore the table to the start of ``turn`` as an arbiter; the entries remain on the record.

    With a clock, only the current turn and the last pressed one can be entered again. The last pressed one can be until
    the next player acts. That corrects the scorer, not the players: the press stands, and the clock continues. Errors
    in earlier turns are corrected by other commands. Without a clock, any turn can begin again. Raises ``Invalid`` for
    a turn that does not exist, ``Refusal`` if it has no entries.
    """
    game, ruleset = table.game, table.ruleset
    turn = request.turn
    check_arbiter(table, request.arbiter_id)
    _check_recorded(table)
    check_running(table)
    check_range("turn", turn, 1, game.turn)
    if turn < game.turn and ruleset.clock.model != "none":
        _check_last_pressed(table, turn)
    if game.entered_again and (game.interruption is not None or game.arbiter_called):
        raise Refusal(
            "INTERRUPTED",
            N_("The clocks are stopped in turn {turn}: settle the reason first, then take back its entries."),
            {"turn": game.turn},
            article=ruleset.law.correction,
        )
    begun = game.begun[turn - 1]
    taken_back = events.EntriesTakenBack(
        turn=turn, player_id=begun.mover, arbiter_id=request.arbiter_id, note=request.note, bag_left=begun.bag_left
    )
    if evolve(game, taken_back).but(last_at=game.last_at, signals=game.signals) == game:
        raise Refusal(
            "NOTHING_ENTERED",
            N_("Turn {turn} has no entries to take back."),
            {"turn": turn},
            article=ruleset.law.correction,
        )
    return [taken_back]


def _check_last_pressed(table: Table, turn: int) -> None:
    """Check that ``turn`` is the last one that a press completed, without a ruling or later entries."""
    game, ruleset = table.game, table.ruleset
    if turn != game.turn - 1 or table.clock.pressed_turn != turn:
        raise Refusal(
            "TURN_OVER",
            N_("Turn {turn} is over on the clock: its entries can be corrected, but not taken back."),
            {"turn": turn},
            article=ruleset.law.play_complete,
        )
    if game.last_ruling is not None and game.last_ruling.play.turn == turn:
        raise Refusal(
            "PLAY_RULED",
            N_("The play of turn {turn} has a ruling: it cannot be re-entered."),
            {"turn": turn},
            article=ruleset.law.challenge_words,
        )
    as_begun = evolve(game, events.EntriesTakenBack(turn=game.turn))
    as_begun = as_begun.but(last_at=game.last_at, arbiter_called=game.arbiter_called, signals=game.signals)
    if as_begun != game:
        raise Refusal(
            "NEXT_TURN_BEGUN",
            N_("Turn {next} has begun: first take back its entries, then those of turn {turn}."),
            {"next": game.turn, "turn": turn},
            article=ruleset.law.correction,
        )


def _check_recorded(table: Table) -> None:
    if table.game.hosted:
        raise Refusal("TABLE_HOSTED", N_("The system holds the bag of this table: its tiles cannot be entered."))
