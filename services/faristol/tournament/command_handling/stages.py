"""The creation of a stage of a championship, and the registration of the players that qualified for it."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.event_store import Decision, Guard, Loaded, Write, load
from faristol.event_store.append.decision import MAX_SHOWN_NAME_CHARACTERS
from faristol.host.rpc.dispatch import Context
from faristol.host.rpc.interceptor import language_of
from faristol.host.ruleset_store import list_ruleset_writes, ruleset_of
from faristol.kernel.errors import Invalid
from faristol.kernel.likeness import like
from faristol.kernel.names import check_name
from faristol.kernel.refusal import N_, Refusal
from faristol.kernel.times import to_timestamp
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.personal_data import people
from faristol.rules import Ruleset
from faristol.rules.ruleset.formats import FORMAT_OPTIONS
from faristol.text import say
from faristol.tournament.administration.divisions import add_division, rename_division
from faristol.tournament.administration.qualification import (
    Qualification,
    QualifyingTournament,
    find_qualification,
    list_obstacles,
    qualify,
)
from faristol.tournament.administration.stages import (
    check_carries_over,
    copy_settings,
    count_rounds,
    plan_stage,
    with_stage,
)
from faristol.tournament.administration.tournaments import SEED_SIZE, create, pin_of
from faristol.tournament.command_handling import pins
from faristol.tournament.command_handling.handler import PairingHandler
from faristol.tournament.command_handling.identity import checked_tournament_id
from faristol.tournament.command_handling.outcome import to_obstacle, write_of
from faristol.tournament.command_handling.tournaments import find_free_id
from faristol.tournament.conditions import check_open
from faristol.tournament.situation import Situation
from faristol.tournament.state import Stage, TournamentState, evolve, stream


async def create_stage(
    handler: PairingHandler, request: pb.CreateStageRequest, context: Context
) -> pb.CreateStageResponse:
    """Create a stage with the rules, the halls and the settings of its first source."""
    at, runtime = handler.at(request), handler.runtime
    name = check_name("name", request.name)
    first_stage = check_name("first_stage", request.first_stage, empty=True)
    if request.stage_id:
        checked_tournament_id("stage_id", request.stage_id)

    async def attempt() -> tuple[Decision, pb.CreateStageResponse]:
        source = await handler.load(request.tournament_id)
        others = [await handler.load(each, "source_ids") for each in request.source_ids]
        stage = plan_stage(request, [source.state, *(each.state for each in others)])
        ruleset = _find_ruleset(source.state, request)
        check_carries_over(stage, ruleset)
        first = source if not source.state.division_of else await handler.load(source.state.division_of)
        if not first.state.division and not first_stage:
            raise Invalid("first_stage", N_("is missing; expected the name of the first stage, such as: Swiss"))
        beside = [
            await handler.load(each.tournament_id) for each in first.state.divisions if each.stage == stage.number
        ]
        stage_id = request.stage_id or await find_free_id(handler, f"{first.state.name} {name}", request.command_id)
        situation = Situation(TournamentState(), now=runtime.now(), at=at, rules=ruleset)
        asked = await _build_creation(handler, source, request, stage, ruleset)
        asked.tournament_id, asked.division, asked.division_of = stage_id, name, first.state.tournament_id
        created, *pinned = create(situation, asked, source.state.lexicon)
        assert isinstance(created, events.TournamentCreated)
        new_events = [
            with_stage(created, stage),
            *pinned,
            *copy_settings(
                source.state,
                to_timestamp(at or runtime.now()),
                [each.state for each in beside if not each.state.removed],
            ),
        ]
        loaded = await load(handler.record, stream(stage_id), TournamentState(), evolve)
        added = events.Division(tournament_id=stage_id, name=name, stage=stage.number)
        of_first = Situation(first.state, now=runtime.now(), at=at)
        division = add_division(of_first, added, first_division="" if first.state.division else first_stage)
        writes = [
            write_of(loaded, new_events),
            *await list_ruleset_writes(handler.record, ruleset, stage_id),
            write_of(first, division),
        ]
        answer = pb.CreateStageResponse(stage_id=stage_id, rounds=asked.rounds, ruleset=pin_of(ruleset).message())
        return Decision(writes, _guard([source, *others, *beside], writes)), answer

    return await handler.handle(request, context, attempt, pb.CreateStageResponse, among_divisions=True)


def _find_ruleset(source: TournamentState, request: pb.CreateStageRequest) -> Ruleset:
    """Return the rules of the source with the options of the stage, which replace those of the same names.

    Another format leaves out the options of the format of the source, such as the games of its matches. Raises
    ``Invalid`` if an option is given twice.
    """
    asked = [(option.name, option.value) for option in request.options]
    inherited = dict(source.ruleset.options)
    replaced = {name for name, _ in asked}
    if "format" in replaced and dict(asked)["format"] != inherited.get("format"):
        replaced |= FORMAT_OPTIONS
    kept = [(name, value) for name, value in inherited.items() if name not in replaced]
    return pins.ruleset_named(source.ruleset.name, [*kept, *asked])


async def _build_creation(
    handler: PairingHandler,
    source: Loaded[TournamentState],
    request: pb.CreateStageRequest,
    stage: Stage,
    ruleset: Ruleset,
) -> pb.CreateTournamentRequest:
    """Build the command that creates the tournament of a stage."""
    created = (await handler.past_events(source))[0]
    assert isinstance(created, events.TournamentCreated)
    return pb.CreateTournamentRequest(
        name=source.state.name,
        rounds=request.rounds or count_rounds(stage, ruleset),
        seed=secrets.token_bytes(SEED_SIZE),
        keeping=created.keeping,
        time_zone=source.state.time_zone,
    )


def _guard(
    loaded: Sequence[Loaded[TournamentState]], writes: Sequence[Write], guards: Sequence[Guard] = ()
) -> tuple[Guard, ...]:
    """Return guards of tournaments that are read and not written to; ``guards`` are further ones."""
    written = {write.stream for write in writes}
    read = {guard.stream: guard.version for guard in guards}
    read |= {stream(each.state.tournament_id): each.version for each in loaded}
    return tuple(Guard(name, version) for name, version in read.items() if name not in written)


async def rename(
    handler: PairingHandler, request: pb.RenameDivisionRequest, context: Context
) -> pb.RenameDivisionResponse:
    """Rename a division or a stage, in its championship and on itself, or remove its name."""
    at, runtime = handler.at(request), handler.runtime
    name = check_name("name", request.name, empty=True)

    async def attempt() -> tuple[Decision, pb.RenameDivisionResponse]:
        loaded = await handler.load(request.tournament_id)
        first = await handler.load(loaded.state.division_of) if loaded.state.division_of else loaded
        of_first, of_division = (Situation(each.state, now=runtime.now(), at=at) for each in (first, loaded))
        renamed = rename_division(of_first, of_division, name)
        writes = [write_of(each, [renamed]) for each in ([first] if first is loaded else [first, loaded])]
        return Decision(writes), pb.RenameDivisionResponse(before=renamed.before)

    return await handler.handle(request, context, attempt, pb.RenameDivisionResponse, among_divisions=True)


@dataclass(frozen=True)
class _Championship:
    """The stages of one number that a qualification concerns, and all tournaments that it reads."""

    asked: Mapping[str, Loaded[TournamentState]]
    """The stage of the command first, then those beside it that the command names."""
    qualifications: Mapping[str, Qualification]
    read: Sequence[Loaded[TournamentState]]
    """The tournaments in which the players qualify."""
    guards: Sequence[Guard]
    """Guards of all other divisions."""

    def list_leaving(self, tournament_id: str) -> frozenset[str]:
        """Return the players that leave one of the stages beside a tournament."""
        return frozenset(
            player_id
            for other, qualification in self.qualifications.items()
            if other != tournament_id
            for player_id in qualification.leaving
        )


async def _load_qualifications(
    handler: PairingHandler, tournament_id: str, beside_ids: Sequence[str] = ()
) -> _Championship:
    """Load a stage, those beside it with the ids given, and the qualification for each of them.

    Raises ``Invalid`` for an id of a tournament that is no stage beside it, ``Refusal`` for one that is no stage.
    """
    loaded = await handler.load(tournament_id)
    others = await handler.other_divisions(loaded.state)
    known = {other.tournament_id for other in others.tournaments if other.stage is not None}
    asked = {tournament_id: loaded}
    for place, beside_id in enumerate(beside_ids):
        if beside_id not in known:
            params = {"given": beside_id[:MAX_SHOWN_NAME_CHARACTERS]}
            raise Invalid(f"beside_ids[{place}]", N_("is {given}; expected a stage beside this one"), params)
        asked[beside_id] = await handler.load(beside_id, "beside_ids")
    states = {other.tournament_id: other for other in others.tournaments}
    states |= {found: each.state for found, each in asked.items()}
    sources: dict[str, Loaded[TournamentState]] = {}
    qualifications = {}
    for found, each in asked.items():
        source_ids = each.state.stage.source_ids if each.state.stage else ()
        for source_id in source_ids:
            if source_id not in sources:
                sources[source_id] = await handler.load(source_id)
        qualifications[found] = find_qualification(
            each.state,
            [
                QualifyingTournament(sources[source_id].state, ruleset_of(sources[source_id].state.ruleset))
                for source_id in source_ids
            ],
            [other for other_id, other in states.items() if other_id != found and not other.removed],
        )
    return _Championship(asked, qualifications, list(sources.values()), others.guards)


async def qualify_players(
    handler: PairingHandler, request: pb.QualifyPlayersRequest, context: Context
) -> pb.QualifyPlayersResponse:
    """Register the players that qualified for a stage, or apply what has changed since.

    The stages beside it that the command names change in the same decision, as far as their players do.
    """
    at, runtime = handler.at(request), handler.runtime

    async def attempt() -> tuple[Decision, pb.QualifyPlayersResponse]:
        found = await _load_qualifications(handler, request.tournament_id, request.beside_ids)
        writes = []
        for tournament_id, loaded in found.asked.items():
            qualification = found.qualifications[tournament_id]
            if tournament_id == request.tournament_id or qualification.changed:
                situation = Situation(loaded.state, now=runtime.now(), at=at)
                new_events = qualify(situation, qualification, found.list_leaving(tournament_id))
                writes.append(write_of(loaded, new_events))
        registered = [
            event.player_id if isinstance(event, events.PlayerRegistered) else ""
            for write in writes
            for event in write.events
        ]

        async def bind(connection: AsyncConnection) -> Sequence[str]:
            return [await people.bind(connection, player_id) if player_id else "" for player_id in registered]

        own = found.qualifications[request.tournament_id]
        decision = Decision(writes, _guard([*found.read, *found.asked.values()], writes, found.guards), also=bind)
        return decision, pb.QualifyPlayersResponse(
            player_ids=[player.player_id for player in own.players],
            joined_player_ids=own.joining,
            left_player_ids=own.leaving,
        )

    return await handler.handle(request, context, attempt, pb.QualifyPlayersResponse, among_divisions=True)


async def preview_qualification(
    handler: PairingHandler, request: pb.PreviewQualificationRequest, context: Context
) -> pb.PreviewQualificationResponse:
    """Return the players of a stage before and after a qualification, with reasons and obstacles."""
    language = language_of(context)
    found = await _load_qualifications(handler, request.tournament_id)
    own = found.qualifications[request.tournament_id]
    beside_ids = sorted(
        other.tournament_id
        for other in own.beside
        if other.stage is not None
        and any(player.player_id in own.joining for player in other.players if not player.never_came)
    )
    if beside_ids:
        found = await _load_qualifications(handler, request.tournament_id, beside_ids)
    state = found.asked[request.tournament_id].state
    obstacles = list_obstacles(own, found.list_leaving(request.tournament_id))
    known = await people.names(handler.record, [each.player_id for each in own.changes])
    names = people.load_distinct_names(known.values())
    return pb.PreviewQualificationResponse(
        lines=[
            like(
                pb.QualificationLine,
                each,
                name=names.get(each.player_id, each.player_id),
                reason=say(each.reason, each.params, language),
            )
            for each in own.changes
        ],
        obstacles=[to_obstacle(each, language) for each in (*_list_removed(state), *obstacles)],
        changed=bool(own.changed),
        beside_ids=beside_ids,
    )


def _list_removed(state: TournamentState) -> list[Refusal]:
    """Return the refusal of any command on a stage that is removed or over."""
    try:
        check_open(state)
    except Refusal as refusal:
        return [refusal]
    return []
