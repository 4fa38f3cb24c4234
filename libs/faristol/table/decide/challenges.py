"""Challenges, appeals, and other reasons to remove a play from the board. Pure."""

from __future__ import annotations

from dataclasses import replace

from google.protobuf.message import Message

from faristol.kernel.errors import Invalid
from faristol.kernel.pins import UNPINNED, no_lexicon
from faristol.kernel.refusal import N_, Refusal
from faristol.kernel.times import NANOSECONDS_PER_MS, Instant
from faristol.pb.game.v1 import events_pb2 as events
from faristol.pb.game.v1 import game_pb2
from faristol.rules import BLANK, Square
from faristol.rules.blanks import fake_blank_loses_turn
from faristol.rules.challenges import check_in_time, check_words
from faristol.table import Table
from faristol.table.clock import Clock
from faristol.table.decide.checks import (
    awaits_mover,
    check_arbiter,
    check_back,
    check_no_challenge,
    check_player,
    check_running,
    check_undisturbed,
    checked_blank,
    in_doubt,
)
from faristol.table.decide.draws import check_possible
from faristol.table.game.evolution import evolve
from faristol.table.game.state import Phase, tiles_of
from faristol.table.withdrawal import build_play_withdrawn


def challenge(table: Table, request: game_pb2.ChallengeRequest, at: Instant) -> list[Message]:
    """Challenge all, some or one of the words of the play on the board (FISC I.10).

    Raises ``Invalid`` if no word is named. Raises ``Refusal`` outside the time for challenges, for a player without
    that right, and at a table without a lexicon.
    """
    game, ruleset = table.game, table.ruleset
    player_id = request.player_id
    if game.lexicon == UNPINNED:
        raise no_lexicon(article=ruleset.article("challenge.ruling"))
    play = _challengeable(table, player_id)
    check_back(table, player_id)
    if game.ruled is not None and ruleset.challenge.once:
        raise Refusal(
            "CHALLENGED_ALREADY",
            N_("This play was challenged and stands: its other words cannot be challenged."),
            article=ruleset.article("challenge.once") or ruleset.law.challenge_once,
        )
    _check_open(table, player_id, at)
    if not request.words:
        raise Invalid("words", N_("expected one or more of the words that the play formed"))
    asked = list(dict.fromkeys(tuple(word.faces) for word in request.words))
    check_words(asked, [tuple(scored.word.faces) for scored in play.words], ruleset)
    if again := [word for word in asked if word in game.course.questioned]:
        raise Refusal(
            "WORD_RULED_ALREADY",
            N_("{words} in this play already has a ruling: only its other words can be challenged."),
            {"words": ", ".join("".join(word) for word in again)},
            article=ruleset.article("challenge.once") or ruleset.law.challenge_words,
        )
    return [
        events.ChallengeRaised(
            turn=play.turn,
            challenge=game.challenges + 1,
            player_id=player_id,
            words=[events.Word(faces=word) for word in asked],
        )
    ]


def appeal(table: Table, request: game_pb2.AppealRequest, at: Instant) -> list[Message]:
    """Appeal a ruling: as challenger of a play that stands (FISC I.10), or as player of one that does not (FISE 42.4).

    The ruling that follows is the last one.
    """
    game, ruleset = table.game, table.ruleset
    player_id = request.player_id
    check_player(table, player_id)
    law, article = ruleset.challenge, ruleset.article("challenge.appeal_by")
    play = game.in_question
    if law.appeal_by == "none":
        raise Refusal("NO_APPEAL", N_("A ruling is final: these rules provide for no appeal."), article=article)
    if game.course.appealed and game.phase is Phase.CHALLENGED and game.ruled is None:
        raise Refusal(
            "APPEALED_ALREADY",
            N_("The ruling is already appealed: the appeal is waiting for a ruling."),
            article=article,
        )
    if play is None or game.ruled is None:
        raise Refusal("NO_RULING", N_("No play on the board has a ruling that can be appealed."), article=article)
    if game.course.rulings >= law.rulings_max:
        raise Refusal(
            "RULING_FINAL",
            N_("The play has {count} {count:ruling|rulings}: the last ruling is final."),
            {"count": game.course.rulings},
            article=ruleset.article("challenge.rulings_max"),
        )
    entitled = play.player_id if law.appeal_by == "mover" else game.course.challenger
    against = game.ruled is (law.appeal_by == "challenger")
    if player_id != entitled or not against:
        raise Refusal(
            "NOT_ENTITLED",
            N_("{player} cannot appeal this ruling: only {entitled} can, if the ruling goes against that player."),
            {"player": player_id, "entitled": entitled or "–"},
            article=article,
        )
    if request.arguments_hidden and not law.arguments_hidden:
        raise Refusal(
            "ARGUMENTS_OPEN",
            N_("Under these rules the arguments of an appeal cannot be hidden."),
            article=ruleset.article("challenge.arguments_hidden") or article,
        )
    check_undisturbed(table)
    if game.phase is not Phase.CHALLENGED:
        _check_open(table, player_id, at)
    return [
        events.AppealRaised(
            turn=play.turn,
            challenge=game.challenges,
            player_id=player_id,
            arguments=request.arguments,
            arguments_hidden=request.arguments_hidden,
        )
    ]


