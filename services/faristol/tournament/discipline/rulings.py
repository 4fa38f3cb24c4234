"""The correction of rulings on challenges after the game (PES Δ.ε). Pure."""

from __future__ import annotations

from collections.abc import Mapping
from zoneinfo import ZoneInfo

from google.protobuf.message import Message

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_, Refusal
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.rules.challenges import spread_correction
from faristol.tournament.conditions import build_game_refusal, check_arbiter, found_game
from faristol.tournament.situation import PairingCommand, Situation, Undo, name_game, of_game


def correct_ruling(situation: Situation, request: pb.CorrectRulingRequest) -> list[Message]:
    """Correct a wrong ruling on the same day: add the points of the play and thirty more to the spread.

    The day is that of the halls. Raises ``Refusal`` if the book has no such correction, and on another day. Raises
    ``Refusal`` if the game has no result, or if the play has no ruling or an already corrected one.
    """
    state, ruleset, game, turn = situation.state, situation.ruleset, request.game_id, request.turn
    played, pairing = found_game(state, game)
    check_arbiter(request.arbiter_id, pairing.player_ids)
    article, rulings = ruleset.article("challenge.corrected_later"), situation.tables[game]
    if game not in played.results:
        raise build_game_refusal(
            "GAME_NOT_OVER",
            article,
            N_("{game} has no result yet: a wrong ruling can be corrected after the game."),
            game,
        )
    if turn < 1:
        turns = ", ".join(map(str, sorted(rulings.ruled))) or "–"
        raise Invalid("turn", N_("expected the turn of a play with a ruling; in this game: {turns}"), {"turns": turns})
    ruled = rulings.ruled.get(turn)
    if ruled is None:
        raise Refusal(
            "NOT_RULED",
            N_("The play of turn {turn} of {game} has no ruling."),
            {"turn": turn, "game": game},
            article=article,
        )
    if (game, turn) in played.corrected_rulings:
        raise Refusal(
            "RULING_CORRECTED",
            N_("The ruling on the play of turn {turn} has already been corrected."),
            {"turn": turn},
            article=article,
        )
    halls = ZoneInfo(state.time_zone)
    same_day = situation.moment.astimezone(halls).date() == ruled.at.astimezone(halls).date()
    points = spread_correction(ruled.points, wrongly_refused=not ruled.valid, same_day=same_day, ruleset=ruleset)
    return [
        situation.event(
            events.SpreadAdjusted,
            request,
            round=played.number,
            game_id=game,
            turn=turn,
            player_id=ruled.player_id,
            points=points,
            article=article,
        )
    ]


COMMANDS: Mapping[type[Message], PairingCommand] = {
    pb.CorrectRulingRequest: PairingCommand(
        correct_ruling,
        of_tables=True,
        tells=events.SpreadAdjusted,
        games=name_game,
        concerned=of_game,
    )
}


def _take_back(situation: Situation, version: int, note: str) -> list[Message]:
    """Reverse the correction of a ruling, which can then be corrected again."""
    act = situation.act(version)
    found_game(situation.state, act.game_id)
    undone = situation.again(act, note)
    undone.points = -act.points
    return [undone]


UNDO: Mapping[type[Message], Undo] = {
    events.SpreadAdjusted: Undo(pb.CorrectRulingRequest, _take_back, thing=("ruling", "game_id", "turn"))
}
