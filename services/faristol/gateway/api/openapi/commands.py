"""OpenAPI document of every method of the contract over HTTP, ``/openapi-commands.json``.

It is separate from ``/openapi.json``, because readers of results do not need it and it is several times as long.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor

from faristol.access_control.needs import Needs, needs_of
from faristol.access_control.roles import PUBLIC, ROLE_NAMES
from faristol.gateway.api.openapi.document import PROBLEM_TYPE, describe_models, ref
from faristol.gateway.api.openapi.examples import BY_NAME
from faristol.gateway.api.openapi.schemas import CommandSchemas
from faristol.gateway.auth.session import COOKIE
from faristol.gateway.http.responses import ProblemBody
from faristol.gateway.rpc.calls import NAMED, Method
from faristol.pb.comments import COMMENTS

COMMANDS_DESCRIPTION = """Every command and query of the contract (`proto/`) over HTTP, for programs: a POST of the
request as JSON.

The token in `Authorization: Bearer` identifies the caller; a page of this site sends its cookie instead. Public methods
need neither. A command has a `command_id`, a UUID of your choice: a retry with the same id returns the first answer and
has no further effect. A command that a rule book does not allow is refused with 409, a `reason`, its `article` and a
sentence. Call methods that return a stream over gRPC. Public results are at the addresses of `/openapi.json`.
"""

_ERROR_DESCRIPTIONS = {
    "400": "The body is not JSON with the fields of the request, or a field is malformed.",
    "401": "The token is missing or has expired.",
    "403": "The credential does not permit the call, or the request came from another site.",
    "404": "The resource does not exist; `detail` names its id.",
    "409": "The rules or the current state do not allow it, or another caller changed it first.",
    "413": "The request exceeds one mebibyte, or 64 kibibytes without a token.",
    "415": "`Content-Type` is not `application/json`.",
    "429": "Too many requests; retry after `Retry-After`.",
    "503": "The service is unavailable; retry after `Retry-After`.",
    "504": "The call timed out. Retry the same command.",
}


_EXAMPLES: Mapping[str, Any] = {
    "command_id": "5f0c3a52-3f0e-4d0b-9d3f-1f5a4f6f2f10",
    **{name: BY_NAME[name] for name in ("tournament_id", "game_id", "player_id", "name", "round", "table")},
}
"""Example values of a request by field name."""


@cache
def commands_document(service: str = "") -> Mapping[str, Any]:
    """Return the document of all services or of one: a path for each method, and the schemas."""
    named = [method for _, method in sorted(NAMED.items()) if service in ("", method.service)]
    methods = [method for method in named if not method.is_stream]
    made = CommandSchemas()
    paths = {f"/api/v1/{each.service}/{each.name}": {"post": _operation(each, made)} for each in methods}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Faristol: commands", "version": "1", "description": COMMANDS_DESCRIPTION},
        "paths": paths,
        "components": {
            "schemas": {**dict(sorted(made.schemas.items())), **describe_models(ProblemBody)},
            "responses": {status: _refusal(text) for status, text in _ERROR_DESCRIPTIONS.items()},
            "securitySchemes": {
                "bearer": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "The token of a credential: `faristol access grant`.",
                },
                "cookie": {
                    "type": "apiKey",
                    "in": "cookie",
                    "name": COOKIE,
                    "description": "Session of a signed-in user, only from pages of this site.",
                },
            },
        },
        "tags": [{"name": service} for service in sorted({method.service for method in methods})],
    }


def _operation(method: Method, made: CommandSchemas) -> dict[str, Any]:
    comment = COMMENTS.get(method.path[1:].replace("/", "."), method.name)
    needs = needs_of(method.descriptor)
    sent: Any = method.request.DESCRIPTOR  # a descriptor of Python or of upb
    response: Any = method.response.DESCRIPTOR
    return {
        "operationId": method.name,
        "tags": [method.service],
        "summary": comment.partition(". ")[0].removesuffix("."),
        "description": " ".join((comment, *_describe_needs(needs))),
        "security": [*([{}] if needs.is_public else []), {"bearer": []}, {"cookie": []}],
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {
                    "schema": made.add(sent),
                    "example": example_of(sent),
                }
            },
        },
        "responses": {
            "200": {
                "description": "The command was executed, or the query is answered.",
                "content": {"application/json": {"schema": made.add(response)}},
            },
            **{status: {"$ref": f"#/components/responses/{status}"} for status in _ERROR_DESCRIPTIONS},
        },
    }


def example_of(message: Descriptor) -> dict[str, Any]:
    """Return an example request with its ids and names; the contract describes other required fields."""
    found = {field.name: _EXAMPLES[field.name] for field in message.fields if _is_exemplary(field)}
    if "name" in found:  # a registration: round and table are left to the rules
        found = {name: value for name, value in found.items() if name not in ("round", "table")}
    return found


def _is_exemplary(field: FieldDescriptor) -> bool:
    example = _EXAMPLES.get(field.name)
    return not field.is_repeated and (
        (isinstance(example, str) and field.type == FieldDescriptor.TYPE_STRING)
        or (isinstance(example, int) and field.type == FieldDescriptor.TYPE_INT32)
    )


def _describe_needs(needs: Needs) -> Iterator[str]:
    """Yield sentences about the required roles and scope."""
    roles = " or ".join(ROLE_NAMES[role] for role in sorted(needs.roles))
    yield "Requires no credential." if PUBLIC in needs.roles else f"Requires the role {roles}."
    for path, those in needs.narrowed:
        yield f"With `{'.'.join(path)}` it requires the role {' or '.join(ROLE_NAMES[role] for role in sorted(those))}."
    scope = [".".join(path) for path in (*needs.tournaments, *needs.games, needs.case) if path]
    if scope and PUBLIC not in needs.roles:
        yield f"In its scope: {', '.join(f'`{path}`' for path in scope)}."


def _refusal(text: str) -> dict[str, Any]:
    return {
        "description": text,
        "content": {PROBLEM_TYPE: {"schema": ref(ProblemBody)}},
    }
