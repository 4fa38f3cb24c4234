"""The state of a tournament: players, rounds, pairings and results. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import Enum
from itertools import chain, count
from types import MappingProxyType
from typing import Any

from faristol.kernel.divisions import first_division_of
from faristol.kernel.likeness import like, read_shared_fields
from faristol.kernel.pairings import BYE_KINDS, REQUESTED_BYES, seats_of
from faristol.kernel.pins import UNPINNED, Pin
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.rules import Bye
from faristol.rules.standings import SpreadAdjustment
from faristol.tournament.state.player import PlayerState
from faristol.tournament.state.team import BoardBye, TeamMatch, TeamState


def stream(tournament_id: str) -> str:
    """Return the name of the stream of a tournament."""
    return f"tournament-{tournament_id}"


def game_id(
    tournament_id: str, round_number: int, table: int, player_ids: Sequence[str], unpaired: Mapping[str, Sequence[str]]
) -> str:
    """Return the id of the game of these players at a table; it is the same in every run of the tournament.

    ``unpaired`` has the players of games whose pairing was undone, by game id. The same players get the same id again;
    other players get an id with a numeric suffix.
    """
    first = f"{tournament_id}-r{round_number}-t{table}"
    ids = chain([first], (f"{first}-{again}" for again in count(2)))
    return next(each for each in ids if tuple(unpaired.get(each, player_ids)) == tuple(player_ids))


BEFORE_ALL_EVENTS = datetime.min.replace(tzinfo=UTC)
"""A moment before every event."""


class Phase(Enum):
    """The phase of a round. The value is that of the contract."""

    PAIRED = pb.ROUND_PHASE_PAIRED
    STARTED = pb.ROUND_PHASE_STARTED
    CLOSED = pb.ROUND_PHASE_CLOSED


@dataclass(frozen=True, slots=True)
class HallRange:
    """A hall with its range of table numbers, the last one included."""

    name: str
    first_table: int
    last_table: int
    row_tables: tuple[int, ...] = ()
    """Numbers of tables of the rows of its plan; the last one holds for all further rows. Empty without a plan."""
    rows_turn: bool = False
    """Whether every second row is numbered from right to left."""
    entrance: events.HallSide.ValueType = events.HALL_SIDE_UNSPECIFIED
    stage: events.HallSide.ValueType = events.HALL_SIDE_UNSPECIFIED

    def __contains__(self, table: int) -> bool:
        return table in self.tables

    @property
    def tables(self) -> range:
        """The table numbers of the hall."""
        return range(self.first_table, self.last_table + 1)

    @classmethod
    def of(cls, hall: events.Hall) -> HallRange:
        """Parse the hall of an event."""
        return cls(**read_shared_fields(hall, cls))

    def message(self) -> events.Hall:
        """Convert the hall to a message."""
        return like(events.Hall, self)


@dataclass(frozen=True, slots=True)
class Pairing:
    """The players of a table: two, the higher-ranked one first, or more in the order of their turns."""

    table: int
    game_id: str
    player_ids: tuple[str, ...]
    hall: str = ""
    """The hall of the table; empty without halls."""
    match: int = 0
    """Number in the round of the match between teams; 0 without teams."""
    board: int = 0
    """Number of the board in the match, from 1."""

    @property
    def pair(self) -> tuple[str, str]:
        """The players of a table of two."""
        first, second = self.player_ids
        return first, second

    @classmethod
    def of(cls, pairing: events.Pairing) -> Pairing:
        """Parse the pairing of an event."""
        return cls(pairing.table, pairing.game_id, seats_of(pairing), pairing.hall, pairing.match, pairing.board)

    def message(self) -> events.Pairing:
        """Convert the pairing to a message."""
        first, second, *others = self.player_ids
        players = self.player_ids if others else ()
        return like(events.Pairing, self, first_player_id=first, second_player_id=second, player_ids=players)


@dataclass(frozen=True, slots=True)
class GameDecision:
    """The decision of a game, apart from its scores."""

    winner_id: str = ""
    """Empty for a draw and if all players lost. Older events leave it empty: then the higher score wins."""
    lost_by_all: bool = False
    revision: int = 0
    """How many times the result was reopened."""
    condition: game_events.EndCondition.ValueType = game_events.END_CONDITION_UNSPECIFIED
    """The condition that ended the game; unspecified in older events."""
    losers: tuple[str, ...] = ()
    """Players who left the game or lost it by decision."""
    unplayed: bool = False
    """Whether the game was decided before its first turn was over."""

    @classmethod
    def by(cls, event: game_events.ResultFinal | events.ResultRecorded) -> GameDecision:
        """Read the decision of an event."""
        return cls(**read_shared_fields(event, cls), losers=tuple(event.loser_ids))

    def fields(self) -> dict[str, Any]:
        """Return the decision as fields of an event."""
        return {
            "winner_id": self.winner_id,
            "lost_by_all": self.lost_by_all,
            "condition": self.condition,
            "loser_ids": self.losers,
            "unplayed": self.unplayed,
        }

    def apply_correction(self, event: events.ResultCorrected) -> GameDecision:
        """Return the decision after a correction."""
        after = replace(self, winner_id=event.winner_id, lost_by_all=event.lost_by_all)
        if not event.HasField("unplayed"):
            return after
        return replace(after, condition=event.condition, losers=tuple(event.loser_ids), unplayed=event.unplayed)


class AppealPhase(Enum):
    """The phase of an appeal. The value is that of the contract."""

    OPEN = pb.APPEAL_PHASE_OPEN
    UPHELD = pb.APPEAL_PHASE_UPHELD
    DISMISSED = pb.APPEAL_PHASE_DISMISSED
    WITHDRAWN = pb.APPEAL_PHASE_WITHDRAWN
    """Withdrawn before its decision."""


@dataclass(frozen=True, slots=True)
class Appeal:
    """An appeal against an event of the tournament."""

    player_id: str
    """The player who appeals."""
    version: int
    """Version of the contested event in the tournament's stream."""
    members: tuple[events.TribunalMember, ...]
    """The members of the tribunal for this appeal."""
    involved: tuple[str, ...]
    """The players involved in the dispute, with the player who appeals."""
    phase: AppealPhase = AppealPhase.OPEN


