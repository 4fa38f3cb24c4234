"""Pages under ``/docs`` that describe the JSON interface, rendered from its OpenAPI documents."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from http import HTTPStatus
from types import MappingProxyType
from typing import Annotated, Any, NamedTuple

import grpc
from fastapi import APIRouter, Path
from markupsafe import Markup, escape
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from faristol.gateway.api.event_types import MEANINGS
from faristol.gateway.api.openapi.commands import commands_document
from faristol.gateway.http.encoding import Encoded
from faristol.gateway.http.forms import public_address
from faristol.gateway.pages.render import page
from faristol.gateway.rpc.calls import NAMED
from faristol.gateway.rpc.results import Page, Reader, Results
from faristol.presentation.ruleset_lookup import is_of_duplicate_games

Schema = Mapping[str, Any]

_CODE = re.compile("`([^`]+)`")

ENDLESS = ("follow_tournament", "follow_tournaments")
"""Operations that answer by an endless stream."""

NOTHING_KNOWN: Mapping[str, str] = MappingProxyType({})

routes = APIRouter(include_in_schema=False)


class DocumentedField(NamedTuple):
    """Parameter, or field of a schema."""

    name: str
    where: str
    """``path``, ``query`` or ``header`` for a parameter; empty for a field."""
    kind: Markup
    """Type, with links to schemas."""
    about: Markup


class DocumentedOperation(NamedTuple):
    """Operation."""

    name: str
    method: str
    path: str
    summary: Markup
    about: Markup
    parameters: Sequence[DocumentedField]
    body: Markup
    """Schema of the request body; empty for a GET."""
    answers: Sequence[tuple[str, Markup, Markup]]
    """Status, description and schema of each response."""
    example: str
    """Command line for a terminal."""


class Part(NamedTuple):
    """Operations of one tag."""

    tag: str
    entries: Sequence[DocumentedOperation]


class Model(NamedTuple):
    """Schema."""

    name: str
    about: Markup
    fields: Sequence[DocumentedField]


def format_code(text: str) -> Markup:
    """Escape a text and format its backticks as code."""
    return Markup(_CODE.sub(r"<code>\1</code>", str(escape(text))))  # noqa: S704 # escaped just before


def kind_of(schema: Schema) -> Markup:
    """Return a short type of a schema, with links to other schemas."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return Markup('<a href="#schema-{0}">{0}</a>').format(name)
    if any_of := schema.get("anyOf") or schema.get("oneOf"):
        return Markup(" | ").join(kind_of(each) for each in any_of)
    if "enum" in schema or "const" in schema:
        words = schema.get("enum", [schema.get("const")])
        return Markup(" | ").join(Markup("<code>{}</code>").format(word) for word in words)
    kind = schema.get("type", "")
    if kind == "array":
        return Markup("[{}]").format(kind_of(schema.get("items", {})))
    if kind == "object" and isinstance(schema.get("additionalProperties"), Mapping):
        return Markup("{{ {} }}").format(kind_of(schema["additionalProperties"]))
    written = " | ".join(kind) if isinstance(kind, list) else kind
    limits = [f"≥ {schema['minimum']}"] if schema.get("minimum") is not None and abs(schema["minimum"]) < 2**31 else []
    limits += [f"≤ {schema['maximum']}"] if schema.get("maximum", 2**31) < 2**31 - 1 else []
    return escape(" ".join(filter(None, (written, schema.get("format", ""), *limits))))


def example_path(path: str, operation: Schema, known: Mapping[str, str]) -> str:
    """Return the address of an operation with the examples of its parameters, or ``known`` values instead."""
    parameters = [each for each in operation.get("parameters", ()) if each["in"] == "path"]
    examples = {each["name"]: each["schema"].get("examples", [1])[0] for each in parameters}
    return path.format(**{name: known.get(example, example) for name, example in examples.items()})


