"""The start of a duplicate game of a case, and the actions in it."""

from __future__ import annotations

import re
from typing import Any

from google.protobuf.message import Message

from faristol.casebook.case import OFFICIALS, TOURNAMENT_STREAM, DuplicateCase, Step
from faristol.casebook.commands import arguments
from faristol.casebook.document import Value
from faristol.casebook.duplicate_game.expectations import DUPLICATE_RESULTS, DUPLICATE_STATE
from faristol.casebook.duplicate_game.game import (
    CASE_ROUND_NUMBER,
    DUPLICATE_GAME_ID,
    DUPLICATE_VERBS,
    DuplicateGame,
    game_of,
)
from faristol.casebook.duplicate_game.position import EARLIER_ID, EARLIER_TOURNAMENT_ID, earlier_game, turns_before
from faristol.casebook.forms import moment
from faristol.casebook.rounds import founding, start_of_the_round
from faristol.casebook.world import Kind, World
from faristol.duplicate_game.hall import Claim
from faristol.host.duplicate_store import game_stream
from faristol.pb.game.v1 import duplicate_events_pb2 as events
from faristol.pb.game.v1 import duplicate_pb2
from faristol.pb.pairing.v1 import events_pb2 as pairing_events
from faristol.rules import Notation
from faristol.tournament.administration.tournaments import pin_of

SLIP, CLAIM, SCORE = "slip", "claim", "score-turn"
"""Verbs of players, and the one that closes the hall of a case without halls."""
OF_PLAYERS = {SLIP: "submit-slips", CLAIM: "raise-claim"}
"""The commands of the contract for verbs of players."""

_COORDINATES = re.compile(r"[A-Za-z]\d{1,2}|\d{1,2}[A-Za-z]")
_SLIP_FIELDS = frozenset(
    {"score", "handed", "coordinates", "word", "coordinates-illegible", "word-illegible", "written-turn"}
)
_OF_A_PLAYER = frozenset({"amend-slip", "rule-slip", "decide-claim"})
"""Verbs of officials that are followed by a player and the content of the slip."""


async def _open(world: World) -> None:
    """Open the game of the case by starting the round of its tournament, and write its earlier turns."""
    case, services = _case(world), world.services
    world.game_id = DUPLICATE_GAME_ID
    world.timed[DUPLICATE_GAME_ID] = game = DuplicateGame(services, case.ruleset)
    new_events: list[Message] = founding(case.ruleset, services.lexicon)
    new_events += [pairing_events.PlayerRegistered(player_id=case.names.ids[name]) for name in case.players]
    if list(case.halls) != [""]:
        new_events.append(_halls(case))
    await services.write({TOURNAMENT_STREAM: new_events})
    if case.rerun:
        earlier = earlier_game(case, (pin_of(case.ruleset), services.lexicon))
        await services.write({game_stream(EARLIER_ID): earlier}, EARLIER_TOURNAMENT_ID)
        request = duplicate_pb2.PrepareGameRequest(round=CASE_ROUND_NUMBER, rerun_of=EARLIER_ID)
        world.complete("", "", request)
        await services.ask(request)
    await services.write({TOURNAMENT_STREAM: start_of_the_round(0)})
    if before := turns_before(case):
        await game.write(before)


def _halls(case: DuplicateCase) -> pairing_events.HallsSet:
    halls_set = pairing_events.HallsSet(occurred_at=moment(0))
    first = 1
    for name, players in case.halls.items():
        halls_set.halls.add(name=name, first_table=first, last_table=first + len(players) - 1)
        first += len(players)
    return halls_set


def _case(world: World) -> DuplicateCase:
    assert isinstance(world.case, DuplicateCase)
    return world.case


async def _act(world: World, step: Step, answers: list[Message]) -> None:
    if step.actor:
        request = await (_official if step.actor in OFFICIALS else _player)(world, step)
        answers.append(await world.services.call(request))


async def _player(world: World, step: Step) -> Any:
    """Return the request that submits a slip of a player, or raises a claim."""
    if step.verb not in OF_PLAYERS:
        raise step.place.no_such("verb of a player", step.verb, OF_PLAYERS)
    fields = dict(step.fields)
    request = await _request(world, OF_PLAYERS[step.verb], step, fields)
    request.hall = _case(world).hall_of(step.actor)
    if step.verb == CLAIM:
        request.player_id = world.names.ids[step.actor]
        if "about" in fields:
            about = fields.pop("about")
            if about.text() not in world.names.ids:
                raise about.no_such("player", about.text(), world.names.ids)
            request.about_player_id = world.names.ids[about.text()]
        request.words = step.argument.text() if step.argument else ""
    else:
        _write(world, request.slips.add(), step.actor, step.argument, fields)
        request.source = events.SLIP_SOURCE_PHONE
        if "paper" in fields:
            request.source, request.collector_id = events.SLIP_SOURCE_PAPER, fields.pop("paper").text()
    for key, value in fields.items():
        known = ("about", "turn") if step.verb == CLAIM else (*_SLIP_FIELDS, "paper", "turn")
        raise value.no_such(f"field of a {step.verb}", key, known)
    return request


