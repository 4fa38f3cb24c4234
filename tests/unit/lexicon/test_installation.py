"""A lexicon is installed while the service runs, or a refusal describes the error of the list."""

from __future__ import annotations

import asyncio
import gzip
import runpy
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from multiprocessing import active_children
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.rpc import error_details_pb2
from grpc_status import rpc_status
from tests.component.lexicon.test_service import stub  # noqa: F401 - a fixture

from faristol.access_control.credential import Credential, Scope
from faristol.access_control.errors import Denied
from faristol.access_control.roles import DIRECTOR
from faristol.event_store.event import utc_now
from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import Refusal
from faristol.lexicon.lexicons import installation
from faristol.lexicon.lexicons.installation import Installations
from faristol.pb.lexicon.v1 import lexicon_pb2 as pb
from faristol.pb.lexicon.v1 import lexicon_pb2_grpc
from faristol.words import Library

NO_CONTEXT: Any = None

LIST = "# of a club\nκαλα\nΝΕΡΟ\nwater\n"


def addition(text: str = LIST, **more: Any) -> pb.AddLexiconRequest:
    about: dict[str, Any] = {"name": "club", "tile_set": "el-104", "edition": "1", "licence": "CC0-1.0"}
    return pb.AddLexiconRequest(**{"words": gzip.compress(text.encode()), "date": "2026-03-07", **about, **more})


async def wait_until_settled(
    stub: lexicon_pb2_grpc.LexiconServiceAsyncStub,  # noqa: F811
    language: str = "en",
) -> pb.GetInstallationResponse:
    while True:
        answer = await stub.GetInstallation(pb.GetInstallationRequest(), metadata=(("accept-language", language),))
        if not answer.running:
            return answer
        await asyncio.sleep(0.05)


