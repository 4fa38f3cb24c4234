"""The check of a record, event by event, from a database or an archive."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

from faristol.event_store.append.group import Head
from faristol.event_store.errors import CorruptData
from faristol.event_store.event import GENESIS
from faristol.event_store.integrity import merkle
from faristol.event_store.integrity.keys import Keys
from faristol.event_store.integrity.seals import FIRST_PREVIOUS_HASH, Seal, Tally, difference, root_of
from faristol.event_store.stored import Stored


def format_unanswered(command_id: str) -> str:
    """Return the error for a missing answer to a command that caused events."""
    return f"the answer to the command {command_id} that it came of is missing, so that it would be carried out again"


class Checker:
    """Checks events and seals in the order of positions. Raises ``CorruptData`` at the first error.

    Its memory grows only with the number of streams: one hash for each. ``keys`` verify signatures of seals, which are
    not checked without them. ``kept`` are seals stored outside the record. A check of a ``part``, which is a
    tournament, gets only the events of that tournament, and hashes instead of the others.
    """

    def __init__(self, keys: Keys | None = None, *, kept: Iterable[Seal] = (), after: int = 0, part: str = "") -> None:
        self.position = after
        """Position of the last event."""
        self.events = 0
        """Number of events checked."""
        self.sealed = 0
        """Position up to which seals are verified."""
        self.seals = 0
        self.part = part
        """The tournament; empty for a whole record."""
        self._keys = keys
        self._kept = {seal.from_position: seal for seal in kept}
        self._after = after
        self._heads: dict[str, Head] = {}
        self._tree = merkle.Tree()
        self._tally = Counter[str]()
        """Number of events in the tree per tournament, without the replaced ones."""
        self._covered = 0
        """Position up to which the tree, together with the seals before it, has every hash."""
        self._previous = FIRST_PREVIOUS_HASH
        self._events_sealed = 0
        """Number of events checked at the last seal."""

    @property
    def streams(self) -> int:
        """Number of streams with checked events."""
        return len(self._heads)

    def unknown(self, events: Collection[Stored]) -> set[str]:
        """Return the streams of these events whose heads before the events are unknown."""
        if not self._after:
            return set()
        return {event.stream for event in events} - self._heads.keys()

    def know(self, heads: Mapping[str, Head]) -> None:
        """Set the heads of streams at the position after which the check begins."""
        self._heads.update(heads)

    def event(self, event: Stored, answers: Collection[str] | None = None) -> None:
        """Check the next event of the record, or of the checked part.

        With ``answers``, a set of command ids, the command that caused the event must be in it.
        """
        expected = self.position + 1
        if event.position != expected and (not self.part or event.position < expected):
            if event.position > expected:
                raise CorruptData(f"position {expected}: missing; the next event is at {event.position}")
            raise CorruptData(f"{event}: out of order, it comes after position {self.position}")
        version, previous = self._heads.get(event.stream, (0, GENESIS))
        if event.version != version + 1:
            raise CorruptData(f"{event}: version {version + 1} of the stream is missing")
        if event.hash_after(previous) != event.hash:
            raise CorruptData(
                f"{event}: the stored bytes do not give the stored hash; they or an earlier event were changed"
            )
        if answers is not None and (command := event.command_id) and command not in answers:
            raise CorruptData(f"{event}: {format_unanswered(command)}")
        self._heads[event.stream] = (event.version, event.hash)
        self.position = event.position
        self.events += 1
        self.leaf(event.position, event.hash, event.tournament)
        if self.part and event.tournament != self.part:
            raise CorruptData(f"{event} is not of tournament {self.part}")

    def leaf(self, position: int, digest: bytes, tournament: str) -> None:
        """Add the hash and the tournament of an event for the seal over it."""
        if position == self._covered + 1:
            self._tree.add(digest)
            self._tally[tournament] += 1
            self._covered = position

    def gap(self, from_position: int, to_position: int, hashes: Sequence[bytes]) -> None:
        """Add hashes that replace the events outside this part, from one position to another, both inclusive."""
        where = f"position {from_position}: the stand-in for positions {from_position} to {to_position}"
        if not self.part:
            raise CorruptData(f"{where} has no place in a whole record")
        if from_position != self._covered + 1 or to_position < from_position:
            raise CorruptData(f"{where} does not follow position {self._covered}")
        first = self._tree.size
        parts = list(merkle.cover(first, first + to_position - from_position + 1))
        if len(parts) != len(hashes):
            raise CorruptData(f"{where} has {len(hashes)} hashes; expected {len(parts)}")
        for (_, level), digest in zip(parts, hashes, strict=True):
            self._tree.graft(level, digest)
        self.position = self._covered = to_position

    def skip(self, seal: Seal) -> None:
        """Check only the order and the signature of a seal, whose events are not checked."""
        self._fits(seal)
        self._take(seal)

    def seal(self, seal: Seal, tally: Tally | None = None) -> None:
        """Check a seal over the preceding events; for a part, with the number of events of each tournament under it."""
        self._fits(seal)
        if self._covered != seal.to_position:
            raise CorruptData(f"position {self._covered + 1}: not there, and {seal} is over it")
        if self.part and tally is not None and tally.get(self.part, 0) != (shown := self._tally[self.part]):
            raise CorruptData(
                f"positions {seal.from_position} to {seal.to_position}: {shown} events of tournament {self.part} "
                f"are here, and {seal} is over {tally.get(self.part, 0)}"
            )
        if root_of(self._tree.root(), self._tally if tally is None else tally) != seal.root:
            self.events, self.position = self._events_sealed, max(self.sealed, self._after)
            raise CorruptData(
                f"positions {seal.from_position} to {seal.to_position}: these are not the events that were sealed, "
                "or not in that order"
            )
        self._take(seal)

    def _fits(self, seal: Seal) -> None:
        """Raise ``CorruptData`` unless the seal follows the previous one and its signature is valid."""
        if seal.from_position != self.sealed + 1 or seal.to_position < seal.from_position:
            raise CorruptData(f"position {self.sealed + 1}: {seal} does not follow position {self.sealed}")
        if seal.previous != self._previous:
            raise CorruptData(f"position {seal.from_position}: {seal} was not made after the previous seal")
        if self._keys is not None and (problem := seal.problem(self._keys)):
            raise CorruptData(f"position {seal.from_position}: {problem}")
        kept = self._kept.pop(seal.from_position, seal)
        if other := difference(kept, seal):
            raise CorruptData(
                f"position {seal.from_position}: {seal} differs from the seal that is stored outside{other}"
            )

    def _take(self, seal: Seal) -> None:
        self._previous = seal.digest
        self.sealed = self._covered = seal.to_position
        self.seals += 1
        self._events_sealed = self.events
        self._tree = merkle.Tree()
        self._tally = Counter()

    def end(self) -> None:
        """Finish the check. All seals stored outside must have occurred, and with keys at least one seal."""
        for seal in sorted(self._kept.values(), key=lambda kept: kept.from_position):
            raise CorruptData(f"position {seal.from_position}: {seal}, which was stored outside, is missing here")
        if self._keys is not None and self.events and not self.seals:
            raise CorruptData(
                f"position {self.position}: no event up to here is sealed, so the public key verifies no event"
            )
