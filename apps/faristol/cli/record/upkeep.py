"""`faristol record prepare | prune | erasures | erase-again`: periodic maintenance of the record."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from faristol.cli.options import AsJson, Reader, Writer
from faristol.cli.record.record import StoredRecord, open_record, roles_of
from faristol.host import StartError
from faristol.table_terminal.shared.common import format_count, print_answer, run, settings_of

if TYPE_CHECKING:
    from faristol.event_store import Record
    from faristol.personal_data.erasure import Erasures

Erased = Annotated[Path, typer.Argument(help="Output file of `faristol record erasures`.")]


def prepare(stored: StoredRecord, writer: Writer = "", reader: Reader = "") -> None:
    """Prepare the record for processes of this version while those of the previous version run.

    Creates missing tables, runs the migrations that only add, and grants roles their rights. Uses the owner of the
    tables, at FARISTOL_DATABASE_OWNER_URL or --database-url. The command is idempotent.
    """
    from faristol.event_store.backends import migrations
    from faristol.host.roles import describe_rights, grant

    settings = stored.load_owners_settings()
    names = roles_of(writer, reader)
    taken: list[str] = []

    async def work() -> None:
        await migrations.migrate(settings.record_url(), lambda step: taken.append(step.name), before=True)
        async with open_record(settings, create=True) as record:
            if names:
                await grant(record, names)

    run(work())
    lines = [*(f"{name} taken" for name in taken), *describe_rights(names), "the record is ready for this version"]
    granted = {str(role): name for role, name in names.items()}
    stored.print({"taken": taken, "granted": granted}, lines)


def prune(
    folder: Annotated[Path | None, typer.Argument(help="Folder of the archives; or use --names.")] = None,
    names: Annotated[
        str, typer.Option(metavar="FILE", help="Read names from this file, or - for stdin, and remove no file.")
    ] = "",
    hours: Annotated[int | None, typer.Option(min=0, help="Hours for which all archives are retained.")] = None,
    days: Annotated[
        int | None, typer.Option(min=0, help="Days for which the last archive of the day is retained.")
    ] = None,
    json_output: AsJson = False,
) -> None:
    """Remove expired archives, by FARISTOL_ARCHIVE_HOURS and FARISTOL_ARCHIVE_DAYS.

    Archives are named record-20261125T171700Z.archive; other files are not touched, and the newest archive remains.
    With --names it prints the names to remove, one a line, for a program that removes them elsewhere.
    """
    from faristol.event_store.archive.retention import list_expired
    from faristol.event_store.event import utc_now

    if (folder is None) == (not names):
        raise typer.BadParameter("give the folder of the archives, or --names for a list of them")
    settings = settings_of(archive_hours=hours, archive_days=days)
    try:
        if names:
            listed = (sys.stdin.read() if names == "-" else Path(names).read_text(encoding="utf-8")).splitlines()
        else:
            assert folder is not None
            listed = [each.name for each in folder.iterdir() if each.is_file()]
        gone = list_expired(listed, utc_now(), hours=settings.archive_hours, days=settings.archive_days)
        if folder is not None:
            for name in gone:
                (folder / name).unlink()
    except OSError as error:
        raise StartError(f"{error.filename} cannot be used: {error.strerror}") from error
    lines = (
        gone
        if names
        else [f"{format_count(len(gone), 'archive')} removed, {format_count(len(listed) - len(gone), 'file')} kept"]
    )
    print_answer({"expired": gone}, lines, json_output=json_output, indent=None)


def erasures(
    stored: StoredRecord,
    file: Annotated[Path, typer.Argument(help="The output file; entries of an existing file are retained.")],
) -> None:
    """Write the ids of erased persons to a file, without names, to store beside backups of the record.

    An older backup restores their names; `record restore --erased` and `record erase-again` erase them there.
    """
    from faristol.personal_data import erasure

    found = erasure.write_erasures(file, stored.open(erasure.list_erasures))
    content = {"as_of": found.as_of.isoformat(), "erased": len(found.at)}
    stored.print(content, f"{format_count(len(found.at), 'erased person', 'erased people')} written")


def erase_again(stored: StoredRecord, file: Erased) -> None:
    """Erase again all persons who were erased after the backup from which this record was restored."""
    from faristol.personal_data import erasure

    listed = erasure.read_erasures_file(file)

    async def work(record: Record) -> list[str]:
        return await erasure.apply_erasures(record, listed)

    again = stored.open_as_owner(work)
    stored.print({"erased": again}, format_erased_again(again))


def format_erased_again(again: list[str]) -> str:
    """Return the message on repeated erasures."""
    return (
        f"{format_count(len(again), 'person', 'people')} erased again" if again else "no person had to be erased again"
    )


def erasures_for(erased: str, archive: Path) -> Erasures | None:
    """Return the list of erasures for an archive to be restored; None if no person must be erased.

    ``erased`` is a file, or ``none``. Raises ``StartError`` if an archive with names has neither, or if the list is
    older than the archive; ``RecordError`` if the list is malformed.
    """
    from faristol.event_store.archive.restoration import heading
    from faristol.personal_data.erasure import read_erasures_file

    made_at, with_people = heading(archive)
    if erased and erased != "none":
        listed = read_erasures_file(Path(erased))
        if listed.as_of < made_at:
            raise StartError(
                f"{erased} says who was erased until {listed.as_of:%Y-%m-%d %H:%M} UTC, and the archive is of"
                f" {made_at:%Y-%m-%d %H:%M} UTC: expected a newer list"
            )
        return listed
    if with_people and not erased:
        raise StartError(
            f"{archive} has the names of {made_at:%Y-%m-%d %H:%M} UTC, also of people who were erased since: give"
            " --erased FILE, which `faristol record erasures` writes, or --erased none if no person was erased"
        )
    return None
