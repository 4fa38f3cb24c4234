"""The history of a tournament, and its proposals with what each changes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from itertools import islice
from operator import attrgetter
from typing import NamedTuple

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from faristol.access_control.credential import Credential
from faristol.access_control.needs import CALLERS
from faristol.access_control.roles import SCORER
from faristol.event_store import Loaded, Record, Recorded
from faristol.host.rpc.dispatch import Context
from faristol.host.rpc.metadata import ACTOR
from faristol.host.security.actor import read_metadata
from faristol.host.security.authorization import caller
from faristol.kernel.details import Person
from faristol.kernel.errors import Invalid, check_range
from faristol.kernel.event_types import Common, game_of, occurred_at, round_of
from faristol.kernel.mentions import players_of
from faristol.kernel.refusal import N_
from faristol.kernel.times import to_timestamp
from faristol.pb.access.v1 import needs_pb2 as needs
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.pb.pairing.v1 import registration_events_pb2 as entry_events
from faristol.pb.rating.v1 import events_pb2 as rating
from faristol.personal_data import people
from faristol.tournament.command_handling.handler import PairingHandler
from faristol.tournament.command_handling.undo import can_undo
from faristol.tournament.command_handling.undo_others import registrations_by_command
from faristol.tournament.conditions import check_registered
from faristol.tournament.discipline.appeals import is_appealable
from faristol.tournament.discipline.checks import is_lifted
from faristol.tournament.fees.decide import undo_of_fee
from faristol.tournament.fees.state import FeeState, evolve_fees, fees_stream
from faristol.tournament.prefix import Prefix
from faristol.tournament.queries.tournament import appeal_of, ratings_stream
from faristol.tournament.registration.decide import undo_of_entry
from faristol.tournament.registration.state import RegistrationState, evolve_registration, registration_stream
from faristol.tournament.situation import Situation
from faristol.tournament.state import AppealPhase, Sanction, TournamentState, stream

MAX_ACTS = 500
"""Limit of events in one answer."""

MAX_TYPES = 100
"""Limit of names of events in one request."""


async def list_acts(handler: PairingHandler, request: pb.ListActsRequest, context: Context) -> pb.ListActsResponse:
    """Return a page of the tournament's history in order, or a window of the newest actions."""
    check_range("limit", request.limit, 0, MAX_ACTS)
    check_types(request.types)
    _check_window(request)
    tournament_id = request.tournament_id
    loaded = await handler.load(tournament_id)
    recorded = (await handler.record.read_whole_stream(stream(tournament_id)))[: loaded.version]
    if request.newest:
        return await _list_newest(handler, request, loaded, recorded)
    wanted = frozenset(request.types)
    left = [event for event in recorded[max(request.after_version, 0) :] if not wanted or event.name in wanted]
    page = left[: request.limit or MAX_ACTS]
    more = len(page) < len(left)
    answer = pb.ListActsResponse(
        acts=await build_acts(handler, loaded, recorded, page), version=loaded.version, more=more
    )
    if more:
        return answer
    choices = await _load_rating_choices(handler.record, tournament_id)
    answer.rating_choices.extend(await _build_choices(handler.record, choices))
    if request.HasField("others_after") and may_read_others(caller()):
        others = await _load_others(handler.record, tournament_id)
        listed = [event for event in others.events if event.position > request.others_after]
        answer.other_acts.extend(await _build_other_acts(handler.record, loaded.state, recorded, others, listed))
    return answer


def _check_window(request: pb.ListActsRequest) -> None:
    """Raise ``Invalid`` for fields of a window without ``newest``, and for those of a page with it."""
    if request.skip and (request.skip < 0 or not request.newest):
        raise Invalid("skip", N_("is {skip}; expected 0 or more, with newest"), {"skip": request.skip})
    if request.newest and (request.after_version or request.types):
        raise Invalid("newest", N_("expected no after_version and no types with it"))


