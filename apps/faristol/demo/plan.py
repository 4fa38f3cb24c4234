"""The plan of a demonstration: players, times and lots, derived from its seed."""

from __future__ import annotations

import hashlib
import uuid
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property

from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.pairing.v1 import events_pb2 as pairing_events
from faristol.pb.pairing.v1 import pairing_pb2
from faristol.rules.ruleset.file import load_ruleset
from faristol.rules.ruleset.options import Option, format_value
from faristol.rules.ruleset.ruleset import Ruleset
from faristol.rules.ruleset.with_options import list_unsettled, with_options

ROUND_EVERY = timedelta(hours=6)
"""Interval of rounds if a game's time is unlimited: players think for three minutes at most."""
CLOSING = timedelta(minutes=20)
"""Time of a round in addition to the clocks of a game: rulings, signatures."""

DEFAULTS = {"minutes": "25"}
"""Values of options that a rule book leaves to the organiser without a default (UF 17, 20)."""

_NAMESPACE = uuid.UUID("5c7d8a8e-8f4e-5c1c-9d0e-7a1f5d0c6b11")

_GIVEN_NAMES = (
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


_CLUBS = (
    ("Club Sant Jordi", "ESP"),
    ("Club de les Lletres", "ESP"),
    ("Cercle d’Andorra", "AND"),
    ("Club Rosselló", "FRA"),
    ("Club de l’Alguer", "ITA"),
    ("Όμιλος Αθηνών", "GRE"),
)
"""Clubs of the players, with their countries."""
TABLE_HALL_NAMES = ("Sala Gran", "Sala Petita")


@dataclass(frozen=True, slots=True)
class Entrant:
    """A player of the demonstration."""

    player_id: str
    name: str
    rating: int
    club: str = ""
    country: str = ""


@dataclass(frozen=True)
class Plan:
    """The plan of a demonstration. Equal plans lead to equal standings."""

    players: int
    rounds: int
    seed: int
    ruleset: str
    options: tuple[tuple[str, str], ...] = ()
    """The chosen options of the ruleset, by name."""
    pace: float = 0.0
    """Speed of time: 0 dates commands in the past, 1 sends each at its time, 10 waits for a tenth of the time."""

    @cached_property
    def rules(self) -> Ruleset:
        """The rules with the chosen options, and with ``DEFAULTS`` for other required ones.

        Raises ``LookupError`` if the ruleset is unknown. Raises ``Refusal`` if an option is unknown or options clash.
        """
        chosen = with_options(load_ruleset(self.ruleset), dict(self.options))
        needed: list[Option] = [option for option in list_unsettled(chosen) if option.name in DEFAULTS]
        return with_options(chosen, {option.name: DEFAULTS[option.name] for option in needed}) if needed else chosen

    @property
    def tournament_id(self) -> str:
        """An id that identifies the plan."""
        seed = str(self.seed).replace("-", "n")
        name = f"demo-{self.ruleset}-{self.players}-{self.rounds}-{seed}"
        if self.options:
            chosen = hashlib.sha256(repr(sorted(self.options)).encode()).hexdigest()[:6]
            return f"{name[:33].rstrip('-')}-{chosen}"
        return name[:40].rstrip("-")

    @property
    def title(self) -> str:
        """Name of the tournament."""
        return f"Open Faristol {self.seed}" if self.pace else f"Faristol demonstration, seed {self.seed}"

    @property
    def halls_of_tables(self) -> tuple[pairing_events.Hall, ...]:
        """Two halls, each for half of the tables; without a pace none."""
        if not self.pace:
            return ()
        tables = self.players // 2
        half = (tables + 1) // 2
        return (
            pairing_events.Hall(name=TABLE_HALL_NAMES[0], first_table=1, last_table=half),
            pairing_events.Hall(name=TABLE_HALL_NAMES[1], first_table=half + 1, last_table=max(tables, half + 1)),
        )

    @property
    def secret(self) -> bytes:
        """The seed of the tournament's draws, 32 bytes."""
        return hashlib.sha256(f"faristol demonstration {self.seed}".encode()).digest()

    def creation(self, lexicon: str) -> pairing_pb2.CreateTournamentRequest:
        """Build the command that creates the tournament with a lexicon."""
        chosen = self.rules.chosen.items()
        return pairing_pb2.CreateTournamentRequest(
            name=self.title,
            rounds=self.rounds,
            ruleset=self.ruleset,
            lexicon=lexicon,
            options=[game_events.ChosenOption(name=name, value=format_value(value)) for name, value in chosen],
            seed=self.secret,
        )

    @cached_property
    def entrants(self) -> tuple[Entrant, ...]:
        """The players, with ratings from 850 to 1449. Ids do not reveal names, which can be erased."""
        return tuple(self._entrant(number) for number in range(self.players))

    def _entrant(self, number: int) -> Entrant:
        given = _GIVEN_NAMES[number % len(_GIVEN_NAMES)]
        family = _FAMILY[(number + number // len(_GIVEN_NAMES)) % len(_FAMILY)]
        found = Entrant(f"player-{number + 1:03}", f"{given} {family}", 850 + self.lot("rating", number) % 600)
        if not self.pace:
            return found
        club, country = _CLUBS[self.lot("club", number) % len(_CLUBS)]
        return replace(found, club=club, country=country)

    def lot(self, *what: object) -> int:
        """Return a number below 2**64 that depends only on the seed and ``what``."""
        text = "/".join(str(part) for part in (self.seed, *what))
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")

    def command_id(self, *what: object) -> str:
        """Return the id of a command: after a crash, a demonstration sends the same command again."""
        return str(uuid.uuid5(_NAMESPACE, "/".join(str(part) for part in (self.tournament_id, self.seed, *what))))

    @cached_property
    def round_every(self) -> timedelta:
        """Interval of rounds, longer than any game: with limited overtime, both full clocks and ``CLOSING``."""
        clock = self.rules.clock
        if clock.minutes is None or clock.overtime_cap_minutes is None:
            return ROUND_EVERY
        return 2 * timedelta(minutes=clock.minutes + clock.overtime_cap_minutes) + CLOSING

    def round_start(self, number: int, now: datetime) -> datetime:
        """Return the start of a round, so early that the last round ends just before ``now``.

        Games run on separate clocks, and no event may be dated ahead of the services' clocks. With a pace a round
        starts at once.
        """
        if self.pace:
            return now
        first = now - self.rounds * self.round_every
        first = first.replace(minute=first.minute - first.minute % 5, second=0, microsecond=0)
        return first + (number - 1) * self.round_every

    def end_of(self, opening: datetime) -> datetime:
        """Return the time up to which a championship is dated whose first round began at ``opening``."""
        return opening + self.rounds * self.round_every

    def round_end(self, number: int, now: datetime) -> datetime:
        """Return the time at which a round is closed: after its last game and before the next round."""
        return self.round_start(number + 1, now) - timedelta(minutes=1)
