"""The creation of a tournament or division, and its options and lexicon."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from copy import deepcopy

from faristol.event_store import Decision, load
from faristol.host.rpc.dispatch import Context
from faristol.host.ruleset_store import list_ruleset_writes, rules_of
from faristol.kernel.errors import Invalid
from faristol.kernel.names import check_name
from faristol.kernel.pins import UNPINNED, Pin
from faristol.kernel.refusal import N_
from faristol.kernel.topics import is_as_of_a_game
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.rules import Ruleset
from faristol.tournament.administration import tournaments
from faristol.tournament.administration.divisions import add_division
from faristol.tournament.administration.tournaments import SEED_SIZE, create, pin_of
from faristol.tournament.command_handling import pins
from faristol.tournament.command_handling.handler import PairingHandler
from faristol.tournament.command_handling.identity import checked_tournament_id, ids_of
from faristol.tournament.command_handling.outcome import at_position, write_of
from faristol.tournament.conditions import check_unchanged
from faristol.tournament.situation import Situation
from faristol.tournament.state import TournamentState, evolve, stream


async def create_tournament(
    handler: PairingHandler, request: pb.CreateTournamentRequest, context: Context
) -> pb.CreateTournamentResponse:
    """Create a tournament. Defaults replace an empty ruleset, lexicon, id and seed."""
    at, runtime = handler.at(request), handler.runtime
    asked = _normalize_request(request)
    ruleset = pins.ruleset_named(request.ruleset, [(option.name, option.value) for option in request.options])

    async def attempt() -> tuple[Decision, Callable[[int], pb.CreateTournamentResponse]]:
        lexicon = UNPINNED if request.without_lexicon else await _lexicon_of(handler, request.lexicon, ruleset)
        asked.tournament_id = request.tournament_id or await find_free_id(handler, asked.name, request.command_id)
        asked.seed = request.seed or secrets.token_bytes(SEED_SIZE)
        loaded = await load(handler.record, stream(asked.tournament_id), TournamentState(), evolve)
        new_events = create(Situation(loaded.state, now=runtime.now(), at=at, rules=ruleset), asked, lexicon)
        writes = [
            write_of(loaded, new_events),
            *await list_ruleset_writes(handler.record, ruleset, asked.tournament_id),
        ]
        if asked.division_of:
            first = await handler.load(asked.division_of, "division_of")
            added = events.Division(tournament_id=asked.tournament_id, name=asked.division)
            situation = Situation(first.state, now=runtime.now(), at=at)
            writes.append(write_of(first, add_division(situation, added, first_division=asked.first_division)))
        answer = pb.CreateTournamentResponse(
            tournament_id=asked.tournament_id, ruleset=pin_of(ruleset).message(), lexicon=lexicon.optional_message()
        )
        return Decision(writes), at_position(answer)

    return await runtime.command_handler.handle(context, request, attempt, response=pb.CreateTournamentResponse)


async def change_options(
    handler: PairingHandler, request: pb.ChangeOptionsRequest, context: Context
) -> pb.ChangeOptionsResponse:
    """Pin the rule book of a tournament with other options. Its lexicon must have their layers."""
    at, runtime = handler.at(request), handler.runtime

    async def attempt() -> tuple[Decision, pb.ChangeOptionsResponse]:
        loaded = await handler.load(request.tournament_id)
        state = loaded.state
        if request.expected_version:
            since = (await handler.past_events(loaded))[request.expected_version :]
            check_unchanged(since, (events.RulesetPinned,), state.name)
        chosen = [(option.name, option.value) for option in request.options]
        ruleset = pins.ruleset_named(state.ruleset.name, chosen)
        new_events = tournaments.change_options(Situation(state, now=runtime.now(), at=at), ruleset)
        if ruleset.lexicon.layers and state.lexicon != UNPINNED:
            await _lexicon_of(handler, state.lexicon.name, ruleset)
        writes = [
            write_of(loaded, new_events),
            *await list_ruleset_writes(handler.record, ruleset, request.tournament_id),
        ]
        changed = (event.rounds for event in new_events if isinstance(event, events.RoundsChanged))
        answer = pb.ChangeOptionsResponse(ruleset=pin_of(ruleset).message(), rounds=next(changed, state.rounds))
        return Decision(writes), answer

    return await handler.handle(request, context, attempt, pb.ChangeOptionsResponse)


async def choose_lexicon(
    handler: PairingHandler, request: pb.ChooseLexiconRequest, context: Context
) -> pb.ChooseLexiconResponse:
    """Pin an installed lexicon to a tournament without one."""
    at, runtime = handler.at(request), handler.runtime

    async def attempt() -> tuple[Decision, pb.ChooseLexiconResponse]:
        loaded = await handler.load(request.tournament_id)
        state = loaded.state
        lexicon = await _lexicon_of(handler, request.lexicon, await rules_of(handler.record, state.ruleset))
        new_events = tournaments.choose_lexicon(Situation(state, now=runtime.now(), at=at), lexicon)
        return Decision([write_of(loaded, new_events)]), pb.ChooseLexiconResponse(lexicon=lexicon.message())

    return await handler.handle(request, context, attempt, pb.ChooseLexiconResponse)


async def _lexicon_of(handler: PairingHandler, name: str, ruleset: Ruleset) -> Pin:
    runtime = handler.runtime
    lexicons = await pins.fetch_lexicons(runtime.channel("lexicon"), runtime.channels.address("lexicon"))
    return pins.choose_lexicon(lexicons, name, ruleset)


def _normalize_request(request: pb.CreateTournamentRequest) -> pb.CreateTournamentRequest:
    """Return a request with normalized names. Raises ``Invalid`` for an invalid name or id."""
    asked = deepcopy(request)
    if request.lexicon and request.without_lexicon:
        raise Invalid("lexicon", N_("expected none if without_lexicon is set"))
    asked.name = check_name("name", request.name)
    if request.tournament_id:
        checked_tournament_id("tournament_id", request.tournament_id)
    asked.division = check_name("division", request.division, empty=True)
    asked.first_division = check_name("first_division", request.first_division, empty=True)
    if asked.first_division and not request.division_of:
        raise Invalid("first_division", N_("expected none if division_of is empty"))
    return asked


async def find_free_id(handler: PairingHandler, name: str, command_id: str) -> str:
    """Return the first id of a name that no tournament has."""
    for wanted in ids_of(name, command_id, "championship"):
        if not is_as_of_a_game(wanted) and not await handler.record.read_stream(stream(wanted)):
            return wanted
    raise AssertionError("the ids of a name have no end")
