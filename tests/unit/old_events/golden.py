"""Store bytes of every event at every version ever released, and their reading. Run by `make golden`.

There is one file for each context, `golden/CONTEXT.json`. By type and version of each event it has the digest of the
definition and examples as bytes. Stored examples are never changed. A reading is added to a version when the event has
a later one.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message

from faristol.event_store.upcasters import Upcasters, message_class, upcasters
from faristol.kernel import event_types

FOLDER = Path(__file__).parent / "golden"

Json = dict[str, Any]


class Changed(Exception):
    """The definition of an event differs from that of its stated version."""


def event_descriptors() -> list[Descriptor]:
    """Return every event."""
    return [kind.DESCRIPTOR for kind in event_types.RECORD_EVENT_TYPES]  # type: ignore[misc] # the stubs know two kinds of Descriptor


def path_of(type_name: str, folder: Path = FOLDER) -> Path:
    """Return the file that an event is kept in."""
    return folder / f"{type_name.split('.')[1]}.json"


def kept_of(type_name: str, folder: Path = FOLDER) -> dict[str, Json]:
    """Return the stored examples of an event, by version; empty if there are none yet."""
    path = path_of(type_name, folder)
    kept: dict[str, Json] = json.loads(path.read_text()).get(type_name, {}) if path.exists() else {}
    return kept


def definition(event: Descriptor) -> str:
    """Return SHA-256 over everything that the bytes of an event depend on, including its parts and enumerations."""
    return hashlib.sha256("\n".join(sorted(_lines(event, set()))).encode()).hexdigest()


def _lines(message: Descriptor, seen: set[str]) -> Iterator[str]:
    if message.full_name in seen or message.full_name.startswith("google.protobuf."):
        return
    seen.add(message.full_name)
    yield message.full_name
    for field in message.fields:
        kind = field.message_type or field.enum_type
        oneof = field.containing_oneof.name if field.containing_oneof else ""
        known_as = kind.full_name if kind else ""
        yield f"{message.full_name} {field.number} {field.name} {field.type} {field.is_repeated} {known_as} {oneof}"
        if field.enum_type:
            yield from (f"{known_as} {value.number} {value.name}" for value in field.enum_type.values)
        if field.message_type:
            yield from _lines(field.message_type, seen)


def examples(event: Descriptor) -> list[Message]:
    """Return an event with every field set, one for each choice where there is one, and an event with none."""
    made = [message_class(event.full_name)()]
    for choice in range(max([1, *(len(oneof.fields) for oneof in event.oneofs)])):
        full = message_class(event.full_name)()
        _fill(full, choice)
        made.append(full)
    return made


def _fill(message: Message, choice: int) -> None:
    for field in message.DESCRIPTOR.fields:
        oneof = field.containing_oneof
        if oneof and oneof.fields[choice % len(oneof.fields)] is not field:
            continue
        if field.message_type and field.is_repeated:
            for part in (getattr(message, field.name).add() for _ in range(2)):
                _fill(part, choice)
        elif field.message_type:
            part = getattr(message, field.name)
            part.SetInParent()
            _fill(part, choice)
        elif field.is_repeated:
            getattr(message, field.name).extend([_value(field, 0), _value(field, 1)])
        else:
            setattr(message, field.name, _value(field, 0))


def _value(field: Any, number: int) -> object:  # the stubs know two kinds of FieldDescriptor
    match field.cpp_type:
        case FieldDescriptor.CPPTYPE_STRING if field.type == FieldDescriptor.TYPE_BYTES:
            return bytes([field.number, number, 0, 255])
        case FieldDescriptor.CPPTYPE_STRING:
            return f"{field.name} L·L {number}"
        case FieldDescriptor.CPPTYPE_BOOL:
            return number == 0
        case FieldDescriptor.CPPTYPE_ENUM:
            return field.enum_type.values[-1].number
        case _:
            return 300 * field.number + number


def reads_as(type_name: str, version: int, example: Json, using: Upcasters) -> Json:
    """Return the present reading of the bytes of an example."""
    message = using.message(type_name, version, bytes.fromhex(example["bytes"]))
    return MessageToDict(message, preserving_proto_field_name=True)


def keep(folder: Path, events: Sequence[Descriptor], using: Upcasters) -> list[Path]:
    """Store new examples, and return the written files.

    Raises ``Changed`` for an event whose definition differs from that of its stated version.
    """
    texts: dict[Path, Json] = {}
    for event in events:
        current = using.version(event.full_name)
        versions = kept_of(event.full_name, folder)
        if str(current) not in versions:
            made = [{"bytes": each.SerializeToString(deterministic=True).hex()} for each in examples(event)]
            versions[str(current)] = {"definition": definition(event), "examples": made}
        if versions[str(current)]["definition"] != definition(event):
            raise Changed(
                f"{event.full_name} is not what it was at version {current}: raise the version in its meaning"
                " (and write a step in libs/faristol/event_store/upcasters.py where old bytes need a change)"
            )
        for version, kept in versions.items():
            for example in kept["examples"]:
                read = reads_as(event.full_name, int(version), example, using)
                example.setdefault("reads_as", {}).setdefault(str(current), read)
        path = path_of(event.full_name, folder)
        if path not in texts:
            texts[path] = json.loads(path.read_text()) if path.exists() else {}
        texts[path][event.full_name] = versions
    folder.mkdir(parents=True, exist_ok=True)
    return [
        path for path, kept in texts.items() if _write_if_changed(path, json.dumps(kept, indent=1, ensure_ascii=False))
    ]


def _write_if_changed(path: Path, text: str) -> bool:
    """Write a file if it has changed; return whether it had."""
    if path.exists() and path.read_text() == text + "\n":
        return False
    path.write_text(text + "\n")
    return True


def main() -> int:
    """Store new examples; return 0 on success."""
    try:
        written = keep(FOLDER, event_descriptors(), upcasters)
    except Changed as problem:
        print(problem, file=sys.stderr)  # noqa: T201
        return 1
    for path in written:
        print(f"kept {path.relative_to(FOLDER.parent)}")  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
