"""JSON of a tournament and its players."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from faristol.duplicate_game.preparation import duplicate_id
from faristol.gateway.api import links
from faristol.gateway.api.answers import (
    CATEGORY,
    NEXT_PAGE,
    TEAM,
    TOTAL,
    Answer,
    Pin,
    Read,
    Shown,
    word_of,
)
from faristol.gateway.api.openapi.document import build_enum_schema
from faristol.pb.results.v1 import results_pb2 as pb

Phase = Annotated[str, word_of(pb.RoundPhase)]
Mode = Annotated[str, word_of(pb.TournamentMode)]

TournamentState = Annotated[
    Literal["announced", "playing", "over"],
    build_enum_schema("TournamentState", ("announced", "playing", "over")),
]

GameState = Literal["paired", "playing", "closed"]

GAME_STATES: Mapping[pb.RoundPhase.ValueType, GameState] = {
    pb.ROUND_PHASE_PAIRED: "paired",
    pb.ROUND_PHASE_STARTED: "playing",
    pb.ROUND_PHASE_CLOSED: "closed",
}
"""State of a round's duplicate game, by the phase of the round."""


class Round(Shown):
    """Summary of a round."""

    round: int = Field(description="Round, from 1.")
    phase: Phase = Field(description="Phase of the round.")
    tables: int = Field(description="Number of tables.")
    finished: int = Field(description="Number of tables with a final result.")
    corrected_before: bool = Field(
        description="A result of an earlier round was corrected after the pairing of this round."
    )
    algorithm: str = Field(description="Name and version of the pairing system, such as `swiss-2`.")
    paired_at: datetime | None = Field(description="Time of the pairing.")
    started_at: datetime | None = Field(description="Time of the last start; null before the first.")
    closed_at: datetime | None = Field(description="Time of the closing; null before.")
    ends_at: datetime | None = Field(
        description="End of the time of the round by the rules. Only for a single tournament; null in lists, before "
        "the start, and if the rules set no length of a round."
    )


class Division(Shown):
    """Division of a championship, which is a tournament of its own."""

    tournament_id: str
    name: str = Field(description="Its public name among the divisions.")


class Hall(Shown):
    """Hall and its tables."""

    name: str
    first_table: int = Field(description="The lowest number of its tables.")
    last_table: int = Field(description="The highest.")


class AnnouncedRound(Shown):
    """Round with an announced time."""

    round: int = Field(description="Round, from 1.")
    starts_at: datetime = Field(description="Announced start.")
    ends_at: datetime | None = Field(
        description="Expected end of the time of the round by the rules. Only for a single tournament; null in lists "
        "and if the rules set no length of a round."
    )
    announced_at: datetime = Field(description="Time of the announcement.")


class DuplicateGame(Shown):
    """Round that is a duplicate game; details are at `/api/v1/duplicate/{game_id}`."""

    game_id: str
    round: int = Field(description="Round of the tournament, from 1.")
    state: GameState = Field(
        description="`paired` before the start, `playing`, or `closed` with its round. The game itself has the state "
        "of its results."
    )


def duplicate_games_of(tournament: pb.Tournament) -> list[DuplicateGame]:
    """Return the duplicate games of a tournament in their order; empty for one of tables."""
    if tournament.mode != pb.TOURNAMENT_MODE_DUPLICATE:
        return []
    return [
        DuplicateGame(
            game_id=duplicate_id(tournament.tournament_id, each.round), round=each.round, state=GAME_STATES[each.phase]
        )
        for each in tournament.played
    ]


def state_of(tournament: pb.Tournament) -> TournamentState:
    """Return the state of a tournament, as the filter `state` of the list understands it."""
    if tournament.over:
        return "over"
    return "playing" if tournament.played else "announced"


