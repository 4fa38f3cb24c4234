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
from faristol.pb.results.v1 import results_pb2 as pb

Phase = Annotated[str, word_of(pb.RoundPhase)]
Mode = Annotated[str, word_of(pb.TournamentMode)]

GameState = Literal["paired", "playing", "closed"]

STATES: Mapping[pb.RoundPhase.ValueType, GameState] = {
    pb.ROUND_PHASE_PAIRED: "paired",
    pb.ROUND_PHASE_STARTED: "playing",
    pb.ROUND_PHASE_CLOSED: "closed",
}
"""State of a round's duplicate game, by the phase of the round."""


class Round(Shown):
    """Summary of a round."""

    round: int = Field(description="Round, from 1.")
    phase: Phase = Field(description="Where it stands.")
    tables: int = Field(description="Number of tables.")
    finished: int = Field(description="Tables of which the result is final.")
    corrected_before: bool = Field(
        description="A result of an earlier round was corrected after this round had been paired."
    )
    algorithm: str = Field(description="Name and version of the way in which it was paired, such as `swiss-2`.")
    paired_at: datetime | None = Field(description="When it was paired.")
    started_at: datetime | None = Field(description="When it was started, the last time that it was; null before.")
    closed_at: datetime | None = Field(description="When it was closed; null before.")
    ends_at: datetime | None = Field(
        description="When its time is over under the rules: told with one tournament, null in lists, before the start, "
        "and where the rules know no length of a round."
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
    starts_at: datetime = Field(description="When it is to begin.")
    ends_at: datetime | None = Field(
        description="When its time would be over under the rules: told with one tournament, null in lists, and where "
        "the rules know no length of a round."
    )
    announced_at: datetime = Field(description="When that was announced.")


class DuplicateGame(Shown):
    """Round that is a duplicate game; details are at `/api/v1/duplicate/{game_id}`."""

    game_id: str
    round: int = Field(description="Round of the tournament, from 1.")
    state: GameState = Field(
        description="`paired` before it begins, `playing`, `closed` with its round. The game itself says whether its "
        "results are final."
    )


def duplicate_games_of(tournament: pb.Tournament) -> list[DuplicateGame]:
    """Return the duplicate games of a tournament in their order; empty for one of tables."""
    if tournament.mode != pb.TOURNAMENT_MODE_DUPLICATE:
        return []
    return [
        DuplicateGame(
            game_id=duplicate_id(tournament.tournament_id, each.round), round=each.round, state=STATES[each.phase]
        )
        for each in tournament.played
    ]


class Tournament(Shown):
    """Summary of a tournament."""

    tournament_id: str
    name: str = Field(description="Public name.")
    rounds: int = Field(description="Number of rounds that it has.")
    players: int = Field(description="Number of players.")
    ruleset: Pin = Field(description="Rules.")
    lexicon: Pin | None = Field(description="Null where there is none: results are typed.")
    played: list[Round] = Field(description="Rounds paired so far.")
    mode: Mode | None = Field(
        description="How its rounds are played: `classic`, two players at a table; `multi`, several; `duplicate`, one "
        "game that everybody plays. Null where its rules are not at hand. `team_boards` says whether teams meet."
    )
    duplicate_games: Annotated[list[DuplicateGame], Read(duplicate_games_of)] = Field(
        description="In mode `duplicate`, the game of each round of `played`; empty in the others."
    )
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
    announced: list[AnnouncedRound] = Field(
        description="The rounds for which a time was announced, those among them that have begun."
    )
    place: str = Field(description="Where it is played; empty where that is not said.")
    country: str = Field(
        description="The country of the place, three capital letters as federations write it; empty where not said.",
        examples=["AND"],
    )
    starts_on: str = Field(
        description="The first day, as `2026-11-28`; empty where that is not said.", examples=["2026-11-28"]
    )
    ends_on: str = Field(description="The last day, likewise.", examples=["2026-11-29"])
    organiser: str = Field(description="The club or federation that holds it; empty where that is not said.")
    contact: str = Field(description="Whom to ask: a name, an address or a number; empty where that is not said.")
    link: str = Field(description="The address of a page about it; empty where there is none.")
    arbiters: list[str] = Field(description="The names of its arbiters, the chief arbiter first.")
    archived: bool = Field(description="It is left out of the list unless archived ones are asked for.")
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
    next_page_token: str = NEXT_PAGE
    total: int = TOTAL