@dataclass(frozen=True, slots=True)
class DataRequest:
    """A request of a player for correction or erasure of their data."""

    player_id: str
    kind: events.DataRequestKind.ValueType
    waits: bool = True
    """Whether the request is unanswered."""


@dataclass(frozen=True, slots=True)
class PlayerRequest:
    """A request of a player for a bye or a withdrawal."""

    player_id: str
    kind: events.PlayerRequestKind.ValueType
    round: int = 0
    """Round of a bye; 0 for a withdrawal."""
    waits: bool = True
    """Whether the request is unanswered."""
    granted: bool = False
    taken_back: bool = False


@dataclass(frozen=True, slots=True)
class ChangeProposal:
    """A change that a second official confirms."""

    proposed: events.ChangeProposed
    """The event of the proposal. The message must not be changed."""
    version: int = field(compare=False)
    """Version of its event in the tournament's stream."""
    waits: bool = True
    """Whether it is unanswered."""

    def repeats(self, other: events.ChangeProposed) -> bool:
        """Check whether another proposal of the same official is the same."""
        return (self.proposed.proposer_id, self.proposed.type, self.proposed.request) == (
            other.proposer_id,
            other.type,
            other.request,
        )


@dataclass(frozen=True, slots=True)
class PlayerActs:
    """The actions open to players from their own phones."""

    most_byes: int = 1
    """Most byes that a player may request, granted ones included."""
    bye_kind: events.ByeKind.ValueType = events.BYE_KIND_HALF_POINT
    leaving: events.LeavingOption.ValueType = events.LEAVING_OPTION_REQUEST
    check_in: bool = False
    """Whether players check in."""


Sanction = events.PlayerWarned | events.PlayerSanctioned | events.PlayerExpelled | events.TableSanctionNoted
"""Events that can be lifted, and appealed against."""


@dataclass(frozen=True, slots=True)
class GameSanction:
    """A sanction in force that changes the result of a game."""

    version: int = field(compare=False)
    """Version of its event in the tournament's stream."""
    player_id: str
    kind: events.SanctionKind.ValueType
    points: int
    arbiter_id: str
    beside_result: bool = False
    """Whether its points are deducted from the spread and the total instead of the result."""


@dataclass(frozen=True, slots=True)
class Unsanctioned:
    """The result of a game before sanctions."""

    scores: tuple[int, ...]
    """In the order of the pairing."""
    decided: GameDecision

    def give_back(self, pairing: Pairing, player_id: str, points: int) -> Unsanctioned:
        """Return the result with ``points`` more for a player.

        The highest score wins, unless players left the game, lost it by decision or did not play it.
        """
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
    """The rule by which results that an official entered are confirmed."""

    second_person: bool = False
    players: bool = False
    blind: bool = False
    """Whether the second person types the result without seeing the first entry."""
    players_enter: bool = False
    """Whether players enter the results of their games."""

    @property
    def wanted(self) -> bool:
        """Whether results are confirmed at all."""
        return self.second_person or self.players


