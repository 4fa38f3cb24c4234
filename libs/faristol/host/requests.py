"""What every request has to keep to, whatever it asks."""

from __future__ import annotations

from google.protobuf.message import Message

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_

LONGEST_TEXT = 1_000
"""Characters in one field."""


def check_text(request: Message, path: str = "") -> None:
    """Check every text in a request, at any depth.

    Raises ``Invalid``, naming the field, for one with a NUL character, which no database takes, or one that is
    longer than any name, id or word can be.
    """
    for field, value in request.ListFields():
        name = f"{path}{field.name}"
        values = value if field.is_repeated else (value,)
        if field.type == field.TYPE_MESSAGE:
            for number, part in enumerate(values):
                check_text(part, f"{name}[{number}]." if field.is_repeated else f"{name}.")
        elif field.type == field.TYPE_STRING:
            for text in values:
                if len(text) > LONGEST_TEXT:
                    limits: dict[str, str | int] = {"length": len(text), "most": LONGEST_TEXT}
                    raise Invalid(
                        name, N_("has {length} {length:character|characters}; at most {most} are taken"), limits
                    )
                if "\0" in text:
                    raise Invalid(name, N_("has a NUL character, which is not text"))
