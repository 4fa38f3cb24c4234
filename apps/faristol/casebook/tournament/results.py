"""Results of tables in the notation of cases."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.casebook.case import TournamentCase
from faristol.casebook.document import Value
from faristol.casebook.forms import fill
from faristol.casebook.names import Game, Names
from faristol.kernel.pairings import seats_of
from faristol.pb.clock.v1 import events_pb2 as clock_events
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.pairing.v1 import events_pb2 as pairing_events
from faristol.rules import Board

BY_RATING, BY_LOT = "by-rating", "by-lot"
"""Results of all tables at once: the player with the higher rating wins, or results are random."""

WON, LOST = 400, 350
"""Scores of tables by rating."""


@dataclass(frozen=True, slots=True)
class CaseResult:
    """The result of a table in a case: ``Anna 400 – Blai 300``, or its players and the absent ones."""

    place: Value
    players: tuple[str, ...]
    """Ids, as written."""
    scores: Mapping[str, int]
    """Empty if players were absent."""
    fields: Mapping[str, Value] = field(default_factory=dict)
    """Fields of ``ResultFinal``, or ``absent``."""


def read_line(value: Value, names: Names) -> CaseResult:
    """Read a line. Raises ``CaseError``."""
    fields: Mapping[str, Value] = {}
    place = value
    if value.is_mapping:
        if len(value.keys()) != 1:
            raise value.wrong("expected one result, such as `Anna 400 – Blai 300`")
        ((text, inner),) = value.keys().items()
        place, fields = value.saying(text), inner.keys()
    tokens = names.tokens(place.text())
    if "absent" in fields:
        return CaseResult(place, names.pair(place), {}, fields)
    if len(tokens) < 4 or len(tokens) % 2:
        raise place.wrong(f"expected players with their scores, such as `Anna 400 – Blai 300`, got {place.text()!r}")
    players = names.pair(place.saying(" – ".join(tokens[::2])))
    scores = [place.saying(score).number() for score in tokens[1::2]]
    return CaseResult(place, players, dict(zip(players, scores, strict=True)), fields)


def lines_of(value: Value, tables: Sequence[Sequence[str]], case: TournamentCase, seed: str) -> list[CaseResult]:
    """Return the lines under ``results``, which may mean all ``tables`` at once. Raises ``CaseError``."""
    if value.is_text and value.text() in (BY_RATING, BY_LOT):
        found = []
        for players in tables:
            scores = dict.fromkeys(players, LOST)
            scores[max(players, key=lambda player: case.rating(player))] = WON
            if value.text() == BY_LOT:
                scores = {player: _lot(seed, player) for player in players}
            found.append(CaseResult(value, tuple(players), scores))
        return found
    return [read_line(item, case.names) for item in value.items()]


def rounds_of(lines: Sequence[CaseResult]) -> list[list[CaseResult]]:
    """Split lines into consecutive rounds: a round ends when a player recurs."""
    found: list[list[CaseResult]] = []
    playing: set[str] = set()
    for line in lines:
        if not found or playing.intersection(line.players):
            found.append([])
            playing = set()
        found[-1].append(line)
        playing.update(line.players)
    return found


def _lot(seed: str, player: str) -> int:
    """Return a pseudo-random score between 250 and 499."""
    return 250 + int.from_bytes(hashlib.sha256(f"{seed} {player}".encode()).digest()[:4], "big") % 250


def absences_of(line: CaseResult, names: Names, at: Timestamp) -> list[Message]:
    """Return the clock events for players who did not arrive in time. Raises ``CaseError``."""
    absent = names.ids_in(line.fields["absent"])
    if strangers := set(absent) - set(line.players):
        raise line.place.wrong(f"{', '.join(map(names.name, strangers))} does not play there")
    late = clock_events.FORFEIT_REASON_LATE
    new_events: list[Message] = [
        clock_events.TimeForfeited(player_id=player, reason=late, occurred_at=at) for player in absent
    ]
    return [*new_events, clock_events.ClockStopped(occurred_at=at)]


def final_of(line: CaseResult, pairing: pairing_events.Pairing, names: Names, game: Game, at: Timestamp) -> Message:
    """Return the final result of a played game, as its table reports it."""
    order = seats(pairing)
    best = [player for player, score in line.scores.items() if score == max(line.scores.values())]
    final = game_events.ResultFinal(
        scores=[game_events.FinalScore(player_id=player, score=line.scores[player]) for player in order],
        winner_id=best[0] if len(best) == 1 else "",
        condition=game_events.END_CONDITION_OUT,
        occurred_at=at,
    )
    fields = {key: names.replace_names(value, game, key) for key, value in line.fields.items()}
    for key in fields:
        final.ClearField(key.replace("-", "_"))  # type: ignore[arg-type] # the next line reports an unknown field
    fill(final, fields, Board())
    return final


def seats(pairing: pairing_events.Pairing) -> tuple[str, ...]:
    """Return the players at a table, in the order of turns if the pairing has it."""
    return seats_of(pairing)
