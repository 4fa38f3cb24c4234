"""Opening a duplicate game with its halls (FISC II.1). Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from faristol.duplicate_game.game import Duplicate
from faristol.duplicate_game.hall import Hall
from faristol.duplicate_game.ownership import hand_over_slips
from faristol.duplicate_game.preparation import NOTHING_PREPARED, Prepared, duplicate_id, embargo_said
from faristol.duplicate_game.situation import GAME_STREAM_NUMBER, StreamEvent
from faristol.kernel.bounded import split_batches
from faristol.kernel.pins import Pin
from faristol.kernel.times import Instant, timestamp
from faristol.pb.game.v1 import duplicate_events_pb2 as events
from faristol.rules import commitment, derive_seed, salt_seed

MAX_EVENT_SEATS = 1000
"""Players in one event, which has room for this number with ids of any length."""


@dataclass(frozen=True, slots=True)
class Cells:
    """The hall cells of a tournament."""

    keys: Mapping[str, bytes] = field(default_factory=dict)
    """Public keys by the names of their halls."""
    salt: bytes = b""
    """Salt of the draws (``HallJoined.draw_salt``); empty if no cell has ever joined."""


NO_CELLS = Cells()


def open_duplicate(
    tournament_id: str,
    round_: int,
    seed: bytes,
    pins: tuple[Pin, Pin],
    halls: Mapping[str, Sequence[str]],
    at: Instant,
    prepared: Prepared = NOTHING_PREPARED,
    before: Duplicate | None = None,
    cells: Cells = NO_CELLS,
) -> list[StreamEvent]:
    """Return all events of the start of a game; ``halls`` are the players of each in the order of their numbers.

    The seed is derived from that of the tournament and the id of the game, so it cannot be chosen. ``pins`` are the
    rules and the lexicon. A game ``prepared`` with other pins is void from the first turn on. ``before`` is the game of
    the previous round: its names for calling remain in use. The slips of halls with ``cells`` are handed over to them.
    """
    game_id = duplicate_id(tournament_id, round_)
    own = derive_game_seed(seed, cells.salt, game_id)
    of_halls = [
        events.DuplicateHall(number=number, name=name, players=len(players))
        for number, (name, players) in enumerate(halls.items(), start=1)
    ]
    ruleset, lexicon = pins
    opened = events.DuplicateOpened(
        game_id=game_id,
        tournament_id=tournament_id,
        round=round_,
        ruleset=ruleset.message(),
        lexicon=lexicon.message(),
        seed=b"" if cells.salt else own,
        commitment=commitment(own, game_id),
        halls=of_halls,
        seal=prepared.seal,
        embargo=embargo_said(prepared.embargo) if prepared.embargo is not None else None,
        occurred_at=timestamp(at),
    )
    new_events: list[StreamEvent] = [(GAME_STREAM_NUMBER, opened)]
    if prepared.seal is not None and (prepared.ruleset, prepared.lexicon) != pins:
        void = events.SealVoided(from_turn=1, cause=events.SEAL_VOID_RULES, occurred_at=timestamp(at))
        new_events.append((GAME_STREAM_NUMBER, void))
    if before is not None and (before.call_names or before.call_numbers):
        names = [events.CallName(face=face, name=name) for face, name in sorted(before.call_names.items())]
        names_set = events.CallNamesSet(names=names, numbers=before.call_numbers, occurred_at=timestamp(at))
        new_events.append((GAME_STREAM_NUMBER, names_set))
    number = 0
    for hall, players in zip(of_halls, halls.values(), strict=True):
        for part in _parts(players):
            seats = [
                events.DuplicateSeat(player_id=player, number=number + place + 1) for place, player in enumerate(part)
            ]
            number += len(part)
            new_events.append(
                (hall.number, events.HallSeated(game_id=game_id, hall=hall, seats=seats, occurred_at=timestamp(at)))
            )
        if key := cells.keys.get(hall.name):
            new_events += [(hall.number, event) for event in hand_over_slips(Hall(name=hall.name), key, at)]
    return new_events


def derive_game_seed(seed: bytes, salt: bytes, game_id: str) -> bytes:
    """Return the seed of a game from that of its tournament, and from the salt that no hall gets if there is one."""
    return derive_seed(salt_seed(seed, salt), game_id)


def _parts(players: Sequence[str]) -> list[Sequence[str]]:
    """Split players into parts that fit into an event; an empty hall has one part."""
    return [*split_batches(players, MAX_EVENT_SEATS)] or [()]
