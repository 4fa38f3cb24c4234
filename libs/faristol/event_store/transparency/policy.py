"""Trust policies (C2SP tlog-policy): the logs and witnesses that a reader trusts, and how many witnesses must agree.

The file has one definition in a line: ``log VKEY [URL]``, ``witness NAME VKEY [URL]``, ``group NAME all|any|K NAME…``
and one ``quorum NAME|none``. A line may use only names of earlier lines, so groups have no cycle.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from faristol.event_store.errors import RecordError
from faristol.event_store.transparency.signed_note import (
    COSIGNATURE_TYPE_ID,
    ED25519_TYPE_ID,
    InvalidNote,
    LogCheckpoint,
    SignedNote,
    VerifierKey,
    find_cosignature_time,
)

NO_QUORUM = "none"
"""Name of the quorum that requires no witness."""

MAX_POLICY_LINES = 1_000
"""Lines of a policy file."""


class InvalidPolicy(RecordError):
    """A policy is malformed; the message states the line and what was expected."""


@dataclass(frozen=True, slots=True)
class LogWitness:
    """A witness of a log."""

    name: str
    """Its name in the policy."""
    key: VerifierKey
    url: str = ""
    """Its submission prefix; empty if it is not asked."""


@dataclass(frozen=True, slots=True)
class WitnessGroup:
    """Witnesses and groups of which some number must agree."""

    least: int
    members: Sequence[str]


@dataclass(frozen=True, slots=True)
class TrustPolicy:
    """The logs and witnesses of a policy, and its quorum."""

    logs: Sequence[VerifierKey] = ()
    witnesses: Sequence[LogWitness] = ()
    groups: Mapping[str, WitnessGroup] = field(default_factory=dict)
    quorum: str = NO_QUORUM

    def is_met(self, agreeing: Collection[str]) -> bool:
        """Check whether the witnesses with these names are enough."""
        return self.quorum == NO_QUORUM or self._agrees(self.quorum, agreeing)

    def _agrees(self, name: str, agreeing: Collection[str]) -> bool:
        group = self.groups.get(name)
        if group is None:
            return name in agreeing
        return sum(self._agrees(member, agreeing) for member in group.members) >= group.least

    def find_met_time(self, times: Mapping[str, int]) -> int | None:
        """Return the time by which enough witnesses had cosigned, in seconds since 1970.

        None if they are too few, or if the policy requires no witness.
        """
        if self.quorum == NO_QUORUM:
            return None
        for until in sorted(times.values()):
            if self.is_met({name for name, seconds in times.items() if seconds <= until}):
                return until
        return None

    def find_times(self, note: SignedNote) -> dict[str, int]:
        """Return the witnesses that cosigned a note, each with its time in seconds since 1970.

        Raises ``InvalidNote`` for an invalid cosignature of one of them.
        """
        found = {witness.name: find_cosignature_time(note, witness.key) for witness in self.witnesses}
        return {name: seconds for name, seconds in found.items() if seconds is not None}

    def check(self, note: SignedNote) -> tuple[LogCheckpoint, dict[str, int]]:
        """Return the checkpoint of a note and the times of its witnesses, if the policy accepts it.

        Raises ``InvalidNote`` if no log of the policy signed it, or too few witnesses did.
        """
        checkpoint = LogCheckpoint.parse(note.text)
        keys = [key for key in self.logs if key.name == checkpoint.origin]
        if not keys:
            raise InvalidNote(f"the policy does not name the log {checkpoint.origin!r}")
        if True not in {note.is_signed_by(key) for key in keys}:
            raise InvalidNote(f"the checkpoint has no signature of the log {checkpoint.origin!r}")
        times = self.find_times(note)
        if not self.is_met(times):
            raise InvalidNote(
                f"{len(times)} of {len(self.witnesses)} witnesses cosigned the checkpoint"
                f"{''.join(f', {name}' for name in sorted(times))}: the quorum {self.quorum!r} requires more"
            )
        return checkpoint, times


def parse_policy(content: bytes) -> TrustPolicy:
    """Parse a policy file. Raises ``InvalidPolicy``."""
    lines = content.split(b"\n")
    if len(lines) > MAX_POLICY_LINES:
        raise InvalidPolicy(f"the policy has more than {MAX_POLICY_LINES} lines")
    read = _PolicyLines()
    for number, octets in enumerate(lines, 1):
        where = f"line {number} of the policy"
        if any((octet < 0x20 and octet != 0x09) or octet == 0x7F for octet in octets):
            raise InvalidPolicy(f"{where} has a control character")
        # Names may have other octets than ASCII: they are compared as they are, and only messages show them.
        words = octets.decode(errors="surrogateescape").replace("\t", " ").split(" ")
        words = [word for word in words if word]
        if words and not words[0].startswith("#"):
            read.add(words, where)
    return read.build()


class _PolicyLines:
    """The lines of a policy file read so far. A line may name only witnesses and groups of earlier lines."""

    def __init__(self) -> None:
        self._logs: list[VerifierKey] = []
        self._witnesses: list[LogWitness] = []
        self._groups: dict[str, WitnessGroup] = {}
        self._used: set[str] = set()
        """Members of groups."""
        self._quorum = ""

    def add(self, words: Sequence[str], where: str) -> None:
        """Add a line by its words. Raises ``InvalidPolicy``, which names the line by ``where``."""
        names = {*(witness.name for witness in self._witnesses), *self._groups}
        match words:
            case ["log", key] | ["log", key, _]:
                self._logs.append(_parse_key(key, ED25519_TYPE_ID, where))
            case ["witness", name, key, *address] if len(address) <= 1:
                _check_new(name, names, where)
                parsed = _parse_key(key, COSIGNATURE_TYPE_ID, where)
                self._witnesses.append(LogWitness(name, parsed, "".join(address)))
            case ["group", name, least, *members] if members:
                _check_new(name, names, where)
                self._groups[name] = _parse_group(least, members, names, self._used, where)
            case ["quorum", name]:
                if self._quorum:
                    raise InvalidPolicy(f"{where} is a second quorum: expected one")
                if name not in names | {NO_QUORUM}:
                    raise InvalidPolicy(f"{where}: no earlier line defines {name!r}")
                self._quorum = name
            case _:
                raise InvalidPolicy(
                    f"{where} is not one of: log VKEY [URL], witness NAME VKEY [URL], group NAME all|any|K NAME…,"
                    " quorum NAME"
                )

    def build(self) -> TrustPolicy:
        """Return the policy. Raises ``InvalidPolicy`` without a quorum, or for a key that it has twice."""
        if not self._quorum:
            raise InvalidPolicy("the policy has no quorum: expected a line “quorum NAME” or “quorum none”")
        for keys in (self._logs, [witness.key for witness in self._witnesses]):
            if len({key.public.public_bytes_raw() for key in keys}) != len(keys):
                raise InvalidPolicy("the policy has a key twice")
        return TrustPolicy(self._logs, self._witnesses, self._groups, self._quorum)


def load_policy(path: Path) -> TrustPolicy:
    """Read a policy file. Raises ``RecordError``."""
    try:
        return parse_policy(path.read_bytes())
    except OSError as error:
        raise RecordError(f"the policy {path} cannot be read: {error.strerror}") from error
    except InvalidPolicy as error:
        raise InvalidPolicy(f"{path}: {error}") from None


def _check_new(name: str, names: Collection[str], where: str) -> None:
    if name in names or name == NO_QUORUM:
        raise InvalidPolicy(f"{where} defines {name!r}, which is defined already")


def _parse_key(text: str, type_id: int, where: str) -> VerifierKey:
    try:
        key = VerifierKey.parse(text)
    except InvalidNote as error:
        raise InvalidPolicy(f"{where}: {error}") from None
    if key.type_id != type_id:
        raise InvalidPolicy(f"{where}: the key of {key.name!r} has the type {key.type_id}, expected {type_id}")
    return key


def _parse_group(
    least: str, members: Sequence[str], names: Collection[str], used: set[str], where: str
) -> WitnessGroup:
    for member in members:
        if member not in names:
            raise InvalidPolicy(f"{where}: no earlier line defines {member!r}")
        if member in used:
            raise InvalidPolicy(f"{where}: {member!r} is a member of a group already")
        used.add(member)
    if least in ("all", "any"):
        return WitnessGroup(len(members) if least == "all" else 1, members)
    if not (least.isascii() and least.isdigit()) or not 1 <= int(least) <= len(members):
        raise InvalidPolicy(f"{where}: {least!r} is not all, any or a number from 1 to {len(members)}")
    return WitnessGroup(int(least), members)
