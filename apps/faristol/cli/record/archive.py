"""`faristol record export | restore | erase-person | erase-note | migrate | roles`."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from faristol.cli.options import Reader, Writer
from faristol.cli.record.record import PublicKey, StoredRecord, existing, open_record, roles_of
from faristol.event_store import Record
from faristol.host import StartError
from faristol.kernel.details import format_details
from faristol.table_terminal.shared.common import format_count, run
from faristol.table_terminal.shared.screen import progress

if TYPE_CHECKING:
    from faristol.event_store.archive.export import ExportCounts


def _format_counts(counts: ExportCounts) -> str:
    return ", ".join(
        (
            format_count(counts.events, "event"),
            format_count(counts.seals, "seal"),
            format_count(counts.commands, "answer"),
            format_count(counts.people, "name"),
            format_count(counts.notes, "note"),
            format_count(counts.erased, "erased person", "erased people"),
        )
    )


def export(
    stored: StoredRecord,
    file: Annotated[Path, typer.Argument(help="The output file, which must not exist.")],
    tournament: Annotated[str, typer.Option(help="Only the events of this tournament.")] = "",
    with_people: Annotated[
        bool, typer.Option("--with-people", help="Include names, clubs, countries and notes.")
    ] = False,
) -> None:
    """Write the record to a file that can be verified anywhere; one of the whole record can be restored."""
    from faristol.event_store.archive.export import export as export_record

    async def work(record: Record) -> ExportCounts:
        with progress("exporting") as done:
            return await export_record(record, file, tournament=tournament, with_people=with_people, progress=done)

    counts = stored.open(work)
    stored.print(asdict(counts), f"exported {_format_counts(counts)}")


def restore(
    stored: StoredRecord,
    file: Annotated[Path, typer.Argument(help="Output file of `faristol record export`.")],
    public_key: PublicKey = None,
    erased: Annotated[
        str,
        typer.Option(
            metavar="FILE", help="List of people erased since then, to erase again (`record erasures`); or: none."
        ),
    ] = "",
) -> None:
    """Restore an exported record into an empty one, on either kind of database, in one transaction.

    An archive with names still has those of people erased after it was made: --erased names them.
    """
    from faristol.cli.record.upkeep import erasures_for, format_erased_again
    from faristol.event_store.archive.restoration import check_whole
    from faristol.event_store.archive.restoration import restore as restore_record
    from faristol.event_store.integrity.keys import read_public
    from faristol.personal_data.erasure import apply_erasures

    settings = stored.load_owners_settings()
    keys = read_public(public_key) if public_key else None

    listed = erasures_for(erased, file)
    again: list[str] = []

    async def work() -> ExportCounts:
        # Checked before the database is opened: an invalid archive leaves no empty record behind.
        with progress("checking") as done:
            check_whole(file, done, keys=keys)
        async with open_record(settings, create=True) as record:
            with progress("restoring") as done:
                found = await restore_record(record, file, done, keys=keys)
            if listed:
                again.extend(await apply_erasures(record, listed))
            return found

    counts = run(work())
    hint = "what is computed from it is built when services start, or by `faristol projection rebuild`"
    lines = [f"restored {_format_counts(counts)}", hint]
    if not counts.people:
        lines.append("names were left out: `faristol record verify --without-names` checks the rest")
    if listed:
        lines.append(format_erased_again(again))
    stored.print(asdict(counts) | {"erased_again": again}, lines)


def erase_person(
    stored: StoredRecord,
    player_id: Annotated[str, typer.Argument(help="The player.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
) -> None:
    """Erase a person permanently: all personal details, and notes that concern them or have their full name.

    Results remain, under the player id, and every hash and seal remains valid. Earlier exports and backups still have
    the name.
    """
    from faristol.personal_data import erasure

    async def work(record: Record) -> tuple[str, int]:
        person = await erasure.find(record, player_id)
        if person and not yes:
            of = ", ".join(format_details(person.details))
            known = f"{person.name} ({of})" if of else person.name or "name unknown"
            if not _confirm(f"Erase player {player_id}, {known}, permanently?"):
                return "no data was erased", -1
        done = await erasure.erase(record, player_id)
        text = f"player {player_id} was erased on {done.before:%Y-%m-%d}" if done.before else f"{player_id} is erased"
        if done.notes:
            text += f"; {format_count(done.notes, 'note')} erased with it"
        if done.remains:
            text += f"; the files of the database could not be cleaned ({done.remains}): run this again later"
        if done.others:
            others = ", ".join(done.others)
            text += f"; other officials of this name stay: {others}. Erase each of them that is the same person"
        return text, done.notes

    text, notes = stored.open_as_owner(work)
    content = {"player_id": player_id, "erased": notes >= 0, "notes": max(0, notes)}
    stored.print(content, text)


def _confirm(question: str) -> bool:
    """Ask a question and return whether the answer is yes. Raises ``StartError`` at the end of the input."""
    try:
        return typer.confirm(question, err=True)
    except typer.Abort as error:
        if sys.stdin.isatty():
            raise  # interrupted by Ctrl-C
        typer.echo(err=True)
        raise StartError(
            "the question was not answered, so no data was erased: use --yes to erase without a question"
        ) from error


def erase_note(
    stored: StoredRecord,
    stream: Annotated[str, typer.Argument(help="Stream of the event: tournament-copa, game-copa-r1-t1.")],
    version: Annotated[
        int, typer.Argument(help="Version of the event in its stream, as `faristol tournament history` lists it.")
    ],
) -> None:
    """Erase the note on one command permanently. The act remains, and every hash and seal remains valid."""
    from faristol.personal_data import erasure

    async def work(record: Record) -> str:
        remains = await erasure.erase_note(record, stream, version)
        text = f"the note beside version {version} of {stream} is erased"
        return f"{text}; the files of the database could not be cleaned ({remains})" if remains else text

    text = stored.open_as_owner(work)
    stored.print({"stream": stream, "version": version, "erased": True}, text)


def migrate(
    stored: StoredRecord,
    pre: Annotated[
        bool,
        typer.Option(
            "--pre", help="Only migrations that are compatible with the version before, for use before a rollout."
        ),
    ] = False,
) -> None:
    """Migrate the tables of the record to the format of this version. Make a backup before."""
    from faristol.event_store.backends import migrations, tables

    settings = stored.load_owners_settings()
    taken: list[str] = []

    def take(step: migrations.Migration) -> None:
        taken.append(step.name)
        if not stored.json_output:
            typer.echo(f"{step.name} taken" if step.is_before else f"{step.name} taken: format {step.format} reached")

    had = run(migrations.migrate((settings if pre else existing(settings)).record_url(), take, before=pre))
    lines = [] if taken else [_nothing_to_migrate(had, pre=pre)]
    stored.print({"format_before": had, "format": tables.RECORD_FORMAT, "taken": taken}, lines)


def _nothing_to_migrate(had: int | None, *, pre: bool) -> str:
    if had is None:
        return "there is no record yet: the first process that serves makes it"
    return f"the record has format {had} already" if not pre else f"the record has format {had}, and is ready"


def roles(stored: StoredRecord, writer: Writer = "", reader: Reader = "") -> None:
    """Grant PostgreSQL roles the rights that the services need, but none to change or delete an event.

    Uses the owner of the tables, at FARISTOL_DATABASE_OWNER_URL or --database-url. The command is idempotent.
    """
    from faristol.host.roles import describe_rights, grant

    names = roles_of(writer, reader)
    if not names:
        raise typer.BadParameter("there is no role to grant: specify a role with --writer or --reader")
    stored.open_as_owner(lambda record: grant(record, names))
    stored.print({"granted": {str(role): name for role, name in names.items()}}, describe_rights(names), indent=2)
