"""A tournament: its players, its rounds, and what its tables came to. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import Enum
from itertools import chain, count
from types import MappingProxyType
from typing import Any

from faristol.kernel.pins import UNPINNED, Pin
from faristol.pairing.model.player import Player
from faristol.pairing.model.team import BoardBye, Team, TeamMatch
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.rules import Bye
from faristol.rules.standings import SpreadAdjustment


def stream(tournament_id: str) -> str:
    """The stream of a tournament."""
    return f"tournament-{tournament_id}"


def game_id(
    tournament_id: str, round_number: int, table: int, player_ids: Sequence[str], unpaired: Mapping[str, Sequence[str]]
) -> str:
    """The id of the game of these players at a table, the same whenever the tournament is run again.

    ``unpaired`` are games whose pairing was taken back, with their players: who are paired there again have their id
    again, and others another one, with a number behind it.
    """
    first = f"{tournament_id}-r{round_number}-t{table}"
    ids = chain([first], (f"{first}-{again}" for again in count(2)))
    return next(each for each in ids if tuple(unpaired.get(each, player_ids)) == tuple(player_ids))


NEVER = datetime.min.replace(tzinfo=UTC)
"""Before anything."""


class Phase(Enum):
    """Where a round stands."""

    PAIRED = "paired"
    STARTED = "started"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class Hall:
    """A hall and the numbers of its tables, the last one among them."""

    name: str
    first_table: int
    last_table: int

    def __contains__(self, table: int) -> bool:
        return table in self.tables

    @property
    def tables(self) -> range:
        """The numbers of its tables."""
        return range(self.first_table, self.last_table + 1)

    @classmethod
    def of(cls, hall: events.Hall) -> Hall:
        """The hall that a fact holds."""
        return cls(hall.name, hall.first_table, hall.last_table)

    def message(self) -> events.Hall:
        """As the contract has it."""
        return events.Hall(name=self.name, first_table=self.first_table, last_table=self.last_table)


@dataclass(frozen=True, slots=True)
class Pairing:
    """The players of a table: two, the higher-ranked one first, or more in the order of their turns."""

    table: int
    game_id: str
    player_ids: tuple[str, ...]
    hall: str = ""
    """The hall of the table; empty where a tournament has none."""
    match: int = 0
    """The match between two teams that it is a board of, by its number in the round; 0 where there are no teams."""
    board: int = 0
    """The board of that match, from 1."""

    @property
    def pair(self) -> tuple[str, str]:
        """The players of a table of two."""
        first, second = self.player_ids
        return first, second

    @classmethod
    def of(cls, pairing: events.Pairing) -> Pairing:
        """The pairing that a fact holds."""
        seated = tuple(pairing.player_ids) or (pairing.first_player_id, pairing.second_player_id)
        return cls(pairing.table, pairing.game_id, seated, pairing.hall, pairing.match, pairing.board)

    def message(self) -> events.Pairing:
        """As the contract has it."""
        first, second, *others = self.player_ids
        return events.Pairing(
            table=self.table,
            game_id=self.game_id,
            first_player_id=first,
            second_player_id=second,
            player_ids=self.player_ids if others else (),
            hall=self.hall,
            match=self.match,
            board=self.board,
        )


@dataclass(frozen=True, slots=True)
class Decided:
    """How a table was decided, beside its scores."""

    winner_id: str = ""
    """Empty for a draw, when all lost, and in facts from before this was said: then the higher score wins."""
    lost_by_all: bool = False
    revision: int = 0
    """How often the result had been opened again."""
    condition: game_events.EndCondition.ValueType = game_events.END_CONDITION_UNSPECIFIED
    """What ended the game; not said in facts from before this was."""
    losers: tuple[str, ...] = ()
    """Who left, or lost by decision."""
    unplayed: bool = False
    """Decided before any turn was over."""

    @classmethod
    def by(cls, fact: game_events.ResultFinal | events.ResultRecorded) -> Decided:
        """What a fact says about it."""
        return cls(
            winner_id=fact.winner_id,
            lost_by_all=fact.lost_by_all,
            revision=fact.revision,
            condition=fact.condition,
            losers=tuple(fact.loser_ids),
            unplayed=fact.unplayed,
        )

    def fields(self) -> dict[str, Any]:
        """The same as fields of a fact."""
        return {
            "winner_id": self.winner_id,
            "lost_by_all": self.lost_by_all,
            "condition": self.condition,
            "loser_ids": self.losers,
            "unplayed": self.unplayed,
        }

    def corrected(self, fact: events.ResultCorrected) -> Decided:
        """What holds after a correction."""
        after = replace(self, winner_id=fact.winner_id, lost_by_all=fact.lost_by_all)
        if not fact.HasField("unplayed"):
            return after
        return replace(after, condition=fact.condition, losers=tuple(fact.loser_ids), unplayed=fact.unplayed)


class AppealPhase(Enum):
    """Where an appeal stands."""

    OPEN = "open"
    UPHELD = "upheld"
    DISMISSED = "dismissed"
    WITHDRAWN = "withdrawn"
    """Taken back before it was decided on."""


@dataclass(frozen=True, slots=True)
class Appeal:
    """An appeal against an act of the tournament."""

    player_id: str
    """Who appealed."""
    version: int
    """Of the tournament's stream, that the act made."""
    members: tuple[events.TribunalMember, ...]
    """Who sits."""
    involved: tuple[str, ...]
    """The players involved in the dispute, who appealed among them."""
    phase: AppealPhase = AppealPhase.OPEN