def rule_appeal(table: Table, request: game_pb2.RuleAppealRequest, at: Instant) -> list[Message]:
    """Make the last ruling on the play on the board."""
    game = table.game
    check_arbiter(table, request.arbiter_id)
    check_running(table)
    if game.phase is not Phase.CHALLENGED or not game.course.appealed or game.ruled is not None:
        raise Refusal(
            "NO_APPEAL", N_("No appeal is waiting for a ruling."), article=table.ruleset.article("challenge.appeal_by")
        )
    play = game.in_question
    assert play is not None, "an appeal is about a play"
    return [
        events.AppealRuled(
            turn=play.turn, challenge=game.challenges, valid=request.valid, arbiter_id=request.arbiter_id
        )
    ]


def accept_ruling(table: Table, request: game_pb2.AcceptRulingRequest, at: Instant) -> list[Message]:
    """Take back a play that was ruled invalid, without an appeal (FISE 39)."""
    game, ruleset = table.game, table.ruleset
    check_player(table, request.player_id)
    play = game.in_question
    if play is None or not awaits_mover(game, ruleset):
        raise Refusal("NO_RULING", N_("No ruling is waiting to be accepted."), article=ruleset.law.withdrawn)
    if request.player_id != play.player_id:
        raise Refusal(
            "NOT_ENTITLED",
            N_("The play belongs to {mover}, who accepts the ruling or appeals."),
            {"mover": play.player_id},
            article=ruleset.law.withdrawn,
        )
    return [build_play_withdrawn(game, ruleset, events.WITHDRAWAL_REASON_CHALLENGED, at)]


def cancel_play(table: Table, request: game_pb2.CancelPlayRequest, at: Instant) -> list[Message]:
    """Cancel a play that used a leak by an official, at the request of the wronged player (PES Δ.α.i)."""
    game, ruleset = table.game, table.ruleset
    check_arbiter(table, request.arbiter_id)
    play = _challengeable(replace(table, clock=Clock()), request.player_id)
    if not ruleset.law.leaked or game.pending is None or play is not game.pending:
        raise Refusal(
            "CANNOT_CANCEL",
            N_("Only an incomplete play can be cancelled, and only under rules that provide for it."),
            article=ruleset.law.leaked,
        )
    return [build_play_withdrawn(game, ruleset, events.WITHDRAWAL_REASON_LEAKED, at)]


def claim_fake_blank(table: Table, request: game_pb2.ClaimFakeBlankRequest, at: Instant) -> list[Message]:
    """Show that a tile of the play in question, laid as a blank, is ``face`` turned over: the turn is lost (PES Δ.β).

    Raises ``Refusal`` if the system holds the bag: it knows every blank, so no tile can be a fake one.
    """
    game, ruleset = table.game, table.ruleset
    square = Square(request.row, request.column)
    play = _challengeable(replace(table, clock=Clock()), request.player_id)
    written = bool(game.course.written) or play is not game.pending
    tile = next((laid for there, laid in tiles_of(play) if there == square), None)
    checked_blank(square, tile)
    if not fake_blank_loses_turn(written, ruleset):
        raise Refusal(
            "ARBITER_DECIDES",
            N_("These rules define no penalty for a letter turned over: an arbiter decides."),
            article=ruleset.article("blank.fake"),
        )
    if game.hosted:
        raise Refusal(
            "BLANK_IS_GENUINE",
            N_("The tile on {square} came out of the bag as a blank: it is not a {face} turned over."),
            {"square": str(square), "face": request.face or "–"},
            article=ruleset.article("blank.fake"),
        )
    check_possible(game, ruleset, "face", [request.face])
    off_board = build_play_withdrawn(game, ruleset, events.WITHDRAWAL_REASON_FAKE_BLANK, at)
    rack = list(evolve(game, off_board).racks[play.player_id])
    rack[rack.index(BLANK)] = request.face
    return [off_board, events.RackStated(player_id=play.player_id, faces=rack)]


