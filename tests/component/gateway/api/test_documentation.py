"""The pages that describe the interface: complete, in four languages, and with correct examples."""

from __future__ import annotations

import gzip
import re
import shlex
from collections.abc import Mapping
from typing import Any

import jsonschema_rs
import pytest
from google.protobuf.json_format import ParseDict
from tests.support.stage import Stage

from faristol.gateway.api.openapi.commands import commands_document
from faristol.gateway.api.openapi.documentation import ENDLESS, SERVICES, parts_of
from faristol.gateway.rpc.calls import NAMED
from faristol.text import LANGUAGES

pytestmark = pytest.mark.asyncio(loop_scope="module")

OWN = {"demo-r1-t1": "lliga-r1-t1", "demo": "lliga", "anna-puig": "anna"}
"""Values for the names of the examples on the stage of these tests."""

DUPLICATE = {"get_duplicate", "get_duplicate_standings", "get_duplicate_totals", "list_duplicate_sheets"}
AWAY = {"get_ratings", "get_ratings_csv", "list_rulings", "list_rating_lists", "get_rating_list", *DUPLICATE}
"""Methods of services that are not on this stage: the only answer is that they cannot be reached."""

ABSENT = {"get_season", "get_circuit", "get_season_bests"}
"""Methods of seasons, of which this stage has none."""

MAX_PAGE_BYTES = 60_000
MAX_DOCUMENT_BYTES = 115_000
"""Bytes by gzip."""


def validator(document: Mapping[str, Any], schema: dict[str, Any]) -> Any:
    """Return whether a value is valid under a schema of a document."""
    return jsonschema_rs.validator_for({**schema, "components": document["components"]})


async def test_the_pages_are_there_in_every_language_and_name_every_operation(finished_stage: Stage) -> None:
    document = (await finished_stage.http.get("/openapi.json")).json()
    names = [found["operationId"] for methods in document["paths"].values() for found in methods.values()]
    for language in LANGUAGES:
        answer = await finished_stage.http.get("/docs", headers={"Accept-Language": language})
        assert (answer.status_code, answer.headers["content-language"]) == (200, language)
        assert len(gzip.compress(answer.content)) < MAX_PAGE_BYTES
        assert [name for name in names if f'id="{name}"' not in answer.text] == []
    for service in SERVICES:
        answer = await finished_stage.http.get(f"/docs/commands/{service}")
        assert len(gzip.compress(answer.content)) < MAX_PAGE_BYTES
        own = [method.name for method in NAMED.values() if method.service == service and not method.is_stream]
        assert [name for name in own if f'id="{name}"' not in answer.text] == []
    assert (await finished_stage.http.get("/docs/commands/nothing")).status_code == 404


async def test_long_documents_are_sent_encoded_and_once(finished_stage: Stage) -> None:
    for path in ("/docs?lang=ca", "/openapi.json", "/openapi-commands.json"):
        plain = await finished_stage.http.get(path, headers={"Accept-Encoding": "identity"})
        assert ("set-cookie" in plain.headers) == ("lang" in path)
        for encoding in ("br", "gzip"):
            answer = await finished_stage.http.get(path, headers={"Accept-Encoding": encoding})
            assert (answer.headers["content-encoding"], answer.content) == (encoding, plain.content), path
            assert answer.num_bytes_downloaded < MAX_DOCUMENT_BYTES, path
            known = {"If-None-Match": answer.headers["etag"], "Accept-Encoding": encoding}
            assert (await finished_stage.http.get(path, headers=known)).status_code == 304, path


async def test_every_schema_that_a_page_links_to_is_on_it(finished_stage: Stage) -> None:
    for path in ("/docs", *(f"/docs/commands/{service}" for service in SERVICES)):
        page = (await finished_stage.http.get(path)).text
        assert "<script>" not in page
        links, anchors = set(re.findall(r'href="#([^"]+)"', page)), set(re.findall(r' id="([^"]+)"', page))
        assert links <= anchors, path


async def test_the_page_asks_for_what_there_is_here(finished_stage: Stage) -> None:
    page = (await finished_stage.http.get("/docs")).text
    for path in ("tournaments/lliga/standings", "games/lliga-r1-t1"):
        assert f"/api/v1/{path}&#39;" in page or f"/api/v1/{path}'" in page, path
    assert "/api/v1/tournaments/demo/" not in page.replace("/api/v1/tournaments/demo/players", "")
    assert page.count('<details class="operation"') > 60  # closed: the page is short


async def test_every_example_is_answered_as_its_schema_says(finished_stage: Stage) -> None:
    document = (await finished_stage.http.get("/openapi.json")).json()
    address = str(finished_stage.http.base_url).rstrip("/")
    entries = [entry for part in parts_of(document, address) for entry in part.entries]
    assert len(entries) == len(document["paths"]) > 25
    for entry in entries:
        if entry.name in ENDLESS:
            continue
        command, url = shlex.split(entry.example)
        assert command == "curl"
        for name, own in OWN.items():
            url = url.replace(name, own)
        answer = await finished_stage.http.get(url)
        expected = 409 if entry.name == "get_duplicate_totals" else 503 if entry.name in AWAY else 200
        expected = 404 if entry.name in ABSENT else expected
        assert answer.status_code == expected, (url, answer.text)
        responses = document["paths"][entry.path]["get"]["responses"]
        (content,) = responses[str(answer.status_code)]["content"].items()
        media_type, described = content
        assert answer.headers["content-type"].partition(";")[0] == media_type
        if media_type.endswith("json"):
            problems = list(validator(document, described["schema"]).iter_errors(answer.json()))
            assert problems == [], (url, [str(problem)[:300] for problem in problems])


async def test_every_method_that_answers_once_is_in_the_document_of_commands(finished_stage: Stage) -> None:
    document = (await finished_stage.http.get("/openapi-commands.json")).json()
    assert document == commands_document()
    expected = {f"/api/v1/{found.service}/{found.name}" for found in NAMED.values() if not found.is_stream}
    assert set(document["paths"]) == expected
    schemas = document["components"]["schemas"]
    assert {ref.rpartition("/")[2] for ref in re.findall(r"#/components/schemas/[\w.]+", str(document))} == set(schemas)


async def test_the_example_of_a_method_is_a_request_by_its_schema_and_by_the_contract() -> None:
    document = commands_document()
    for method in NAMED.values():
        if method.is_stream:
            continue
        operation = document["paths"][f"/api/v1/{method.service}/{method.name}"]["post"]
        content = operation["requestBody"]["content"]["application/json"]
        assert validator(document, content["schema"]).is_valid(content["example"]), method.name
        ParseDict(content["example"], method.request())
        assert not validator(document, content["schema"]).is_valid({"no_such_field": 1}), method.name
        assert operation["description"].count("Requires ") == 1, method.name
