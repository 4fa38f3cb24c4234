"""`faristol tournament pack` and `faristol pack verify`: all files of a tournament for a federation, signed."""

from __future__ import annotations

from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from faristol.cli.client import Client
from faristol.cli.options import OneObject, Tournament, in_language
from faristol.cli.tournament.export import write_bytes
from faristol.gateway.api.ratings import RatingService
from faristol.gateway.duplicate_game.service import Duplicates
from faristol.gateway.federation.pack_files import gather_pack
from faristol.gateway.http.forms import origin
from faristol.gateway.print.contents import PaperRequest, language_of_tournament
from faristol.gateway.print.pdf import Pdfs
from faristol.gateway.rpc.calls import Calls
from faristol.gateway.rpc.results import Results
from faristol.host import StartError
from faristol.kernel.refusal import N_
from faristol.pb.game.v1.duplicate_pb2_grpc import DuplicateServiceStub
from faristol.pb.rating.v1.rating_pb2_grpc import RatingServiceStub
from faristol.presentation.other_programs.packs import (
    PROOF_NAME,
    InvalidPack,
    OpenedPack,
    PackContent,
    is_signed_by,
    open_pack,
    write_pack,
)
from faristol.table_terminal.shared.common import localize, print_answer, settings_of
from faristol.table_terminal.shared.names import tournament_meant
from faristol.table_terminal.shared.services import service_at
from faristol.text import LANGUAGES, SOURCE

if TYPE_CHECKING:
    from faristol.event_store.transparency.policy import TrustPolicy

PACKED = N_("{file}: {files} files of {name}, as of event {position} of the record.")
FILE_LEFT_OUT = N_("without {file}: {reason}")
NOT_SIGNED = N_("The pack has no signature: give the key of the seals with --seal-key.")
PACK_UNREADABLE = N_("{file} cannot be read: {problem}")
VALID = N_("{file}: the {files} files are those of the manifest.")
SIGNED = N_("The manifest is signed by the key {key}.")
NOT_SIGNED_BY = N_("The manifest is not signed by the key {key}.")
PROVEN = N_("The final standings are in the log {origin}.")
NO_PROOF = N_("The pack has no proof of the final standings.")
PROOF_OF_OTHER = N_("The proof is not of the final standings of {tournament}.")


def pack(
    client: Client,
    tournament: Tournament,
    output: Annotated[Path, typer.Option("--output", "-o", help="File to write, such as copa-pack.zip.")],
    seal_key: Annotated[
        str, typer.Option(help="Key of the seals that signs the pack: a file, or a pkcs11: URI.", show_default=False)
    ] = "",
    language: Annotated[
        str,
        typer.Option(
            help=f"Of the minutes: {', '.join(LANGUAGES)}; that of the tournament when left out.",
            callback=in_language,
            show_default=False,
        ),
    ] = "",
) -> None:
    """Write all files of a tournament for its federation as one archive: reports, tables, minutes, games, ratings.

    A file that the tournament cannot have is left out with its reason. The same record gives the same bytes.
    """

    async def work(stub: Any) -> PackContent:
        found = await tournament_meant(tournament, client.address)
        head = await Results(stub, client.language).tournament(found)
        spoken = language or language_of_tournament(head)
        async with AsyncExitStack() as stack:
            names = ("game", "results", "pairing", "rating")
            channels = {name: await stack.enter_async_context(service_at(name, client.address)) for name in names}
            wanted = PaperRequest(
                Results(stub, spoken, SOURCE),
                Duplicates(DuplicateServiceStub(channels["game"]), spoken),
                spoken,
                head,
                "A4",
                origin(settings_of().http_address),
                calls=Calls(channels.__getitem__, spoken, ""),
            )
            ratings = RatingService(RatingServiceStub(channels["rating"]), spoken, SOURCE)
            return await gather_pack(wanted, ratings, Pdfs())

    content = client.ask("results", work)
    write_bytes(write_pack(content, _open_key(seal_key)), output)
    lines = [localize(PACKED, file=str(output), files=len(content.files), name=content.name, position=content.position)]
    lines += [localize(FILE_LEFT_OUT, file=name, reason=reason) for name, reason in sorted(content.missing.items())]
    if not seal_key:
        lines.append(localize(NOT_SIGNED))
    answer = {
        "file": str(output),
        "position": content.position,
        "files": sorted(content.files),
        "missing": dict(content.missing),
        "signed": bool(seal_key),
    }
    client.print(answer, lines)


