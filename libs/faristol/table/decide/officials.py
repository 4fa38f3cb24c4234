"""Commands of arbiters at a table, and calls for them. Pure."""

from __future__ import annotations

from collections.abc import Collection

from google.protobuf.message import Message

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_, Refusal
from faristol.kernel.times import Instant
from faristol.pb.game.v1 import events_pb2 as events
from faristol.pb.game.v1 import game_pb2
from faristol.rules import Ruleset
from faristol.rules.draws.surplus import expulsion_due
from faristol.rules.officials import check_not_concerned
from faristol.table import Table
from faristol.table.decide.checks import (
    check_arbiter,
    check_no_arbiter_awaited,
    check_not_final,
    check_not_over,
    check_player,
    check_points,
    check_running,
    check_seated,
)
from faristol.table.game.state import Game, Phase

SANCTION_KINDS = frozenset(
    (
        events.SANCTION_KIND_WARNING,
        events.SANCTION_KIND_POINTS,
        events.SANCTION_KIND_TURN,
        events.SANCTION_KIND_GAME,
        events.SANCTION_KIND_EXPULSION,
    )
)
"""The sanctions that an arbiter can impose."""


def assign_arbiter(table: Table, request: game_pb2.AssignArbiterRequest, at: Instant) -> list[Message]:
    """Assign an arbiter to the table; a game that requires one starts with it (PES Γ.γ)."""
    game = table.game
    check_arbiter(table, request.arbiter_id)
    check_not_over(table)
    new_events: list[Message] = [events.ArbiterAssigned(arbiter_id=request.arbiter_id)]
    if game.phase is Phase.UNSPECIFIED and game.starter:
        new_events.append(events.GameStarted(first_player_id=game.starter))
    return new_events


def call_arbiter(table: Table, request: game_pb2.CallArbiterRequest, at: Instant) -> list[Message]:
    """Call an arbiter to the table (FISC I.11.C, FISE 34.5, PES Ε.α)."""
    check_player(table, request.player_id)
    check_no_arbiter_awaited(table)
    return [events.ArbiterCalled(turn=table.game.turn, player_id=request.player_id)]


def dismiss_arbiter(table: Table, request: game_pb2.DismissArbiterRequest, at: Instant) -> list[Message]:
    """Release the arbiter who was called; the game continues."""
    game = table.game
    check_arbiter(table, request.arbiter_id)
    check_running(table)
    if not game.arbiter_called:
        raise Refusal(
            "NO_CALL",
            N_("No arbiter is at the table: no arbiter was called, or the arbiter has left."),
            article=table.ruleset.article("clock.neutralised_by"),
        )
    return [events.ArbiterLeft(turn=game.turn, arbiter_id=request.arbiter_id)]


def impose_sanction(table: Table, request: game_pb2.ImposeSanctionRequest, at: Instant) -> list[Message]:
    """Impose a sanction (FISE 46 to 49, UF 28, PES Ζ).

    Points are deducted at once, and there may be a minimum (FISE 49: 25). A lost turn is the current one if it has not
    begun, else the next one. A game is lost by decision: at a table of several, that player is out and the others
    continue. Raises ``Invalid`` for an unknown kind and for points that do not fit it. Raises it also for a player that
    has already left or lost the game.
    """
    game, ruleset = table.game, table.ruleset
    kind, player_id, points = request.kind, request.player_id, request.points
    check_arbiter(table, request.arbiter_id)
    check_seated(table, player_id)
    check_not_final(table)
    _check_kind(ruleset, kind, points)
    if kind in (events.SANCTION_KIND_TURN, events.SANCTION_KIND_GAME):
        check_running(table)
        _check_in_play(table, player_id)
    warning = kind == events.SANCTION_KIND_WARNING
    imposed = events.SanctionImposed(
        turn=game.turn,
        player_id=player_id,
        kind=kind,
        points=points,
        arbiter_id=request.arbiter_id,
        article=ruleset.law.warning if warning else ruleset.law.sanctions,
        note=request.note,
    )
    return [imposed, *_apply_sanction(game, ruleset, kind, player_id, points)]


def _check_kind(ruleset: Ruleset, kind: events.SanctionKind.ValueType, points: int) -> None:
    """Raise ``Invalid`` for an unknown kind or points that do not fit it, ``Refusal`` for too few points."""
    if kind not in SANCTION_KINDS:
        raise Invalid("kind", N_("is {kind}; expected one of the kinds of sanction"), {"kind": kind})
    in_points = kind == events.SANCTION_KIND_POINTS
    if in_points is not (points > 0):
        raise Invalid(
            "points",
            N_("are {points}; expected 1 or more for a sanction in points, and 0 for any other kind"),
            {"points": points},
        )
    check_points("points", points)
    least = ruleset.arbiter.sanction_points_min
    if in_points and least is not None and points < least:
        raise Refusal(
            "SANCTION_TOO_SMALL",
            N_("A sanction deducts {least} {least:point|points} or more, not {points}."),
            {"least": least, "points": points},
            article=ruleset.article("arbiter.sanction_points_min"),
        )


