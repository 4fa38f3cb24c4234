"""`faristol record checkpoint`: sign a checkpoint of the log at once, and print the key of the log for policies."""

from __future__ import annotations

from typing import Annotated

import typer

from faristol.cli.options import AsJson, Data, Database
from faristol.cli.record.record import with_record
from faristol.event_store import Record, RecordError
from faristol.event_store.errors import CorruptData
from faristol.table_terminal.shared.common import format_count, print_answer
from faristol.table_terminal.shared.settings import settings_of


def checkpoint(
    key: Annotated[str | None, typer.Option(help="The private key; default: FARISTOL_SEAL_KEY.")] = None,
    origin: Annotated[
        str | None, typer.Option(help="Origin of the log; default: FARISTOL_TRANSPARENCY_ORIGIN.")
    ] = None,
    data: Data = None,
    database_url: Database = None,
    json_output: AsJson = False,
) -> None:
    """Add all events to the log and sign a checkpoint, and print the key of the log. A service asks its witnesses."""
    from faristol.event_store.integrity.token_key import open_key
    from faristol.event_store.transparency.log_store import StoredCheckpoint
    from faristol.event_store.transparency.log_writer import make_checkpoint, name_log
    from faristol.event_store.transparency.policy import TrustPolicy, load_policy
    from faristol.event_store.transparency.signed_note import ED25519_TYPE_ID, VerifierKey

    settings = settings_of(data=data, database_url=database_url, seal_key=key, transparency_origin=origin)
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
    print_answer(answer, lines, json_output=json_output, indent=None)