def _challengeable(table: Table, player_id: str) -> events.PlayPlaced:
    """Return the play that ``player_id`` may question. Raises ``Refusal`` without such a play."""
    game, ruleset = table.game, table.ruleset
    law = ruleset.challenge
    if player_id not in game.in_play:
        raise Refusal(
            "NOT_AT_TABLE",
            N_("{player} does not play at this table; {players} do."),
            {"player": player_id, "players": ", ".join(game.in_play)},
            article=ruleset.article("challenge.by") or ruleset.law.turn,
        )
    check_running(table)
    play = in_doubt(game, table.clock, ruleset)
    if play is None:
        raise Refusal(
            "NOTHING_TO_CHALLENGE",
            N_("The board has no play that can be challenged: the last turn is complete and accepted."),
            article=ruleset.article("challenge.closes_on"),
        )
    if player_id == play.player_id:
        raise Refusal(
            "OWN_PLAY",
            N_("This is {player}'s own play: only the other players can challenge it."),
            {"player": player_id},
            article=ruleset.article("challenge.by"),
        )
    if law.by == "opponent" and player_id != game.next_player(play.player_id):
        raise Refusal(
            "NOT_ENTITLED",
            N_("Only {opponent}, who has the next turn, can challenge the play."),
            {"opponent": game.next_player(play.player_id)},
            article=ruleset.article("challenge.by"),
        )
    if law.by == "nobody":
        raise Refusal(
            "CHECKED_ALREADY",
            N_("Each play is checked when it is laid: plays cannot be challenged."),
            article=ruleset.article("challenge.by"),
        )
    check_no_challenge(table)
    check_undisturbed(table)
    return play


def _check_open(table: Table, player_id: str, at: Instant) -> None:
    """Raise ``Refusal`` outside the time for a challenge (UF 23, FISC I.10, FISE 38 and 39, PES Δ.ε)."""
    game, clock, ruleset = table.game, table.clock, table.ruleset
    law, article = ruleset.challenge, ruleset.article("challenge.closes_on")
    if game.entered_again and clock.pressed_turn == game.turn:
        text = N_("The clock was already pressed for turn {turn}, which is being re-entered: its play is accepted.")
        raise Refusal("CHALLENGE_TOO_LATE", text, {"turn": game.turn}, article=article)
    if law.opens_on == "clock-stopped" and clock.held_turn != game.turn:
        raise Refusal(
            "CHALLENGE_TOO_EARLY",
            N_("{mover} has not stopped the clock yet: the play can be challenged after that."),
            {"mover": game.mover},
            article=ruleset.article("challenge.opens_on"),
        )
    written = game.course.written
    match law.closes_on:
        case "refill" if game.phase is Phase.DRAWN:
            text = N_("{mover} has begun to draw: the play is complete and accepted.")
            raise Refusal("CHALLENGE_TOO_LATE", text, {"mover": game.mover}, article=article)
        case "challenger-writes" if player_id in written:
            text = N_("{player} has written the score of the play and so has accepted the play.")
            raise Refusal("CHALLENGE_TOO_LATE", text, {"player": player_id}, article=article)
        case "both-write" if all(player in written for player in game.player_ids):
            text = N_("Both players have written the score of the play: it is accepted.")
            raise Refusal("CHALLENGE_TOO_LATE", text, article=article)
    if law.seconds_max is not None and law.opens_on == "clock-stopped":
        check_in_time((at - clock.held_at) // NANOSECONDS_PER_MS, ruleset)
