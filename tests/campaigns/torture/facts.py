"""The invariants between the ledger of the clients and the rows of the record. Pure: rows in, sentences out.

Each function yields a sentence for every violation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from itertools import pairwise

from tests.campaigns.torture.ledger import Acknowledged

from faristol.event_store.stored import Stored
from faristol.host.command_handler import digest

Kept = Mapping[str, tuple[bytes, int]]
"""The table of commands: by command id, the answer behind the digest of the request, and its position."""

FACT_OF: Mapping[str, Set[str]] = {
    "GrantCredential": {"CredentialGranted"},
    "SignIn": {"SignedIn"},
    "CreateTournament": {"TournamentCreated"},
    "RegisterPlayer": {"PlayerRegistered"},
    "PairRound": {"RoundPaired"},
    "StartRound": {"RoundStarted"},
    "CloseRound": {"RoundClosed"},
    "PublishStandings": {"StandingsPublished"},
    "PlacePlay": {"PlayPlaced"},
    "Exchange": {"Exchanged"},
    "Pass": {"Passed"},
    "DrawTiles": {"TilesDrawn"},
    "Challenge": {"ChallengeRaised"},
    "SignSheet": {"SheetSigned"},
    "Press": {"ClockPressed", "OvertimeCapExceeded"},
}
"""The fact that a command is about, which stands in the record once when the command was carried out once."""


def unkept(acknowledged: Iterable[Acknowledged], kept: Kept) -> Iterator[str]:
    """Yield acknowledged commands that the record does not have, or has with another answer."""
    for command in acknowledged:
        if command.command_id not in kept:
            yield f"{command} is not in the record"
            continue
        answer, position = kept[command.command_id]
        if position != command.position:
            yield f"{command} is in the record at position {position}"
        if answer != digest(command.request) + command.answer:
            yield f"{command} has another answer in the record"


def find_unsent(sent: Collection[str], kept: Kept) -> Iterator[str]:
    """Yield commands in the record that no client sent."""
    for command_id in kept:
        if command_id not in sent:
            yield f"command {command_id} is in the record, and no client sent it"


def done_otherwise(acknowledged: Iterable[Acknowledged], events: Sequence[Stored]) -> Iterator[str]:
    """Yield acknowledged commands that were not executed exactly once and completely."""
    of_command: dict[str, list[Stored]] = {}
    for event in events:
        if command_id := event.command_id:
            of_command.setdefault(command_id, []).append(event)
    for command in acknowledged:
        brought = of_command.get(command.command_id, [])
        method = command.method.rpartition("/")[2]
        if method not in FACT_OF:
            yield f"{command} cannot be judged: FACT_OF does not say which fact it is about"
        elif (times := sum(_name(event) in FACT_OF[method] for event in brought)) != 1:
            yield f"{command} was carried out {times} times: {_format_events(brought)}"
        elif [event.position for event in brought] != list(
            range(command.position - len(brought) + 1, command.position + 1)
        ):
            yield f"{command} was not carried out in one piece: {_format_events(brought)}"


def holes(events: Sequence[Stored], counter: int) -> Iterator[str]:
    """Yield the positions that are missing or taken twice; ``counter`` is the record's own count."""
    positions = [0, *(event.position for event in events), counter + 1]
    for before, position in pairwise(positions):
        if position != before + 1:
            yield f"after position {before} comes {position}; the counter is at {counter}"


def said_twice(events: Iterable[Stored]) -> Iterator[str]:
    """Yield events that are in their stream more than once: a command or a reaction was executed again."""
    seen = Counter((event.stream, event.type, event.payload) for event in events)
    for (stream, kind, _), times in seen.items():
        if times > 1:
            yield f"{stream} has the same {kind.rpartition('.')[2]} {times} times"


def _name(event: Stored) -> str:
    return event.type.rpartition(".")[2]


def _format_events(events: Sequence[Stored]) -> str:
    return ", ".join(map(str, events)) or "it left no event"
