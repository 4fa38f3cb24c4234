"""The OpenAPI document describes the interface, so that a generated client works."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import jsonschema_rs
import pytest
from tests.support.stage import Stage

from faristol.gateway.live.subscriptions import PUBLIC
from faristol.text import LANGUAGES

pytestmark = pytest.mark.asyncio(loop_scope="module")

NAME = re.compile(r"[a-z]+(_[a-z]+){1,3}")
"""Pattern of a function name in a generated client."""

FILLED = {
    "tournament_id": "lliga",
    "number": "1",
    "game_id": "lliga-r1-t1",
    "player_id": "anna",
    "season_id": "none",
    "circuit_id": "none",
}
ENDLESS = ("follow_tournament", "follow_tournaments")
STREAMED = ("get_games_zip",)
"""Content that is sent while it is made, so that its length is not known before."""
PROBLEM = "application/problem+json"


async def document(stage: Stage) -> dict[str, Any]:
    answer: dict[str, Any] = (await stage.http.get("/openapi.json")).json()
    return answer


def operations(described: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, methods in described["paths"].items():
        assert list(methods) == ["get"], path
        yield path.format(**FILLED), methods["get"]


def parameter(described: dict[str, Any], operation_id: str, name: str) -> dict[str, Any]:
    """Return the schema of a parameter of an operation."""
    found = next(operation for _, operation in operations(described) if operation["operationId"] == operation_id)
    schema: dict[str, Any] = next(each for each in found["parameters"] if each["name"] == name)["schema"]
    return schema


def refs(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        yield from (value for key, value in part.items() if key == "$ref")
        part = list(part.values())
    if isinstance(part, list):
        for each in part:
            yield from refs(each)


async def test_operations_have_names_that_a_generated_client_can_bear(finished_stage: Stage) -> None:
    names = [operation["operationId"] for _, operation in operations(await document(finished_stage))]
    assert [name for name in names if not NAME.fullmatch(name)] == []
    assert len(set(names)) == len(names)
    assert {"get_standings", "get_standings_csv", "list_tournaments", "follow_tournament"} <= set(names)


async def test_the_document_is_sent_again_only_to_who_has_not_got_it(finished_stage: Stage) -> None:
    first = await finished_stage.http.get("/openapi.json")
    again = await finished_stage.http.get("/openapi.json", headers={"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    other = await finished_stage.http.get("/openapi.json", headers={"if-none-match": '"another"'})
    assert (other.status_code, other.content) == (200, first.content)


async def test_every_reference_in_the_document_leads_somewhere(finished_stage: Stage) -> None:
    described = await document(finished_stage)
    parts = {f"#/components/{kind}/{name}" for kind, of in described["components"].items() for name in of}
    found = set(refs(described))
    assert found
    assert found <= parts


async def test_schemas_have_names_that_a_generated_client_can_bear(finished_stage: Stage) -> None:
    schemas = (await document(finished_stage))["components"]["schemas"]
    assert [name for name in schemas if not re.fullmatch("([A-Z][a-z]+)+", name)] == []
    assert {name: schema["title"] for name, schema in schemas.items()} == {name: name for name in schemas}


async def test_every_answer_has_an_example_that_its_schema_takes(finished_stage: Stage) -> None:
    described = await document(finished_stage)
    assert described["info"]["license"]["identifier"] == "Apache-2.0"
    assert (described["servers"][0]["url"], described["security"]) == ("/", [])
    assert described["webhooks"]["news"]["post"]["requestBody"]
    for path, operation in operations(described):
        for status, answer in operation["responses"].items():
            assert answer["description"] != "Successful Response", path
            for media_type, content in answer.get("content", {}).items():
                if media_type.endswith("json"):
                    schema = {**content["schema"], "components": described["components"]}
                    wrong = list(jsonschema_rs.validator_for(schema).iter_errors(content["example"]))
                    assert wrong == [], (path, status, [str(each)[:200] for each in wrong])
        if path.startswith("/api") and "application/json" in operation["responses"]["200"]["content"]:
            assert "ETag" in operation["responses"]["200"]["headers"], path


async def test_the_types_of_news_are_listed_with_their_meanings(finished_stage: Stage) -> None:
    schemas = (await document(finished_stage))["components"]["schemas"]
    assert schemas["News"]["properties"]["type"]["$ref"] == "#/components/schemas/EventType"
    listed = schemas["EventType"]
    assert listed["enum"] == sorted([*PUBLIC, "Reset"]) == list(listed["x-enum-descriptions"])
    assert listed["x-enum-descriptions"]["RoundStarted"] == "A round was started: tables open and clocks run."


async def test_a_malformed_request_is_described_as_the_400_that_it_is_and_not_as_a_422(finished_stage: Stage) -> None:
    described = await document(finished_stage)
    assert "HTTPValidationError" not in described["components"]["schemas"]
    body = {"$ref": "#/components/schemas/ProblemBody"}
    for path, operation in operations(described):
        assert "422" not in operation["responses"], path
        if path.startswith("/api"):
            assert operation["responses"]["400"]["content"][PROBLEM]["schema"] == body, path
            assert "Retry-After" in operation["responses"]["429"]["headers"], path
            answer = await finished_stage.http.get(path, params={"no_such": "1"})
            assert (answer.status_code, answer.headers["content-type"]) == (400, PROBLEM), path
            known = described["components"]["schemas"]["ProblemBody"]
            assert set(known["required"]) <= answer.json().keys() <= known["properties"].keys()


async def test_what_is_answered_is_of_a_status_and_a_media_type_that_the_document_has(finished_stage: Stage) -> None:
    for path, operation in operations(await document(finished_stage)):
        if operation["operationId"] in ENDLESS:
            continue
        answer = await finished_stage.http.get(path)
        described = operation["responses"].get(str(answer.status_code))
        assert described is not None, (path, answer.status_code)
        assert answer.headers["content-type"].partition(";")[0] in described["content"], path


async def test_no_parameter_is_described_as_null(finished_stage: Stage) -> None:
    for path, operation in operations(await document(finished_stage)):
        for each in operation.get("parameters", ()):
            assert {"type", "$ref"} & each["schema"].keys(), (path, each["name"])


MOMENTS = [
    ("2026-03-07T11:30:00Z", True),
    ("2026-03-07t11:30:00.123456z", True),
    ("2026-03-07T12:30:00+01:00", True),
    ("2026", False),
    ("1767225600", False),
    ("2026-03", False),
    ("2026-03-07", False),
    ("2026-03-07T11:30:00", False),
    ("2026-03-07T11:30Z", False),
    ("2026-03-07 11:30:00Z", False),
    ("2026-03-07T12:30:00+0100", False),
    ("", False),
]


@pytest.mark.parametrize(("moment", "taken"), MOMENTS)
async def test_a_moment_is_taken_as_the_document_says_and_in_no_other_form(
    finished_stage: Stage, moment: str, taken: bool
) -> None:
    schema = parameter(await document(finished_stage), "list_tournaments", "as_of")
    assert (schema["type"], schema["format"]) == ("string", "date-time")
    assert bool(re.search(schema["pattern"], moment)) == taken
    answer = await finished_stage.http.get("/api/v1/tournaments", params={"as_of": moment})
    if taken:
        assert answer.status_code == 200
    else:
        assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, "as_of")
        assert "2026-03-07T11:30:00Z" in answer.json()["detail"]


async def test_the_limits_of_positions_are_described_and_kept(finished_stage: Stage) -> None:
    described = await document(finished_stage)
    for name in ("min_position", "as_of_position"):
        schema = parameter(described, "get_game", name)
        assert (schema["type"], schema["minimum"], schema["maximum"]) == ("integer", 0, 2**63 - 1)
        for beyond in (-1, 2**63):
            answer = await finished_stage.http.get("/api/v1/games/lliga-r1-t1", params={name: beyond})
            assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, name)


NUMBERED = [
    ("/api/v1/tournaments/lliga/standings?round={}", "get_standings", "round"),
    ("/api/v1/tournaments/lliga/report.trf?round={}", "get_report", "round"),
    ("/api/v1/tournaments/lliga/rulings?round={}", "list_rulings", "round"),
    ("/api/v1/tournaments/lliga/rulings?page_size={}", "list_rulings", "page_size"),
    ("/api/v1/tournaments/lliga/rounds/{}/pairings", "get_pairings", "number"),
    ("/api/v1/tournaments/lliga/rounds/{}/pairings.csv", "get_pairings_csv", "number"),
    ("/api/v1/tournaments/lliga/team-standings?round={}", "get_team_standings", "round"),
    ("/api/v1/tournaments?min_position={}", "list_tournaments", "min_position"),
    ("/api/v1/tournaments?as_of_position={}", "list_tournaments", "as_of_position"),
    ("/api/v1/tournaments/lliga/stream?after={}", "follow_tournament", "after"),
    ("/api/v1/seals?after={}", "list_seals", "after"),
    ("/api/v1/seals?limit={}", "list_seals", "limit"),
]


async def test_a_number_is_taken_as_the_document_says_and_in_no_other_form(finished_stage: Stage) -> None:
    described = await document(finished_stage)
    for path, operation_id, name in NUMBERED:
        schema = parameter(described, operation_id, name)
        assert (schema["type"], schema["maximum"] > schema["minimum"]) == ("integer", True), path
        for written in ("0_1", "1_0", "%201", "1%20", "1.0", "%2B1", ""):
            answer = await finished_stage.http.get(path.format(written), headers={"Accept-Language": "en"})
            if written or name != "number":
                assert answer.status_code == 400, (path, written)
                (error,) = answer.json()["errors"]
                assert error["field"] == name
                assert error["problem"].startswith("expected a whole number, got "), (path, written)
    assert (await finished_stage.http.get("/tournaments/lliga/round/0_1")).status_code == 400
    assert (await finished_stage.http.get("/tournaments/lliga?round=1_0")).status_code == 400


CONTRADICTING: list[tuple[dict[str, str | int], str]] = [
    ({"as_of": "2026-03-07T11:30:00Z", "as_of_position": 1}, "as_of"),
    ({"as_of_position": 1, "min_position": 1}, "min_position"),
    ({"as_of_position": 10**12}, "as_of_position"),
]


async def test_what_only_the_service_can_refuse_is_a_400_of_the_same_form(finished_stage: Stage) -> None:
    for given, field in CONTRADICTING:
        answer = await finished_stage.http.get("/api/v1/tournaments/lliga/standings", params=given)
        assert (answer.status_code, answer.headers["content-type"]) == (400, PROBLEM)
        (error,) = answer.json()["errors"]
        assert error["field"] == field
        assert answer.json()["detail"] == f"{field}: {error['problem']}"


async def test_the_form_of_a_page_token_is_described_as_the_service_takes_it(finished_stage: Stage) -> None:
    schema = parameter(await document(finished_stage), "list_rulings", "page_token")
    assert schema["maxLength"] == 200
    for token, taken in (("", True), ("1.12.lliga-r1-t1-1-c1", True), ("x", False), ("1.2", False), ("1.2.A", False)):
        assert bool(re.search(schema["pattern"], token)) == taken, token


MISSPELT = [
    ("/api/v1/tournaments/lliga/standings", "rounds", "round"),
    ("/api/v1/tournaments/lliga/standings.csv", "min_positon", "min_position"),
    ("/api/v1/tournaments/lliga/team-standings", "arithmetics", "arithmetic"),
    ("/api/v1/seals", "limits", "limit"),
    ("/api/v1/tournaments/lliga/stream", "afte", "after"),
    ("/api/v1/games/lliga-r1-t1", "asof", "as_of"),
]


async def test_a_misspelt_parameter_is_refused_with_what_was_meant(finished_stage: Stage) -> None:
    for path, given, meant in MISSPELT:
        answer = await finished_stage.http.get(path, params={given: "1"})
        assert (answer.status_code, answer.headers["content-type"]) == (400, PROBLEM), path
        assert answer.json()["errors"] == [{"field": given, "problem": f"unknown parameter; did you mean {meant}?"}], (
            path
        )
    catalan = await finished_stage.http.get("/api/v1/seals", params={"limits": "1"}, headers={"Accept-Language": "ca"})
    assert catalan.json()["detail"] == "limits: paràmetre desconegut; volíeu dir limit?"


async def test_a_parameter_like_none_is_refused_with_those_that_there_are(finished_stage: Stage) -> None:
    answer = await finished_stage.http.get("/api/v1/status", params={"utm_source": "x"})
    assert (answer.status_code, answer.json()["detail"]) == (400, "utm_source: unknown parameter; expected lang")


REPEATED = [
    ("/api/v1/tournaments?lang=ca&lang=en", "lang"),
    ("/api/v1/tournaments/lliga/standings?round=1&round=2", "round"),
    ("/api/v1/tournaments/lliga/standings.csv?round=1&round=1", "round"),
    ("/api/v1/tournaments/lliga/teams?min_position=1&min_position=2", "min_position"),
    ("/api/v1/tournaments/lliga/stream?after=1&after=2", "after"),
]


async def test_a_parameter_that_is_given_twice_is_refused_by_its_name(finished_stage: Stage) -> None:
    for path, name in REPEATED:
        answer = await finished_stage.http.get(path, headers={"Accept-Language": "en"})
        assert (answer.status_code, answer.headers["content-type"]) == (400, PROBLEM), path
        assert [error["field"] for error in answer.json()["errors"]] == [name], path
    told = await finished_stage.http.get("/api/v1/seals?limit=1&limit=2", headers={"Accept-Language": "ca"})
    assert told.json()["detail"] == "limit: s’ha donat més d’una vegada"


async def test_a_page_passes_over_what_was_hung_on_its_address(finished_stage: Stage) -> None:
    for path in ("/tournaments/lliga", "/games/lliga-r1-t1", "/"):
        assert (await finished_stage.http.get(path, params={"fbclid": "x", "utm_source": "y"})).status_code == 200


async def test_the_language_of_an_answer_is_a_parameter_that_is_described(finished_stage: Stage) -> None:
    described = await document(finished_stage)
    assert parameter(described, "get_standings", "lang")["$ref"] == "#/components/schemas/Language"
    assert described["components"]["schemas"]["Language"]["enum"] == sorted(LANGUAGES)
    for language in ("tlh", ""):
        for path in ("/api/v1/tournaments", "/api/v1/tournaments/lliga/standings"):
            unknown = await finished_stage.http.get(path, params={"lang": language})
            assert (unknown.status_code, unknown.json()["errors"][0]["field"]) == (400, "lang"), (path, language)


HEADS = (
    "/",
    "/tournaments/lliga",
    "/tournaments/lliga/crosstable",
    "/games/lliga-r1-t1",
    "/status",
    "/healthz",
    "/readyz",
    "/openapi.json",
    "/static/icon.svg",
    "/tournaments/nowhere",
    "/api/v1/nowhere",
)


OF_THE_MOMENT = {"date": "", "ratelimit": ""}
"""Headers that are another's in every answer."""


