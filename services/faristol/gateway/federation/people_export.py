"""The register as CSV, which an import reads back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from faristol.gateway.api.comma_separated import format_csv
from faristol.pb.register.v1 import register_pb2 as pb
from faristol.typed_input.people_list import PEOPLE_COLUMNS


def format_register(persons: Iterable[pb.RegisteredPerson]) -> str:
    """Return a line for each person, with the latest licence; erased persons are left out."""
    return format_csv(PEOPLE_COLUMNS, _list_rows(persons))


def _list_rows(persons: Iterable[pb.RegisteredPerson]) -> Iterator[tuple[str | int, ...]]:
    for person in persons:
        if not person.name:
            continue
        latest = max(person.licences, key=lambda each: (each.valid_to or "9999", each.valid_from), default=pb.Licence())
        yield (
            person.person_id,
            person.name,
            person.club,
            person.country,
            person.school,
            person.birth_year or "",
            person.federation_id,
            person.rating if person.HasField("rating") else "",
            latest.kind,
            latest.number,
            latest.valid_from,
            latest.valid_to,
        )