async def _list_newest(
    handler: PairingHandler, request: pb.ListActsRequest, loaded: Loaded[TournamentState], recorded: Sequence[Recorded]
) -> pb.ListActsResponse:
    """Return a window of the newest actions; only these are built. ``recorded`` are the events of the tournament."""
    record, tournament_id = handler.record, request.tournament_id
    choices = await _load_rating_choices(record, tournament_id)
    others = None
    if request.HasField("others_after") and may_read_others(caller()):
        others = await _load_others(record, tournament_id)
    after = request.others_after
    readable = [event for event in others.events if event.position > after] if others is not None else []
    every = sorted((*recorded, *choices, *readable), key=attrgetter("position"))
    last = max(0, len(every) - request.skip)
    window = every[max(0, last - (request.limit or MAX_ACTS)) : last]
    shown = {event.position for event in window}
    page = [event for event in window if event.stream == stream(tournament_id)]
    answer = pb.ListActsResponse(
        acts=await build_acts(handler, loaded, recorded, page),
        version=loaded.version,
        more=bool(window) and window[0] is not every[0],
        rating_choices=await _build_choices(record, [event for event in choices if event.position in shown]),
        total=len(every),
        paired_before=_find_paired_before(recorded, window[0].position if window else 0),
    )
    if others is not None:
        listed = [event for event in readable if event.position in shown]
        answer.other_acts.extend(await _build_other_acts(record, loaded.state, recorded, others, listed))
    return answer


def _find_paired_before(recorded: Sequence[Recorded], position: int) -> int:
    """Return the last round that was paired before a position; 0 if none."""
    before = (event.message for event in reversed(recorded) if event.position < position)
    for message in before:
        if isinstance(message, events.RoundPaired):
            return message.round
        if isinstance(message, events.RoundUnpaired | events.RoundUnpublished):
            return message.round - 1
    return 0


async def build_acts(
    handler: PairingHandler, loaded: Loaded[TournamentState], recorded: Sequence[Recorded], page: Sequence[Recorded]
) -> list[pb.Act]:
    """Return the actions of some events of a tournament. ``recorded`` are all of its events."""
    if not page:
        return []
    record, tournament_stream = handler.record, stream(loaded.state.tournament_id)
    past_events = [event.message for event in recorded]
    notes = await record.notes_of(tournament_stream)
    results = {event.version: result_of(event.message, event.version, past_events) for event in page}
    changes = {event.version: _changes_of(event) for event in page}
    nested = [change.message for listed in changes.values() for change in listed]
    named = {
        player
        for message in (*(event.message for event in page), *results.values(), *nested)
        for player in players_of(message)
    }
    known = await people.names(record, named | {author_of(event) for event in page})
    for player_id, name in (await handler.names(loaded.state) if named else {}).items():
        if player_id in known:
            known[player_id] = known[player_id].replace(name=name)
    acts = [
        act_of(
            event,
            Prefix(past_events, event.version - 1),
            "" if isinstance(event.message, _CONFIDENTIAL) else notes.get(event.version, ""),
            known,
            results[event.version],
            can_undo(loaded.state, past_events, event.version),
        )
        for event in page
    ]
    first, undone = _first_versions(recorded), _undone_versions(recorded)
    undone_in = {version: later for later, version in undone.items()}
    for act in acts:
        act.first_version = first[act.version]
        act.undoes, act.undone_in = undone.get(act.version, 0), undone_in.get(act.version, 0)
        if act.undone_in:
            act.ClearField("undone_by")
        act.proposed.extend(act_of(each, (), "", known, each.message) for each in changes[act.version])
    return acts


def _changes_of(event: Recorded) -> list[Recorded]:
    """Return the events that a proposal becomes when it is confirmed, as if they had been written with it."""
    proposed = event.message
    if not isinstance(proposed, events.ChangeProposed):
        return []
    return [
        replace(event, type=each.type, payload=each.payload, schema_version=each.schema_version)
        for each in proposed.changes
    ]


def check_types(types: Collection[str]) -> None:
    """Raise ``Invalid`` for too many names of events, and for a name that no event of tournaments has."""
    if len(types) > MAX_TYPES:
        raise Invalid("types", N_("are {count}; expected 1 to {most}"), {"count": len(types), "most": MAX_TYPES})
    known = events.DESCRIPTOR.message_types_by_name
    if unknown := next((name for name in types if name not in known), ""):
        raise Invalid("types", N_("has {name}; expected names of events, such as PairKept"), {"name": unknown})


def _first_versions(recorded: Sequence[Recorded]) -> Mapping[int, int]:
    """Return by the version of each event the version of the first event of the same command."""
    by_command: dict[str, int] = {}
    return {
        event.version: by_command.setdefault(event.metadata.command_id or str(event.version), event.version)
        for event in recorded
    }


def _undone_versions(recorded: Sequence[Recorded]) -> Mapping[int, int]:
    """Return by the version of each event of an undo the version that it undid; both are on the same stream."""
    versions = {event.event_id: event.version for event in recorded}
    return {
        event.version: versions[event.metadata.causation_id]
        for event in recorded
        if event.metadata.causation_id in versions and not isinstance(event.message, events.UndoNoted)
    }


