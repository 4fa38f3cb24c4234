"""The OpenAPI document, as the interface is: problems and not FastAPI's errors, parameters without null."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

REF = "#/components/schemas/{model}"
_FASTAPIS = ("HTTPValidationError", "ValidationError")


def ref(model: type[BaseModel]) -> dict[str, str]:
    """The schema of one of the ``models`` of ``describe``, by its name in the document."""
    return {"$ref": REF.format(model=model.__name__)}


def describe(web: FastAPI, *models: type[BaseModel]) -> None:
    """Let the application's document be as its answers are.

    ``models`` are those that answers refer to by ``ref``. A malformed request is 400, as each operation says for
    itself; FastAPI's 422 never comes. What is not given in a query or a header is left out there, and never null.
    """
    _, definitions = models_json_schema([(model, "serialization") for model in models], ref_template=REF)

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
            schemas |= definitions["$defs"]
            for name in _FASTAPIS:
                schemas.pop(name, None)
            for operation in (each for methods in made["paths"].values() for each in methods.values()):
                operation["responses"].pop("422", None)
                for parameter in operation.get("parameters", ()):
                    parameter["schema"] = _without_null(parameter["schema"])
            web.openapi_schema = made
        return web.openapi_schema

    web.openapi = document  # type: ignore[method-assign] # this is how FastAPI has it replaced


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    kinds = [kind for kind in schema.get("anyOf", ()) if kind != {"type": "null"}]
    if len(kinds) != 1:
        return schema
    rest = {key: value for key, value in schema.items() if key != "anyOf"}
    return {**kinds[0], **rest}