@dataclass(frozen=True, slots=True)
class DataRequest:
    """A request of a player for correction or erasure of their data."""

    player_id: str
    kind: events.DataRequestKind.ValueType
    waits: bool = True
    """It is not answered yet."""


@dataclass(frozen=True, slots=True)
class GameSanction:
    """A sanction that stands and changes the result of a game."""

    version: int = field(compare=False)
    """Of the tournament's stream, that it made."""
    player_id: str
    kind: events.SanctionKind.ValueType
    points: int
    arbiter_id: str
    beside_result: bool = False
    """Its points come off the spread and the total."""


@dataclass(frozen=True, slots=True)
class Unsanctioned:
    """The result of a game without what sanctions took."""

    scores: tuple[int, ...]
    """In the order of the pairing."""
    decided: Decided

    def give_back(self, pairing: Pairing, player_id: str, points: int) -> Unsanctioned:
        """The result with ``points`` more for a player: the highest score wins, unless the game was lost otherwise."""
        players = pairing.player_ids
        scores = tuple(
            score + points if each == player_id else score for each, score in zip(players, self.scores, strict=True)
        )
        decided = self.decided
        if decided.losers or decided.lost_by_all or decided.unplayed:
            return Unsanctioned(scores, decided)
        best = [each for each, score in zip(players, scores, strict=True) if score == max(scores)]
        return Unsanctioned(scores, replace(decided, winner_id=best[0] if len(best) == 1 else ""))


@dataclass(frozen=True, slots=True)
class ResultCheck:
    """Who confirms results that an official entered."""

    second_person: bool = False
    players: bool = False
    blind: bool = False
    """The second person types it anew, without seeing the first."""

    @property
    def wanted(self) -> bool:
        """Somebody does."""
        return self.second_person or self.players


@dataclass(frozen=True, slots=True)
class Following:
    """A fact after which comes the result that a game comes to by its sanctions; the empty one is none."""

    game_id: str = ""
    at: datetime = NEVER


