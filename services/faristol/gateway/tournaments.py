"""The JSON of a tournament and its players."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field

from faristol.gateway.answers import CATEGORY, TEAM, Answer, Pin, moment
from faristol.pb.results.v1 import results_pb2 as pb

Phase = Literal["paired", "started", "closed"]
PHASES: dict[pb.RoundPhase.ValueType, Phase] = {
    pb.ROUND_PHASE_PAIRED: "paired",
    pb.ROUND_PHASE_STARTED: "started",
    pb.ROUND_PHASE_CLOSED: "closed",
}


class Round(BaseModel):
    """One round, in short."""

    round: int = Field(description="Round, from 1.")
    phase: Phase = Field(description="Where it stands.")
    tables: int = Field(description="Number of tables.")
    finished: int = Field(description="Tables of which the result is final.")
    corrected_before: bool = Field(
        description="A result of an earlier round was corrected after this round had been paired."
    )
    algorithm: str = Field(description="Name and version of the way in which it was paired, such as `swiss-2`.")

    @classmethod
    def of(cls, line: pb.Round) -> Round:
        """From the contract's message."""
        return cls(
            round=line.round,
            phase=PHASES[line.phase],
            tables=line.tables,
            finished=line.finished,
            corrected_before=line.corrected_before,
            algorithm=line.algorithm,
        )


class Division(BaseModel):
    """A division of a championship: a tournament of its own."""

    tournament_id: str
    name: str = Field(description="Its public name among the divisions.")


class Hall(BaseModel):
    """A hall and its tables."""

    name: str
    first_table: int = Field(description="The lowest number of its tables.")
    last_table: int = Field(description="The highest.")


class Tournament(BaseModel):
    """One tournament, in short."""

    tournament_id: str
    name: str = Field(description="Public name.")
    rounds: int = Field(description="Number of rounds that it has.")
    players: int = Field(description="Number of players.")
    ruleset: Pin = Field(description="Rules.")
    lexicon: Pin = Field(description="Lexicon.")
    played: list[Round] = Field(description="Rounds paired so far.")
    over: bool = Field(description="The final standings are published.")
    created_at: datetime
    division: str = Field(description="The division of a championship that it is; empty where it is none.")
    division_of: str = Field(description="The first division of that championship; empty for the first one itself.")
    divisions: list[Division] = Field(description="All divisions of the championship, in the order they were added.")
    team_boards: int = Field(
        description="How many boards a match between two teams has; 0 where players play each for themselves."
    )
    time_zone: str = Field(description="The time zone of its halls by its IANA name; UTC where none was said.")
    halls: list[Hall] = Field(description="Its halls, from the next pairing on; empty where it has none.")

    @classmethod
    def of(cls, tournament: pb.Tournament) -> Tournament:
        """From the contract's message."""
        return cls(
            tournament_id=tournament.tournament_id,
            name=tournament.name,
            rounds=tournament.rounds,
            players=tournament.players,
            ruleset=Pin.of(tournament.ruleset),
            lexicon=Pin.of(tournament.lexicon),
            played=[Round.of(line) for line in tournament.played],
            over=tournament.over,
            created_at=moment(tournament.created_at),
            division=tournament.division,
            division_of=tournament.division_of,
            divisions=[Division(tournament_id=each.tournament_id, name=each.name) for each in tournament.divisions],
            team_boards=tournament.team_boards,
            time_zone=tournament.time_zone,
            halls=[
                Hall(name=each.name, first_table=each.first_table, last_table=each.last_table)
                for each in tournament.halls
            ],
        )


class Tournaments(Answer):
    """All tournaments, the latest first."""

    tournaments: list[Tournament]

    @classmethod
    def of(cls, answer: pb.ListTournamentsResponse) -> Tournaments:
        """From the contract's message."""
        return cls(
            position=answer.position, tournaments=[Tournament.of(tournament) for tournament in answer.tournaments]
        )


class TournamentAnswer(Answer):
    """One tournament."""

    tournament: Tournament

    @classmethod
    def of(cls, answer: pb.GetTournamentResponse) -> TournamentAnswer:
        """From the contract's message."""
        return cls(position=answer.position, tournament=Tournament.of(answer.tournament))


class Player(BaseModel):
    """A registered player."""

    player_id: str
    name: str = Field(description="Name, or empty when it was erased.")
    club: str = Field(description="Club, may be empty.")
    country: str = Field(
        description="Country, three capital letters as federations write it; empty when it is not known.",
        examples=["AND"],
    )
    rating: int = Field(description="Rating at the start.")
    unrated: bool = Field(description="No rating had been published.")
    new_rating: int | None = Field(description="Rating after the tournament.")
    entered_round: int = Field(description="The first round that the player could be paired in.")
    withdrawn_round: int = Field(description="The first round that the player was not paired in any more; 0 for none.")
    checked_in: bool = Field(description="Checked in before the first round.")
    team_id: str = TEAM
    category: str = CATEGORY


class Players(Answer):
    """Players, the highest rating first."""

    rating_system: str = Field(description="Name and version of the rating system, empty before a list was made.")
    rating_revision: int = Field(description="How often the rating list was revised.")
    rating_published_at: datetime | None = Field(description="When the rating list was published first.")
    rating_revised_at: datetime | None = Field(description="When it was revised last; null while it never was.")
    players: list[Player]

    @classmethod
    def of(cls, answer: pb.ListPlayersResponse) -> Players:
        """From the contract's message."""
        players = [
            Player(
                player_id=player.player_id,
                name=player.name,
                club=player.club,
                country=player.country,
                rating=player.rating,
                unrated=player.unrated,
                new_rating=player.new_rating if player.HasField("new_rating") else None,
                entered_round=player.entered_round,
                withdrawn_round=player.withdrawn_round,
                checked_in=player.checked_in,
                team_id=player.team_id,
                category=player.category,
            )
            for player in answer.players
        ]
        published = moment(answer.rating_published_at) if answer.HasField("rating_published_at") else None
        revised = moment(answer.rating_revised_at) if answer.HasField("rating_revised_at") else None
        return cls(
            position=answer.position,
            rating_system=answer.rating_system,
            rating_revision=answer.rating_revision,
            rating_published_at=published,
            rating_revised_at=revised,
            players=players,
        )