class Tournament(Shown):
    """Summary of a tournament."""

    tournament_id: str
    name: str = Field(description="Public name.")
    rounds: int = Field(description="Number of rounds.")
    players: int = Field(description="Number of players.")
    ruleset: Pin = Field(description="Rules.")
    lexicon: Pin | None = Field(description="The lexicon; null for none: results are entered by hand.")
    played: list[Round] = Field(description="Rounds paired so far.")
    mode: Mode | None = Field(
        description="Mode of play: `classic`, two players at a table; `multi`, several; `duplicate`, one game for all "
        "players. Null if the rules are not installed. `team_boards` tells whether it is a team tournament."
    )
    duplicate_games: Annotated[list[DuplicateGame], Read(duplicate_games_of)] = Field(
        description="In mode `duplicate`, the game of each round of `played`; empty in other modes."
    )
    over: bool = Field(description="The final standings are published.")
    state: Annotated[TournamentState, Read(state_of)] = Field(
        description="`announced` before the first pairing, `playing`, or `over` with the final standings: the "
        "parameter `state` of the list filters by it."
    )
    created_at: datetime
    division: str = Field(
        description="Name of the division of a championship; empty if the tournament is not a division."
    )
    division_of: str = Field(description="The first division of that championship; empty for the first one itself.")
    divisions: list[Division] = Field(description="All divisions of the championship, in the order of their creation.")
    team_boards: int = Field(
        description="Number of boards of a match between two teams; 0 in an individual tournament."
    )
    time_zone: str = Field(description="IANA name of the time zone of its halls; UTC by default.")
    halls: list[Hall] = Field(description="Halls from the next pairing on; empty for none.")
    announced: list[AnnouncedRound] = Field(
        description="Rounds with an announced time, including rounds that have begun."
    )
    place: str = Field(description="Place of the tournament; empty if unknown.")
    country: str = Field(
        description="Country of the place, as three capital letters in the codes of federations; empty if unknown.",
        examples=["AND"],
    )
    starts_on: str = Field(description="First day, such as `2026-11-28`; empty if unknown.", examples=["2026-11-28"])
    ends_on: str = Field(description="Last day, in the same format; empty if unknown.", examples=["2026-11-29"])
    organiser: str = Field(description="Club or federation that organises it; empty if unknown.")
    contact: str = Field(description="Contact: a name, an address or a number; empty if unknown.")
    link: str = Field(description="Address of its web page; empty for none.")
    arbiters: list[str] = Field(description="Names of its arbiters, the chief arbiter first.")
    archived: bool = Field(description="The tournament is archived: lists include it only on request.")
    links: links.OfTournament


class Tournaments(Answer):
    """All tournaments, the latest first."""

    tournaments: list[Tournament]
    next_page_token: str = NEXT_PAGE
    total: int = TOTAL


class TournamentAnswer(Answer):
    """Tournament."""

    tournament: Tournament


class Player(Shown):
    """Registered player."""

    player_id: str
    name: str = Field(description="Name; empty after an erasure.")
    club: str = Field(description="Club; may be empty.")
    country: str = Field(
        description="Country, as three capital letters in the codes of federations; empty if unknown.",
        examples=["AND"],
    )
    rating: int = Field(description="Rating at the start.")
    unrated: bool = Field(description="The player had no published rating.")
    new_rating: int | None = Field(description="Rating after the tournament.")
    entered_round: int = Field(description="First round in which the player could be paired.")
    withdrawn_round: int = Field(description="First round in which the player could no longer be paired; 0 for none.")
    checked_in: bool = Field(description="Checked in before the first round.")
    team_id: str = TEAM
    category: str = CATEGORY


class Players(Answer):
    """Players, the highest rating first."""

    rating_system: str = Field(description="Name and version of the rating system; empty before the first list.")
    rating_revision: int = Field(description="Number of revisions of the rating list.")
    rating_published_at: datetime | None = Field(description="Time of the first publication of the rating list.")
    rating_revised_at: datetime | None = Field(description="Time of the last revision; null without a revision.")
    players: list[Player]
    next_page_token: str = NEXT_PAGE
    total: int = TOTAL
