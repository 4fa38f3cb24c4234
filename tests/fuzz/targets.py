"""Parsers that strangers reach, each as a function of bytes.

A target returns for every input, and accepts the documented errors of its parser only. Where a parser has a writer, the
written form of what was read must be read as the same.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import tempfile
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import h11
from google.protobuf.message import DecodeError

from faristol.access_control import tokens
from faristol.access_control.errors import AccessError
from faristol.casebook.reader import NOT_READ, read_file
from faristol.event_store.append.copies import InvalidCopy, check_batch
from faristol.event_store.archive.archive import ArchiveError, add_checksum
from faristol.event_store.archive.restoration import heading, verify
from faristol.event_store.upcasters import UnreadableEvent, upcasters
from faristol.gateway.cache.representation import encoding_for, is_known
from faristol.gateway.http.errors import Malformed
from faristol.gateway.http.strict_parser import StrictConnection
from faristol.gateway.pages.paging import read_offset
from faristol.gateway.rpc.calls import METHODS_BY_REQUEST
from faristol.gateway.rpc.json_proxy import parse_request
from faristol.host.halls.wire import to_batch, to_events
from faristol.host.rpc.interceptor import check_size, check_text
from faristol.kernel import event_types, mentions
from faristol.kernel.errors import Invalid
from faristol.pb.hall.v1 import hall_pb2
from faristol.rules import Ruleset, load_ruleset
from faristol.rules.gcg import GcgError, decode_gcg, read_gcg, replay, write_gcg
from faristol.rules.notation import Notation
from faristol.rules.trf import TrfError, decode_trf, read_trf, write_trf
from faristol.text import negotiate
from faristol.typed_input.fields import parse_value
from faristol.typed_input.lists import decode_list
from faristol.typed_input.money import parse_amounts, parse_money
from faristol.typed_input.player_list import players_of, players_pasted
from faristol.typed_input.results.lines import InvalidLine, read
from faristol.web_push.encryption import check_public_key
from faristol.webhooks.target import target_of
from faristol.words import LexiconError
from faristol.words.header import unseal

Target = Callable[[bytes], None]

NOW = datetime(2026, 5, 1, 10, tzinfo=UTC)
"""Time of the verification of tokens."""

TABLES_COUNT = 40
"""Number of tables of the round whose results are typed."""

MAX_ARCHIVE_LINES = 20
"""Limit of the lines of a made archive."""


def parse_trf(data: bytes) -> None:
    """Parse a report of a tournament; what is read is written and read again."""
    try:
        document = read_trf(decode_trf(data))
    except TrfError:
        return
    with contextlib.suppress(TrfError):  # an edition cannot say all that the other says
        written = write_trf(document)
        # The first line that only one edition has decides, and lines are written in another order.
        assert write_trf(read_trf(written), document.edition) == written


def parse_gcg(data: bytes) -> None:
    """Parse a game and replay it; what is read is written and read again."""
    with contextlib.suppress(GcgError):
        text = decode_gcg(data)
        game = read_gcg(text)
        written = write_gcg(game)
        assert write_gcg(read_gcg(written)) == written
        replay(game, _ruleset("fise"))
    with contextlib.suppress(GcgError):
        read_gcg(decode_gcg(data), digits=True)


def parse_players(data: bytes) -> None:
    """Parse a file or a pasted text with players."""
    with contextlib.suppress(ValueError):
        text = decode_list(data).text
        for found in (players_of(text), players_pasted(text)):
            assert all(error.line >= 1 for error in found.errors)


def parse_results(data: bytes) -> None:
    """Parse lines with results, as scorers type them."""
    for line in data.decode("utf-8", "replace").splitlines():
        for asked in (0, 3):
            with contextlib.suppress(InvalidLine):
                read(line, _players_at, asked)


def parse_case(data: bytes) -> None:
    """Parse a file of rulebook cases; no error is one of the reader itself."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "fuzz.yaml"
        file.write_bytes(data)
        cases, errors = read_file(file)
    assert cases or errors
    assert not [error for error in errors if NOT_READ in str(error)], errors


def parse_token(data: bytes) -> None:
    """Parse and verify a token without a valid signature: it is never accepted."""
    token = data.decode("latin-1")
    with contextlib.suppress(AccessError):
        tokens.decode_unverified(token)
    try:
        tokens.verify(token, lambda _: None, "cell", NOW)
    except AccessError:
        return
    raise AssertionError("a token without a known key was accepted")


def parse_archive(data: bytes) -> None:
    """Parse an archive whose lines have valid checksums, and the bytes themselves as an archive."""
    running, lines = b"", []
    for body in data.split(b"\n")[:MAX_ARCHIVE_LINES]:
        if len(body) > 1:
            line, running = add_checksum(body, running)
            lines.append(line)
    with tempfile.TemporaryDirectory() as folder:
        for name, content in (("made", gzip.compress(b"".join(lines), 1)), ("raw", data)):
            path = Path(folder) / name
            path.write_bytes(content)
            verdict = verify(path)
            assert verdict.wrong, "an archive without its end was accepted"
            with contextlib.suppress(ArchiveError):
                heading(path)


def parse_lexicon(data: bytes) -> None:
    """Parse the file of a lexicon with a valid digest."""
    content = data + hashlib.sha256(data).digest()
    with contextlib.suppress(LexiconError):
        unseal(memoryview(content), None)


