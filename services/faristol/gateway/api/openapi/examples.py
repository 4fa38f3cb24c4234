"""Examples of responses, generated from their schemas by field name and type."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Schema = Mapping[str, Any]

BY_NAME: Mapping[str, Any] = {
    "article": "FISC I.10",
    "circuit_id": "league",
    "club": "Club de Mots",
    "coordinates": "H8",
    "country": "AND",
    "face": "A",
    "faces": ["M", "O", "T"],
    "first_player_id": "anna-puig",
    "game_id": "demo-r1-t1",
    "id": "demo",
    "instance": "/api/v1/tournaments/demo",
    "link": "",
    "name": "Anna Puig",
    "next_page_token": "",
    "number": 1,
    "player_id": "anna-puig",
    "points": 1.5,
    "position": 1207,
    "rating": 1500,
    "round": 1,
    "rounds": 5,
    "score": 371,
    "season_id": "2026-27",
    "table": 1,
    "tournament_id": "demo",
    "tournament_name": "Copa",
}
"""Example values by field name, used if the schema accepts them."""

PROBLEMS: Mapping[str, Mapping[str, Any]] = {
    "400": {
        "title": "Bad Request",
        "detail": "limits: unknown parameter; did you mean limit?",
        "reason": "INVALID",
        "errors": [{"field": "limits", "problem": "unknown parameter; did you mean limit?"}],
    },
    "404": {
        "title": "Not Found",
        "detail": "there is no tournament 'demo'",
        "reason": "NOT_FOUND",
        "kind": "tournament",
        "id": "demo",
    },
    "409": {
        "title": "Conflict",
        "detail": "GCG is written of games of two players.",
        "reason": "GCG_OF_TWO",
    },
    "429": {
        "title": "Too Many Requests",
        "detail": "too many requests from this address; retry after the time in the header Retry-After",
        "reason": "TOO_MANY_REQUESTS",
    },
    "503": {
        "title": "Service Unavailable",
        "detail": "The results are unavailable at the moment. Please retry in a few seconds.",
        "reason": "SERVICE_UNAVAILABLE",
    },
    "504": {
        "title": "Gateway Timeout",
        "detail": "results are at position 1207 and did not reach position 1300 in time",
        "reason": "BEHIND",
        "wanted": 1300,
        "here": 1207,
    },
}
"""Example problems by status."""

DEEPEST_COUNT = 8
"""Maximum depth of an example; deeper lists are empty."""


def problem_of(status: str) -> dict[str, Any]:
    """Return an example problem of a status."""
    more = PROBLEMS.get(status, PROBLEMS["400"])
    head = {"type": f"/docs/problems#{more['reason']}", "status": int(status), "instance": "/api/v1/tournaments/demo"}
    return {**head, **more}


def example_of(schema: Schema, schemas: Mapping[str, Schema], name: str = "", depth: int = 0) -> Any:
    """Return an example of a schema. ``name`` is that of the field; ``schemas`` resolve references."""
    if ref := schema.get("$ref"):
        return example_of(schemas[ref.rpartition("/")[2]], schemas, name, depth)
    if "examples" in schema:
        return schema["examples"][0]
    if "enum" in schema or "const" in schema:
        return schema.get("enum", [schema.get("const")])[0]
    if choices := [each for each in schema.get("anyOf", ()) if each != {"type": "null"}]:
        return example_of(choices[0], schemas, name, depth)
    kind = schema.get("type")
    if kind == "object":
        fields = schema.get("properties", {})
        return {key: example_of(field, schemas, key, depth + 1) for key, field in fields.items()}
    if kind == "array":
        if name in BY_NAME and isinstance(BY_NAME[name], list):
            return BY_NAME[name]
        return [] if depth > DEEPEST_COUNT else [example_of(schema.get("items", {}), schemas, name, depth + 1)]
    return _simple(schema, name)


def _simple(schema: Schema, name: str) -> Any:
    kind = schema.get("type")
    given = BY_NAME.get(name)
    if kind == "string":
        if schema.get("format") == "date-time":
            return "2026-03-07T11:30:00Z"
        return given if isinstance(given, str) else ""
    if kind == "boolean":
        return False
    if kind == "integer":
        return given if isinstance(given, int) else schema.get("minimum", 0)
    if kind == "number":
        return given if isinstance(given, int | float) else 0
    return None
