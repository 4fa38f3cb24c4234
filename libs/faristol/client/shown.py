"""The models of a results app over HTTP, as ``faristol.client.results`` returns them.

Each class declares the fields that most apps need. Further fields of an answer are available too, and new fields may be
added at any time. ``/docs`` of a gateway describes all of them.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict


class Shown(BaseModel):
    """A part of an answer: immutable, with further fields beside the declared ones."""

    model_config = ConfigDict(extra="allow", frozen=True)


class Round(Shown):
    """A round of a tournament, in short."""

    round: int
    phase: Literal["paired", "started", "closed"]
    tables: int
    finished: int


class Tournament(Shown):
    """A tournament, in short."""

    tournament_id: str
    name: str
    rounds: int
    players: int
    played: list[Round]
    over: bool
    division: str
    time_zone: str
    place: str
    country: str
    starts_on: str
    """The first day, such as ``2026-11-28``; empty if unknown."""
    ends_on: str
    organiser: str
    contact: str
    link: str
    arbiters: list[str]
    """Names of the arbiters, the chief arbiter first."""


class Player(Shown):
    """A player of a tournament. The name of an erased player is empty, here and everywhere."""

    player_id: str
    name: str
    club: str
    country: str
    rating: int
    new_rating: int | None
    team_id: str
    category: str


class Standing(Shown):
    """A player's line in the standings."""

    rank: int
    player_id: str
    name: str
    points: float
    wins: int
    draws: int
    losses: int
    spread: int
    total: int
    tie_breaks: dict[str, float]


class Seat(Shown):
    """A player at a table, with the score so far; None for a forfeit without points."""

    player_id: str
    name: str
    score: int | None


class Table(Shown):
    """A table of a round."""

    table: int
    hall: str
    game_id: str
    seats: list[Seat]
    turns: int
    final: bool
    winner_id: str
    first_player_id: str


class GameLine(Table):
    """A game in the list of a tournament."""

    round: int
    state: Literal["paired", "playing", "postponed", "final"]


class Pairings(Shown):
    """The tables of a round, up to a position of the record."""

    position: int
    round: int
    phase: Literal["paired", "started", "closed"]
    tables: list[Table]
    bye: Seat | None


class Entry(Shown):
    """A line of a scoresheet."""

    kind: str
    turn: int
    player_id: str
    coordinates: str
    score: int
    total: int
    bingo: bool
    complete: bool


class Game(Shown):
    """A game: its seats and its scoresheet, up to a position of the record."""

    position: int
    game_id: str
    tournament_id: str
    round: int
    table: int
    seats: list[Seat]
    entries: list[Entry]
    turn_player_id: str
    final: bool
    winner_id: str


class PlayerGame(Shown):
    """A game of a player; ``outcome`` is the player's."""

    game_id: str
    round: int
    phase: Literal["paired", "started", "closed"]
    table: Table
    outcome: str | None


class PlayerTournament(Shown):
    """The past and coming games of a player in a tournament."""

    tournament: Tournament
    player: Player
    standing: Standing | None
    games: list[PlayerGame]


class Person(Shown):
    """A player found by name or club, with the number of their tournaments."""

    player_id: str
    name: str
    club: str
    country: str
    tournaments: int


class HeldRack(Shown):
    """The rack of a player in a turn; a blank is ``?``."""

    turn: int
    player_id: str
    faces: list[str]


class News(Shown):
    """A notification of an event. The state at ``position`` or later includes it."""

    position: int
    type: str
    tournament_id: str
    game_id: str
    round: int
    table: int
    recorded_at: datetime