async def _official(world: World, step: Step) -> Any:
    """Return the request of the judge or of a collector."""
    if step.verb == SCORE and list(_case(world).halls) == [""]:
        await _close(world, step)
    fields = dict(step.fields)
    verb = world.verb_of(step)
    request = await _request(world, step.verb, step, fields)
    if step.verb in _OF_A_PLAYER:
        await _of_player(world, step, request, fields)
    elif {"coordinates", "word"} <= set(verb.request.DESCRIPTOR.fields_by_name) and step.argument is not None:
        _write_play(request, step.argument)
    elif step.verb == "close-hall" and step.argument is not None:
        request.hall = step.argument.text()
    else:
        fields = {**arguments(verb, step, world.names, DUPLICATE_KIND.step_fields), **fields}
    world.fill(request, fields)
    return request


async def _request(world: World, name: str, step: Step, fields: dict[str, Value]) -> Any:
    """Return the request of a command, with the official and the turn of the step."""
    request = world.request_of(name, step.actor)
    known = request.DESCRIPTOR.fields_by_name
    for field in ("arbiter_id", "collector_id"):
        if field in known and step.actor in OFFICIALS:
            setattr(request, field, step.actor)
    if "turn" in known:
        request.turn = await _turn(world, fields)
    return request


async def _of_player(world: World, step: Step, request: Any, fields: dict[str, Value]) -> None:
    """Fill the command of an official on the slip of a player: ``amend-slip Anna H8 C A S A``."""
    if step.argument is None:
        raise step.place.wrong(f"expected a player after {step.verb}")
    names = world.names
    player = names.tokens(step.argument.text())[0]
    if player not in names.ids:
        raise step.argument.wrong(f"{player!r} is not in this case; there are: {', '.join(names.ids)}")
    request.hall = _case(world).hall_of(player)
    rest = step.argument.text().removeprefix(player).strip()
    written = step.argument.saying(rest) if rest else None
    if step.verb == "decide-claim":
        claim = await _claim(world, player, step.place)
        request.claim_id = claim.claim_id
        if written is not None:
            _write(world, request.corrected, names.name(claim.about), written, fields)
    else:
        _write(world, request.slip, player, written, fields)


async def _claim(world: World, player: str, place: Value) -> Claim:
    """Return the open claim of a player, or the last one."""
    wanted = world.names.ids[player]
    claims = [claim for hall in await game_of(world).halls() for claim in hall.claims.values()]
    of_player = [claim for claim in claims if claim.player_id == wanted]
    if not of_player:
        raise place.wrong(f"{player} has raised no claim")
    return next((claim for claim in of_player if not claim.decided), of_player[-1])


async def _close(world: World, step: Step) -> None:
    """Close the one hall of the case, if its time is over and it is not closed."""
    fields = dict(step.fields)
    turn = (await game_of(world).state()).turn(await _turn(world, fields))
    (hall,) = await game_of(world).halls()
    if turn is None or turn.timer is None or hall.turn(turn.number).is_closed(turn.timer):
        return
    request = await _request(world, "close-hall", step, {})
    request.turn = turn.number
    await world.services.call(request)


async def _turn(world: World, fields: dict[str, Value]) -> int:
    """Return the turn of a step, by default the last whose rack was called."""
    if "turn" in fields:
        return fields.pop("turn").number()
    return len((await game_of(world).state()).turns)


def _write(world: World, slip: Any, player: str, written: Value | None, fields: dict[str, Value]) -> None:
    """Fill the slip of a player with ``H8 C A S A``, or only the word, and with its fields among ``fields``."""
    slip.player_id = world.names.ids[player]
    if written is not None:
        _write_play(slip, written)
    world.fill(slip, {key: fields.pop(key) for key in list(fields) if key in _SLIP_FIELDS})


def _write_play(message: Any, written: Value) -> None:
    """Fill the coordinates and the word of a message, as they are written."""
    text = written.text()
    first, _, rest = text.partition(" ")
    try:
        start, word = Notation.FISC.read_first(text)
    except ValueError:
        start, word = None, text
    if start is not None:
        message.coordinates, message.word = text.removesuffix(word).strip(), word
    elif _COORDINATES.fullmatch(first):
        message.coordinates, message.word = first, rest.strip()
    else:
        message.word = text


DUPLICATE_KIND = Kind(
    open=_open,
    act=_act,
    verbs=DUPLICATE_VERBS,
    step_fields=frozenset(
        {"command_id", "tournament_id", "game_id", "occurred_at", "arbiter_id", "collector_id", "hall", "turn"}
    ),
    table_verbs={},
    tool_verbs=(),
    results=DUPLICATE_RESULTS,
    state=DUPLICATE_STATE,
)
"""Duplicate games."""