def parse_http(data: bytes) -> None:
    """Parse requests of HTTP/1.1; the events are the same if the bytes arrive in two parts."""
    cut = data[0] if data else 0
    whole, parted = _events_of([data[1:]]), _events_of([data[1 : cut + 1], data[cut + 1 :]])
    assert whole == parted, (whole, parted)


def parse_json(data: bytes) -> None:
    """Parse the JSON body of a request of a method of the contract, and check it as the services do."""
    methods = list(METHODS_BY_REQUEST.values())
    method = methods[int.from_bytes(data[:2], "big") % len(methods)]
    with contextlib.suppress(Malformed, Invalid):
        message = parse_request(method, data[2:], "en")
        check_size(message)
        check_text(message)


def parse_request_message(data: bytes) -> None:
    """Parse a request of the contract in protobuf, and check it as the services do."""
    requests = list(METHODS_BY_REQUEST)
    with contextlib.suppress(DecodeError, Invalid):
        message = requests[int.from_bytes(data[:2], "big") % len(requests)].FromString(data[2:])
        check_size(message)
        check_text(message)


def parse_event(data: bytes) -> None:
    """Parse a stored event of any type and version, and read what all readers need of it."""
    names = sorted(_event_names())
    kind, version = names[int.from_bytes(data[:2], "big") % len(names)], 1 + (data[2] % 3 if len(data) > 2 else 0)
    with contextlib.suppress(UnreadableEvent):
        message = upcasters.message(kind, version, data[3:])
        mentions.players_of(message)
        event_types.round_of(message)
        event_types.game_of(message)
        event_types.occurred_at(message)


def parse_hall_batch(data: bytes) -> None:
    """Parse events that the cell of a hall sends, and check what needs no record."""
    with contextlib.suppress(DecodeError, InvalidCopy):
        sent = hall_pb2.HallBatch.FromString(data)
        batch = to_batch(sent.events, sent.answers)
        if batch.events:
            check_batch(batch)
            assert [event.hash for event in to_events(batch)] == [event.hash for event in sent.events]


def parse_field(data: bytes) -> None:
    """Parse the text of one field of a form, of any kind."""
    fields = _fields()
    field = fields[int.from_bytes(data[:2], "big") % len(fields)]
    with contextlib.suppress(Invalid):
        parse_value(field, data[2:].decode("utf-8", "replace"), zone="Europe/Madrid")


def parse_money_fields(data: bytes) -> None:
    """Parse amounts of money in currencies with and without decimals."""
    text = data.decode("utf-8", "replace")
    for digits in (0, 2, 3):
        with contextlib.suppress(Invalid):
            parse_money("amount", text, digits)
        with contextlib.suppress(Invalid):
            parse_amounts("amounts", text, digits)


def parse_square(data: bytes) -> None:
    """Parse the start of a play in each notation."""
    text = data.decode("utf-8", "replace")
    for notation in Notation:
        with contextlib.suppress(ValueError):
            notation.read_first(text)


def parse_headers(data: bytes) -> None:
    """Parse the values of headers and parameters that need no error: a malformed one is ignored."""
    text = data.decode("latin-1")
    assert negotiate(text) in {"ca", "es", "el", "en"}
    assert read_offset(text) >= 0
    is_known(text, '"tag"')
    encoding_for(text)


def parse_address(data: bytes) -> None:
    """Parse the address of a webhook and the key of a push subscription."""
    text = data.decode("utf-8", "replace")
    with contextlib.suppress(Invalid):
        target = target_of(text)
        assert "@" not in target.authority
        assert "\n" not in target.path
    with contextlib.suppress(Invalid):
        check_public_key("key", text)


TARGETS: Mapping[str, Target] = {
    "address": parse_address,
    "archive": parse_archive,
    "case": parse_case,
    "event": parse_event,
    "field": parse_field,
    "gcg": parse_gcg,
    "hall-batch": parse_hall_batch,
    "headers": parse_headers,
    "http": parse_http,
    "json": parse_json,
    "lexicon": parse_lexicon,
    "money": parse_money_fields,
    "players": parse_players,
    "request": parse_request_message,
    "results": parse_results,
    "square": parse_square,
    "token": parse_token,
    "trf": parse_trf,
}
"""Targets by name."""


def _players_at(table: int) -> int:
    return 2 if 1 <= table <= TABLES_COUNT else 0


@cache
def _ruleset(name: str) -> Ruleset:
    return load_ruleset(name)


@cache
def _event_names() -> frozenset[str]:
    return frozenset(kind.DESCRIPTOR.full_name for kind in event_types.RECORD_EVENT_TYPES)


@cache
def _fields() -> tuple[Any, ...]:
    """Return one field of each name and type of the requests of the contract."""
    found: dict[tuple[str, int], Any] = {}
    for method in METHODS_BY_REQUEST.values():
        for field in method.request.DESCRIPTOR.fields:
            if field.message_type is None or field.message_type.name == "Timestamp":
                found.setdefault((field.name, field.type), field)
    return tuple(found[key] for key in sorted(found))


def _events_of(parts: list[bytes]) -> list[str]:
    """Return what a connection reads, without the boundaries of the data of bodies."""
    connection, found = StrictConnection(h11.SERVER, 65_536), list[str]()
    body = b""
    try:
        for part in parts:
            if part:
                connection.receive_data(part)
            while (event := connection.next_event()) not in (h11.NEED_DATA, h11.PAUSED):
                if isinstance(event, h11.ConnectionClosed):
                    return found
                if isinstance(event, h11.Data):
                    body += event.data
                    continue
                found.append(f"{event!r} after {body!r}")
    except h11.RemoteProtocolError:
        found.append("refused")
    return found
