"""The start and the close of a round. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from google.protobuf.message import Message

from faristol.kernel.refusal import N_, Refusal
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.tournament.conditions import build_round_refusal, check_open, paired_round
from faristol.tournament.results.confirmations import list_unconfirmed_tables
from faristol.tournament.results.entry import lost_by_absence
from faristol.tournament.rounds.readiness import check_all_there
from faristol.tournament.situation import PairingCommand, Situation
from faristol.tournament.state import Phase, evolve


def start(situation: Situation, request: pb.StartRoundRequest) -> list[Message]:
    """Start a paired round, and decide the games lost by absence (PES ΣΤ)."""
    state, ruleset, number = situation.state, situation.ruleset, request.round
    if state.draft is not None and state.draft.number == number:
        check_open(state)
        raise build_round_refusal(
            "ROUND_NOT_PUBLISHED", "", N_("Round {round} is a draft: publish its pairing before you start it."), number
        )
    paired = paired_round(state, number)
    if paired.phase is not Phase.PAIRED:
        raise Refusal("ROUND_STARTED", N_("Round {round} has already been started."), {"round": number})
    check_all_there(state, ruleset, paired)
    started = situation.event(events.RoundStarted, round=number)
    return [started, *lost_by_absence(evolve(state, started), ruleset, number, started.occurred_at)]


def close(situation: Situation, request: pb.CloseRoundRequest) -> list[Message]:
    """Close a round with all results. Its scores cannot be corrected after that (FISC I.9)."""
    ruleset, number = situation.ruleset, request.round
    played = paired_round(situation.state, number)
    if played.phase is Phase.CLOSED:
        raise Refusal(
            "ROUND_CLOSED",
            N_("Round {round} has already been closed."),
            {"round": number},
            article=ruleset.law.result_final,
        )
    if played.phase is Phase.PAIRED:
        raise Refusal(
            "ROUND_NOT_STARTED", N_("Round {round} cannot be closed: it has not been started."), {"round": number}
        )
    if played.missing:
        single = N_("Round {round} cannot be closed: one result is missing, at table {tables}.")
        several = N_("Round {round} cannot be closed: {count} results are missing, at tables {tables}.")
        raise Refusal(
            "RESULTS_MISSING",
            single if len(played.missing) == 1 else several,
            {
                "round": number,
                "count": len(played.missing),
                "tables": ", ".join(f"{pairing.table} ({pairing.game_id})" for pairing in played.missing),
            },
            article=ruleset.law.signatures,
        )
    if open_ := list_unconfirmed_tables(situation.state, played):
        raise Refusal(
            "RESULTS_UNCONFIRMED",
            N_("Round {round} cannot be closed: the results of tables {tables} are not confirmed yet."),
            {"round": number, "tables": ", ".join(str(pairing.table) for pairing in open_)},
        )
    return [situation.event(events.RoundClosed, round=number)]


_PAIRINGS = (events.RoundPaired, events.RoundUnpaired, events.RoundUnpublished)

COMMANDS: Mapping[type[Message], PairingCommand] = {
    pb.StartRoundRequest: PairingCommand(start, rests_on=_PAIRINGS),
    pb.CloseRoundRequest: PairingCommand(close),
}