@dataclass(frozen=True, slots=True)
class Round:
    """A round, from its pairing on."""

    number: int
    phase: Phase
    pairings: tuple[Pairing, ...]
    bye: str | None = None
    """Whom the pairing left without an opponent."""
    requested: Mapping[str, Bye] = field(default_factory=lambda: MappingProxyType({}))
    """Who else sits the round out, by player."""
    matches: tuple[TeamMatch, ...] = ()
    """Which teams meet; none where there are no teams."""
    board_byes: Mapping[str, BoardBye] = field(default_factory=lambda: MappingProxyType({}))
    """Where those of ``requested`` would sit who are of a team, by player."""
    team_bye: str | None = None
    """The team that the pairing left without an opponent."""
    team_byes: Mapping[str, Bye] = field(default_factory=lambda: MappingProxyType({}))
    """Which teams else sit the round out, by team."""
    half_points: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    """Points times two of the round where they are not those of a win, a draw, a loss or a bye, by player."""
    results: Mapping[str, tuple[int, ...]] = field(default_factory=lambda: MappingProxyType({}))
    """Scores of each finished game, in the order of its pairing, by game id."""
    decided: Mapping[str, Decided] = field(default_factory=lambda: MappingProxyType({}))
    """How each of those was decided."""
    game_sanctions: Mapping[str, tuple[GameSanction, ...]] = field(default_factory=lambda: MappingProxyType({}))
    """Sanctions that stand on a game and change its result, in the order in which they were imposed, by game id."""
    unsanctioned: Mapping[str, Unsanctioned] = field(default_factory=lambda: MappingProxyType({}))
    """The last result of each of those games without them."""
    at_table: Mapping[str, tuple[GameSanction, ...]] = field(default_factory=lambda: MappingProxyType({}))
    """Points that arbiters took off at tables, and that no fact of the tournament takes off yet, by game id."""
    given_back: Mapping[str, tuple[tuple[str, int], ...]] = field(default_factory=lambda: MappingProxyType({}))
    """Players and points of those that were lifted, and that what the table reports is still without, by game id."""
    postponed: frozenset[str] = frozenset()
    """Games that are played later and have not been started."""
    entered: frozenset[str] = frozenset()
    """Games of which an arbiter entered the result, and not their tables."""
    entered_by: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """Who entered or corrected the results that stand and did not come from their tables, by game id."""
    confirmed_by: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    """Who confirmed those, by game id."""
    disputed: frozenset[str] = frozenset()
    """Games of which somebody said last that the result is wrong."""
    algorithm: str = ""
    """Name and version of the way in which it was paired."""
    adjustments: tuple[SpreadAdjustment, ...] = ()
    """Points of the spread that come from no game of it alone: one for each player, and one for what sanctions took."""
    corrected_rulings: frozenset[tuple[str, int]] = frozenset()
    """Games and turns of which the ruling was put right afterwards."""

    @property
    def seated(self) -> frozenset[str]:
        """The players who have a table in the round, and the one whom the pairing left without an opponent."""
        at_tables = {player_id for pairing in self.pairings for player_id in pairing.player_ids}
        return frozenset(at_tables | ({self.bye} if self.bye else set()))

    def is_unconfirmed(self, pairing: Pairing) -> bool:
        """A result of a table was entered, and nobody else has confirmed it: no other official, and not all players."""
        game = pairing.game_id
        if not self.entered_by.get(game):
            return False
        confirmed = set(self.confirmed_by.get(game, ()))
        return game in self.disputed or not (
            confirmed - set(pairing.player_ids) or confirmed >= set(pairing.player_ids)
        )

    def without_sanctions(self, game: str) -> Unsanctioned:
        """The result of a game that has one, without what sanctions took."""
        return self.unsanctioned.get(game) or Unsanctioned(self.results[game], self.decided[game])

    @property
    def player_ids(self) -> frozenset[str]:
        """Everybody who was there when it was paired: at a table, without an opponent, or sitting it out."""
        seated = frozenset(player_id for pairing in self.pairings for player_id in pairing.player_ids)
        return seated | self.requested.keys() | ({self.bye} if self.bye else set())

    @property
    def team_ids(self) -> frozenset[str]:
        """Every team that was there when it was paired: in a match, without an opponent, or sitting it out."""
        met = frozenset(team_id for match in self.matches for team_id in match.team_ids)
        return met | self.team_byes.keys() | ({self.team_bye} if self.team_bye else set())

    def running_game(self, player_id: str) -> str:
        """The id of the game that a player is playing, empty when there is none."""
        return next((pairing.game_id for pairing in self.running if player_id in pairing.player_ids), "")

    @property
    def missing(self) -> tuple[Pairing, ...]:
        """The tables without a result."""
        return tuple(pairing for pairing in self.pairings if pairing.game_id not in self.results)

    @property
    def running(self) -> tuple[Pairing, ...]:
        """The tables that are being played at."""
        begun = self.missing if self.phase is Phase.STARTED else ()
        return tuple(pairing for pairing in begun if pairing.game_id not in self.postponed)