async def eventually(comes: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while True:
            if comes():
                return
            await asyncio.sleep(0.01)


async def reason(call: Any) -> tuple[str, str]:
    """Return the reason of a refusal, or the field that is wrong, and the text."""
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await call
    status, info = rpc_status.from_call(refused.value), error_details_pb2.ErrorInfo()  # type: ignore[arg-type]
    assert status is not None
    assert status.details[0].Unpack(info)
    return info.metadata.get("field") or info.reason, str(refused.value.details())


async def test_a_list_of_a_club_is_installed_while_the_service_runs(
    stub: lexicon_pb2_grpc.LexiconServiceAsyncStub,  # noqa: F811
) -> None:
    assert (await wait_until_settled(stub)).name == ""
    await stub.AddLexicon(addition())
    assert await reason(stub.InstallLexicon(pb.InstallLexiconRequest(name="greek"))) == (
        "INSTALLING",
        "The lexicon club is being installed: start when it is ready.",
    )
    answer = await wait_until_settled(stub, "el")
    assert (answer.problem, answer.lexicon.words, answer.encoding, answer.left_out) == ("", 2, "UTF-8", 1)
    (line,) = answer.lines
    assert (line.number, line.text) == (4, "water")
    assert "el-104" in line.problem
    listed = (await stub.ListLexicons(pb.ListLexiconsRequest())).lexicons
    assert [each.pin.name for each in listed] == ["catalan", "club"]
    found = await stub.LookUp(pb.LookUpRequest(lexicon="club", words=["νερό", "λαδι"]))
    assert [bool(entry.spellings) for entry in found.entries] == [True, False]
    await stub.AddLexicon(addition("# nothing\n", name="empty"))
    assert (await wait_until_settled(stub)).problem == "No word in this list can be formed with the tiles el-104."
    assert len((await stub.ListLexicons(pb.ListLexiconsRequest())).lexicons) == 2


@pytest.mark.parametrize(
    ("wrong", "field", "text"),
    [
        ({"name": "../x"}, "name", "is not a valid name of a lexicon"),
        ({"tile_set": "xx-1"}, "tile_set", "expected one of ca-100, el-104, en-100, es-100"),
        ({"edition": " "}, "edition", "is empty"),
        ({"licence": "x" * 201}, "licence", "has 201 characters; at most 200"),
        ({"date": "yesterday"}, "date", "expected one such as 2026-03-07"),
        ({"words": b"KALA"}, "words", "is not a list compressed with gzip"),
        ({"words": gzip.compress(b"KALA")[:-9]}, "words", "is not a list compressed with gzip"),
        ({"words": gzip.compress(bytes(64_000_001), 1)}, "words", "more than 64,000,000 bytes"),
        ({"words": gzip.compress(b"\n" * 2_000_001, 1)}, "words", "has 2,000,001 lines"),
        ({"words": gzip.compress(b"PK\x03\x04")}, "words", "save the sheet as CSV"),
    ],
)
async def test_what_is_no_list_is_refused_by_its_field(
    stub: lexicon_pb2_grpc.LexiconServiceAsyncStub,  # noqa: F811
    wrong: dict[str, Any],
    field: str,
    text: str,
) -> None:
    told = await reason(stub.AddLexicon(addition(**wrong)))
    assert told[0] == field
    assert text in told[1]
    assert (await wait_until_settled(stub)).name == ""


async def test_one_list_is_decompressed_at_a_time(tmp_path: Path) -> None:
    installations = Installations(Library(tmp_path), utc_now)
    too_large = addition(words=gzip.compress(bytes(64_000_001), 1))
    found = await asyncio.gather(*(installations.add(too_large, NO_CONTEXT) for _ in range(3)), return_exceptions=True)
    assert isinstance(found[0], Invalid)
    assert [each.reason for each in found[1:] if isinstance(each, Refusal)] == ["INSTALLING"] * 2
    with pytest.raises(Invalid):
        await installations.add(too_large, NO_CONTEXT)


async def test_an_open_list_is_installed_by_its_name_alone(stub: lexicon_pb2_grpc.LexiconServiceAsyncStub) -> None:  # noqa: F811
    told = await reason(stub.InstallLexicon(pb.InstallLexiconRequest(name="klingon")))
    assert told == ("name", "name: there is no word list 'klingon'; expected one of catalan, english, greek, spanish")


async def test_a_folder_that_cannot_be_written_is_told_before_anything_is_fetched(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    installations = Installations(Library(tmp_path / "file" / "lexicons"), utc_now)
    with pytest.raises(Refusal, match="is read-only"):
        await installations.install(pb.InstallLexiconRequest(name="greek"), NO_CONTEXT)


async def test_a_credential_for_some_tournaments_installs_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = utc_now()
    scope = Scope(frozenset({"cup"}))
    held = Credential("c", "eva", DIRECTOR, scope, now, now + timedelta(hours=1))
    monkeypatch.setattr(installation, "caller", lambda: held)
    with pytest.raises(Denied, match="covers only some"):
        await Installations(Library(tmp_path), utc_now).install(pb.InstallLexiconRequest(name="greek"), NO_CONTEXT)


async def test_an_installation_that_is_cancelled_ends_its_process_and_nobody_waits_for_it(tmp_path: Path) -> None:
    script, began = tmp_path / "build.py", tmp_path / "began"
    script.write_text(
        f"import os, pathlib, time\npathlib.Path({str(began)!r}).write_text(str(os.getpid()))\ntime.sleep(60)\n"
    )
    installations = Installations(Library(tmp_path / "lexicons"), utc_now)
    installations._begin("club", partial(runpy.run_path, str(script)))  # type: ignore[arg-type] # never comes to an end
    work = installations._work
    assert work is not None
    assert work.task is not None
    await eventually(lambda: began.exists() and bool(began.read_text()))
    cancelled_at = asyncio.get_running_loop().time()
    work.task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work.task
    assert asyncio.get_running_loop().time() - cancelled_at < 10
    await eventually(lambda: int(began.read_text()) not in {child.pid for child in active_children()})
