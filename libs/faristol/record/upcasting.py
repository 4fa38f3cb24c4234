"""Old events, read for ever: which version of its schema each event type is at, and how to get there.

An event is stored as it was written and never rewritten. When the definition of an event changes, its type gets the
next version here, with a pure function that brings the bytes of the version before up to it:

    @upcasting.upcaster("faristol.game.v1.Passed", 1)
    def _(payload: bytes) -> bytes: ...

The golden files under ``tests/unit/record_events`` hold bytes of every version ever released.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

from google.protobuf import symbol_database
from google.protobuf.message import DecodeError, Message

from faristol.pb.clock.v1 import events_pb2 as _clock
from faristol.pb.game.v1 import events_pb2 as _game
from faristol.pb.lexicon.v1 import events_pb2 as _lexicon
from faristol.pb.pairing.v1 import events_pb2 as _pairing
from faristol.pb.rating.v1 import events_pb2 as _rating

CONTEXTS = (_clock, _game, _lexicon, _pairing, _rating)
"""The modules whose messages can be facts; importing them here makes every type known by its name."""

FIRST = 1
"""Schema version of every event type when it is new."""

Upcaster = Callable[[bytes], bytes]
"""From the payload of one version to that of the next. Pure: it reads no clock, no file and no database."""


class UnreadableEvent(LookupError):
    """An event that this program cannot read: its type or version is unknown, or its bytes are none of it."""


class Upcasting:
    """The versions of event types, and the steps between them."""

    def __init__(self, steps: Mapping[tuple[str, int], Upcaster] | None = None) -> None:
        self._steps: dict[tuple[str, int], Upcaster] = {}
        self._versions: dict[str, int] = {}
        for (type_name, version), step in (steps or {}).items():
            self.upcaster(type_name, version)(step)

    def upcaster(self, type_name: str, version: int) -> Callable[[Upcaster], Upcaster]:
        """Say how payloads of ``version`` become payloads of the next one, which is thereby the current one.

        Raises ``ValueError`` when the steps of a type are not given one after the other, from 1.
        """
        if version != self.version(type_name):
            raise ValueError(f"{type_name} is at version {self.version(type_name)}: no step can start at {version}")

        def known(step: Upcaster) -> Upcaster:
            self._steps[type_name, version] = step
            self._versions[type_name] = version + 1
            return step

        return known

    def version(self, type_name: str) -> int:
        """The version that events of a type are written at."""
        return self._versions.get(type_name, FIRST)

    def message(self, type_name: str, version: int, payload: bytes) -> Message:
        """The fact itself, whatever version it was written at.

        Raises ``UnreadableEvent`` for an unknown type, a version that only a later Faristol can have written, and
        bytes that are not such a message.
        """
        current = self._versions.get(type_name, FIRST)
        if version != current:
            if not FIRST <= version < current:
                raise UnreadableEvent(
                    f"{type_name} is of schema version {version}; this version of Faristol reads up to {current}"
                )
            for number in range(version, current):
                payload = self._steps[type_name, number](payload)
        try:
            return message_class(type_name).FromString(payload)
        except DecodeError as problem:
            raise UnreadableEvent(f"the payload is not a {type_name} of schema version {version}") from problem


def unchanged(payload: bytes) -> bytes:
    """The step where a definition changed and its bytes did not: a field was added that may be absent."""
    return payload


@cache
def message_class(type_name: str) -> type[Message]:
    """The message class of a full name. Raises ``UnreadableEvent`` when there is none."""
    try:
        found: type[Message] = symbol_database.Default().GetSymbol(type_name)
    except KeyError:
        raise UnreadableEvent(f"no event is called {type_name}") from None
    return found


GREW = (
    # A pinned ruleset says what was chosen where its book leaves something open.
    ("faristol.game.v1.GameOpened", 1),
    ("faristol.lexicon.v1.CaseOpened", 1),
    ("faristol.pairing.v1.LexiconPinned", 1),
    ("faristol.pairing.v1.RulesetPinned", 1),
    # What rule books beside FISC's know of a play, a ruling and an end.
    ("faristol.game.v1.PlayPlaced", 1),
    ("faristol.game.v1.ChallengeRuled", 1),
    ("faristol.game.v1.PlayWithdrawn", 1),
    ("faristol.game.v1.GameEnded", 1),
    ("faristol.game.v1.ResultFinal", 1),
    ("faristol.pairing.v1.ResultRecorded", 1),
    # Tables that are kept over the board.
    ("faristol.pairing.v1.TournamentCreated", 1),
    # Tables of more than two.
    ("faristol.pairing.v1.RoundPaired", 1),
    # FISC knew one reason for a clock to stand, two players at a table, and no time for a turn.
    ("faristol.clock.v1.ClockOpened", 1),
    ("faristol.clock.v1.ClockPressed", 1),
    ("faristol.clock.v1.ClockNeutralised", 1),
    ("faristol.clock.v1.ClockResumed", 1),
    # What lets time run says when the time of the turn is over.
    ("faristol.clock.v1.ClockStarted", 1),
    ("faristol.clock.v1.ClockPressed", 2),
    ("faristol.clock.v1.ClockResumed", 2),
    ("faristol.clock.v1.ClockSwitched", 1),
    ("faristol.clock.v1.ClockCorrected", 1),
    ("faristol.clock.v1.RoundTimeExpired", 1),
    # Judges, panels and appeals.
    ("faristol.lexicon.v1.CaseOpened", 2),
    ("faristol.lexicon.v1.CaseRuled", 1),
    # A case is not called after its game any more. Nothing in its facts changed, but who looks for it under the former
    # name alone has to wait for the version that finds it, and must not pass it by.
    ("faristol.lexicon.v1.CaseOpened", 3),
    ("faristol.lexicon.v1.CaseWithdrawn", 1),  # the challenge was taken back: a reason of its own
    ("faristol.lexicon.v1.CaseRuled", 2),
    # A pairing can be run again and compared by what it was made from.
    ("faristol.pairing.v1.RoundPaired", 2),
    # Forfeits are no games for pairing and tie-breaks.
    ("faristol.game.v1.ResultFinal", 2),
    ("faristol.pairing.v1.ResultRecorded", 2),
    # Players who sit a round out.
    ("faristol.pairing.v1.RoundPaired", 3),
    # A forfeit that is corrected may have been a game; the day of a tournament is that of its halls.
    ("faristol.pairing.v1.ResultCorrected", 1),
    ("faristol.pairing.v1.TournamentCreated", 2),
    # Halls.
    ("faristol.pairing.v1.RoundPaired", 4),
    # How certain a rating is.
    ("faristol.rating.v1.RatingUpdated", 1),
    # A list that is made anew.
    ("faristol.rating.v1.RatingListPublished", 1),
    # Divisions of a championship.
    ("faristol.pairing.v1.TournamentCreated", 3),
    # Teams, and the matches between them.
    ("faristol.pairing.v1.RoundPaired", 5),
    ("faristol.pairing.v1.PairForbidden", 1),
    ("faristol.pairing.v1.PairAllowed", 1),
    ("faristol.pairing.v1.PairKept", 1),
    ("faristol.pairing.v1.PairReleased", 1),
    ("faristol.pairing.v1.ByeGranted", 1),
    ("faristol.pairing.v1.ByeRevoked", 1),
    # Ten minutes of lateness that run from the draw of the round.
    ("faristol.game.v1.GameOpened", 2),
    # Who answers a question about a word.
    ("faristol.game.v1.WordAsked", 1),
    # Categories, and notes about players.
    ("faristol.pairing.v1.PlayerRegistered", 1),
    ("faristol.pairing.v1.LateEntryAdmitted", 1),
    # The scores that were entered of a game that was abandoned.
    ("faristol.pairing.v1.ResultEntered", 1),
)
"""Types and the versions after which they were given fields or values that old bytes need not have."""

upcasting = Upcasting(dict.fromkeys(GREW, unchanged))
"""Every event type of Faristol, at its current version."""
