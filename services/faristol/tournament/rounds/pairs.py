"""Forbidden pairs of players or teams, and pairs made by hand. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from google.protobuf.message import Message

from faristol.kernel.refusal import N_, Refusal
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.rules import Ruleset
from faristol.tournament.rounds.past import past_of
from faristol.tournament.rounds.systems import CYCLES
from faristol.tournament.situation import PairingCommand, Situation, Undo, since
from faristol.tournament.state import TournamentState
from faristol.tournament.teams.selection import of_pair

_Pair = tuple[str, str]


def forbid(situation: Situation, request: pb.ForbidPairRequest) -> list[Message]:
    """Forbid two players or two teams to meet in the later rounds.

    Raises ``Refusal`` in a round robin, by lot or in a match, and for a pair made by hand.
    """
    state, pair, field = of_pair(situation, request)
    _check_by_hand(situation.ruleset)
    if frozenset(pair) in state.forbidden:
        raise Refusal("PAIR_FORBIDDEN", N_("{one} and {other} are already kept apart."), _names(pair))
    number = len(state.played) + 1
    if _is_kept(state, number, pair):
        text = N_("{one} and {other} have been paired by hand in round {round}: release that pair first.")
        raise Refusal("PAIR_KEPT", text, {**_names(pair), "round": number})
    return [situation.event(events.PairForbidden, **{field: sorted(pair)})]


def allow(situation: Situation, request: pb.AllowPairRequest) -> list[Message]:
    """Allow two players or two teams to meet again."""
    state, pair, field = of_pair(situation, request)
    if frozenset(pair) not in state.forbidden:
        raise Refusal("PAIR_NOT_FORBIDDEN", N_("{one} and {other} are not kept apart."), _names(pair))
    return [situation.event(events.PairAllowed, **{field: sorted(pair)})]


def keep(situation: Situation, request: pb.KeepPairRequest) -> list[Message]:
    """Make a pair of the next round by hand. The others are paired around it.

    Players who have met meet again only if the arbiter says so (FIDE C.04.3 1.9.3).
    """
    state, pair, field = of_pair(situation, request)
    ruleset = situation.ruleset
    _check_by_hand(ruleset)
    number = len(state.played) + 1
    if number > state.rounds:
        raise Refusal("NO_ROUND_LEFT", N_("All {rounds} rounds have been paired."), {"rounds": state.rounds})
    if frozenset(pair) in state.forbidden:
        raise Refusal("PAIR_FORBIDDEN", N_("{one} and {other} are kept apart: allow them to meet first."), _names(pair))
    there = {player.player_id for player in state.to_pair(number)}
    for player_id in pair:
        if player_id not in there:
            raise Refusal(
                "NOT_TO_PAIR",
                N_("{player} is not available for pairing in round {round}."),
                {"player": player_id, "round": number},
            )
        if any(player_id in kept for kept in state.kept.get(number, ())):
            raise Refusal(
                "PAIR_KEPT",
                N_("{player} has already been paired by hand in round {round}."),
                {"player": player_id, "round": number},
            )
    met = any(past.opponent == pair[1] for past in past_of(state, ruleset, pair[0], number))
    if met and not request.rematch:
        raise Refusal(
            "MET_BEFORE",
            N_("{one} and {other} have met before; the arbiter must confirm that they meet again."),
            _names(pair),
            article=ruleset.article("championship.system"),
        )
    return [situation.event(events.PairKept, round=number, rematch=met, **{field: pair})]


def release(situation: Situation, request: pb.ReleasePairRequest) -> list[Message]:
    """Release a pair made by hand, so that the system pairs its players."""
    state, pair, field = of_pair(situation, request)
    number = len(state.played) + 1
    if not _is_kept(state, number, pair):
        text = N_("{one} and {other} have not been paired by hand in round {round}.")
        raise Refusal("PAIR_NOT_KEPT", text, {**_names(pair), "round": number})
    return [situation.event(events.PairReleased, round=number, **{field: pair})]


def _names(pair: _Pair) -> dict[str, str | int]:
    return {"one": pair[0], "other": pair[1]}


def _is_kept(state: TournamentState, number: int, pair: _Pair) -> bool:
    """Check whether a pair of a round was made by hand."""
    return any(set(kept) == set(pair) for kept in state.kept.get(number, ()))


def _check_by_hand(ruleset: Ruleset) -> None:
    if ruleset.championship.system == "lot":
        raise Refusal(
            "PAIRED_BY_LOT",
            N_("The draw determines the tables: pairs cannot be made or forbidden by hand."),
            article=ruleset.article("championship.system"),
        )
    if ruleset.championship.system in CYCLES or ruleset.championship.system == "match":
        raise Refusal(
            "PAIRED_BY_TABLE",
            N_("All players meet by the table of rounds: pairs cannot be made or forbidden by hand."),
            article=ruleset.article("championship.system"),
        )


COMMANDS: Mapping[type[Message], PairingCommand] = {
    pb.ForbidPairRequest: PairingCommand(forbid, of_tables=True),
    pb.AllowPairRequest: PairingCommand(allow, of_tables=True),
    pb.KeepPairRequest: PairingCommand(keep, of_tables=True, tells=events.PairKept),
    pb.ReleasePairRequest: PairingCommand(release, of_tables=True),
}

_APART = ("apart", "team_ids", "player_ids")
_BY_HAND = ("by hand", "round", "team_ids", "player_ids")

UNDO: Mapping[type[Message], Undo] = {
    events.PairForbidden: Undo(pb.AllowPairRequest, thing=_APART),
    events.PairAllowed: Undo(pb.ForbidPairRequest, thing=_APART),
    events.PairKept: Undo(pb.ReleasePairRequest, thing=_BY_HAND, rests=since(events.RoundPaired)),
    events.PairReleased: Undo(
        lambda act, before: pb.KeepPairRequest(player_ids=act.player_ids, team_ids=act.team_ids, rematch=True),
        thing=_BY_HAND,
        rests=since(events.RoundPaired),
    ),
}
