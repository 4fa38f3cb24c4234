"""The table at the start of a case, and the actions around it."""

from __future__ import annotations

from google.protobuf.message import Message

from faristol.casebook.case import ARBITER, DIRECTOR, TOURNAMENT_STREAM, Step, TableCase
from faristol.casebook.commands import Commands
from faristol.casebook.expectations import STEP
from faristol.casebook.forms import moment
from faristol.casebook.hosts.judges import choose_layers
from faristol.casebook.hosts.table import TABLE_VERBS, CaseTable
from faristol.casebook.rounds import end_of_the_others, founding, pairing_of, start_of_the_round
from faristol.casebook.table.expectations import TABLE_STATE
from faristol.casebook.table.position import CASE_GAME_ID, PriorTurn, build_play_placed, lay_out, opening, turns_before
from faristol.casebook.world import TURN, Kind, World
from faristol.host.table_store import clock_stream, game_stream
from faristol.pb.clock.v1 import events_pb2 as clock_events
from faristol.pb.game.v1 import events_pb2 as events
from faristol.pb.game.v1 import game_pb2

_GAME = game_stream(CASE_GAME_ID)


async def _open(world: World) -> None:
    """Set up the position of the case."""
    case, services = world.case, world.services
    assert isinstance(case, TableCase)
    await services.write({TOURNAMENT_STREAM: founding(case.ruleset, services.lexicon)})
    table = CaseTable(services, CASE_GAME_ID, case.players)
    world.game_id, world.table, world.timed[CASE_GAME_ID] = CASE_GAME_ID, table, table
    commands = Commands(table, case.ruleset, case.players, world.complete)
    layout = lay_out(case)
    if layout.description and case.position.bag_place is not None:
        world.notes.append(str(case.position.bag_place.wrong(layout.description)))
    turns = turns_before(case, layout)
    first = turns[0].player if turns else case.position.to_play
    world.now_ms = turns[0].at_ms - turns[0].used_ms if turns else 0
    opened = opening(case, layout, first, world.now_ms, services.lexicon)
    await table.write(_GAME, opened)
    await table.write(TOURNAMENT_STREAM, pairing_of(opened))
    if not any(step.actor == DIRECTOR or step.verb == "postpone-game" for step in case.steps):
        # In other cases, their own steps determine whether the round is started.
        await table.write(TOURNAMENT_STREAM, start_of_the_round(world.now_ms))
    if case.ruleset.arbiter.required and case.position.arbiter:
        await commands.send(ARBITER, "assign-arbiter", case.place)
    if case.position.recorded and case.steps[0].verb != "start-game":
        await commands.send(first, "start-game", case.place)
        # Near its end a rack may hold fewer tiles than at the start, which no command expresses.
        at = moment(world.now_ms)
        stated: list[Message] = [
            events.RackStated(player_id=player, faces=rack, occurred_at=at)
            for player, rack in case.position.racks.items()
        ]
        if case.position.bag is not None or stated:
            bag = events.TilesDrawn(player_id=first, draw=98, bag_left=len(layout.bag), occurred_at=at)
            stated.append(bag)
        await table.write(_GAME, stated)
    for number, turn in enumerate(turns, start=1):
        if (await table.table()).end_condition:
            place = case.position.turns_place or case.place
            before = case.position.turns[: number - 1 - len(turns)]
            raise place.wrong(f"the game is over after {before!r}: no turn follows that")
        world.now_ms = turn.at_ms
        await _take(world, commands, turn, number, len(layout.bag))
    world.now_ms = 0


async def _take(world: World, commands: Commands, turn: PriorTurn, number: int, bag_left: int) -> None:
    """Play a turn before the case begins."""
    table, case = world.table, world.case
    assert table is not None
    player, at = turn.player, moment(turn.at_ms)
    new_events: list[Message] = []
    if turn.laid:
        faces = [tile.in_rack for _, tile in turn.laid]
        new_events.append(events.TilesDrawn(player_id=player, faces=faces, draw=99, bag_left=bag_left, occurred_at=at))
    match turn.kind:
        case "P":
            new_events.append(events.Passed(turn=number, player_id=player, occurred_at=at))
        case "X":
            new_events.append(events.Exchanged(turn=number, player_id=player, occurred_at=at))
        case _:
            new_events.append(build_play_placed(turn, number))
    await table.write(_GAME, new_events)
    if turn.kind == "W":
        after = (table.players.index(player) + 1) % len(table.players)
        raised = events.ChallengeRaised(
            turn=number,
            challenge=1 + sum(isinstance(event, events.ChallengeRaised) for event in await table.events()),
            player_id=table.players[after],
            words=[events.Word(faces=case.ruleset.tile_set.faces[:2])],
            occurred_at=at,
        )
        await table.write(_GAME, [raised])
        await table.rule(lambda _: False)
        if (await table.table()).phase == game_pb2.PHASE_REFUSED:
            await commands.send(player, "accept-ruling", case.place)
        return
    if turn.kind == "L" and bag_left:  # the rack was filled: no draw is missing
        drawn = events.TilesDrawn(player_id=player, draw=99, bag_left=bag_left, occurred_at=at)
        await table.write(_GAME, [drawn])
    if "press" in case.ruleset.turn.steps:
        pressed = clock_events.ClockPressed(player_id=player, turn=number, used_ms=turn.used_ms, occurred_at=at)
        await table.write(clock_stream(CASE_GAME_ID), [pressed])


async def _act(world: World, step: Step, _: list[Message]) -> None:
    match step.actor, step.verb:
        case "", _:
            return
        case "arbiter", "end-other-games":
            opened = next(event for event in await world.services.events() if isinstance(event, events.GameOpened))
            await world.services.write(end_of_the_others(opened, world.now_ms))
        case "director", "start-round":
            await world.services.write({TOURNAMENT_STREAM: start_of_the_round(world.now_ms)})
        case "director", "choose-layers":
            layers = step.argument.text().split() if step.argument else ()
            await choose_layers(world.services, world.case, layers, world.now())
        case "director", _:
            raise step.place.no_such("verb of a director", step.verb, ("start-round", "choose-layers"))
        case _:
            world.verb_of(step)


TABLE_KIND = Kind(
    open=_open,
    act=_act,
    verbs={},
    step_fields=(),
    table_verbs=TABLE_VERBS,
    tool_verbs=(TURN,),
    results=STEP,
    state=TABLE_STATE,
)
"""Tables: one game from a position on."""
