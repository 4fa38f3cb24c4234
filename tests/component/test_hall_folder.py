"""The start of a hall's cell: its data folder serves nothing else, and it says why it cannot join."""

from __future__ import annotations

from pathlib import Path

import grpc
import httpx
import pytest
from tests.component.processes import free_port
from tests.component.test_hall_cell import HALL, TOURNAMENT, until
from tests.support.plain_http import PLAIN

from faristol.event_store import Decision, Metadata, Record, Write
from faristol.host import SERVICES, Settings, StartError
from faristol.host.halls.identity import Joined, store_joined
from faristol.launcher.processes import running
from faristol.pb.hall.v1 import hall_pb2
from faristol.pb.hall.v1.hall_pb2_grpc import HallCellServiceStub
from faristol.pb.pairing.v1 import events_pb2 as pairing_events

ADDRESS = "127.0.0.1:50051"


def settings_of_hall(folder: Path, of: str) -> Settings:
    token = folder.with_name("token")
    token.write_text("a token", encoding="utf-8")
    return Settings(data=folder, http_port=0, grpc_port=0, hall=HALL, hall_of=of, hall_token_file=token)


async def test_the_data_folder_of_a_hall_serves_no_championship(tmp_path: Path) -> None:
    (tmp_path / "hall").mkdir()
    store_joined(tmp_path / "hall", Joined(ADDRESS, TOURNAMENT, HALL))
    with pytest.raises(StartError, match=f"of the hall {HALL}: start it with --hall '{HALL}' --of {ADDRESS}, or"):
        async with running(Settings(data=tmp_path, http_port=0, grpc_port=0), SERVICES):
            pytest.fail("a second championship has the copy of the events")


async def test_the_data_folder_of_a_championship_serves_no_hall(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    record = await Record.open(f"sqlite:///{folder}/record.db")
    created = pairing_events.TournamentCreated(tournament_id=TOURNAMENT, rounds=3)
    await record.append(Decision([Write(f"tournament-{TOURNAMENT}", 0, [created], TOURNAMENT)]), Metadata())
    await record.close()
    with pytest.raises(StartError, match="is the data folder of a championship, not of the hall"):
        async with running(settings_of_hall(folder, ADDRESS), SERVICES):
            pytest.fail("the events of another championship are those of the hall")


@pytest.mark.parametrize("scheme", ["", "https://"])
async def test_a_hall_that_cannot_join_says_what_to_check(tmp_path: Path, scheme: str) -> None:
    settings = settings_of_hall(tmp_path / "data", f"{scheme}127.0.0.1:{free_port()}")
    async with running(settings, SERVICES) as cell, grpc.aio.insecure_channel(cell.grpc_address) as channel:
        stub = HallCellServiceStub(channel)

        async def says_so() -> bool:
            return "check it, and the network" in (await stub.GetHallCell(hall_pb2.GetHallCellRequest())).problem

        await until(says_so, "the reason is known")
        async with httpx.AsyncClient(verify=PLAIN, base_url=cell.http_address) as web:
            assert (await web.get("/hall-state")).json()["line"] == "cannot join the championship: see its status"
            status = (await web.get("/status")).text
        assert f"{HALL}: cannot join the championship" in status
        assert "check it, and the network" in status
