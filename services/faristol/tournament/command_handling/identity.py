"""Validation of ids and names, and generation of ids."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count

from faristol.kernel.errors import Invalid
from faristol.kernel.names import (
    MAX_ID_LENGTH,
    MAX_OFFICIAL_NOTE_CHARACTERS,
    check_id,
    check_length,
    check_text,
    hash_command_id,
    slug,
    tidy,
)
from faristol.kernel.refusal import N_
from faristol.kernel.topics import is_as_of_a_game


def checked_tournament_id(field: str, value: str) -> str:
    """Return a chosen tournament id. Raises ``Invalid`` if it is malformed or reads as the id of a game."""
    if is_as_of_a_game(check_id(field, value)):
        raise Invalid(
            field,
            N_("{given} looks like the id of a game of another tournament; expected one that does not end like -r1"),
            {"given": repr(value)},
        )
    return value


def checked_note(field: str, value: str) -> str:
    """Return the note without surrounding space, in Unicode NFC. It may be empty.

    Raises ``Invalid`` if it is too long or has a character that cannot be displayed.
    """
    note = tidy(value)
    check_length(field, note, 0, MAX_OFFICIAL_NOTE_CHARACTERS)
    check_text(field, note)
    return note


def ids_of(name: str, command_id: str, kind: str) -> Iterator[str]:
    """Yield ids for a name, the best first, without end: ``trofeu-valls``, ``trofeu-valls-2``….

    Greek letters are transliterated by ELOT 743. If the name has no letter of either alphabet, the id comes from
    ``kind`` and the id of the command.
    """
    made = slug(name) or f"{kind}-{hash_command_id(command_id)[:8]}"
    yield made[:MAX_ID_LENGTH].strip("-")
    for number in count(2):
        tail = f"-{number}"
        yield made[: MAX_ID_LENGTH - len(tail)].strip("-") + tail


_MADE = re.compile(r"p-[0-9a-f]{12}")


def is_given(wanted: str) -> bool:
    """Check whether an id was chosen, and not generated for a player without one."""
    return bool(wanted) and not _MADE.fullmatch(wanted)