def entry_of(
    path: str, method: str, operation: Schema, document: Schema, address: str, known: Mapping[str, str]
) -> DocumentedOperation:
    """Return an operation of a document; ``address`` is the base of the interface."""
    parameters = [
        DocumentedField(each["name"], each["in"], kind_of(each["schema"]), format_code(each.get("description", "")))
        for each in operation.get("parameters", ())
    ]
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    place = f"{address}{example_path(path, operation, known)}"
    example = f"curl {'-N ' if operation['operationId'] in ENDLESS else ''}'{place}'"
    if body:
        sent = json.dumps(body.get("example", {}), ensure_ascii=False)
        example = f"curl '{place}' -H \"Authorization: Bearer $TOKEN\" -H 'Content-Type: application/json' -d '{sent}'"
    return DocumentedOperation(
        operation["operationId"],
        method.upper(),
        path,
        format_code(operation.get("description", "").partition(". ")[0].partition("\n")[0].removesuffix(".")),
        format_code(operation.get("description", "")),
        parameters,
        kind_of(body["schema"]) if body else Markup(),
        list(_answers(operation, document)),
        example,
    )


def _answers(operation: Schema, document: Schema) -> Iterator[tuple[str, Markup, Markup]]:
    for status, answer in sorted(operation["responses"].items()):
        if ref := answer.get("$ref", ""):
            answer = document["components"]["responses"][ref.rpartition("/")[2]]  # resolves the reference
        kinds = [
            kind_of(content["schema"]) if "$ref" in content.get("schema", {}) else escape(media)
            for media, content in answer.get("content", {}).items()
        ]
        yield status, format_code(answer["description"]), Markup(", ").join(kinds)


def parts_of(document: Schema, address: str, known: Mapping[str, str] = NOTHING_KNOWN) -> list[Part]:
    """Return the operations of a document by tag, in its order. ``known`` replaces values of examples."""
    found: dict[str, list[DocumentedOperation]] = {}
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            tag = next(iter(operation.get("tags", ())), "")
            found.setdefault(tag, []).append(entry_of(path, method, operation, document, address, known))
    return [Part(tag, entries) for tag, entries in found.items()]


def models_of(document: Schema) -> list[Model]:
    """Return the schemas of a document."""
    return [
        Model(
            name,
            format_code(schema.get("description", "")),
            [
                *(
                    DocumentedField(word, "", Markup(), format_code(about))
                    for word, about in schema.get(MEANINGS, {}).items()
                ),
                *(
                    DocumentedField(key, "", kind_of(field), format_code(field.get("description", "")))
                    for key, field in schema.get("properties", {}).items()
                ),
            ],
        )
        for name, schema in document["components"]["schemas"].items()
    ]


SERVICES = sorted({method.service for method in NAMED.values()})
"""Services with documented methods."""


@routes.get("/docs")
async def show_documentation(request: Request, results: Reader) -> Response:
    """Show the interface for results apps."""
    return _page(request, request.app.openapi(), "", await _find_example_ids(results))


@routes.get("/docs/commands/{service}")
async def show_commands(request: Request, service: Annotated[str, Path(pattern="^[a-z]{1,20}$")]) -> Response:
    """Show the methods of one service."""
    if service not in SERVICES:
        raise HTTPException(HTTPStatus.NOT_FOUND)
    return _page(request, commands_document(service), service)


async def _find_example_ids(results: Results) -> Mapping[str, str]:
    """Return existing ids by those of the examples; empty without a paired tournament."""
    try:
        for tournament in (await results.tournaments(page=Page(20))).tournaments:
            if is_of_duplicate_games(tournament) or not tournament.played:
                continue
            paired = await results.pairings(tournament.tournament_id, tournament.played[0].round, page=Page(1))
            if paired.tables:
                table = paired.tables[0]
                return {
                    "demo-r1-t1": table.game_id,
                    "demo": tournament.tournament_id,
                    "anna-puig": table.seats[0].player_id,
                }
    except grpc.aio.AioRpcError:  # the page does not need the results
        pass
    return {}


def _page(
    request: Request, document: Schema, service: str, known: Mapping[str, str] = MappingProxyType({})
) -> Response:
    """Render a document. ``known`` are ids for its examples."""
    made = page(
        request,
        "docs.html",
        service=service,
        services=SERVICES,
        about=format_code(document["info"]["description"]),
        parts=parts_of(document, public_address(request), known),
        models=models_of(document),
    )
    return Encoded(made)