@dataclass(frozen=True, slots=True)
class Following:
    """The event that a result after sanctions can follow; empty for none."""

    game_id: str = ""
    at: datetime = BEFORE_ALL_EVENTS


@dataclass(frozen=True, slots=True)
class RoundState:
    """A round, from its pairing on."""

    number: int
    phase: Phase
    pairings: tuple[Pairing, ...]
    bye: str | None = None
    """The player whom the pairing left without an opponent."""
    requested: Mapping[str, Bye] = field(default_factory=lambda: MappingProxyType({}))
    """Byes on request, by player."""
    matches: tuple[TeamMatch, ...] = ()
    """Matches between teams; empty without teams."""
    board_byes: Mapping[str, BoardBye] = field(default_factory=lambda: MappingProxyType({}))
    """The boards of the team players in ``requested``, by player."""
    team_bye: str | None = None
    """The team that the pairing left without an opponent."""
    team_byes: Mapping[str, Bye] = field(default_factory=lambda: MappingProxyType({}))
    """Byes on request, by team."""
    half_points: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    """Half points by player, if they are not those of a win, a draw, a loss or a bye."""
    results: Mapping[str, tuple[int, ...]] = field(default_factory=lambda: MappingProxyType({}))
    """Scores of finished games in the order of the pairing, by game id."""
    decided: Mapping[str, GameDecision] = field(default_factory=lambda: MappingProxyType({}))
    """Decisions of finished games, by game id."""
    game_sanctions: Mapping[str, tuple[GameSanction, ...]] = field(default_factory=lambda: MappingProxyType({}))
    """Sanctions in force that change the result of a game, in the order of imposition, by game id."""
    unsanctioned: Mapping[str, Unsanctioned] = field(default_factory=lambda: MappingProxyType({}))
    """The last result before sanctions of each game in ``game_sanctions``."""
    at_table: Mapping[str, tuple[GameSanction, ...]] = field(default_factory=lambda: MappingProxyType({}))
    """Points that arbiters deducted at tables, and that no event of the tournament deducts yet, by game id."""
    given_back: Mapping[str, tuple[tuple[str, int], ...]] = field(default_factory=lambda: MappingProxyType({}))
    """Players and points of lifted table sanctions that the result of the table still includes, by game id."""
    postponed: frozenset[str] = frozenset()
    """Games that are postponed and not started."""
    entered: frozenset[str] = frozenset()
    """Games whose result an arbiter entered instead of the table."""
    entered_by: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """The official or player who entered or corrected the current result, by game id; only for results not from tables.
    """
    confirmed_by: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    """The persons who confirmed those results, by game id."""
    disputed: frozenset[str] = frozenset()
    """Games whose result is disputed."""
    started_at: datetime | None = None
    """The time of its start; None before."""
    algorithm: str = ""
    """Name and version of the pairing algorithm."""
    changed_by_hand: bool = False
    """Whether officials changed the pairing before its publication."""
    seeds: tuple[str, ...] = ()
    """In the first round of a knock-out: its players in the order in which they are placed in the bracket."""
    adjustments: tuple[SpreadAdjustment, ...] = ()
    """Spread adjustments outside games: at most one per player, and one per player for sanctions."""
    corrected_rulings: frozenset[tuple[str, int]] = frozenset()
    """Games and turns whose ruling was corrected after the game."""

    @classmethod
    def of(cls, event: events.RoundPaired | events.RoundDrafted) -> RoundState:
        """Parse the pairing of an event, without the bye that a ``RoundPaired`` does not contain."""
        byes = event.requested_byes
        return cls(
            event.round,
            Phase.PAIRED,
            tuple(map(Pairing.of, event.pairings)),
            requested=MappingProxyType({bye.player_id: REQUESTED_BYES[bye.kind] for bye in byes}),
            matches=tuple(map(TeamMatch.of, event.matches)),
            board_byes=MappingProxyType(
                {bye.player_id: BoardBye(bye.team_id, bye.match, bye.board) for bye in byes if bye.team_id}
            ),
            team_bye=event.bye_team_id or None,
            team_byes=MappingProxyType({bye.team_id: REQUESTED_BYES[bye.kind] for bye in event.team_byes}),
            algorithm=event.algorithm,
            changed_by_hand=event.changed_by_hand,
            seeds=tuple(event.seeded_player_ids),
        )

    def message(self) -> events.RoundDrafted:
        """Convert the pairing with its byes to a message, without the inputs of its computation."""
        no_board = BoardBye()
        return events.RoundDrafted(
            round=self.number,
            pairings=[pairing.message() for pairing in self.pairings],
            algorithm=self.algorithm,
            requested_byes=[
                self.board_byes.get(player_id, no_board).to_requested_bye(player_id, BYE_KINDS[kind])
                for player_id, kind in self.requested.items()
            ],
            matches=[match.message() for match in self.matches],
            bye_team_id=self.team_bye or "",
            team_byes=[
                events.TeamBye(team_id=team_id, kind=BYE_KINDS[kind]) for team_id, kind in self.team_byes.items()
            ],
            bye_player_id=self.bye or "",
        )

    @property
    def seated(self) -> frozenset[str]:
        """The players at tables, and the player whom the pairing left without an opponent."""
        at_tables = {player_id for pairing in self.pairings for player_id in pairing.player_ids}
        return frozenset(at_tables | ({self.bye} if self.bye else set()))

    def is_unconfirmed(self, pairing: Pairing) -> bool:
        """Check whether the result of a table was entered and lacks a confirmation.

        A second official, or all players of the table, confirm it; a player who entered it has confirmed it. A
        disputed result is unconfirmed.
        """
        game = pairing.game_id
        by = self.entered_by.get(game)
        if not by:
            return False
        confirmed = {*self.confirmed_by.get(game, ()), *({by} & set(pairing.player_ids))}
        return game in self.disputed or not (
            confirmed - set(pairing.player_ids) or confirmed >= set(pairing.player_ids)
        )

    def without_sanctions(self, game: str) -> Unsanctioned:
        """Return the result of a finished game before sanctions."""
        return self.unsanctioned.get(game) or Unsanctioned(self.results[game], self.decided[game])

    @property
    def player_ids(self) -> frozenset[str]:
        """All players of the pairing: at a table, without an opponent, or with a bye on request."""
        seated = frozenset(player_id for pairing in self.pairings for player_id in pairing.player_ids)
        return seated | self.requested.keys() | ({self.bye} if self.bye else set())

    @property
    def team_ids(self) -> frozenset[str]:
        """All teams of the pairing: in a match, without an opponent, or with a bye on request."""
        met = frozenset(team_id for match in self.matches for team_id in match.team_ids)
        return met | self.team_byes.keys() | ({self.team_bye} if self.team_bye else set())

    def running_game(self, player_id: str) -> str:
        """Return the id of the player's running game, or an empty string."""
        return next((pairing.game_id for pairing in self.running if player_id in pairing.player_ids), "")

    @property
    def missing(self) -> tuple[Pairing, ...]:
        """The tables without a result."""
        return tuple(pairing for pairing in self.pairings if pairing.game_id not in self.results)

    @property
    def running(self) -> tuple[Pairing, ...]:
        """The tables with a running game."""
        begun = self.missing if self.phase is Phase.STARTED else ()
        return tuple(pairing for pairing in begun if pairing.game_id not in self.postponed)


