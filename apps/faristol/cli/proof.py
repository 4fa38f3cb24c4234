"""`faristol proof verify | compare`: verify a proof of the log, and compare a log with what it showed before."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from faristol.cli.options import OneObject
from faristol.event_store import RecordError
from faristol.presentation.proofs import list_proof_sentences
from faristol.table_terminal.shared.common import print_answer
from faristol.text.terminal import language_of_terminal

if TYPE_CHECKING:
    from faristol.event_store.transparency.entry import DisclosedEvent


def verify(
    file: Annotated[Path, typer.Argument(help="File of the proof, which ends in .tlog-proof.")],
    policy: Annotated[Path, typer.Option(help="Policy with the keys of the log and its witnesses, and the quorum.")],
    json_output: OneObject = False,
) -> None:
    """Verify a proof of the log offline, and say what it proves. Exit code 1 if it is invalid, with the reason."""
    from faristol.event_store.transparency.entry import DisclosedEvent
    from faristol.event_store.transparency.policy import load_policy
    from faristol.event_store.transparency.signed_note import InvalidNote
    from faristol.event_store.transparency.tlog_proof import LogProof

    trusted = load_policy(policy)
    try:
        content = file.read_bytes()
    except OSError as error:
        raise RecordError(f"the proof {file} cannot be read: {error.strerror}") from error
    try:
        proof = LogProof.parse(content)
        event = DisclosedEvent.from_extra(proof.extra)
        checkpoint, times = proof.check(event.entry, trusted)
    except InvalidNote as error:
        print_answer({"valid": False, "reason": str(error)}, f"{file}: {error}", json_output=json_output, indent=None)
        raise typer.Exit(1) from None
    shown = _format_content(event)
    language = language_of_terminal()
    lines = [*list_proof_sentences(event, proof.index, checkpoint, times, trusted, language), *shown[1]]
    met = trusted.find_met_time(times)
    answer = {
        "valid": True,
        "reason": "",
        "origin": checkpoint.origin,
        "size": checkpoint.size,
        "position": proof.index + 1,
        "stream": event.stream,
        "version": event.version,
        "type": event.type,
        "tournament": event.tournament,
        "recorded_at": event.recorded_at,
        "content": shown[0],
        "witnesses": times,
        "proven_at": met,
    }
    print_answer(answer, lines, json_output=json_output, indent=None)


def compare(
    address: Annotated[str, typer.Argument(help="Address of the log, such as https://cup.example.org/log.")],
    policy: Annotated[Path, typer.Option(help="Policy with the keys of the log and its witnesses, and the quorum.")],
    state: Annotated[Path, typer.Option(help="File with the last checkpoint seen; created at the first run.")],
    json_output: OneObject = False,
) -> None:
    """Fetch the checkpoint of a log, and verify that the one seen before is its beginning.

    Exit code 1 if the log shows another history: both checkpoints are kept, and prove it. Run it from time to time, on
    several machines.
    """
    from faristol.event_store.transparency.log_client import LogClient
    from faristol.event_store.transparency.policy import load_policy
    from faristol.event_store.transparency.signed_note import InvalidNote, LogCheckpoint, SignedNote
    from faristol.files import replace_file

    trusted = load_policy(policy)
    client = LogClient(address)
    note = client.fetch_checkpoint()
    new, times = trusted.check(note)
    old: LogCheckpoint | None = None
    if state.exists():
        try:
            old, _ = trusted.check(SignedNote.parse(state.read_bytes()))
        except InvalidNote as error:
            raise RecordError(f"{state} is not a checkpoint that the policy accepts: {error}") from None
        if old.origin != new.origin:
            raise RecordError(f"{state} is of the log {old.origin!r}, and {address} of {new.origin!r}")
    first, last = (old, new) if old is None or old.size <= new.size else (new, old)  # a cache may show an older one
    is_same = first is None or client.is_beginning(first, last)
    where = state if is_same else state.with_name(f"{state.name}.{new.size}.fork")
    if last is new or not is_same:
        replace_file(where, str(note).encode())
    size = old.size if old else 0
    answer = {"consistent": is_same, "origin": new.origin, "old_size": size, "size": new.size, "witnesses": times}
    line = (
        f"{new.origin}: {new.size} events, in one history with the {size} seen before"
        if is_same
        else f"{new.origin} shows another history: its {new.size} events do not fit the {size} seen before;"
        f" {state} and {where} prove it"
    )
    print_answer(answer, line, json_output=json_output, indent=None)
    if not is_same:
        raise typer.Exit(1)


def _format_content(event: DisclosedEvent) -> tuple[dict[str, Any], list[str]]:
    """Return the content of an event as JSON and as lines; empty if this version does not know its type."""
    from google.protobuf.json_format import MessageToDict

    from faristol.event_store.upcasters import UnreadableEvent, upcasters
    from faristol.kernel import event_types

    assert event_types.RECORD_EVENT_TYPES  # the import registers the types
    try:
        message = upcasters.message(event.type, event.schema_version, event.payload)
    except UnreadableEvent:
        return {}, []
    content: dict[str, Any] = MessageToDict(message, preserving_proto_field_name=True)
    return content, [f"  {name}: {value}" for name, value in content.items()]
