"""OpenAPI document, adapted to the real interface: problem details instead of FastAPI's errors, no null parameters."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from google.protobuf.descriptor import Descriptor
from pydantic import BaseModel, WithJsonSchema
from pydantic.json_schema import models_json_schema

from faristol.gateway.api.event_types import SCHEMA as EVENT_TYPE
from faristol.gateway.api.openapi.examples import example_of, problem_of
from faristol.gateway.api.openapi.schemas import ResultSchemas

REF = "#/components/schemas/{model}"
ANSWER_MESSAGES: list[Descriptor] = []
"""Messages of ``ref_to_answer``."""


def ref(model: type[BaseModel]) -> dict[str, str]:
    """Return a reference to the schema of one of the ``models`` of ``describe``."""
    return {"$ref": REF.format(model=model.__name__)}


def describe_models(*models: type[BaseModel]) -> dict[str, Any]:
    """Return the schemas of models by name, as ``ref`` refers to them."""
    _, definitions = models_json_schema([(model, "serialization") for model in models], ref_template=REF)
    found: dict[str, Any] = definitions["$defs"]
    return found


def ref_to_answer(message: Any) -> dict[str, str]:
    """Return a reference to the schema of a message of the contract, which every document of ``describe`` has."""
    ANSWER_MESSAGES.append(message)
    return {"$ref": REF.format(model=ResultSchemas().name(message))}


_NAME_KEY = "x-name"


def build_enum_schema(name: str, words: Iterable[str]) -> WithJsonSchema:
    """Annotate a parameter as one of ``words``, which the document lists once as the schema ``name``."""
    return WithJsonSchema({"type": "string", "enum": [*words], _NAME_KEY: name})


def _hoist(part: Any, schemas: dict[str, Any]) -> None:
    """Move every schema of ``build_enum_schema`` within ``part`` to ``schemas`` and leave a reference."""
    for each in part if isinstance(part, list) else list(part.values()):
        if isinstance(each, dict | list):
            _hoist(each, schemas)
    if isinstance(part, dict) and isinstance(name := part.pop(_NAME_KEY, None), str):
        own = {"title": name, "type": part.pop("type"), "enum": part.pop("enum")}
        if schemas.setdefault(name, own) != own:
            raise ValueError(f"two schemas are called {name}")
        part["$ref"] = REF.format(model=name)


def describe(web: FastAPI, *models: type[BaseModel]) -> None:
    """Replace the document of an application by one that matches its responses.

    ``models`` are referenced by ``ref``. An invalid request is answered by 400, as each operation states, never by
    FastAPI's 422. Optional parameters of a query or a header are omitted, never null.
    """

    def document() -> dict[str, Any]:
        if web.openapi_schema is None:
            made = get_openapi(
                title=web.title,
                version=web.version,
                description=web.description,
                routes=web.routes,
                separate_input_output_schemas=web.separate_input_output_schemas,
            )
            schemas = made["components"]["schemas"]
            schemas |= describe_models(*models)
            results = ResultSchemas()
            for message in ANSWER_MESSAGES:
                results.add(message)
            schemas |= {**results.schemas, "EventType": EVENT_TYPE, "NewsWithContent": _news_with_content(results)}
            for name in ("HTTPValidationError", "ValidationError"):
                schemas.pop(name, None)
            found: dict[str, Any] = {}
            _hoist(made, found)
            schemas |= found
            for operation in (each for methods in made["paths"].values() for each in methods.values()):
                operation["responses"].pop("422", None)
                for parameter in operation.get("parameters", ()):
                    parameter["schema"] = _without_null(parameter["schema"])
                _complete(operation, schemas)
            made |= {
                "servers": [{"url": web.state.address.rstrip("/") or "/", "description": "This host."}],
                "security": [],  # everything here is public
                "webhooks": {"news": {"post": _webhook()}},
            }
            made["info"]["license"] = {"name": "Apache-2.0", "identifier": "Apache-2.0"}
            made["components"]["headers"] = HEADERS
            web.openapi_schema = made
        return web.openapi_schema

    web.openapi = document  # type: ignore[method-assign] # the way that FastAPI documents


def _news_with_content(results: ResultSchemas) -> dict[str, Any]:
    """Return the schema of the data of a stream with `include=content`: a notification and its changes."""
    news = results.schemas["News"]
    changes = {
        "type": "array",
        "items": {"$ref": REF.format(model="Change")},
        "description": "Changes of games, pairings and standings by this event and by the events of the same batch.",
    }
    return {
        **news,
        "title": "NewsWithContent",
        "description": "A notification with its changes, as the `data` of a stream with `include=content`.",
        "properties": {**news["properties"], "content": changes},
        "required": [*news["required"], "content"],
    }


PROBLEM_TYPE = "application/problem+json"

HEADERS: dict[str, Any] = {
    "ETag": {
        "description": "Version of the answer. Send it as `If-None-Match` to get 304 while the answer is unchanged.",
        "schema": {"type": "string"},
    },
    "Retry-After": {"description": "Seconds after which to retry.", "schema": {"type": "string"}},
    "RateLimit": {"description": "Remaining requests of this address: `r`.", "schema": {"type": "string"}},
    "RateLimit-Policy": {"description": "Number of requests per number of seconds.", "schema": {"type": "string"}},
    "Content-Disposition": {"description": "The name of the file.", "schema": {"type": "string"}},
}
"""Response headers."""


def _complete(operation: dict[str, Any], schemas: dict[str, Any]) -> None:
    """Add the common parts to an operation: headers, 429, and an example of each response."""
    responses = operation["responses"]
    if "400" in responses:
        problem = {PROBLEM_TYPE: {"schema": {"$ref": REF.format(model="ProblemBody")}}}
        responses["429"] = {"description": "Too many requests from this address.", "content": problem}
    operation["responses"] = dict(sorted(responses.items()))
    for status, answer in responses.items():
        if answer["description"] == "Successful Response":
            answer["description"] = operation.get("description", "").partition("\n")[0] or "The answer."
        names = ["RateLimit", "RateLimit-Policy"] if "400" in responses else []
        kinds = answer.get("content", {}).keys()
        if (
            status in ("200", "304")
            and "400" in responses
            and kinds.isdisjoint(("text/event-stream", "application/zip"))
        ):
            names.append("ETag")
        if status == "200" and kinds.isdisjoint(("text/event-stream", "application/json")):
            names.append("Content-Disposition")
        if status in ("429", "503", "504"):
            names.append("Retry-After")
        if names:
            answer["headers"] = {name: {"$ref": f"#/components/headers/{name}"} for name in names}
        for media_type, content in answer.get("content", {}).items():
            if media_type == PROBLEM_TYPE:
                answer["content"] = {PROBLEM_TYPE: {**content, "example": problem_of(status)}}
            elif media_type == "application/json":
                content["example"] = example_of(content["schema"], schemas)


def _webhook() -> dict[str, Any]:
    """Describe the request that a webhook receives, as docs/apps.md does."""
    schema = {"anyOf": [{"$ref": REF.format(model=name)} for name in ("News", "NewsWithContent")]}
    return {
        "operationId": "receive_news",
        "summary": "Event, as sent to a webhook of a tournament",
        "description": "Signed by the rules of Standard Webhooks: `webhook-id`, `webhook-timestamp`, "
        "`webhook-signature`. A webhook with content receives `NewsWithContent`, with complete answers.",
        "requestBody": {"required": True, "content": {"application/json": {"schema": schema}}},
        "responses": {"2XX": {"description": "The event is accepted. After any other answer it is sent again."}},
    }


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    kinds = [kind for kind in schema.get("anyOf", ()) if kind != {"type": "null"}]
    if len(kinds) != 1:
        return schema
    rest = {key: value for key, value in schema.items() if key != "anyOf"}
    return {**kinds[0], **rest}
