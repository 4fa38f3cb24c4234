"""`faristol record verify | key | seal`: checking and sealing the record; and how commands open it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer
from sqlalchemy.exc import SQLAlchemyError

from faristol.cli.options import AsJson, Data, Database, OneObject
from faristol.host import Settings, StartError
from faristol.record import Record
from faristol.record.databases import unusable
from faristol.terminal.common import many, progress, run, tell
from faristol.terminal.settings import settings_of

if TYPE_CHECKING:
    from faristol.record.seals import Seal
    from faristol.record.verification import Verdict

T = TypeVar("T")

PublicKey = Annotated[
    list[Path] | None, typer.Option(help="Public key that seals must be signed with; again for another one.")
]


def existing(settings: Settings) -> Settings:
    """The settings themselves. Raises ``StartError`` when they name a file and there is none."""
    if not settings.database_url and not (settings.data / "record.db").exists():
        raise StartError(f"there is no record in {settings.data}: give its folder with --data")
    return settings


@asynccontextmanager
async def opened(settings: Settings, *, create: bool = False) -> AsyncIterator[Record]:
    """The record of these settings. Raises ``RecordError`` when it cannot be opened, or its database fails."""
    record = await Record.open(settings.record_url(), create=create)
    try:
        yield record
    except SQLAlchemyError as problem:
        raise unusable(record.engine.url, problem) from problem
    finally:
        await record.close()


def with_record(settings: Settings, work: Callable[[Record], Awaitable[T]]) -> T:
    """What ``work`` gives with the record of these settings.

    Raises ``StartError`` when they name a file and there is none, and ``RecordError`` as ``opened`` does.
    """

    async def opened_once() -> T:
        async with opened(existing(settings)) as record:
            return await work(record)

    done: T = run(opened_once())
    return done


def verify(
    data: Data = None,
    database_url: Database = None,
    file: Annotated[
        Path | None, typer.Option(help="Check what `faristol record export` wrote, and not a record.")
    ] = None,
    public_key: PublicKey = None,
    seals: Annotated[
        Path | None, typer.Option(help="Seals kept outside, as /api/v1/seals gave them; all must be here.")
    ] = None,
    after: Annotated[int, typer.Option(min=0, help="Check only what comes after this position.")] = 0,
    from_seal: Annotated[bool, typer.Option("--from-seal", help="Check only what comes after the last seal.")] = False,
    json_output: OneObject = False,
) -> None:
    """Check order, hash chain and seals. Exit code 1 when something is wrong; the first such thing is named."""
    from faristol.record.keys import read_public
    from faristol.record.restoration import verify as verify_file
    from faristol.record.seals import kept as read_seals

    if from_seal and (after or not public_key):
        raise typer.BadParameter("--from-seal needs --public-key, which shows that the seal is one, and no --after")
    if file and (after or from_seal or data or database_url):
        raise typer.BadParameter("--file is checked whole and by itself: --public-key, --seals and --json go with it")
    keys = read_public(public_key) if public_key else None
    kept = read_seals(seals) if seals else ()
    if file:
        with progress("verifying") as done:
            verdict = verify_file(file, done, keys=keys, kept=kept)
    else:

        async def work(record: Record) -> Verdict:
            from faristol.record.verification import verify as verify_record

            with progress("verifying") as done:
                return await verify_record(record, done, keys=keys, kept=kept, after=after, from_seal=from_seal)

        verdict = with_record(settings_of(data=data, database_url=database_url), work)
    outside = max((seal.to_position for seal in kept), default=0)
    unchecked = _unchecked(verdict, signed=bool(public_key), outside=outside, whole_file=bool(file))
    told = [_told(verdict, signed=bool(public_key))]
    if not verdict.wrong:
        told.append(f"not checked: {'; '.join(unchecked)}")
    tell(asdict(verdict) | {"unchecked": unchecked}, told, json_output=json_output, indent=None)
    if verdict.wrong:
        raise typer.Exit(1)


def _unchecked(verdict: Verdict, *, signed: bool, outside: int, whole_file: bool) -> list[str]:
    """What could be otherwise than it was, and this check would not have told.

    ``outside`` is the position that the seals kept outside reach, 0 when there are none.
    """
    found = []
    if verdict.after:
        found.append(f"events up to position {verdict.after}")
    if verdict.tournament:
        if verdict.sealed < verdict.position or not verdict.seals:
            where = f"events of {verdict.tournament} after position {verdict.sealed}"
            found.append(f"whether {where} were left out, as no seal is over them")
    else:
        found.append("what commands were answered, beyond that none has lost its answer")
    if not signed:
        found.append(
            "who made the seals (--public-key)" if verdict.seals else "hashes that were all made anew (no seals)"
        )
    if outside:
        found.append(f"whether events after position {outside}, where the seals kept outside end, were cut off")
    else:
        found.append("whether the newest events, with their seals, were cut off (--seals, kept outside)")
    found.append("names and notes" if not whole_file else "names and notes, if there are any")
    return found


def _told(verdict: Verdict, *, signed: bool) -> str:
    if verdict.wrong:
        return f"WRONG at {verdict.wrong}; {_before(verdict)}"
    since = f" after position {verdict.after}" if verdict.after else ""
    of = f" of {verdict.tournament}" if verdict.tournament else ""
    said = (
        f"{many(verdict.events, 'event')}{of} in {many(verdict.streams, 'stream')}{since}: order and hashes are right"
    )
    if not verdict.seals:
        return f"{said}; no seals"
    checked = "signatures are right" if signed else "signatures were not checked"
    said += f"; {many(verdict.seals, 'seal')} up to position {verdict.sealed} of {verdict.position}, {checked}"
    if verdict.tournament:
        said += f"; none of its events up to position {verdict.sealed} is missing, going by the seals"
    return said


def _before(verdict: Verdict) -> str:
    """What can be said of the events before the first that is wrong."""
    if not verdict.events:
        return "no event before it was checked"
    since = f", from position {verdict.after + 1} on," if verdict.after else ""
    if verdict.events == 1:
        return f"the event before it{since} is right"
    return f"the {verdict.events} events before it{since} are right"


def key(
    file: Annotated[Path, typer.Argument(help="The private key; the public one is put beside it, as FILE.pub.")],
    json_output: AsJson = False,
) -> None:
    """Make a key to seal with, and print its public half."""
    from faristol.record import keys

    made = keys.make(file)
    public = keys.public_pem(made.public_key())
    tell({"file": str(file), "public_key": public}, public.removesuffix("\n"), json_output=json_output, indent=None)


def seal(
    key: Annotated[Path | None, typer.Option(help="The private key; FARISTOL_SEAL_KEY when not given.")] = None,
    events: Annotated[int | None, typer.Option(min=1, max=10_000, help="Events under one seal.")] = None,
    data: Data = None,
    database_url: Database = None,
    json_output: AsJson = False,
) -> None:
    """Seal what is not sealed yet: sign the Merkle root of every range of positions."""
    from faristol.record import keys
    from faristol.record.errors import Wrong
    from faristol.record.sealer import seal as make_seals

    settings = settings_of(data=data, database_url=database_url, seal_key=key, seal_events=events)
    if not settings.seal_key:
        raise typer.BadParameter("there is no key to seal with: give --key FILE; `faristol record key FILE` makes one")
    private = keys.read_private(settings.seal_key)

    async def work(record: Record) -> list[Seal]:
        try:
            with progress("sealing") as done:
                return await make_seals(record, private, events=settings.seal_events, progress=done)
        except Wrong as wrong:
            raise StartError(f"what is wrong is not sealed: {wrong}") from wrong

    made = with_record(settings, work)
    text = "everything is sealed already"
    if made:
        text = f"{many(len(made), 'seal')} over positions {made[0].from_position} to {made[-1].to_position}"
    ranges = [{"from_position": seal.from_position, "to_position": seal.to_position} for seal in made]
    tell({"seals": ranges}, text, json_output=json_output, indent=None)
