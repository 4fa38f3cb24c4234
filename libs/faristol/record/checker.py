"""The check of a record, event by event, wherever the events come from: a database or an archive."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

from faristol.record import merkle
from faristol.record.errors import Wrong
from faristol.record.event import GENESIS
from faristol.record.group import Head
from faristol.record.keys import Keys
from faristol.record.seals import FIRST, Seal, Tally, difference, root_of
from faristol.record.stored import Stored


def unanswered(command_id: str) -> str:
    """What is wrong when a command brought events about and its answer is not there."""
    return f"the answer to the command {command_id} that it came of is missing, so that it would be carried out again"


class Checker:
    """Is shown events and seals in the order of their positions, and raises ``Wrong`` at the first that is not right.

    It keeps a hash for each stream and nothing else that grows. ``keys`` are those that seals may be signed with;
    without them signatures are not looked at. ``kept`` are seals that somebody kept outside. A check of a ``part``,
    which is a tournament, is shown the events of that one only, and stand-ins for the others.
    """

    def __init__(self, keys: Keys | None = None, *, kept: Iterable[Seal] = (), after: int = 0, part: str = "") -> None:
        self.position = after
        """Of the last event that was shown."""
        self.events = 0
        """How many were found right."""
        self.sealed = 0
        """The position up to which seals were found right."""
        self.seals = 0
        self.part = part
        """The tournament; empty for a whole record."""
        self._keys = keys
        self._kept = {seal.from_position: seal for seal in kept}
        self._after = after
        self._heads: dict[str, Head] = {}
        self._tree = merkle.Tree()
        self._tally = Counter[str]()
        """Of the events in the tree that are no stand-ins."""
        self._covered = 0
        """The position up to which the tree, together with the seals before it, knows every hash."""
        self._previous = FIRST
        self._events_sealed = 0
        """How many events had been found right at the last seal."""

    @property
    def streams(self) -> int:
        """Number of streams that events were seen of."""
        return len(self._heads)

    def unknown(self, events: Collection[Stored]) -> set[str]:
        """Streams of which the check does not know where they stood before these events."""
        if not self._after:
            return set()
        return {event.stream for event in events} - self._heads.keys()

    def know(self, heads: Mapping[str, Head]) -> None:
        """Where streams stood at the position after which the check begins."""
        self._heads.update(heads)

    def event(self, event: Stored, answers: Collection[str] | None = None) -> None:
        """The next event of the record, or of the part of it that is checked.

        With ``answers``, the ids of commands, the command that it came of must be among them.
        """
        expected = self.position + 1
        if event.position != expected and (not self.part or event.position < expected):
            if event.position > expected:
                raise Wrong(f"position {expected}: missing; the next event is at {event.position}")
            raise Wrong(f"{event}: out of order, it comes after position {self.position}")
        version, previous = self._heads.get(event.stream, (0, GENESIS))
        if event.version != version + 1:
            raise Wrong(f"{event}: version {version + 1} of the stream is missing")
        if event.hash_after(previous) != event.hash:
            raise Wrong(f"{event}: the stored bytes do not give the stored hash; they or an earlier event were changed")
        if answers is not None and (command := event.command_id) and command not in answers:
            raise Wrong(f"{event}: {unanswered(command)}")
        self._heads[event.stream] = (event.version, event.hash)
        self.position = event.position
        self.events += 1
        self.leaf(event.position, event.hash, event.tournament)
        if self.part and event.tournament != self.part:
            raise Wrong(f"{event} is not of tournament {self.part}")

    def leaf(self, position: int, digest: bytes, tournament: str) -> None:
        """The hash and the tournament of an event, for the seal that is over it."""
        if position == self._covered + 1:
            self._tree.add(digest)
            self._tally[tournament] += 1
            self._covered = position

    def gap(self, from_position: int, to_position: int, hashes: Sequence[bytes]) -> None:
        """Stand-ins for events that are not in this part, from one position to another, both inclusive."""
        where = f"position {from_position}: the stand-in for positions {from_position} to {to_position}"
        if not self.part:
            raise Wrong(f"{where} has no place in a whole record")
        if from_position != self._covered + 1 or to_position < from_position:
            raise Wrong(f"{where} does not follow position {self._covered}")
        first = self._tree.size
        parts = list(merkle.cover(first, first + to_position - from_position + 1))
        if len(parts) != len(hashes):
            raise Wrong(f"{where} has {len(hashes)} hashes; expected {len(parts)}")
        for (_, level), digest in zip(parts, hashes, strict=True):
            self._tree.graft(level, digest)
        self.position = self._covered = to_position

    def skip(self, seal: Seal) -> None:
        """A seal over events that are not checked: its place among the others and its signature are."""
        self._fits(seal)
        self._take(seal)

    def seal(self, seal: Seal, tally: Tally | None = None) -> None:
        """A seal over the events shown last; for a part, with the number of events of every tournament under it."""
        self._fits(seal)
        if self._covered != seal.to_position:
            raise Wrong(f"position {self._covered + 1}: not there, and {seal} is over it")
        if self.part and tally is not None and tally.get(self.part, 0) != (shown := self._tally[self.part]):
            raise Wrong(
                f"positions {seal.from_position} to {seal.to_position}: {shown} events of tournament {self.part} "
                f"are here, and {seal} is over {tally.get(self.part, 0)}"
            )
        if root_of(self._tree.root(), self._tally if tally is None else tally) != seal.root:
            self.events, self.position = self._events_sealed, max(self.sealed, self._after)
            raise Wrong(
                f"positions {seal.from_position} to {seal.to_position}: these are not the events that were sealed, "
                "or not in that order"
            )
        self._take(seal)

    def _fits(self, seal: Seal) -> None:
        """Raise ``Wrong`` unless the seal comes after the one before, and says so under a right signature."""
        if seal.from_position != self.sealed + 1 or seal.to_position < seal.from_position:
            raise Wrong(f"position {self.sealed + 1}: {seal} does not follow position {self.sealed}")
        if seal.previous != self._previous:
            raise Wrong(f"position {seal.from_position}: {seal} is not one that was made after the seal before it")
        if self._keys is not None and (problem := seal.problem(self._keys)):
            raise Wrong(f"position {seal.from_position}: {problem}")
        kept = self._kept.pop(seal.from_position, seal)
        if other := difference(kept, seal):
            raise Wrong(f"position {seal.from_position}: {seal} is not the one that was kept outside{other}")

    def _take(self, seal: Seal) -> None:
        self._previous = seal.digest
        self.sealed = self._covered = seal.to_position
        self.seals += 1
        self._events_sealed = self.events
        self._tree = merkle.Tree()
        self._tally = Counter()

    def end(self) -> None:
        """Nothing follows. Every seal that was kept outside must have been here, and with keys at least one seal."""
        for seal in sorted(self._kept.values(), key=lambda kept: kept.from_position):
            raise Wrong(f"position {seal.from_position}: {seal}, which was kept outside, is missing here")
        if self._keys is not None and self.events and not self.seals:
            raise Wrong(f"position {self.position}: nothing up to here is sealed, so the public key shows nothing")
