"""The command handler recognises repeated commands, and executes those on one stream in sequence."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from faristol.event_store import Decision, Guard, Metadata, Record, Write
from faristol.host.command_handler import CommandHandler, digest
from faristol.kernel.refusal import N_, Refusal
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2

ANNA = pairing_pb2.RegisterPlayerRequest(
    command_id="c", tournament_id="cup", player_id="anna", name="Anna", club="Prat", country="AND"
)


def build_registration(**changes: str) -> pairing_pb2.RegisterPlayerRequest:
    request = pairing_pb2.RegisterPlayerRequest()
    request.CopyFrom(ANNA)
    for name, value in changes.items():
        setattr(request, name, value)
    return request


def test_another_command_has_another_digest() -> None:
    assert digest(build_registration(player_id="biel")) != digest(ANNA)
    assert digest(pairing_pb2.PairRoundRequest(command_id="c", tournament_id="cup")) != digest(
        pairing_pb2.StartRoundRequest(command_id="c", tournament_id="cup")
    )


def test_the_digest_that_is_kept_tells_nothing_of_a_name_a_club_or_a_country() -> None:
    assert digest(build_registration(name="Aina", club="", country="")) == digest(ANNA)
    assert ANNA.name == "Anna", "the request itself is left alone"


def test_the_digest_that_is_kept_tells_nothing_of_a_note() -> None:
    asked = pairing_pb2.WithdrawPlayerRequest(command_id="c", tournament_id="cup", player_id="anna")
    noted = pairing_pb2.WithdrawPlayerRequest(command_id="c", tournament_id="cup", player_id="anna", note="ill")
    assert digest(noted) == digest(asked)


def test_the_digest_that_is_kept_tells_nothing_of_a_country_in_a_part_of_a_command() -> None:
    def build_appeal(person_id: str, country: str) -> pairing_pb2.LodgeAppealRequest:
        told = pairing_pb2.PersonCountry(person_id=person_id, country=country)
        return pairing_pb2.LodgeAppealRequest(command_id="c", tournament_id="cup", countries=[told])

    assert digest(build_appeal("ona", "AND")) == digest(build_appeal("ona", "ESP"))
    assert digest(build_appeal("ona", "AND")) != digest(build_appeal("pau", "AND"))


class Caller:
    def invocation_metadata(self) -> tuple[()]:
        return ()


async def test_commands_that_met_at_their_own_streams_first_do_not_wear_each_other_out_at_one(tmp_path: Path) -> None:
    record = await Record.open(f"sqlite:///{tmp_path}/record.db")
    desk = CommandHandler(record)
    caller: Any = Caller()
    event = events.RoundStarted(round=1)

    async def enter(number: int) -> None:
        own, looked = f"game-t{number}", 0

        async def attempt() -> tuple[Decision, Callable[[int], pairing_pb2.StartRoundResponse]]:
            nonlocal looked
            looked += 1
            shared, version = len(await record.read_stream("tournament-cup")), len(await record.read_stream(own))
            if looked == 1:  # the table continues during this decision
                await record.append(Decision([Write(own, version, [event], "cup")]), Metadata())
            writes = [Write("tournament-cup", shared, [event], "cup")]
            decision = Decision(writes, guards=[Guard(own, version)])
            return decision, lambda position: pairing_pb2.StartRoundResponse(position=position)

        request = pairing_pb2.StartRoundRequest(command_id=str(uuid.uuid4()), tournament_id="cup", round=number)
        await desk.handle(caller, request, attempt, response=pairing_pb2.StartRoundResponse)

    try:
        await asyncio.gather(*(enter(number) for number in range(1, 61)))
        assert len(await record.read_stream("tournament-cup")) == 60
    finally:
        await record.close()


async def test_nobody_is_overtaken_for_ever_at_a_stream_by_commands_that_come_later(tmp_path: Path) -> None:
    record = await Record.open(f"sqlite:///{tmp_path}/record.db")
    desk = CommandHandler(record)
    caller: Any = Caller()
    event = events.RoundStarted(round=1)

    async def enter(thinking: float) -> None:
        async def attempt() -> tuple[Decision, Callable[[int], pairing_pb2.StartRoundResponse]]:
            version = len(await record.events("tournament-cup"))
            await asyncio.sleep(thinking)
            decision = Decision([Write("tournament-cup", version, [event], "cup")])
            return decision, lambda position: pairing_pb2.StartRoundResponse(position=position)

        request = pairing_pb2.StartRoundRequest(command_id=str(uuid.uuid4()), tournament_id="cup", round=1)
        await desk.handle(caller, request, attempt, response=pairing_pb2.StartRoundResponse)

    async def come_one_after_the_other() -> None:
        while True:
            await enter(0)

    others = asyncio.create_task(come_one_after_the_other())
    try:
        await enter(0.05)  # many times longer than the others, so that one of them is always first
    finally:
        others.cancel()
        await asyncio.wait({others})
        await record.close()


async def test_commands_of_one_queue_that_come_at_once_are_decided_once_each_and_others_do_not_wait(
    tmp_path: Path,
) -> None:
    record = await Record.open(f"sqlite:///{tmp_path}/record.db")
    desk = CommandHandler(record)
    caller: Any = Caller()
    event = events.RoundStarted(round=1)
    decided = {"nord": 0, "sud": 0}
    stuck = asyncio.Event()

    async def enter(hall: str, *, waits: bool = False) -> None:
        async def attempt() -> tuple[Decision, Callable[[int], pairing_pb2.StartRoundResponse]]:
            decided[hall] += 1
            version = len(await record.events(f"slips-{hall}"))
            if waits:
                await stuck.wait()
            decision = Decision([Write(f"slips-{hall}", version, [event], "cup")])
            return decision, lambda position: pairing_pb2.StartRoundResponse(position=position)

        request = pairing_pb2.StartRoundRequest(command_id=str(uuid.uuid4()), tournament_id="cup", round=1)
        await desk.handle(caller, request, attempt, response=pairing_pb2.StartRoundResponse, queue=hall)

    try:
        first = asyncio.create_task(enter("sud", waits=True))
        await asyncio.gather(*(enter("nord") for _ in range(40)))  # the other hall is still deciding
        stuck.set()
        await first
        assert decided == {"nord": 40, "sud": 1}
        assert len(await record.read_stream("slips-nord")) == 40
    finally:
        await record.close()


@pytest.mark.parametrize("on_cache", ["refusal", "no events", "old version"])
async def test_a_decision_on_an_outdated_state_is_repeated_on_the_state_in_the_record(
    on_cache: str, tmp_path: Path
) -> None:
    record = await Record.open(f"sqlite:///{tmp_path}/record.db")
    event = events.RoundStarted(round=1)
    await record.append(Decision([Write("tournament-cup", 0, [event], "cup")]), Metadata())
    caller: Any = Caller()

    def answer(position: int) -> pairing_pb2.StartRoundResponse:
        return pairing_pb2.StartRoundResponse(position=position)

    async def decide_on_cache() -> tuple[Decision, Callable[[int], pairing_pb2.StartRoundResponse]]:
        if on_cache == "refusal":
            raise Refusal("STARTED", N_("The round has started."))
        return Decision([Write("tournament-cup", 0, [event], "cup")] if on_cache == "old version" else []), answer

    async def decide() -> tuple[Decision, Callable[[int], pairing_pb2.StartRoundResponse]]:
        return Decision([Write("tournament-cup", len(await record.events("tournament-cup")), [event], "cup")]), answer

    request = pairing_pb2.StartRoundRequest(command_id=str(uuid.uuid4()), tournament_id="cup", round=1)
    try:
        done = await CommandHandler(record).handle(
            caller, request, decide, response=pairing_pb2.StartRoundResponse, decide_on_cache=decide_on_cache
        )
        assert done.position == 2
        assert len(await record.events("tournament-cup")) == 2
    finally:
        await record.close()
