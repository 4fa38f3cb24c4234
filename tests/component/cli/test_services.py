"""Callers of services from a terminal get messages in the terminal's language."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Sequence
from inspect import signature
from pathlib import Path
from typing import Any

import grpc
import pytest
import typer
from typer.testing import CliRunner

from faristol.cli.access.access import describe_grant, link_of
from faristol.cli.client import Client
from faristol.cli.game.sheet import sheet
from faristol.cli.game.table import table
from faristol.cli.main import app
from faristol.cli.options import Language
from faristol.cli.tournament.export import write
from faristol.cli.tournament.prizes import prizes
from faristol.cli.trf import pair
from faristol.host import StartError
from faristol.pb.access.v1 import access_pb2 as access
from faristol.pb.results.v1 import webhooks_pb2 as pb
from faristol.table_terminal.shared.services import load_own_id, send, service_at
from faristol.text.terminal import language_of_terminal


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({}, "en"),
        ({"LANG": "C.UTF-8"}, "en"),
        ({"LANG": "ca_ES.UTF-8"}, "ca"),
        ({"LANG": "ca_ES.UTF-8", "LC_ALL": "el_GR"}, "el"),
        ({"LANG": "es", "LC_ALL": ""}, "es"),
        ({"LANG": "tlh_Qonos"}, "en"),
    ],
)
def test_the_language_is_that_of_the_environment_and_english_where_it_is_not_offered(
    environment: dict[str, str], language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert language_of_terminal() == language


@pytest.mark.parametrize(
    "command",
    [
        ["judge", "watch", "--as", "eva"],
        ["judge", "sit", "--as", "eva"],
        ["judge", "appoint", "cup", "eva", "--language", "ca"],
        ["table", "keep", "cup-r1-t1"],
        ["game", "sheet", "cup-r1-t1"],
        ["prize", "list", "cup"],
        ["trf", "pair", "cup.trf"],
    ],
)
def test_a_language_that_there_is_not_is_refused_with_those_that_there_are(command: list[str]) -> None:
    answer = CliRunner().invoke(app, [*command, "--language", "xx"])
    assert answer.exit_code == 2
    assert "there is no language 'xx'; there are: ca, es, el, en" in " ".join(answer.output.replace("│", " ").split())


def test_a_service_that_cannot_be_reached_is_told_in_the_language_of_the_terminal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for language, told in (("ca_ES", "no respon"), ("el_GR", "δεν απαντά"), ("C", "cannot be reached")):
        monkeypatch.setenv("LC_ALL", f"{language}.UTF-8")
        answer = CliRunner().invoke(app, ["standings", "export", "cup", "--address", "127.0.0.1:9"])
        assert isinstance(answer.exception, StartError)
        assert str(answer.exception).endswith(told)


@pytest.mark.parametrize("service", ["pairing", "results", "rating", "game", "lexicon"])
async def test_every_service_is_told_the_language_of_the_terminal_unless_the_call_says_another(
    service: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", "ca_ES.UTF-8")
    monkeypatch.delenv("FARISTOL_CLIENT_NAME", raising=False)
    heard: list[object] = []

    async def answer(request: bytes, context: Any) -> bytes:
        heard.append(dict(context.invocation_metadata()).get("accept-language"))
        return request

    handler = grpc.method_handlers_generic_handler("any", {"Ask": grpc.unary_unary_rpc_method_handler(answer)})
    server = grpc.aio.server()
    server.add_generic_rpc_handlers((handler,))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        async with service_at(service, f"127.0.0.1:{port}") as channel:
            ask = channel.unary_unary("/any/Ask", request_serializer=bytes, response_deserializer=bytes)
            await ask(b"")
            await ask(b"", metadata=(("accept-language", "el"),))
    finally:
        await server.stop(None)
    assert heard == ["ca", "el"]


async def test_the_id_of_the_caller_is_that_of_the_credential_and_never_the_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("FARISTOL_CLIENT_NAME", raising=False)
    monkeypatch.delenv("FARISTOL_CLIENT_TOKEN", raising=False)
    has_credential = True

    async def answer(request: access.GetCallerRequest, context: Any) -> access.GetCallerResponse:
        if not has_credential:
            await context.abort(grpc.StatusCode.UNAUTHENTICATED, "the call has no credential")
        made = access.GetCallerResponse()
        made.credential.subject_id = "official-1"
        return made

    method = grpc.unary_unary_rpc_method_handler(
        answer,
        request_deserializer=access.GetCallerRequest.FromString,
        response_serializer=access.GetCallerResponse.SerializeToString,
    )
    server = grpc.aio.server()
    service = "faristol.access.v1.AccessService"
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service, {"GetCaller": method}),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            assert await load_own_id(lambda: channel) == ""
            monkeypatch.setenv("FARISTOL_CLIENT_NAME", "Núria Puig")
            assert await load_own_id(lambda: channel) == "official-1"
            has_credential = False
            assert await load_own_id(lambda: channel) == ""
    finally:
        await server.stop(None)


def test_a_name_that_is_not_in_utf_8_is_refused_with_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "C")
    monkeypatch.setenv("FARISTOL_CLIENT_NAME", "N\udcfaria")
    answer = CliRunner().invoke(app, ["standings", "export", "cup", "--address", "127.0.0.1:9"])
    assert isinstance(answer.exception, StartError)
    assert str(answer.exception) == r"the name 'N\udcfaria', given by --as or FARISTOL_CLIENT_NAME, is not in UTF-8"


@pytest.mark.parametrize(
    ("arguments", "language"), [((), "el"), (("--language", "ca"), "ca"), (("--language", "tlh"), None)]
)
def test_a_command_tells_in_the_language_of_the_terminal_unless_another_is_asked_for(
    arguments: Sequence[str], language: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", "el_GR.UTF-8")
    command_line = typer.Typer()

    @command_line.command()
    def tell(language: Language = "") -> None:
        typer.echo(language)

    answer = CliRunner().invoke(command_line, list(arguments))
    assert (answer.exit_code == 0, answer.output.strip() == language) == (bool(language), bool(language))


@pytest.mark.parametrize("command", [table, sheet, prizes, pair], ids=["table", "sheet", "prizes", "pair"])
def test_table_sheet_prizes_and_pair_are_told_in_the_language_of_the_terminal(command: Callable[..., None]) -> None:
    assert signature(command, eval_str=True).parameters["language"].annotation == Language
    assert signature(command).parameters["language"].default == ""


class Listening:
    """A channel on which every method answers with its request."""

    def unary_unary(self, _path: str, **_serializers: object) -> Any:
        async def answer(request: Any) -> Any:
            return request

        return answer


async def test_a_request_goes_to_its_method_and_a_command_has_an_id_of_its_own() -> None:
    channel: Any = Listening()
    first, second = [await send(channel, pb.AddWebhookRequest(url="https://here")) for _ in range(2)]
    assert len(first.command_id) == len(second.command_id) == 36
    assert first.command_id != second.command_id
    assert (await send(channel, pb.AddWebhookRequest(command_id="given"))).command_id == "given"
    assert await send(channel, pb.ListWebhooksRequest(tournament_id="cup")) == pb.ListWebhooksRequest(
        tournament_id="cup"
    )


@pytest.mark.parametrize(
    ("pages", "address", "link"),
    [
        ("", "results.test:50051", "http://results.test:8080/sign-in#abc"),
        ("", "[::1]:50051", "http://[::1]:8080/sign-in#abc"),
        ("https://results.test", "localhost:50051", "https://results.test/sign-in#abc"),
    ],
)
def test_a_role_that_is_given_by_a_link_prints_the_link(
    pages: str, address: str, link: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FARISTOL_HTTP_ADDRESS", pages)
    monkeypatch.delenv("FARISTOL_HTTP_PORT", raising=False)
    assert link_of(access.GrantCredentialResponse(code="abc"), Client(address)) == link
    assert link_of(access.GrantCredentialResponse(token="secret"), Client(address)) == ""
    lines = describe_grant(access.GrantCredentialResponse(code="abc"), Client(address)).splitlines()
    assert link in lines
    assert ("set FARISTOL_HTTP_ADDRESS" in lines[-1]) == (not pages)


def test_a_file_for_spreadsheets_begins_with_a_byte_order_mark(tmp_path: Path) -> None:
    for name, mark in (("a.csv", codecs.BOM_UTF8), ("a.trf", b"")):
        write("Núria\r\n", tmp_path / name)
        assert (tmp_path / name).read_bytes() == mark + "Núria\r\n".encode()