def may_read_others(who: Credential | None) -> bool:
    """Check whether a caller of ``list_acts`` may read actions on entries and fees, as those who may list these.

    ``who`` is None in an open cell.
    """
    return who is None or who.role in CALLERS[needs.CALLERS_TREASURERS]


def may_read_reasons(who: Credential | None) -> bool:
    """Check whether a caller of ``list_sanctions`` may read the reasons of officials, as all but scorers may.

    A player can name only themselves. ``who`` is None in an open cell.
    """
    return who is None or who.role != SCORER


async def list_sanctions(
    handler: PairingHandler, request: pb.ListSanctionsRequest, context: Context
) -> pb.ListSanctionsResponse:
    """Return the sanctions on a player with their reasons, and the appeals against them.

    Include the sanctions in force, and those lifted by an appeal of the player.
    """
    record, player_id = handler.record, request.player_id
    loaded = await handler.load(request.tournament_id)
    check_registered(loaded.state, player_id)
    if player_id not in loaded.state.sanctioned:
        return pb.ListSanctionsResponse()  # most players have no sanction
    recorded = (await record.read_whole_stream(stream(request.tournament_id)))[: loaded.version]
    past_events = [event.message for event in recorded]
    situation = Situation(loaded.state, now=handler.runtime.now(), past_events=past_events)
    upheld = {each.version for each in loaded.state.appeals if each.phase is AppealPhase.UPHELD}
    on_player = [
        event
        for event in recorded
        if isinstance(event.message, Sanction)
        and event.message.player_id == player_id
        and (event.version in upheld or not is_lifted(event.message, past_events, event.version))
    ]
    notes = await record.notes_of(stream(request.tournament_id)) if may_read_reasons(caller()) else {}
    known = dict(await people.names(record, {player_id, *(event.metadata.actor for event in on_player)}))
    shown = await handler.names(loaded.state)
    for person_id, name in shown.items():
        if person_id in known:
            known[person_id] = known[person_id].replace(name=name)
    answer = pb.ListSanctionsResponse()
    for event in on_player:
        sanction = answer.sanctions.add(act=act_of(event, (), notes.get(event.version, ""), known, event.message))
        sanction.appealable = is_appealable(situation, player_id, event.version)
        for number, appeal in enumerate(loaded.state.appeals, start=1):
            if appeal.version == event.version and appeal.player_id == player_id:
                sanction.appeal.CopyFrom(appeal_of(number, appeal))
        members = [member.person_id for member in sanction.appeal.members]
        of_tribunal = await people.names(record, members) if members else {}
        sanction.members.extend(
            pb.ActPlayer(player_id=member, name=shown.get(member) or _name(of_tribunal, member)) for member in members
        )
    if any(sanction.appealable for sanction in answer.sanctions):
        persons = [*(member.person_id for member in loaded.state.tribunal), player_id]
        origins = await people.names(record, persons)
        answer.without_country.extend(
            pb.ActPlayer(player_id=person_id, name=shown.get(person_id) or _name(origins, person_id))
            for person_id in dict.fromkeys(persons)
            if person_id not in origins or not origins[person_id].country
        )
    return answer


async def _load_rating_choices(record: Record, tournament_id: str) -> list[Recorded]:
    """Return the choices of a rating system, which have no version of the tournament's stream."""
    recorded = await record.read_stream(ratings_stream(tournament_id))
    return [event for event in recorded if isinstance(event.message, rating.RatingSystemChosen)]


async def _build_choices(record: Record, chosen: Sequence[Recorded]) -> list[pb.Act]:
    """Return the actions of choices of a rating system."""
    known = await people.names(record, {author_of(event) for event in chosen})
    acts = [act_of(event, (), "", known, event.message) for event in chosen]
    for act in acts:
        act.ClearField("version")
    return acts


class _Others(NamedTuple):
    """The events on entries and fees of a tournament, each of its stream in order."""

    entries: Sequence[Recorded]
    payments: Sequence[Recorded]

    @property
    def events(self) -> Sequence[Recorded]:
        """All of them, those on entries first."""
        return (*self.entries, *self.payments)


async def _load_others(record: Record, tournament_id: str) -> _Others:
    """Return the events on entries and fees of a tournament."""
    return _Others(
        await record.read_whole_stream(registration_stream(tournament_id)),
        await record.read_whole_stream(fees_stream(tournament_id)),
    )