@dataclass(frozen=True, slots=True)
class MessageState:
    """A message of officials."""

    hall: str
    """The hall that it names; empty for none."""
    expires_at: datetime
    is_private: bool
    """Whether only players and officials can read it."""
    withdrawn: bool = False


@dataclass(frozen=True, slots=True)
class Draft:
    """A paired round that is not published: only officials know it."""

    content: events.RoundDrafted
    """Its pairing, with all changes by hand. The message must not be changed."""
    publish_at: datetime | None = None
    """The time at which it is published; None if it is published by a command only."""
    outdated: bool = False
    """Whether the results or the rules by which it was paired have changed since."""

    @property
    def number(self) -> int:
        """Number of the round, from 1."""
        return self.content.round

    @property
    def played(self) -> RoundState:
        """The round as it is once the draft is published."""
        return replace(RoundState.of(self.content), bye=self.content.bye_player_id or None)


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage of a championship whose players qualify in earlier tournaments."""

    number: int
    """Number of the stage, from 2."""
    source_ids: tuple[str, ...]
    first_place: int
    """First place of each source that qualifies, from 1."""
    last_place: int
    by_rating: bool
    """Whether the places are those of the initial ranking."""
    groups: int
    """Number of groups into which the places are dealt; 0 without groups."""
    group: int
    """Number of the group, from 1; 0 without groups."""
    final_place: int
    """Best place of the final table that the players play for."""
    carry_over: events.CarryOver.ValueType = events.CARRY_OVER_UNSPECIFIED
    """The points and spreads of the sources that count in the stage."""

    @classmethod
    def of(cls, stage: events.Stage) -> Stage:
        """Parse the stage of an event."""
        return cls(**read_shared_fields(stage, cls))

    def message(self) -> events.Stage:
        """Convert the stage to a message."""
        return like(events.Stage, self)


@dataclass(frozen=True, slots=True)
class LicenceTerms:
    """The licence that a tournament requires of its players."""

    required: bool = False
    kind: str = ""
    """Kind of the licence; empty for any kind."""
    exceptions: frozenset[str] = frozenset()
    """Players who take part without it."""


@dataclass(frozen=True, slots=True)
class TournamentState:
    """The state of a tournament. ``Tournament()`` does not exist yet."""

    tournament_id: str = ""
    name: str = ""
    rounds: int = 0
    time_zone: str = "UTC"
    """IANA name of the time zone of the halls."""
    seed: bytes = b""
    created_at: datetime = BEFORE_ALL_EVENTS
    latest: datetime = BEFORE_ALL_EVENTS
    """The latest time of an event of the tournament."""
    ruleset: Pin = UNPINNED
    lexicon: Pin = UNPINNED
    players: tuple[PlayerState, ...] = ()
    """In the order of registration."""
    teams: tuple[TeamState, ...] = ()
    """In the order of registration; empty if players play individually."""
    played: tuple[RoundState, ...] = ()
    """The rounds paired so far, without a draft."""
    draft: Draft | None = None
    """The next round, if it is paired and not published."""
    publication: events.PairingPublication.ValueType = events.PAIRING_PUBLICATION_UNSPECIFIED
    """Whether a paired round is public at once, or a draft."""
    unpaired: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}), compare=False)
    """Players of games whose pairing was undone, by game id."""
    forbidden: frozenset[frozenset[str]] = frozenset()
    """Forbidden pairs of players or teams."""
    kept: Mapping[int, tuple[tuple[str, str], ...]] = field(default_factory=lambda: MappingProxyType({}))
    """Pairs of players or teams made by hand, by round."""
    halls: tuple[HallRange, ...] = ()
    """Halls; empty if tables are numbered from 1."""
    top_tables: int = 0
    """How many of the first pairings sit at the first tables."""
    announced: tuple[events.RoundTime, ...] = ()
    """Announced start times of rounds, in order."""
    place: str = ""
    """Place of the tournament; this and the following fields are empty if unknown."""
    country: str = ""
    starts_on: str = ""
    """The first day, such as ``2026-11-28``."""
    ends_on: str = ""
    organiser: str = ""
    link: str = ""
    archived: bool = False
    """Whether it is left out of the list of tournaments."""
    removed: bool = False
    """Whether it was removed before any round was started."""
    division: str = ""
    """Name of this division of a championship; empty if it is not a division."""
    division_of: str = ""
    """Id of the first division of the championship; empty for the first division itself."""
    divisions: tuple[events.Division, ...] = ()
    """In the first division: all divisions of the championship, itself included, in the order of addition."""
    stage: Stage | None = None
    """The stage of the championship that it is, if its players qualify in earlier ones."""
    tribunal: tuple[events.TribunalMember, ...] = ()
    """The appointed members of the tribunal of appeals."""
    appeals: tuple[Appeal, ...] = ()
    """By number, from 1."""
    data_requests: tuple[DataRequest, ...] = ()
    """By number, from 1."""
    player_requests: tuple[PlayerRequest, ...] = ()
    """By number, from 1."""
    check_in_round: int = 1
    """The round before which players check in."""
    player_acts: PlayerActs = PlayerActs()
    """The actions open to players from their own phones."""
    prize_lists: tuple[int, ...] = ()
    """Numbers of the prize lists, in their order."""
    most_prize_lists: int = 0
    """The highest number that a prize list has had."""
    result_check: ResultCheck = ResultCheck()
    """How results that an official entered are confirmed."""
    second_official: bool = False
    """Whether changes after a round was closed need a second official."""
    proposals: tuple[ChangeProposal, ...] = ()
    """By number, from 1."""
    licence: LicenceTerms = LicenceTerms()
    """The licence that players must have, and the exceptions."""
    messages: tuple[MessageState, ...] = ()
    """By number, from 1."""
    screens: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """Names of screens, by code."""
    pictures: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """Names of pictures for screens, by digest."""
    pictures_of_screens: Mapping[str, frozenset[str]] = field(default_factory=lambda: MappingProxyType({}))
    """Digests of the pictures in the programme of each screen, by code."""
    delay_minutes: int = 0
    """Minutes after which events of games are published."""
    slots: frozenset[int] = frozenset()
    """Numbers of the stream slots."""
    claims: Mapping[int, str] = field(default_factory=lambda: MappingProxyType({}))
    """Ids of annotators, by the table that each claims."""
    sanctioned: frozenset[str] = field(default=frozenset(), compare=False)
    """Players who were warned, sanctioned or expelled, including those whose sanctions were lifted."""
    noted_at_tables: frozenset[tuple[str, int]] = frozenset()
    """Table sanctions that are noted: game id and version of the event in the game's stream."""
    over: bool = False
    """Whether its final standings are published."""
    finalised: bool = False
    """Whether it was finalised after the publication."""
    shadow: events.ShadowCompared | None = None
    """The last comparison with another program; None without one. The message must not be changed."""
    version: int = field(default=0, compare=False)
    """Number of events folded."""
    following: Following = Following()
    """The last event, if the next correction can be the result after its sanctions."""

    @property
    def exists(self) -> bool:
        """Whether the tournament was created."""
        return bool(self.tournament_id)

    @property
    def shown_pictures(self) -> frozenset[str]:
        """Digests of the pictures that a screen shows."""
        return frozenset[str]().union(*self.pictures_of_screens.values())

    @property
    def stage_number(self) -> int:
        """The number of the stage of its championship, from 1."""
        return self.stage.number if self.stage else 1

    @property
    def first_division(self) -> str:
        """Id of the first division of the championship; its own id without divisions."""
        return first_division_of(self)

    def player(self, player_id: str) -> PlayerState | None:
        """Return the player with this id, if registered."""
        return next((player for player in self.players if player.player_id == player_id), None)

    @property
    def entries(self) -> tuple[PlayerState, ...]:
        """The entries that are paired: teams as players if there are any, else the players."""
        return tuple(team.entry for team in self.teams) or self.players

    def team(self, team_id: str) -> TeamState | None:
        """Return the team with this id, if registered."""
        return next((team for team in self.teams if team.team_id == team_id), None)

    def team_of(self, player_id: str) -> TeamState | None:
        """Return the team whose line-up has the player, or None. Teams that were never present do not count."""
        return next((team for team in self.teams if player_id in team.line_up and not team.entry.never_came), None)

    def to_pair(self, number: int) -> tuple[PlayerState, ...]:
        """Return the players who can be paired in a round, in the order of registration."""
        return tuple(player for player in self.players if player.takes_part(number) and number not in player.byes)

    def kept_pairs(self, number: int) -> tuple[tuple[str, str], ...]:
        """Return the pairs made by hand for a round whose two players can both be paired."""
        there = {player.player_id for player in self.to_pair(number)}
        return tuple(pair for pair in self.kept.get(number, ()) if there.issuperset(pair))

    @property
    def open_round(self) -> RoundState | None:
        """The round that is paired and not closed."""
        return self.played[-1] if self.played and self.played[-1].phase is not Phase.CLOSED else None

    @property
    def next_to_start(self) -> int:
        """Number of the round that starts next, paired or not; ``rounds`` + 1 after the last."""
        paired = self.open_round is not None and self.open_round.phase is Phase.PAIRED
        return len(self.played) + (0 if paired else 1)

    @property
    def seeds(self) -> tuple[str, ...]:
        """The players of a knock-out in the order in which they are placed in the bracket; empty before round 1."""
        return self.played[0].seeds if self.played else ()

    def gave_up(self, pairing: Pairing) -> tuple[str, ...]:
        """Return the players of a table who gave its game up by withdrawing and are not reinstated."""
        gone = {player.player_id for player in self.players if player.gave_up == pairing.game_id}
        return tuple(player_id for player_id in pairing.player_ids if player_id in gone)

    def find_game(self, wanted: str) -> tuple[RoundState, Pairing] | None:
        """Return the round and the table of a game, or None if it was not paired."""
        for played in self.played:
            for pairing in played.pairings:
                if pairing.game_id == wanted:
                    return played, pairing
        return None
