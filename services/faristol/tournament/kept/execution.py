"""The execution of the commands that a hall accepted without a line: once each, in the order of the hall."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import reduce
from typing import Any

from google.protobuf.message import DecodeError

from faristol.consumers import Reaction
from faristol.event_store import Decision, Guard, Record, Recorded, Write, load
from faristol.host.command_handler import digest
from faristol.host.halls.kept import (
    REFUSED_AS_WITHDRAWN,
    Keys,
    Outcome,
    Outcomes,
    kept_stream,
    outcome_stream,
    watch_keys,
    watch_outcomes,
)
from faristol.host.table_store import load_table
from faristol.kernel.errors import AlreadyExists, Invalid, NotFound
from faristol.kernel.event_types import types_of
from faristol.kernel.refusal import N_, Refusal
from faristol.kernel.times import to_datetime, to_timestamp
from faristol.pb.hall.v1 import events_pb2 as events
from faristol.table.ownership import refuse_foreign
from faristol.tournament.command_handling.handler import COMMANDS, PairingHandler
from faristol.tournament.command_handling.outcome import write_of
from faristol.tournament.command_handling.proposals import propose
from faristol.tournament.conditions import check_meets_at_tables
from faristol.tournament.kept.finished import read_missing_result
from faristol.tournament.kept.requests import KEPT_REQUESTS
from faristol.tournament.results.results import format_scores, list_scores
from faristol.tournament.state import TournamentState, evolve

NOT_KEPT = N_("The command of the hall {hall} cannot be executed: it is not one on a result of its tables.")

WITHDRAWN_BY_HALL = N_("The hall {hall} withdrew it before the championship executed it.")

DECIDED = N_("It was withdrawn too late: the championship has already decided on it. Correct it there, or undo it.")

KNOWN = N_("The championship executed another command with the id of this one.")

CHANGED = N_(
    "The result was changed in the championship: it is {here}. The hall {hall} did not know that, and had {before}."
)

NO_RESULT = N_(
    "The championship has no result of this table. The hall {hall} changed {before}, which the championship does not "
    "have."
)

RELEASED = N_("The cell of the hall {hall} was released: an arbiter decides on what it kept.")


def execute_kept(handler: PairingHandler) -> Reaction:
    """Build the reaction that executes a kept command for its actor, or records why it is refused.

    Its time is that of the hall, but not before the latest event of the tournament, since its events are in order. The
    kept command has its original time. A command that was sent to the championship too, and executed there, is not
    executed again.
    """

    async def execute(event: Recorded) -> Decision | None:
        kept = event.message
        assert isinstance(kept, events.HallCommandKept)
        record = handler.record
        name = outcome_stream(event.tournament)
        outcomes = await load(record, name, Outcomes(), watch_outcomes)
        if kept.command_id in outcomes.state.by_command:
            return None
        about: dict[str, Any] = {"hall": kept.hall, "command_id": kept.command_id, "game_id": kept.game_id}
        about["occurred_at"] = to_timestamp(handler.runtime.now())
        try:
            if kept.withdrawn_id:
                check_withdrawn(outcomes.state.by_command.get(kept.withdrawn_id), kept)
                decision = Decision()
            elif await _was_executed(record, event, kept):
                decision = Decision()
            else:
                await _check_not_withdrawn(record, event, kept)
                decision = await _decide(handler, event, kept)
        except (Refusal, Invalid, NotFound, AlreadyExists) as problem:
            refused = _describe_refusal(problem, about)
            return Decision([Write(name, outcomes.version, [refused], event.tournament)])
        executed = Write(name, outcomes.version, [events.HallCommandExecuted(**about)], event.tournament)
        return Decision([*decision.writes, executed], decision.guards, decision.also, for_actor=True)

    return Reaction("pairing.kept", types_of([events.HallCommandKept]), execute)


async def _was_executed(record: Record, event: Recorded, kept: events.HallCommandKept) -> bool:
    """Check whether the championship executed a kept command itself, before the hall sent it.

    Raises ``Refusal`` if it executed another one with its id.
    """
    if kept.command_id != event.metadata.command_id:
        return False  # a part of a command on several tables: the state of its game decides
    answer = await record.find_answer(kept.command_id)
    if answer is None or answer.position >= event.position:
        return False  # the answer is that of the hall, which was copied with the command
    if not answer.answer.startswith(digest(await _read(record, event, kept), kept.command_id)):
        raise Refusal("COMMAND_KNOWN", KNOWN)
    return True


def _describe_refusal(
    problem: Refusal | Invalid | NotFound | AlreadyExists, about: Mapping[str, Any]
) -> events.HallCommandRefused:
    """Return the event of a refusal, with its text as a key of translations."""
    refused = events.HallCommandRefused(**about)
    match problem:
        case Refusal():
            refused.reason, refused.article, refused.text = problem.reason, problem.article, problem.message
        case Invalid():
            refused.text = problem.problem
        case _:
            refused.text = str(problem)
            return refused
    refused.parameters.extend(
        events.RefusalParameter(name=name, value=str(value)) for name, value in problem.params.items()
    )
    return refused


async def _decide(handler: PairingHandler, event: Recorded, kept: events.HallCommandKept) -> Decision:
    """Return the decision on a kept command. Raises the exceptions of a decision on the command."""
    request = await _read(handler.record, event, kept)
    loaded = await handler.load(event.tournament)
    # The final result of the table came with the command, but its own reaction may be later than this one.
    missing = await read_missing_result(handler.record, loaded.state, kept.game_id)
    after = replace(loaded, state=reduce(evolve, missing, loaded.state))
    _check_unchanged(after.state, kept)
    command = COMMANDS[type(request)]
    at = max(to_datetime(kept.occurred_at), loaded.state.latest)
    situation, guards = await handler.situation(command, request, after, at)
    check_meets_at_tables(situation.ruleset)
    situation = replace(situation, caller_id=event.metadata.actor)
    new_events = [*missing, *propose(situation, request, command.decide(situation, request))]
    table = await load_table(handler.record, kept.game_id)
    if table is None or kept_stream(event.tournament, table.game.owner_key) != event.stream:
        raise refuse_foreign(table.table) if table else NotFound("game", kept.game_id)
    keys = await load(handler.record, f"halls-{event.tournament}", Keys(), watch_keys)
    if keys.state.by_hall.get(kept.hall) != table.game.owner_key:
        raise Refusal("HALL_RELEASED", RELEASED, {"hall": kept.hall})
    owner = [Guard(stream, version) for stream, version in table.versions.items()]
    return Decision([write_of(loaded, new_events)], [*guards, *owner])


def _check_unchanged(state: TournamentState, kept: events.HallCommandKept) -> None:
    """Check that the championship has the result on which the hall decided.

    Raises ``Refusal`` if it was changed there in the meantime: the hall did not know that.
    """
    here = list_scores(state, kept.game_id)
    if kept.scores_before and here != list(kept.scores_before):
        raise Refusal(
            "RESULT_CHANGED",
            CHANGED if here else NO_RESULT,
            {
                "hall": kept.hall,
                "before": format_scores(each.score for each in kept.scores_before),
                "here": format_scores(each.score for each in here),
            },
        )


async def _check_not_withdrawn(record: Record, event: Recorded, kept: events.HallCommandKept) -> None:
    """Raise ``Refusal`` for a command that the hall withdrew later, if its withdrawal has come too."""
    for later in await record.events(event.stream, event.version):
        if isinstance(later, events.HallCommandKept) and later.withdrawn_id == kept.command_id:
            raise Refusal(REFUSED_AS_WITHDRAWN, WITHDRAWN_BY_HALL, {"hall": kept.hall})


def check_withdrawn(outcome: Outcome | None, kept: events.HallCommandKept) -> None:
    """Check that a withdrawal came before the execution of its command. Raises ``Refusal``."""
    if outcome is None:
        raise Refusal("NOT_KEPT", NOT_KEPT, {"hall": kept.hall})
    if not isinstance(outcome, events.HallCommandRefused) or outcome.reason != REFUSED_AS_WITHDRAWN:
        raise Refusal("KEPT_DECIDED", DECIDED)


async def _read(record: Record, event: Recorded, kept: events.HallCommandKept) -> Any:
    """Return the request of a kept command with its free text. Raises ``Refusal`` for one that a hall cannot keep."""
    kind = KEPT_REQUESTS.get(kept.type)
    request: Any = None
    if kind is not None:
        try:
            request = kind.FromString(kept.request)
        except DecodeError:
            request = None
    if (
        request is None
        or (request.tournament_id, request.game_id) != (event.tournament, kept.game_id)
        or request.command_id != kept.command_id
    ):
        raise Refusal("NOT_KEPT", NOT_KEPT, {"hall": kept.hall})
    note = (await record.notes_at([event.position])).get(event.position, "")
    if note and "note" in request.DESCRIPTOR.fields_by_name:
        request.note = note
    return request