async def _build_other_acts(
    record: Record,
    tournament: TournamentState,
    recorded: Sequence[Recorded],
    others: _Others,
    listed: Sequence[Recorded],
) -> list[pb.Act]:
    """Return the actions of some events on entries and fees. ``recorded`` are the events of the tournament."""
    if not listed:
        return []
    tournament_id = tournament.tournament_id
    streams = registration_stream(tournament_id), fees_stream(tournament_id)
    entries, payments = others
    entry_notes, payment_notes = [await record.notes_of(name) for name in streams]
    registration = reduce(evolve_registration, (event.message for event in entries), RegistrationState())
    fees = reduce(evolve_fees, (event.message for event in payments), FeeState())
    current = {entry.first_id: entry.player_id for entry in registration.entries}
    named = {player for event in listed for player in players_of(event.message)}
    named |= {current.get(player, player) for player in named} | {event.metadata.actor for event in listed}
    known = dict(await people.names(record, named))
    for first, player in current.items():  # the details of a merged entrant are those of the known person
        if first != player and player in known:
            known[first] = known[player]
    messages, registered = [event.message for event in recorded], registrations_by_command(recorded)
    of_entries, of_payments = [event.message for event in entries], [event.message for event in payments]
    acts = []
    firsts: dict[tuple[str, str], int] = {}
    for event in (*entries, *payments):
        firsts.setdefault((event.stream, event.metadata.command_id or event.event_id), event.position)
    for event in listed:
        is_fee = event.stream == streams[1]
        if isinstance(event.message, entry_events.EntryAccepted):
            version = registered.get((event.metadata.command_id, event.message.player_id), 0)
            undone = can_undo(tournament, messages, version) if version else ""
        else:
            command = (
                undo_of_fee(of_payments, event.version, fees)
                if is_fee
                else undo_of_entry(of_entries, event.version, registration, tournament)
            )
            undone = command.DESCRIPTOR.name.removesuffix("Request") if command else ""
        notes = payment_notes if is_fee else entry_notes
        act = act_of(event, (), notes.get(event.version, ""), known, event.message, undone)
        if is_fee and fees.settings and not any(detail.startswith("currency: ") for detail in act.details):
            act.details.append(f"currency: {fees.settings.currency}")
        act.ClearField("version")
        act.first_version = firsts[event.stream, event.metadata.command_id or event.event_id]
        acts.append(act)
    return acts


_WITH_SCORES = (events.ResultRecorded, events.ResultCorrected, events.ResultConfirmed, events.ResultDisputed)
"""Events with scores."""

_CONFIDENTIAL = (events.DataRequestLodged, events.DataRequestAnswered)
"""Events with notes for the player and for those who decide on the request only: see ListDataRequests."""

_note_in = Common("note", "")
"""Reads the note in an event of older versions."""

_OMITTED_FIELDS = frozenset(("round", "player_id", "player_ids", "game_id", "inputs_digest"))
"""Fields of an event that an act has as its own, or that are of no use to readers."""


def result_of(event: Message, version: int, past_events: Sequence[Message]) -> Message:
    """Return the event with the result of an act: the one recorded after an entry, or else the event itself.

    ``past_events`` are all events of the tournament; that of the act has ``version``, from 1.
    """
    if not isinstance(event, events.ResultEntered):
        return event
    after = map(past_events.__getitem__, range(version, len(past_events)))
    recorded = (later for later in after if isinstance(later, events.ResultRecorded) and later.game_id == event.game_id)
    return next(recorded, event)


def author_of(recorded: Recorded) -> str:
    """Return the id of the author of an act: for a proposal by a reaction, its proposer."""
    event = recorded.message
    if isinstance(event, events.ChangeProposed) and recorded.metadata.role == "service":
        return event.proposer_id
    return recorded.metadata.actor


def act_of(
    recorded: Recorded,
    before: Sequence[Message],
    note: str,
    known: Mapping[str, Person],
    result: Message,
    undone_by: str = "",
) -> pb.Act:
    """Build an act with its ``note``, and with names from ``known``. Older events have the note themselves.

    Scores and players are those of ``result``, the event with the result.
    """
    event, actor = recorded.message, author_of(recorded)
    named = players_of(result)
    return pb.Act(
        version=recorded.version,
        position=recorded.position,
        type=recorded.name,
        round=round_of(event),
        player_ids=named,
        players=[pb.ActPlayer(player_id=player, name=_name(known, player)) for player in named],
        scores=result.scores if isinstance(result, _WITH_SCORES) else (),
        game_id=game_of(event),
        note=note or _note_in(event),
        actor=actor,
        actor_name=_name(known, actor),
        role=recorded.metadata.role,
        recorded_at=to_timestamp(recorded.recorded_at),
        occurred_at=occurred_at(event),
        undone_by=undone_by,
        details=[*_details(event, actor), *_result_before(event, before)],
    )


