"""Regenerate the types of the client: `python tests/unit/gateway/api/client_models.py`."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from faristol.gateway.api.event_types import SCHEMA as EVENT_TYPE
from faristol.gateway.api.openapi.schemas import ResultSchemas
from faristol.pb.api.v1 import answers_pb2 as api
from faristol.pb.results.v1 import results_pb2 as pb

MODULE = Path(__file__).parents[4] / "libs" / "faristol" / "client" / "models.py"
ANSWER_MESSAGES: tuple[Any, ...] = (
    api.Games,
    api.Racks,
    pb.FollowResponse,
    pb.GetGameResponse,
    pb.GetPairingsResponse,
    pb.GetPlayerResponse,
    pb.GetStandingsResponse,
    pb.ListPlayersResponse,
    pb.ListTournamentsResponse,
    pb.SearchPlayersResponse,
)
"""Answers that the client reads."""

HEAD = '''"""Types of the answers of the HTTP interface, as ``faristol.client.results`` returns them.

Generated from the contract by ``tests/unit/gateway/api/client_models.py``; not edited by hand. Newer gateways may send
further fields, which are available too. ``/docs`` of a gateway describes all fields.
"""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel, ConfigDict


class Model(BaseModel):
    """Part of an answer: immutable, with further fields beside the declared ones."""

    model_config = ConfigDict(extra="allow", frozen=True)

'''

_SIMPLE = {"boolean": "bool", "integer": "int", "number": "float"}


def module() -> str:
    """Return the text of the module."""
    made = ResultSchemas()
    for answer in ANSWER_MESSAGES:
        made.add(answer.DESCRIPTOR)
    schemas = sorted({**made.schemas, "EventType": EVENT_TYPE}.items())
    enums = "".join(line for name, schema in schemas if "enum" in schema for line in _enum(name, schema))
    models = "".join(line for name, schema in schemas if "properties" in schema for line in _model(name, schema))
    return f"{HEAD}{enums}{models}"


def _enum(name: str, schema: Mapping[str, Any]) -> Iterator[str]:
    yield f"\n{name} = str\n"
    if name != "EventType":
        text = f"One of {', '.join(f'`{word}`' for word in schema['enum'])}; newer gateways may send further words."
        lines = textwrap.wrap(f'"""{text}"""', 120, break_on_hyphens=False)
        yield "".join(f"{line}\n" for line in lines)


def _model(name: str, schema: Mapping[str, Any]) -> Iterator[str]:
    about = schema.get("description", "Links." if name.endswith("Links") else "Answer.")
    yield f'\n\nclass {name}(Model):\n    """{about.partition(". ")[0].removesuffix(".")}."""\n\n'
    yield from (f"    {field}: {_type(of)}\n" for field, of in schema["properties"].items())


def _type(schema: Mapping[str, Any]) -> str:
    if ref := schema.get("$ref"):
        return str(ref.rpartition("/")[2])
    if choices := schema.get("anyOf"):
        return " | ".join(map(_type, choices))
    kind = schema["type"]
    if kind == "array":
        return f"list[{_type(schema['items'])}]"
    if kind == "object":
        return f"dict[str, {_type(schema['additionalProperties'])}]"
    if kind == "string":
        return "datetime" if schema.get("format") == "date-time" else "str"
    return "None" if kind == "null" else _SIMPLE[kind]


if __name__ == "__main__":
    MODULE.write_text(module(), encoding="utf-8")
