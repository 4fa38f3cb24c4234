"""JSON of a round: its tables, matches and byes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Annotated

from pydantic import Field

from faristol.gateway.api import links
from faristol.gateway.api.answers import DIVISION, MATCH, NEXT_PAGE, TOTAL, Answer, Read, Shown, word_of
from faristol.gateway.api.resources.tournaments import Phase
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.presentation import labels
from faristol.presentation.outcome import known

ByeKind = Annotated[str, word_of(pairing.ByeKind)]


class Seat(Shown):
    """Player at a table."""

    player_id: str
    name: str = Field(description="Name, or empty when it was erased.")
    score: int = Field(description="Score so far, or final.")
    team_id: str = Field(description="The team that the player sits there for; empty where there are no teams.")


def _adjustments(given: Iterable[pb.SpreadAdjustment]) -> dict[str, int]:
    """Return the sum of adjustments by player."""
    together: dict[str, int] = {}
    for sanction in given:
        together[sanction.player_id] = together.get(sanction.player_id, 0) + sanction.points
    return together


class ScoreSanction(Shown):
    """Sanction that took points off the score of a game."""

    player_id: str = Field(description="Whose score.")
    points: int = Field(description="Points taken off, above 0.")
    article: str = Field(description="The article, such as `FISE 49`.")


def absent(answer: pb.GetPairingsResponse, players: Iterable[pb.Player]) -> Iterator[pb.Player]:
    """Yield the players without a table or a bye in a round, such as suspended ones.

    Players who had not entered by then, or had withdrawn, are left out.
    """
    there = {seat.player_id for table in answer.tables for seat in table.seats}
    there |= {answer.bye.player_id, *(bye.seat.player_id for bye in answer.requested_byes)}
    for player in players:
        taking_part = player.entered_round <= answer.round and not 0 < player.withdrawn_round <= answer.round
        if taking_part and player.player_id not in there:
            yield player


class Table(Shown):
    """Table of a round."""

    table: int = Field(description="Table, from 1.")
    hall: str = Field(description="The hall of the table; empty where a tournament has none.")
    game_id: str
    seats: list[Seat] = Field(description="Both players, in the order of the pairing.")
    turns: int = Field(description="Turns completed or lost so far.")
    final: bool = Field(description="The result is final.")
    winner_id: str = Field(description="The winner; empty for a draw, when all lost, and before the end.")
    loser_ids: list[str] = Field(description="Who left, or lost by decision.")
    lost_by_all: bool = Field(description="All players lost (FISC I.8.F).")
    unplayed: bool = Field(description="A forfeit: no game for pairing and tie-breaks.")
    corrected: bool = Field(description="The result was corrected after it had been final.")
    postponed_to: datetime | None = Field(description="When the game will be played, while it is postponed.")
    first_player_id: str = Field(description="Who starts, or started; empty before that is known.")
    spread_adjustments: Annotated[dict[str, int], Read(lambda table: _adjustments(table.spread_adjustments))] = Field(
        description="What rulings put right and sanctions have added to the spread of players, by id (PES Δ.ε, Ζ)."
    )
    total_adjustments: Annotated[
        dict[str, int], Read(lambda table: _adjustments(each for each in table.spread_adjustments if each.sanction))
    ] = Field(
        description="What of these sanctions have added to the total too; below 0 for what they took off (PES Ζ)."
    )
    match: int = MATCH
    board: int = Field(description="The board of that match, from 1; 0 where there are no teams.")
    score_sanctions: list[ScoreSanction] = Field(
        description="What sanctions that stand took off the scores of the seats, which are what is left (FISE 49)."
    )
    entered_by: Annotated[str, Read(lambda table: known(table.entered_by))] = Field(
        description="The arbiter who entered the result by hand; empty where it came from the table."
    )
    corrected_by: Annotated[str, Read(lambda table: known(table.corrected_by))] = Field(
        description="The arbiter who corrected it last; empty while nobody has, or whose name was erased."
    )
    links: links.OfTable


class RequestedBye(Shown):
    """Player with a bye that the pairing itself did not allocate."""

    player: Annotated[Seat, Read(lambda bye: Seat.of(bye.seat))]
    kind: ByeKind = Field(description="What the round is worth.")
    match: int = Field(
        description="The match in which the player's board is won because the other team has nobody for it; 0 for none."
    )
    board: int = Field(description="The board, from 1, in that match or in the line-up; 0 where there are no teams.")
    opponent_gone: bool = Field(
        description="Nobody asked for it: the opponent in the table of rounds has left or sits the round out."
    )


class TeamSide(Shown):
    """Team in a match."""

    team_id: str
    name: str
    board_points: Annotated[float, Read(lambda side: side.board_half_points / 2)] = Field(
        description="Points of the boards of which the result is final."
    )


class Match(Shown):
    """Two teams in a round."""

    match: int = Field(description="Its number in the round, from 1.")
    first_team: TeamSide = Field(description="The team of the players named first at its tables.")
    second_team: TeamSide
    final: bool = Field(description="The results of all its boards are final.")
    winner_team_id: str = Field(
        description="Who has more points of the boards; empty for a draw, when both lost, before the end."
    )
    lost_by_all: bool = Field(description="Both players lost at every board, and so both teams lost the match.")
    points_unknown: bool = Field(
        description="The rules that say what a board is worth are not installed here: points and winner are not told."
    )


class TeamBye(Shown):
    """Team with a bye. Its players are among the requested byes."""

    team_id: str
    name: str
    kind: ByeKind | None = Field(description="What the round is worth; null for the odd team out.")
    opponent_gone: bool = Field(
        description="Nobody asked for it: the opponent in the table of rounds has left or sits the round out."
    )


def _requested_byes(answer: pb.GetPairingsResponse) -> list[RequestedBye]:
    return [
        RequestedBye(**RequestedBye.values(bye), opponent_gone=labels.opponent_gone(answer, bye))
        for bye in answer.requested_byes
    ]


def _team_byes(answer: pb.GetPairingsResponse) -> list[TeamBye]:
    return [TeamBye(**TeamBye.values(bye), opponent_gone=labels.opponent_gone(answer, bye)) for bye in answer.team_byes]


class Pairings(Answer):
    """Tables of a round."""

    tournament_id: str
    round: int
    phase: Phase = Field(description="Where the round stands.")
    tables: list[Table]
    bye: Seat | None = Field(description="Who has the bye.")
    requested_byes: Annotated[list[RequestedBye], Read(_requested_byes)] = Field(
        description="Who else sits the round out."
    )
    division: str = DIVISION
    matches: list[Match] = Field(description="Of teams, in the order of their numbers; empty where there are none.")
    team_byes: Annotated[list[TeamBye], Read(_team_byes)] = Field(description="The teams that sit the round out.")
    algorithm: str = Field(description="Name and version of the way in which it was paired, such as `swiss-2`.")
    next_page_token: str = NEXT_PAGE
    total: int = TOTAL
    links: links.OfPairings