def _open_key(where: str) -> Any:
    """Return the key of the seals; None without one. Raises ``KeyFileError``."""
    if not where:
        return None
    from faristol.event_store.integrity.token_key import open_key

    return open_key(where)


def verify(
    file: Annotated[Path, typer.Argument(help="The pack.")],
    public_key: Annotated[
        Path | None, typer.Option(help="Public key of the seals: demand its signature.", show_default=False)
    ] = None,
    policy: Annotated[
        Path | None,
        typer.Option(help="Policy with the keys of the log and its witnesses: demand the proof of the standings."),
    ] = None,
    json_output: OneObject = False,
) -> None:
    """Verify a pack offline: its files, its signature, the proof of its standings. Exit code 1 if it is invalid."""
    try:
        opened = open_pack(file.read_bytes())
    except OSError as error:
        raise StartError(localize(PACK_UNREADABLE, file=str(file), problem=error.strerror or str(error))) from None
    except InvalidPack as error:
        print_answer({"valid": False, "problems": [str(error)]}, f"{file}: {error}", json_output=json_output)
        raise typer.Exit(1) from None
    problems = list(opened.problems)
    lines = [] if problems else [localize(VALID, file=str(file), files=len(opened.files))]
    if public_key is not None:
        _check(_check_signature(opened, public_key), lines, problems)
    if policy is not None:
        from faristol.event_store.transparency.policy import load_policy

        _check(_check_proof(opened, load_policy(policy)), lines, problems)
    answer = {"valid": not problems, "problems": problems, "manifest": dict(opened.manifest)}
    print_answer(answer, [*lines, *problems], json_output=json_output)
    if problems:
        raise typer.Exit(1)


def _check(found: tuple[bool, str], lines: list[str], problems: list[str]) -> None:
    is_valid, sentence = found
    (lines if is_valid else problems).append(sentence)


def _check_signature(opened: OpenedPack, public_key: Path) -> tuple[bool, str]:
    """Return whether a key signed the manifest, with a sentence. Raises ``KeyFileError``."""
    from faristol.event_store.integrity.keys import read_public
    from faristol.event_store.transparency.signed_note import InvalidNote

    ((key_id, public),) = read_public([public_key]).items()
    try:
        is_signed = is_signed_by(opened, public)
    except InvalidNote as error:
        return False, str(error)
    return is_signed, localize(SIGNED if is_signed else NOT_SIGNED_BY, key=key_id)


def _check_proof(opened: OpenedPack, trusted: TrustPolicy) -> tuple[bool, str]:
    """Return whether the proof is of the final standings of the tournament, with a sentence."""
    from faristol.event_store.transparency.entry import DisclosedEvent
    from faristol.event_store.transparency.signed_note import InvalidNote
    from faristol.event_store.transparency.tlog_proof import LogProof

    tournament_id = str(opened.manifest["tournament_id"])
    if PROOF_NAME not in opened.files:
        return False, localize(NO_PROOF)
    try:
        proof = LogProof.parse(opened.files[PROOF_NAME])
        event = DisclosedEvent.from_extra(proof.extra)
        checkpoint, _ = proof.check(event.entry, trusted)
    except InvalidNote as error:
        return False, str(error)
    if event.tournament != tournament_id or not event.type.endswith(".StandingsPublished"):
        return False, localize(PROOF_OF_OTHER, tournament=tournament_id)
    return True, localize(PROVEN, origin=checkpoint.origin)
