"""The creation of a stage of a championship, and the registration of the players that qualified for it."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence

from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.event_store import Decision, Guard, Loaded, Write, load
from faristol.host.rpc.dispatch import Context
from faristol.host.ruleset_store import list_ruleset_writes, ruleset_of
from faristol.kernel.errors import Invalid
from faristol.kernel.names import check_name
from faristol.kernel.refusal import N_
from faristol.kernel.times import to_timestamp
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.personal_data import people
from faristol.rules import Ruleset
from faristol.rules.ruleset.formats import FORMAT_OPTIONS
from faristol.tournament.administration.divisions import add_division
from faristol.tournament.administration.stages import (
    QualifyingTournament,
    copy_settings,
    count_rounds,
    plan_stage,
    qualify,
    with_stage,
)
from faristol.tournament.administration.tournaments import SEED_SIZE, create, pin_of
from faristol.tournament.command_handling import pins
from faristol.tournament.command_handling.handler import PairingHandler
from faristol.tournament.command_handling.identity import checked_tournament_id
from faristol.tournament.command_handling.outcome import write_of
from faristol.tournament.command_handling.tournaments import find_free_id
from faristol.tournament.situation import Situation
from faristol.tournament.state import Stage, TournamentState, evolve, stream


async def create_stage(
    office: PairingHandler, request: pb.CreateStageRequest, context: Context
) -> pb.CreateStageResponse:
    """Create a stage with the rules, the halls and the settings of its first source."""
    at, runtime = office.at(request), office.runtime
    name = check_name("name", request.name)
    first_stage = check_name("first_stage", request.first_stage, empty=True)
    if request.stage_id:
        checked_tournament_id("stage_id", request.stage_id)

    async def attempt() -> tuple[Decision, Callable[[int], pb.CreateStageResponse]]:
        source = await office.load(request.tournament_id)
        others = [await office.load(each, "source_ids") for each in request.source_ids]
        stage = plan_stage(request, [source.state, *(each.state for each in others)])
        ruleset = _find_ruleset(source.state, request)
        first = source if not source.state.division_of else await office.load(source.state.division_of)
        if not first.state.division and not first_stage:
            raise Invalid("first_stage", N_("is missing; expected the name of the first stage, such as: Swiss"))
        beside = [await office.load(each.tournament_id) for each in first.state.divisions if each.stage == stage.number]
        stage_id = request.stage_id or await find_free_id(office, f"{first.state.name} {name}", request.command_id)
        situation = Situation(TournamentState(), now=runtime.now(), at=at, rules=ruleset)
        asked = await _build_creation(office, source, request, stage, ruleset)
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
        loaded = await load(office.record, stream(stage_id), TournamentState(), evolve)
        added = events.Division(tournament_id=stage_id, name=name, stage=stage.number)
        of_first = Situation(first.state, now=runtime.now(), at=at)
        division = add_division(of_first, added, first_division="" if first.state.division else first_stage)
        writes = [
            write_of(loaded, new_events),
            *await list_ruleset_writes(office.record, ruleset, stage_id),
            write_of(first, division),
        ]
        guards = _guard([source, *others, *beside], writes)

        def answer(position: int) -> pb.CreateStageResponse:
            return pb.CreateStageResponse(
                position=position, stage_id=stage_id, rounds=asked.rounds, ruleset=pin_of(ruleset).message()
            )

        return Decision(writes, guards), answer

    return await office.handle(request, context, attempt, pb.CreateStageResponse, among_divisions=True)


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
    office: PairingHandler,
    source: Loaded[TournamentState],
    request: pb.CreateStageRequest,
    stage: Stage,
    ruleset: Ruleset,
) -> pb.CreateTournamentRequest:
    """Build the command that creates the tournament of a stage."""
    created = (await office.past_events(source))[0]
    assert isinstance(created, events.TournamentCreated)
    return pb.CreateTournamentRequest(
        name=source.state.name,
        rounds=request.rounds or count_rounds(stage, ruleset),
        seed=secrets.token_bytes(SEED_SIZE),
        keeping=created.keeping,
        time_zone=source.state.time_zone,
    )


def _guard(loaded: Sequence[Loaded[TournamentState]], writes: Sequence[Write]) -> tuple[Guard, ...]:
    """Return guards of tournaments that are read and not written to."""
    written = {write.stream for write in writes}
    read = {stream(each.state.tournament_id): each.version for each in loaded}
    return tuple(Guard(name, version) for name, version in read.items() if name not in written)


async def qualify_players(
    office: PairingHandler, request: pb.QualifyPlayersRequest, context: Context
) -> pb.QualifyPlayersResponse:
    """Register the players that qualified for a stage."""
    at, runtime = office.at(request), office.runtime

    async def attempt() -> tuple[Decision, Callable[[int], pb.QualifyPlayersResponse]]:
        loaded = await office.load(request.tournament_id)
        stage = loaded.state.stage
        read = [await office.load(each) for each in (stage.source_ids if stage else ())]
        sources = [QualifyingTournament(each.state, ruleset_of(each.state.ruleset)) for each in read]
        new_events = qualify(Situation(loaded.state, now=runtime.now(), at=at), sources)
        write = write_of(loaded, new_events)
        qualified = [event.player_id for event in new_events if isinstance(event, events.PlayerRegistered)]

        async def bind(connection: AsyncConnection) -> Sequence[str]:
            return ["", *[await people.bind(connection, player_id) for player_id in qualified]]

        decision = Decision([write], _guard(read, [write]), also=bind)
        return decision, lambda position: pb.QualifyPlayersResponse(position=position, player_ids=qualified)

    return await office.handle(request, context, attempt, pb.QualifyPlayersResponse, among_divisions=True)
