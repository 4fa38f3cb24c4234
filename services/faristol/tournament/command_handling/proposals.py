"""Changes after a round was closed that a second official confirms. Pure.

Problem. One official with a credential, or a thief of it, can change a result that is published. An option of the
tournament requires two persons.

Idea. A command is decided as always. If one of its events changes a closed round, the events are written in a
``ChangeProposed`` instead of the stream. The confirmation decides the stored command again, and writes its events only
if they are the proposed ones and the game has the same result as before. So the second official confirms what the page
showed, whatever was written in the meantime. The events decide, not the type of the command: an undo, an appeal and a
table that was reopened are covered like a correction.

Invariants:

- A proposal is answered once. Two officials at once write to one stream, and one of them decides again.
- The proposer is the caller of the command, never a field of the request. The second official has another id and
  another name, and does not play in the game.
- After a round was closed, the option is switched off by two persons only.

An expiry by time is not used: a proposal expires if the result of its game or its events change, and blocks the final
standings until it is answered.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from google.protobuf.message import Message

from faristol.kernel.errors import Invalid
from faristol.kernel.event_types import game_of, meaning, round_of
from faristol.kernel.likeness import encode_without_text
from faristol.kernel.refusal import N_, Refusal
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.rules.officials import check_not_concerned
from faristol.tournament.command_handling import undo
from faristol.tournament.command_handling.registry import BASE_COMMANDS
from faristol.tournament.conditions import check_not_removed
from faristol.tournament.results.results import list_scores, record_result
from faristol.tournament.situation import PairingCommand, Situation
from faristol.tournament.state import ChangeProposal, GameDecision, Phase, TournamentState

_OF_RESULTS = (
    events.ResultRecorded,
    events.ResultEntered,
    events.ResultCorrected,
    events.PointsAdjusted,
    events.SpreadAdjusted,
)
"""Events that change the input of the standings."""

_PROPOSABLE: Mapping[type[Message], PairingCommand] = {**BASE_COMMANDS, **undo.COMMANDS}
_REQUESTS: Mapping[str, type[Message]] = {kind.DESCRIPTOR.full_name: kind for kind in _PROPOSABLE}

_UNSTORED_FIELDS = ("command_id", "occurred_at", "expected_version")
"""Fields of a request that its confirmation does not repeat."""

UNKNOWN = N_("A second official confirms this change, so its author must be known: sign in, or state your id.")


def needs_second_official(state: TournamentState, new_events: Iterable[Message]) -> bool:
    """Check whether a second official must confirm one of the events."""
    if not state.second_official:
        return False
    closed = {played.number for played in state.played if played.phase is Phase.CLOSED}
    for event in new_events:
        match event:
            case events.StandingsReopened():
                return True
            case events.SecondOfficialSet() if closed and not event.required:
                return True
            case _ if isinstance(event, _OF_RESULTS) and event.round in closed:
                return True
    return False


def propose(situation: Situation, request: Message, new_events: Sequence[Message]) -> list[Message]:
    """Return the events of a command; those that a second official must confirm, as a proposal of the caller.

    Sanctions at tables that the publication notes were imposed before. Raises ``Refusal`` for an unknown caller, and if
    the caller has the same proposal pending.
    """
    if isinstance(request, pb.PublishStandingsRequest | pb.AnswerProposalRequest):
        return list(new_events)
    if not needs_second_official(situation.state, new_events):
        return list(new_events)
    if not situation.caller_id:
        raise Refusal("PROPOSER_UNKNOWN", UNKNOWN)
    game_id = next(filter(None, map(game_of, new_events)), "")
    return [build_proposal(situation, request, new_events, situation.caller_id, game_id)]


def build_proposal(
    situation: Situation, request: Message, new_events: Sequence[Message], proposer_id: str, game_id: str
) -> events.ChangeProposed:
    """Return the proposal of events by a command, or by the final result of a table that was reopened.

    Raises ``Refusal`` if the same one is pending.
    """
    state = situation.state
    proposed = situation.event(
        events.ChangeProposed,
        proposal=len(state.proposals) + 1,
        proposer_id=proposer_id,
        type=request.DESCRIPTOR.full_name,
        request=encode_without_text(request, _UNSTORED_FIELDS),
        changes=_encode_events(new_events),
        round=next(filter(None, map(round_of, new_events)), 0),
        game_id=game_id,
        scores_before=list_scores(state, game_id),
        note=getattr(request, "note", ""),
    )
    for each in state.proposals:
        if each.waits and each.repeats(proposed):
            raise Refusal(
                "PROPOSAL_WAITS",
                N_("The same change is already pending as proposal {proposal}."),
                {"proposal": each.proposed.proposal},
            )
    return proposed


def answer(situation: Situation, request: pb.AnswerProposalRequest) -> list[Message]:
    """Confirm or refuse the proposal of another official; the proposed events of a confirmed one follow.

    Raises ``Invalid`` unless there is exactly one answer. Raises ``Refusal`` if the proposal is unknown or answered, if
    the caller proposed it, has the name of its proposer, or plays in its game. Raises ``Refusal`` if the command
    would now have different events.
    """
    check_not_removed(situation.state)
    if request.confirmed == request.refused:
        raise Invalid("refused", N_("expected one of confirmed=true and refused=true"))
    found = _find_pending(situation, request.proposal)
    if found.proposed.proposer_id in situation.caller_ids:
        raise Refusal(
            "SAME_PERSON",
            N_("You made proposal {proposal}: another official must answer it. You can withdraw it."),
            {"proposal": request.proposal},
        )
    played = situation.state.find_game(found.proposed.game_id)
    if played is not None:
        check_not_concerned("proposal", sorted(situation.caller_ids), played[1].player_ids)
    kind = events.PROPOSAL_ANSWER_CONFIRMED if request.confirmed else events.PROPOSAL_ANSWER_REFUSED
    answered = _build_answer(situation, found, kind, request.note)
    return [answered, *_decide_again(situation, found)] if request.confirmed else [answered]


def withdraw(situation: Situation, request: pb.WithdrawProposalRequest) -> list[Message]:
    """Withdraw a pending proposal. Raises ``Refusal`` if another official proposed it."""
    check_not_removed(situation.state)
    found = _find_pending(situation, request.proposal)
    if found.proposed.proposer_id != situation.caller_id:
        raise Refusal(
            "OTHER_PROPOSER",
            N_("Another official made proposal {proposal}: you can refuse it."),
            {"proposal": request.proposal},
        )
    return [_build_answer(situation, found, events.PROPOSAL_ANSWER_WITHDRAWN, request.note)]


def find_request(state: TournamentState, number: int) -> Message | None:
    """Return the command of a proposal, without its free text; None for an unknown one or that of a table."""
    if not 1 <= number <= len(state.proposals):
        return None
    proposed = state.proposals[number - 1].proposed
    kind = _REQUESTS.get(proposed.type)
    return kind.FromString(proposed.request) if kind else None


def _find_pending(situation: Situation, number: int) -> ChangeProposal:
    """Return a pending proposal. Raises ``Refusal`` if it is unknown or answered, and for an unknown caller."""
    proposals = situation.state.proposals
    if not situation.caller_id:
        raise Refusal("PROPOSER_UNKNOWN", UNKNOWN)
    if not 1 <= number <= len(proposals):
        raise Refusal("NO_PROPOSAL", N_("There is no proposal {proposal}."), {"proposal": number})
    found = proposals[number - 1]
    if not found.waits:
        raise Refusal("PROPOSAL_ANSWERED", N_("Proposal {proposal} is already answered."), {"proposal": number})
    return found


def _decide_again(situation: Situation, found: ChangeProposal) -> list[Message]:
    """Return the events of a proposal, decided in the present state.

    Raises ``Refusal`` if they are not the proposed ones, or if the result of the game has changed.
    """
    state, proposed = situation.state, found.proposed
    if proposed.type == game_events.ResultFinal.DESCRIPTOR.full_name:
        final = game_events.ResultFinal.FromString(proposed.request)
        new_events = record_result(
            state,
            situation.ruleset,
            game=proposed.game_id,
            scores=[(score.player_id, score.score) for score in final.scores],
            occurred_at=situation.occurred_at,
            decided=GameDecision.by(final),
        )
    else:
        kind = _REQUESTS[proposed.type]
        asked: Any = kind.FromString(proposed.request)
        if note := situation.notes.get(found.version, ""):
            asked.note = note
        new_events = _PROPOSABLE[kind].decide(situation, asked)
    is_same = _encode_events(new_events) == list(proposed.changes)
    if not is_same or list_scores(state, proposed.game_id) != list(proposed.scores_before):
        raise Refusal(
            "PROPOSAL_OUTDATED",
            N_("Proposal {proposal} is outdated: the result has changed since. Refuse it, and propose it again."),
            {"proposal": proposed.proposal},
        )
    return new_events


def _build_answer(
    situation: Situation, found: ChangeProposal, kind: events.ProposalAnswer.ValueType, note: str
) -> events.ProposalAnswered:
    return situation.event(
        events.ProposalAnswered,
        proposal=found.proposed.proposal,
        answer=kind,
        proposer_id=found.proposed.proposer_id,
        official_id=situation.caller_id,
        note=note,
    )


def _encode_events(new_events: Iterable[Message]) -> list[events.ProposedEvent]:
    """Return events as a proposal stores them: without free text and time."""
    return [
        events.ProposedEvent(
            type=event.DESCRIPTOR.full_name,
            payload=encode_without_text(event, ("occurred_at",)),
            schema_version=meaning(type(event)).version,
        )
        for event in new_events
    ]


def _original(state: TournamentState, request: pb.AnswerProposalRequest) -> tuple[PairingCommand, Message] | None:
    """Return the command of a proposal, to read the data that it needs; None for that of a table."""
    asked = find_request(state, request.proposal)
    return (_PROPOSABLE[type(asked)], asked) if asked is not None else None


def _games_of(state: TournamentState, request: pb.AnswerProposalRequest) -> Iterable[str]:
    original = _original(state, request)
    return original[0].games(state, original[1]) if original else ()


def _persons_of(state: TournamentState, request: pb.AnswerProposalRequest) -> Collection[str]:
    original = _original(state, request)
    return original[0].persons(state, original[1]) if original else ()


COMMANDS: Mapping[type[Message], PairingCommand] = {
    pb.AnswerProposalRequest: PairingCommand(
        answer,
        tells=events.ProposalAnswered,
        needs_past_events=True,
        divisions=True,
        notes=True,
        games=_games_of,
        persons=_persons_of,
    ),
    pb.WithdrawProposalRequest: PairingCommand(withdraw),
}