@dataclass(frozen=True, slots=True)
class Tournament:
    """A tournament. The empty one, ``Tournament()``, is one that does not exist yet."""

    tournament_id: str = ""
    name: str = ""
    rounds: int = 0
    time_zone: str = "UTC"
    """Of its halls, by its IANA name."""
    seed: bytes = b""
    created_at: datetime = NEVER
    latest: datetime = NEVER
    """The latest moment that a fact of this tournament speaks of."""
    ruleset: Pin = UNPINNED
    lexicon: Pin = UNPINNED
    players: tuple[Player, ...] = ()
    """In the order of registration."""
    teams: tuple[Team, ...] = ()
    """In the order of registration; none where players play each for themselves."""
    played: tuple[Round, ...] = ()
    """The rounds paired so far."""
    unpaired: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}), compare=False)
    """Games whose pairing was taken back, by their ids, with their players."""
    forbidden: frozenset[frozenset[str]] = frozenset()
    """Pairs of players, or of teams, who are kept apart."""
    kept: Mapping[int, tuple[tuple[str, str], ...]] = field(default_factory=lambda: MappingProxyType({}))
    """Pairs of players, or of teams, made by hand, by round."""
    halls: tuple[Hall, ...] = ()
    """None where tables are numbered from 1."""
    top_tables: int = 0
    """How many of the first pairings sit at the first tables."""
    announced: tuple[events.RoundTime, ...] = ()
    """When rounds are to begin, in their order."""
    place: str = ""
    """Where it is played; this and what follows is empty where it is not said."""
    country: str = ""
    starts_on: str = ""
    """The first day, as ``2026-11-28``."""
    ends_on: str = ""
    organiser: str = ""
    link: str = ""
    archived: bool = False
    """It is left out of the list of tournaments."""
    removed: bool = False
    """It was taken away before anything was played."""
    division: str = ""
    """The division of a championship that it is; empty where it is none."""
    division_of: str = ""
    """The tournament that is the first division of that championship; empty for that one itself."""
    divisions: tuple[events.Division, ...] = ()
    """In the first division: all of the championship, itself among them, in the order in which they were added."""
    tribunal: tuple[events.TribunalMember, ...] = ()
    """Who is appointed to decide on appeals."""
    appeals: tuple[Appeal, ...] = ()
    """In the order of their numbers, which count from 1."""
    data_requests: tuple[DataRequest, ...] = ()
    """In the order of their numbers, which count from 1."""
    result_check: ResultCheck = ResultCheck()
    """Who confirms results that an official entered."""
    noted_at_tables: frozenset[tuple[str, int]] = frozenset()
    """Games, and versions of their streams that a sanction made, of the sanctions at tables that are noted."""
    over: bool = False
    version: int = field(default=0, compare=False)
    """How many facts it has come from."""
    following: Following = Following()
    """Of which the next correction is what a game comes to by its sanctions, not another result of it."""

    @property
    def exists(self) -> bool:
        """It was created."""
        return bool(self.tournament_id)

    @property
    def first_division(self) -> str:
        """The id of the tournament that knows all divisions of the championship; its own where there are none."""
        return self.division_of or self.tournament_id

    def player(self, player_id: str) -> Player | None:
        """The player of that id, if registered."""
        return next((player for player in self.players if player.player_id == player_id), None)

    @property
    def entries(self) -> tuple[Player, ...]:
        """Who is paired with each other: the teams where there are some, as players, else the players."""
        return tuple(team.entry for team in self.teams) or self.players

    def team(self, team_id: str) -> Team | None:
        """The team of that id, if registered."""
        return next((team for team in self.teams if team.team_id == team_id), None)

    def team_of(self, player_id: str) -> Team | None:
        """The team that a player is in; none while they are in no line-up of a team that takes part or took part."""
        return next((team for team in self.teams if player_id in team.line_up and not team.entry.never_came), None)

    def to_pair(self, number: int) -> tuple[Player, ...]:
        """Who can be paired in a round, in the order of registration."""
        return tuple(player for player in self.players if player.takes_part(number) and number not in player.byes)

    def kept_pairs(self, number: int) -> tuple[tuple[str, str], ...]:
        """The pairs made by hand for a round of which both are there to be paired."""
        there = {player.player_id for player in self.to_pair(number)}
        return tuple(pair for pair in self.kept.get(number, ()) if there.issuperset(pair))

    @property
    def open_round(self) -> Round | None:
        """The round that is paired and not closed."""
        return self.played[-1] if self.played and self.played[-1].phase is not Phase.CLOSED else None

    @property
    def next_to_start(self) -> int:
        """The round that starts next, paired already or not; one more than there are after the last."""
        paired = self.open_round is not None and self.open_round.phase is Phase.PAIRED
        return len(self.played) + (0 if paired else 1)

    def gave_up(self, pairing: Pairing) -> tuple[str, ...]:
        """Who of a table gave its game up by withdrawing, and is not back."""
        gone = {player.player_id for player in self.players if player.gave_up == pairing.game_id}
        return tuple(player_id for player_id in pairing.player_ids if player_id in gone)

    def find_game(self, wanted: str) -> tuple[Round, Pairing] | None:
        """The round and the table of a game, if it was paired."""
        for played in self.played:
            for pairing in played.pairings:
                if pairing.game_id == wanted:
                    return played, pairing
        return None