def _apply_sanction(
    game: Game, ruleset: Ruleset, kind: events.SanctionKind.ValueType, player_id: str, points: int
) -> list[Message]:
    """Return the effect of a sanction: the points, the turn or the game that the player loses."""
    article = ruleset.law.sanctions
    match kind:
        case events.SANCTION_KIND_POINTS:
            reason = events.ADJUSTMENT_REASON_SANCTION
            return [events.ScoreAdjusted(player_id=player_id, points=-points, reason=reason, article=article)]
        case events.SANCTION_KIND_TURN:
            lost = events.TURN_LOST_REASON_SANCTION
            return [events.NextTurnForfeited(player_id=player_id, reason=lost, article=article)]
        case events.SANCTION_KIND_GAME:
            return _lost_by_decision(game, [player_id])
        case _:
            return []


def record_overholding(table: Table, request: game_pb2.RecordOverholdingRequest, at: Instant) -> list[Message]:
    """Record a rack overheld on purpose: a warning, or a proposed expulsion if it happened too often (FISE 28).

    Overholding in other games of the tournament counts.
    """
    game, ruleset = table.game, table.ruleset
    check_arbiter(table, request.arbiter_id)
    check_seated(table, request.player_id)
    count = game.overholding.get(request.player_id, 0) + 1
    article = ruleset.article("overdraw.expulsion_after_in_game") or ruleset.law.sanctions
    due = expulsion_due(count, table.overheld_elsewhere + count, ruleset)
    return [
        events.SanctionImposed(
            turn=game.turn,
            player_id=request.player_id,
            kind=events.SANCTION_KIND_EXPULSION if due else events.SANCTION_KIND_WARNING,
            arbiter_id=request.arbiter_id,
            article=article,
            overholding=count,
        )
    ]


def record_word_asked(table: Table, request: game_pb2.RecordWordAskedRequest, at: Instant) -> list[Message]:
    """Record that a player asked about a word before playing it: it cannot be played (UF 28.1, FISE 46.2).

    A player who asks again, in this game or elsewhere in the tournament, loses the game and is disqualified: expulsion
    is proposed to the director. The player who answered, ``answerer_id``, at this table or another, is punished alike.
    Raises ``Invalid`` if asker and answerer are the same.
    """
    game, ruleset = table.game, table.ruleset
    answerer_id = request.answerer_id
    arbiter_id = request.arbiter_id
    player_id = request.player_id
    if answerer_id in table.strangers:
        raise Invalid("answerer_id", N_("{player} is not a player of the tournament"), {"player": answerer_id})
    check_arbiter(table, arbiter_id)
    check_player(table, player_id)
    _check_in_play(table, player_id)
    if ruleset.arbiter.asked_word == "none":
        raise Refusal(
            "ASKING_UNREGULATED",
            N_("These rules define no penalty for asking about a word: impose a sanction if one is due."),
            article=ruleset.article("arbiter.asked_word"),
        )
    if not request.word.faces:
        raise Invalid("word", N_("expected the word that was asked about, as tiles"))
    if answerer_id == player_id:
        raise Invalid("answerer_id", N_("is the player who asked: expected another player, or an empty field"))
    check_not_concerned("arbiter_id", [arbiter_id], [answerer_id])
    before = {*table.asked_elsewhere, *(player for player, _ in game.asked)}
    again = [player for player in (player_id, answerer_id) if player in before]
    new_events: list[Message] = [
        events.WordAsked(
            turn=game.turn,
            player_id=player_id,
            word=request.word,
            arbiter_id=arbiter_id,
            answerer_id=answerer_id,
        )
    ]
    if not again or ruleset.arbiter.asked_again != "disqualified":
        return new_events
    new_events.extend(
        events.SanctionImposed(
            turn=game.turn,
            player_id=player,
            kind=events.SANCTION_KIND_EXPULSION,
            arbiter_id=arbiter_id,
            article=ruleset.article("arbiter.asked_again"),
        )
        for player in again
    )
    losing = [player for player in again if player in game.in_play]
    return [*new_events, *(_lost_by_decision(game, losing) if losing else ())]


def _lost_by_decision(game: Game, player_ids: Collection[str]) -> list[Message]:
    """Return the end of the game that players lose by decision; empty if two or more others continue."""
    left = [player for player in game.in_play if player not in player_ids]
    if len(left) > 1:
        return []
    losers = [player for player in game.player_ids if player not in left]
    return [events.GameEnded(condition=events.END_CONDITION_FORFEIT, loser_ids=losers)]


def _check_in_play(table: Table, player_id: str) -> None:
    """Raise ``Invalid`` for a player who has left or lost the game: there is no turn or game to lose."""
    game = table.game
    if player_id in game.gone:
        raise Invalid(
            "player_id",
            N_("{player} is already out of the game; expected one of {players}"),
            {"player": player_id, "players": ", ".join(game.in_play)},
        )