async def test_head_is_answered_wherever_get_is_with_the_same_headers_and_no_body(finished_stage: Stage) -> None:
    described = [
        path
        for path, operation in operations(await document(finished_stage))
        if operation["operationId"] not in (*ENDLESS, *STREAMED)
    ]
    for path in (*HEADS, *described):
        as_it_is = {"Accept-Encoding": "identity"}
        get, head = [await finished_stage.http.request(method, path, headers=as_it_is) for method in ("GET", "HEAD")]
        assert (head.status_code, head.content) == (get.status_code, b""), path
        of_get, of_head = ({**answer.headers, **OF_THE_MOMENT} for answer in (get, head))
        assert of_head == of_get, path
        assert int(head.headers["content-length"]) == len(get.content) > 0, path


async def test_head_of_a_stream_has_its_headers_and_ends(finished_stage: Stage) -> None:
    path = "/api/v1/tournaments/lliga/stream"
    head = await finished_stage.http.head(path)
    assert (head.status_code, head.content) == (200, b"")
    async with finished_stage.http.stream("GET", path) as get:
        of_get, of_head = ({**answer.headers, **OF_THE_MOMENT, "transfer-encoding": ""} for answer in (get, head))
        assert of_head == of_get
    assert (await finished_stage.http.head("/api/v1/tournaments/nowhere/stream")).status_code == 404


async def test_what_has_not_changed_is_304_to_head_too(finished_stage: Stage) -> None:
    tag = (await finished_stage.http.head("/api/v1/tournaments")).headers["etag"]
    again = await finished_stage.http.head("/api/v1/tournaments", headers={"If-None-Match": tag})
    assert (again.status_code, again.headers["etag"]) == (304, tag)
