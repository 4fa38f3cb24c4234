"""`faristol tournament checks`: what is still open before a tournament is finalised."""

from __future__ import annotations

from collections.abc import Iterator

from faristol.kernel.refusal import N_, Param
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.presentation.labels import FINAL_CHECKS
from faristol.table_terminal.shared.names import TournamentNames
from faristol.text import say, translations

NO_OPEN_MATTER = N_("{check}: none")
OPEN_MATTERS = N_("{check}: {open} ({subjects})")
NOT_PUBLISHED = N_("The final standings are not published yet.")
FINALISED = N_("The tournament is finalised.")


def final_checks(
    _request: pairing.ListFinalChecksRequest,
    answer: pairing.ListFinalChecksResponse,
    known: TournamentNames,
    language: str,
) -> Iterator[str]:
    """Yield a line for each check, and the state of the tournament."""
    read = translations(language).gettext
    for found in answer.checks:
        params: dict[str, Param] = {
            "check": read(FINAL_CHECKS[found.check]),
            "open": found.open,
            "subjects": ", ".join(map(known.describe_id, found.subjects)),
        }
        yield say(OPEN_MATTERS if found.open else NO_OPEN_MATTER, params, language)
    if answer.finalised:
        yield say(FINALISED, {}, language)
    elif not answer.published:
        yield say(NOT_PUBLISHED, {}, language)
