"""The publication of the final standings. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from google.protobuf.message import Message

from faristol.kernel.refusal import N_, Refusal, check_none
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.tournament.conditions import check_open
from faristol.tournament.discipline.at_tables import note_sanctions
from faristol.tournament.rounds.knock_out import is_decided
from faristol.tournament.situation import PairingCommand, Situation, Undo
from faristol.tournament.state import AppealPhase, Phase


def publish(situation: Situation, request: pb.PublishStandingsRequest) -> list[Message]:
    """Publish the final standings. Raises ``Refusal`` if a round is not closed, or if an appeal or a proposal is open.

    A knock-out that is decided needs no further rounds.
    Add the sanctions at tables that the tournament has not noted yet: it takes none after publication.
    """
    state, ruleset = situation.state, situation.ruleset
    check_open(state)
    closed = sum(played.phase is Phase.CLOSED for played in state.played)
    if closed < state.rounds and not is_decided(state, ruleset):
        raise Refusal(
            "ROUNDS_LEFT",
            N_(
                "Final standings require all rounds to be closed: {closed} of {rounds} rounds are closed, round "
                "{next} is not."
            ),
            {"closed": closed, "rounds": state.rounds, "next": closed + 1},
        )
    check_none(
        [
            Refusal(
                "APPEAL_OPEN",
                N_("Appeal {appeal} of {player} has not been decided."),
                {"appeal": number, "player": appeal.player_id},
                article=ruleset.law.appeal,
            )
            for number, appeal in enumerate(state.appeals, start=1)
            if appeal.phase is AppealPhase.OPEN
        ]
    )
    check_none(
        [
            Refusal(
                "PROPOSAL_OPEN",
                N_("Proposal {proposal} waits for a second official."),
                {"proposal": each.proposed.proposal},
            )
            for each in state.proposals
            if each.waits
        ]
    )
    noted: list[Message] = []
    for each in situation.imposed:
        state, new_events = note_sanctions(state, ruleset, each.game, [(each.version, each.sanction)])
        noted += new_events
    return [*noted, situation.event(events.StandingsPublished, round=closed)]


def reopen(situation: Situation, request: pb.ReopenStandingsRequest) -> list[Message]:
    """Reopen the published final standings. Raises ``Refusal`` if they are not published."""
    state = situation.state
    if not state.over:
        raise Refusal(
            "NOT_PUBLISHED",
            N_("The final standings of {tournament} are not published."),
            {"tournament": state.tournament_id},
        )
    return [situation.event(events.StandingsReopened, request, round=state.rounds)]


COMMANDS: Mapping[type[Message], PairingCommand] = {
    pb.PublishStandingsRequest: PairingCommand(publish, imposed=True),
    pb.ReopenStandingsRequest: PairingCommand(reopen),
}

UNDO: Mapping[type[Message], Undo] = {
    events.StandingsPublished: Undo(pb.ReopenStandingsRequest, thing=("final standings",)),
    events.StandingsReopened: Undo(pb.PublishStandingsRequest, thing=("final standings",)),
}