def _name(known: Mapping[str, Person], person_id: str) -> str:
    return known[person_id].name if person_id in known else ""


def _details(event: Message, actor: str) -> Iterator[str]:
    """Yield the other fields of an event: halls, times of rounds, but no seeds and no notes.

    An arbiter who is the ``actor`` is left out, because every act names the actor.
    """
    if isinstance(event, events.HallsSet):
        halls = (
            f"{hall.name} {hall.first_table}–{hall.last_table}"
            + (f" ({'+'.join(map(str, hall.row_tables))})" if hall.row_tables else "")
            for hall in event.halls
        )
        yield f"halls: {', '.join(halls) or 'none'}"
    if isinstance(event, events.RoundsAnnounced):
        times = (f"{time.round} {time.starts_at.ToJsonString()}" for time in event.times)
        yield f"times: {', '.join(times) or 'none'}"
    if isinstance(event, events.PublicationScheduled):
        yield f"publish-at: {event.publish_at.ToJsonString()}"
    if isinstance(event, events.ResultDisputed) and event.scores_claimed:
        yield f"scores-claimed: {', '.join(f'{score.player_id} {score.score}' for score in event.scores_claimed)}"
    for field, value in event.ListFields():
        if field.name in _OMITTED_FIELDS or field.message_type or field.type == field.TYPE_BYTES:
            continue
        if field.GetOptions().debug_redact or (field.name == "arbiter_id" and value == actor):
            continue
        text = ", ".join(_format_value(field, each) for each in (value if field.is_repeated else (value,)))
        yield f"{field.name.replace('_', '-')}: {text}"


def _format_value(field: FieldDescriptor, value: object) -> str:
    """Format a value as in commands: ``points`` for ``SANCTION_KIND_POINTS``."""
    if field.enum_type is not None and isinstance(value, int):
        names = field.enum_type.values_by_number
        prefix = names[0].name.removesuffix("UNSPECIFIED")
        return names[value].name.removeprefix(prefix).lower().replace("_", "-")
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def _result_before(event: Message, before: Sequence[Message]) -> Iterator[str]:
    """Yield the scores that a corrected result replaces, and for a result without play its winner, if it has one."""
    if not isinstance(event, events.ResultCorrected):
        return
    of_game = [
        earlier
        for earlier in before
        if isinstance(earlier, events.ResultRecorded | events.ResultCorrected) and earlier.game_id == event.game_id
    ]
    if not of_game:
        return
    last = of_game[-1]
    yield f"scores-before: {', '.join(f'{score.player_id} {score.score}' for score in last.scores)}"
    # A correction of an older version does not say whether the game was played: it left that unchanged.
    results = (
        each for each in reversed(of_game) if isinstance(each, events.ResultRecorded) or each.HasField("unplayed")
    )
    if any(each.unplayed for each in islice(results, 1)):
        yield "unplayed-before: yes"
        if last.winner_id:
            yield f"winner-id-before: {last.winner_id}"


async def list_proposals(
    handler: PairingHandler, request: pb.ListProposalsRequest, context: Context
) -> pb.ListProposalsResponse:
    """Return all proposals of a tournament, the oldest first."""
    loaded = await handler.load(request.tournament_id)
    answer = pb.ListProposalsResponse(required=loaded.state.second_official)
    if not loaded.state.proposals:
        return answer
    recorded = (await handler.record.read_whole_stream(stream(request.tournament_id)))[: loaded.version]
    page = [event for event in recorded if isinstance(event.message, events.ChangeProposed | events.ProposalAnswered)]
    credential = caller()
    own_id = credential.subject if credential else read_metadata(context).get(ACTOR, "")
    acts = await build_acts(handler, loaded, recorded, page)
    for event, act in zip(page, acts, strict=True):
        message = event.message
        if isinstance(message, events.ChangeProposed):
            own = bool(own_id) and message.proposer_id == own_id
            answer.proposals.add(proposal=message.proposal, act=act, own=own)
        elif isinstance(message, events.ProposalAnswered):
            answer.proposals[message.proposal - 1].answer.CopyFrom(act)
    return answer
