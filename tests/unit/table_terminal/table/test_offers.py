"""What is offered next is what the table takes: at every moment of every rulebook case."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from faristol.casebook.case import TableCase
from faristol.casebook.forms import moment
from faristol.casebook.hosts.memory import in_memory
from faristol.casebook.hosts.services import CLOCK, GAME, TableServices
from faristol.casebook.position import CASE_GAME_ID
from faristol.casebook.reader import files_in, read_cases
from faristol.casebook.table_world import TableWorld
from faristol.casebook.verbs import verbs_of
from faristol.host.table_store import load_table
from faristol.kernel.errors import Invalid, NotFound
from faristol.kernel.refusal import Refusal
from faristol.pb.clock.v1 import clock_pb2
from faristol.pb.clock.v1 import events_pb2 as clock_events
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.game.v1 import game_pb2
from faristol.rules import load_ruleset
from faristol.table.decide import decide
from faristol.table_terminal.table.offers import ShownTable, offers
from faristol.table_terminal.table.session import Stop

FILES = files_in([Path(__file__).parents[3] / "rulebook" / "cases"])
TRIED = frozenset(
    ["write-score", "draw-tiles", "press", "stop", "accept-play", "accept-ruling", "pass", "sign-sheet", "start-game"],
)
"""Commands that say nothing but who gives them."""

NEXT = frozenset(["press", "accept-play", "accept-ruling", "sign-sheet", "start-game"])
"""Those that are always the next step when they would be carried out; a draw or a stop may also be made up for."""


async def taken(world: TableWorld, shown: ShownTable) -> set[tuple[str, str]]:
    """Every command of ``TRIED`` that would be carried out now, by whom; nothing is written."""
    settled = await load_table(world.services.record, CASE_GAME_ID)
    assert settled is not None
    table = settled.table
    at = moment(world.now_ms).ToNanoseconds()
    found = set()
    for verb in TRIED:
        for player in shown.players:
            request: Any = verbs_of((GAME, CLOCK))[verb].request(game_id=CASE_GAME_ID, player_id=player)
            try:
                decide(table, request, at)
            except (Refusal, Invalid):
                continue
            found.add((player, verb))
    return found


async def shown_at(services: TableServices, case: TableCase) -> ShownTable:
    table = await services.table()
    try:
        clock = await services.clock()
    except NotFound:
        clock = clock_pb2.GetClockResponse()
    unstated = [player for player in case.players if "" in (await services.table(player)).rack]
    return ShownTable(table, clock, case.ruleset, unstated)


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.stem}")
async def test_what_is_offered_is_taken_and_what_comes_next_is_offered(file: Path) -> None:
    wrong = []
    for case in read_cases(file):
        if not isinstance(case, TableCase):
            continue
        world = TableWorld(case)
        async with in_memory(case, world.now) as services:
            await world.open(services)
            for step in case.steps:
                await world.do(step)
                shown = await shown_at(services, case)
                offered = {(who, verb) for who, verbs in offers(shown) for verb in verbs if verb in TRIED}
                took = await taken(world, shown)
                settling = shown.table.HasField("interruption")
                missing = {(who, verb) for who, verb in took - offered if verb in NEXT and not settling}
                if offered - took or missing:
                    wrong.append(f"{step.place.line}: offered and refused {offered - took}, not offered {missing}")
    assert not wrong, f"{file}\n" + "\n".join(wrong)


def at_table(ruleset: str, clock: clock_pb2.GetClockResponse | None = None, **table: Any) -> ShownTable:
    """A table in the third turn, both racks full and forty tiles in the bag."""
    sides = [game_pb2.Side(player_id=player, rack_size=7) for player in ("anna", "blai")]
    values: dict[str, Any] = {"phase": game_pb2.PHASE_TURN, "turn": 3, "turn_player_id": "anna", "bag_left": 40}
    values |= {"sides": sides} | table
    return ShownTable(game_pb2.GetGameResponse(**values), clock or clock_pb2.GetClockResponse(), load_ruleset(ruleset))


def test_who_stopped_the_clocks_is_offered_to_let_them_go_on_whatever_the_reason() -> None:
    call = clock_pb2.GetClockResponse(neutralised=True, reason=clock_events.NEUTRALISATION_REASON_ARBITER_CALL)
    assert ("arbiter", ["resume"]) in offers(at_table("fise", call))
    called = offers(at_table("fise", call, arbiter_called_by="anna"))
    assert ("arbiter", ["dismiss-arbiter"]) in called


def test_nobody_is_asked_for_a_rack_that_is_not_counted() -> None:
    ended = game_events.END_CONDITION_ABANDONED
    shown = at_table("pes-2024", phase=game_pb2.PHASE_ENDED, end_condition=ended)
    asked = replace(shown, unstated=["anna", "blai"])
    assert not any("state-rack" in verbs for _, verbs in offers(asked))


def test_who_completed_a_play_while_the_other_was_away_draws_first() -> None:
    sides = [game_pb2.Side(player_id="anna", rack_size=5), game_pb2.Side(player_id="blai", rack_size=4)]
    written = [game_events.ScoreWritten(player_id=player) for player in ("anna", "blai")]
    play = game_events.PlayPlaced(player_id="anna")
    shown = at_table("fise", phase=game_pb2.PHASE_PLACED, sides=sides, written=written, pending=play)
    assert [who for who, verbs in offers(shown) if "draw-tiles" in verbs] == ["blai"]


def test_an_appeal_that_a_judge_rules_on_is_not_offered_to_the_arbiter() -> None:
    shown = at_table("fise", phase=game_pb2.PHASE_CHALLENGED, appealed=True)
    assert ("arbiter", ["rule-appeal"]) in offers(shown)
    assert offers(replace(shown, judged=True)) == [("judge", ["rule"])]


def test_no_challenge_is_offered_after_the_seconds_that_the_book_gives() -> None:
    play = game_events.PlayPlaced(player_id="anna")
    shown = at_table("pes-2024", clock_pb2.GetClockResponse(held=True), phase=game_pb2.PHASE_PLACED, pending=play)
    in_time, late = (dict(offers(replace(shown, held_ms=held_ms)))["blai"] for held_ms in (15_000, 15_001))
    assert "challenge" in in_time
    assert "challenge" not in late


def test_a_clock_is_held_from_when_it_was_first_seen_so_in_its_turn() -> None:
    stop, second = Stop(), 1_000_000_000
    third = clock_pb2.GetClockResponse(held=True, turn=3)
    assert [stop.held_ms(third, at * second) for at in (10, 12, 26)] == [0, 2_000, 16_000]
    assert stop.held_ms(clock_pb2.GetClockResponse(turn=4), 30 * second) == 0
    assert stop.held_ms(clock_pb2.GetClockResponse(held=True, turn=4), 40 * second) == 0
