"""Who plays, when, and by which lots: everything about a demonstration that follows from its seed."""

from __future__ import annotations

import hashlib
import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property

ROUND_EVERY = timedelta(minutes=90)
"""Longer than a game can take: two clocks run out, and ten minutes over."""

_NAMESPACE = uuid.UUID("5c7d8a8e-8f4e-5c1c-9d0e-7a1f5d0c6b11")

_GIVEN = (
    "Aina",
    "Bernat",
    "Carme",
    "Dídac",
    "Elisenda",
    "Ferran",
    "Gemma",
    "Hug",
    "Isona",
    "Jordi",
    "Laia",
    "Martí",
    "Neus",
    "Oriol",
    "Pilar",
    "Queralt",
    "Roger",
    "Sílvia",
    "Tomàs",
    "Xènia",
)
_FAMILY = (
    "Amengual",
    "Bosch",
    "Casals",
    "Domènech",
    "Espriu",
    "Ferrer",
    "Garriga",
    "Herrero",
    "Iglésias",
    "Jofre",
    "Llull",
    "Marquès",
    "Noguera",
    "Oliver",
    "Puig",
    "Quintana",
    "Ribes",
    "Serra",
    "Torrent",
    "Vidal",
)


@dataclass(frozen=True, slots=True)
class Entrant:
    """A player of the demonstration."""

    player_id: str
    name: str
    rating: int


@dataclass(frozen=True)
class Plan:
    """A demonstration. Two with the same values end in the same standings."""

    players: int
    rounds: int
    seed: int
    ruleset: str

    @property
    def tournament_id(self) -> str:
        """An id that says which demonstration it is."""
        seed = str(self.seed).replace("-", "n")
        return f"demo-{self.ruleset}-{self.players}-{self.rounds}-{seed}"[:40].rstrip("-")

    @property
    def title(self) -> str:
        """Name of the tournament."""
        return f"Faristol demonstration, seed {self.seed}"

    @property
    def secret(self) -> bytes:
        """The 32 bytes that the tournament's draws follow from."""
        return hashlib.sha256(f"faristol demonstration {self.seed}".encode()).digest()

    @cached_property
    def entrants(self) -> tuple[Entrant, ...]:
        """The players, with ratings between 850 and 1449. Their ids say nothing of their names, which can be erased."""
        return tuple(self._entrant(number) for number in range(self.players))

    def _entrant(self, number: int) -> Entrant:
        given = _GIVEN[number % len(_GIVEN)]
        family = _FAMILY[(number + number // len(_GIVEN)) % len(_FAMILY)]
        return Entrant(f"player-{number + 1:03}", f"{given} {family}", 850 + self.lot("rating", number) % 600)

    def lot(self, *what: object) -> int:
        """A number below 2**64 that depends on the seed and on what is drawn for, and on nothing else."""
        text = "/".join(str(part) for part in (self.seed, *what))
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")

    def command_id(self, *what: object) -> str:
        """The id of a command: a demonstration that goes on after a crash sends the same command again."""
        return str(uuid.uuid5(_NAMESPACE, "/".join(str(part) for part in (self.tournament_id, self.seed, *what))))

    def round_start(self, number: int, now: datetime) -> datetime:
        """When a round begins: on a morning so long ago that the last round is over by ``now``.

        Games are played in minutes of their own, and nothing may be dated ahead of the services' clocks.
        """
        last_day = now - self.rounds * ROUND_EVERY - timedelta(days=1)
        return last_day.replace(hour=9, minute=0, second=0, microsecond=0) + (number - 1) * ROUND_EVERY

    def round_end(self, number: int, now: datetime) -> datetime:
        """When a round is closed: every game is over, and the next one has not begun."""
        return self.round_start(number + 1, now) - timedelta(minutes=1)
