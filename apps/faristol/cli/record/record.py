"""`faristol record verify | key | seal | checkpoint`: the integrity of the record, which other commands open too."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer
from sqlalchemy.exc import SQLAlchemyError

from faristol.cli.options import AsJson, Data, Database, OneObject
from faristol.event_store import Record, RecordError
from faristol.event_store.backends.databases import unusable
from faristol.event_store.errors import CorruptData
from faristol.host import Settings, StartError
from faristol.table_terminal.shared.common import format_count, owners_settings_of, print_answer, run, settings_of
from faristol.table_terminal.shared.screen import progress

if TYPE_CHECKING:
    from faristol.event_store.beside_events.bindings import Names
    from faristol.event_store.integrity.keys import Keys
    from faristol.event_store.integrity.seals import Seal
    from faristol.event_store.integrity.verification import Verdict
    from faristol.host.roles import Role

T = TypeVar("T")

PublicKey = Annotated[list[Path] | None, typer.Option(help="Public key of the seals; can be repeated.")]


def roles_of(writer: str, reader: str) -> dict[Role, str]:
    """Return the given roles of PostgreSQL. Raises ``BadParameter`` if two have the same name."""
    from faristol.host.roles import Role

    names = {role: name for role, name in ((Role.WRITER, writer), (Role.READER, reader)) if name}
    if len(set(names.values())) < len(names):
        raise typer.BadParameter(
            "each role must be different: a role with the rights of both has those of the wider one"
        )
    return names


def existing(settings: Settings) -> Settings:
    """Return the settings. Raises ``StartError`` if they name a file that does not exist."""
    if not settings.database_url and not settings.record_file.exists():
        raise StartError(f"there is no record in {settings.data}: give its folder with --data")
    return settings


@asynccontextmanager
async def open_record(settings: Settings, *, create: bool = False) -> AsyncIterator[Record]:
    """Open the record of these settings. Raises ``RecordError`` if that or a later use of the database fails."""
    record = await Record.open(settings.record_url(), create=create)
    try:
        yield record
    except SQLAlchemyError as error:
        raise unusable(record.engine.url, error) from error
    finally:
        await record.close()


def with_record(settings: Settings, work: Callable[[Record], Awaitable[T]]) -> T:
    """Return the result of ``work`` with the record of these settings.

    Raises ``StartError`` if they name a file that does not exist, and ``RecordError`` as ``open_record`` does.
    """

    async def opened_once() -> T:
        async with open_record(existing(settings)) as record:
            return await work(record)

    return run(opened_once())


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """The record that a command opens, and the form of its answer, by options that many commands have."""

    data: Data = None
    database_url: Database = None
    json_output: AsJson = False

    def load_settings(self, **given: object) -> Settings:
        """Load settings as ``settings_of`` does, ``given`` ones first."""
        return settings_of(data=self.data, database_url=self.database_url, **given)

    def load_owners_settings(self) -> Settings:
        """Load settings for the owner of the tables."""
        return owners_settings_of(data=self.data, database_url=self.database_url)

    def open(self, work: Callable[[Record], Awaitable[T]]) -> T:
        """Return the result of ``work`` as ``with_record`` does."""
        return with_record(self.load_settings(), work)

    def open_as_owner(self, work: Callable[[Record], Awaitable[T]]) -> T:
        """Return the result of ``work`` as ``with_record`` does, as the owner of the tables."""
        return with_record(self.load_owners_settings(), work)

    def print(self, content: Any, lines: str | Iterable[str], *, indent: int | None = None) -> None:
        """Print an answer as ``print_answer`` does."""
        print_answer(content, lines, json_output=self.json_output, indent=indent)


def verify(
    data: Data = None,
    database_url: Database = None,
    file: Annotated[
        Path | None, typer.Option(help="Check an output file of `faristol record export` instead of a record.")
    ] = None,
    public_key: PublicKey = None,
    seals: Annotated[
        Path | None, typer.Option(help="Seals stored outside, in the format of /api/v1/seals; all must be present.")
    ] = None,
    witness: Annotated[
        str | None, typer.Option(help="Witness of the seals: a folder, Git repository or HTTP address.")
    ] = None,
    after: Annotated[int, typer.Option(min=0, help="Check only events after this position.")] = 0,
    from_seal: Annotated[bool, typer.Option("--from-seal", help="Check only events after the last seal.")] = False,
    without_names: Annotated[
        bool, typer.Option("--without-names", help="The record was restored without people: names may be missing.")
    ] = False,
    json_output: OneObject = False,
) -> None:
    """Verify order, hash chain, seals and names. Exit code 1 on an error; the first one is named."""
    from faristol.event_store.integrity.keys import read_public
    from faristol.event_store.integrity.verification import Verdict

    if from_seal and (after or not public_key):
        raise typer.BadParameter("--from-seal needs --public-key, which shows that the seal is one, and no --after")
    if file and (after or from_seal or without_names or data or database_url):
        raise typer.BadParameter(
            "--file is checked completely: it can be combined only with --public-key, --seals and --json"
        )
    if seals and witness:
        raise typer.BadParameter("--seals and --witness are both seals stored outside: check them one after the other")
    settings = settings_of(data=data, database_url=database_url)
    keys = read_public(public_key) if public_key else None
    kept: Sequence[Seal] = ()
    try:
        kept = _load_outside_seals(seals, witness, settings)
    except CorruptData as wrong:
        verdict = Verdict(events=0, streams=0, wrong=str(wrong))
    else:
        verdict = (
            _verify_file(file, keys, kept)
            if file
            else _verify_record(settings, keys, kept, after=after, from_seal=from_seal, without_names=without_names)
        )
    outside = max((seal.to_position for seal in kept), default=0)
    unchecked = _list_unchecked(verdict, signed=bool(public_key), outside=outside, whole_file=bool(file))
    lines = [_format_verdict(verdict, signed=bool(public_key), witnessed=outside if witness else 0)]
    if not verdict.wrong:
        lines.append(f"not checked: {'; '.join(unchecked)}")
    print_answer(asdict(verdict) | {"unchecked": unchecked}, lines, json_output=json_output, indent=None)
    if verdict.wrong:
        raise typer.Exit(1)


def _verify_file(file: Path, keys: Keys | None, kept: Sequence[Seal]) -> Verdict:
    """Verify an output file of `faristol record export`. ``kept`` are seals stored outside."""
    from faristol.event_store.archive.restoration import verify

    with progress("verifying") as done:
        return verify(file, done, keys=keys, kept=kept)


def _verify_record(
    settings: Settings, keys: Keys | None, kept: Sequence[Seal], *, after: int, from_seal: bool, without_names: bool
) -> Verdict:
    """Verify the record of the settings. ``kept`` are seals stored outside."""
    from faristol.event_store.integrity.verification import verify

    with progress("verifying") as done:
        return with_record(
            settings,
            lambda record: verify(
                record, done, keys=keys, kept=kept, after=after, from_seal=from_seal, without_names=without_names
            ),
        )


def _load_outside_seals(seals: Path | None, witness: str | None, settings: Settings) -> Sequence[Seal]:
    """Return the seals of a file or of a witness; an empty list without either.

    Raises as ``_load_witness_seals`` and ``load_seals`` do.
    """
    from faristol.event_store.integrity.seals import load_seals

    if witness:
        return run(_load_witness_seals(witness, settings))
    return load_seals(seals) if seals else ()


async def _load_witness_seals(where: str, settings: Settings) -> Sequence[Seal]:
    """Return the seals of a witness. Raises ``CorruptData`` for a broken chain, ``RecordError`` without seals."""
    from faristol.event_store.witness import gap, open_witness

    witness = open_witness(where, settings.seal_witness_token)
    try:
        found = await witness.seals()
    except RecordError as error:
        raise RecordError(f"the witness {witness.shown} cannot be asked: {error}") from error
    finally:
        await witness.close()
    if not found:
        raise RecordError(f"the witness {witness.shown} has no seals to compare")
    if wrong := gap(found):
        raise CorruptData(wrong)
    return found


def _list_unchecked(verdict: Verdict, *, signed: bool, outside: int, whole_file: bool) -> list[str]:
    """List the parts that this verification did not cover.

    ``outside`` is the position up to which the seals stored outside reach, 0 without any.
    """
    found = []
    if verdict.after:
        found.append(f"events up to position {verdict.after}")
    if verdict.tournament:
        if verdict.sealed < verdict.position or not verdict.seals:
            where = f"events of {verdict.tournament} after position {verdict.sealed}"
            found.append(f"whether {where} were left out, because no seal covers them")
    else:
        found.append("the answers to commands, except that each command has one")
    if not signed:
        found.append(
            "who made the seals (--public-key)" if verdict.seals else "whether all hashes were recomputed (no seals)"
        )
    if outside:
        found.append(f"whether events after position {outside}, where the seals stored outside end, were cut off")
    else:
        found.append("whether the newest events, with their seals, were cut off (--witness)")
    found += _unbound(verdict.names)
    found.append("notes" if not whole_file else "notes, if there are any")
    return found


def _unbound(names: Names) -> list[str]:
    """List the names that were not verified."""
    line = (
        (names.unbound, "not bound to an event, as an older version kept {them}"),
        (names.elsewhere, "bound to an event that was not checked"),
        (names.missing, "bound to an event and not here"),
    )
    return [
        f"{format_count(count, 'name')}, {text.format(them='it' if count == 1 else 'them')}"
        for count, text in line
        if count
    ]


def _format_verdict(verdict: Verdict, *, signed: bool, witnessed: int) -> str:
    if verdict.wrong:
        return f"WRONG at {verdict.wrong}; {_before(verdict)}"
    since = f" after position {verdict.after}" if verdict.after else ""
    of = f" of {verdict.tournament}" if verdict.tournament else ""
    text = (
        f"{format_count(verdict.events, 'event')}{of} in {format_count(verdict.streams, 'stream')}{since}: "
        "order and hashes are right"
    )
    if verdict.names.bound:
        text += f"; {format_count(verdict.names.bound, 'name')} as bound"
    if verdict.checkpoints:
        signatures = "" if signed else ", signatures were not checked"
        counted = format_count(verdict.checkpoints, "checkpoint")
        text += f"; {counted} of the log up to position {verdict.logged}{signatures}"
    if not verdict.seals:
        return f"{text}; no seals"
    checked = "signatures are right" if signed else "signatures were not checked"
    text += f"; {format_count(verdict.seals, 'seal')} up to position {verdict.sealed} of {verdict.position}, {checked}"
    if witnessed:
        text += f"; those up to position {witnessed} are the seals of the witness"
    if verdict.tournament:
        text += f"; none of its events up to position {verdict.sealed} is missing, going by the seals"
    return text


def _before(verdict: Verdict) -> str:
    """Describe the result for the events before the first wrong one."""
    if not verdict.events:
        return "no event before it was checked"
    since = f", from position {verdict.after + 1} on," if verdict.after else ""
    if verdict.events == 1:
        return f"the event before it{since} is right"
    return f"the {verdict.events} events before it{since} are right"


def key(
    file: Annotated[
        str,
        typer.Argument(
            help="File of the private key; the public key is written to FILE.pub. Or pkcs11:…, for a key in a token."
        ),
    ],
    json_output: AsJson = False,
) -> None:
    """Create a sealing key, and print its public key. For a key that is in a token already, only print it."""
    from faristol.event_store.integrity import keys
    from faristol.event_store.integrity.token_key import SCHEME, TokenKey

    made: keys.SealKey
    if file.startswith(SCHEME):
        made = TokenKey(file)
        made.make()
    else:
        made = keys.make(Path(file))
    public = keys.public_pem(made.public_key())
    print_answer({"file": file, "public_key": public}, public.removesuffix("\n"), json_output=json_output, indent=None)


def seal(
    stored: StoredRecord,
    key: Annotated[str | None, typer.Option(help="The private key; default: FARISTOL_SEAL_KEY.")] = None,
    events: Annotated[int | None, typer.Option(min=1, max=10_000, help="Events under one seal.")] = None,
) -> None:
    """Seal all unsealed events: sign the Merkle root of every range of positions."""
    from faristol.event_store.integrity.sealer import seal as make_seals
    from faristol.event_store.integrity.token_key import open_key

    settings = stored.load_settings(seal_key=key, seal_events=events)
    if not settings.seal_key:
        raise typer.BadParameter("there is no key to seal with: use --key FILE; `faristol record key FILE` makes one")
    private = open_key(settings.seal_key)

    async def work(record: Record) -> list[Seal]:
        try:
            with progress("sealing") as done:
                return await make_seals(record, private, events=settings.seal_events, progress=done)
        except CorruptData as wrong:
            raise StartError(f"a damaged record cannot be sealed: {wrong}") from wrong

    made = with_record(settings, work)
    text = "everything is sealed already"
    if made:
        text = f"{format_count(len(made), 'seal')} over positions {made[0].from_position} to {made[-1].to_position}"
    ranges = [{"from_position": seal.from_position, "to_position": seal.to_position} for seal in made]
    stored.print({"seals": ranges}, text)


def checkpoint(
    stored: StoredRecord,
    key: Annotated[str | None, typer.Option(help="The private key; default: FARISTOL_SEAL_KEY.")] = None,
    origin: Annotated[
        str | None, typer.Option(help="Origin of the log; default: FARISTOL_TRANSPARENCY_ORIGIN.")
    ] = None,
) -> None:
    """Add all events to the log and sign a checkpoint, and print the key of the log. A service asks its witnesses."""
    from faristol.event_store.integrity.token_key import open_key
    from faristol.event_store.transparency.log_store import StoredCheckpoint
    from faristol.event_store.transparency.log_writer import make_checkpoint, name_log
    from faristol.event_store.transparency.policy import TrustPolicy, load_policy
    from faristol.event_store.transparency.signed_note import ED25519_TYPE_ID, VerifierKey

    settings = stored.load_settings(seal_key=key, transparency_origin=origin)
    if not settings.seal_key:
        raise typer.BadParameter("there is no key to sign with: use --key FILE; `faristol record key FILE` makes one")
    private = open_key(settings.seal_key)
    policy = load_policy(settings.transparency_policy) if settings.transparency_policy else TrustPolicy()

    async def work(record: Record) -> tuple[str, StoredCheckpoint | None]:
        named = name_log(settings.transparency_origin, record.record_id)
        try:
            return named, await make_checkpoint(record, private, named, is_published=policy.is_met(()))
        except CorruptData as wrong:
            raise RecordError(f"no checkpoint was signed, the record is wrong at {wrong}") from None

    named, made = with_record(settings, work)
    public = VerifierKey(named, ED25519_TYPE_ID, private.public_key())
    size = made.checkpoint.size if made else 0
    lines = [f"{named}: a checkpoint of {format_count(size, 'event')}", str(public)]
    answer = {"origin": named, "size": size, "key": str(public), "note": str(made.note) if made else ""}
    stored.print(answer, lines)
