"""Read models folded in memory from steps or single events."""

from __future__ import annotations

from collections.abc import Iterable

from google.protobuf.message import Message
from tests.support.synthetic import TOURNAMENT, Step

from faristol.event_store import Metadata, Recorded
from faristol.event_store.event import utc_now
from faristol.pb.results.v1 import results_pb2 as results
from faristol.read_models.api import answers
from faristol.read_models.projections.championship import Championship
from faristol.read_models.projections.model import State, fold
from faristol.read_models.storage.rows import Round

STREAM = f"tournament-{TOURNAMENT}"


def to_recorded(message: Message, stream: str = STREAM, version: int = 1) -> Recorded:
    """Return a message as an event of the one tournament."""
    event = Recorded(
        position=1,
        stream=stream,
        version=version,
        event_id="1",
        type=message.DESCRIPTOR.full_name,
        schema_version=1,
        tournament=TOURNAMENT,
        payload=b"",
        metadata=Metadata(),
        recorded_at=utc_now(),
        hash=b"",
    )
    vars(event)["message"] = message
    return event


class Folded:
    """The rows after some steps of the one tournament."""

    def __init__(self, steps: Iterable[Step] = ()) -> None:
        self.state = State()
        for step in steps:
            for stream, new_events in step.items():
                for event in new_events:
                    self.take(event, stream)

    def take(self, event: Message, stream: str = STREAM, version: int = 1) -> None:
        """Fold another event."""
        fold(self.state, to_recorded(event, stream, version))

    def add(self, *events: Message) -> None:
        """Fold events of the tournament."""
        for event in events:
            self.take(event)

    @property
    def of(self) -> Championship:
        """The tournament."""
        return self.state.championships[TOURNAMENT]

    @property
    def rounds(self) -> dict[int, Round]:
        """Its rounds."""
        return self.of.rounds

    @property
    def shown(self) -> results.Tournament:
        """The tournament as it is shown."""
        return answers.tournament(self.of.tournament, self.of.rounds.values(), self.of.tournament.divisions)

    def pairings(self, number: int) -> results.GetPairingsResponse:
        """Return a round as it is shown."""
        return answers.pairings(self.rounds[number], self.of.teams)
