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
from faristol.presentation.outcome import find_public_id
from faristol.presentation.unplayed_results import has_points

ByeKind = Annotated[str, word_of(pairing.ByeKind)]


class Seat(Shown):
    """Player at a table."""

    player_id: str
    name: str = Field(description="Name; empty after an erasure.")
    score: int | None = Field(
        description="Score, current or final; null for a forfeit, unless the rules award points for it."
    )
    team_id: str = Field(description="The player's team at that table; empty without teams.")


def read_seats(result: pb.Table | pb.GetGameResponse) -> list[Seat]:
    """Return the seats of a table or a game; those of a forfeit without points have no scores."""
    return without_invented_scores(result.seats, unplayed=result.unplayed)


def without_invented_scores(seats: Iterable[pb.Seat], *, unplayed: bool) -> list[Seat]:
    """Return seats, without scores if they are those of a forfeit for which the rules award no points."""
    found = [Seat.of(seat) for seat in seats]
    if has_points((seat.score or 0 for seat in found), unplayed=unplayed):
        return found
    return [seat.model_copy(update={"score": None}) for seat in found]


def _adjustments(given: Iterable[pb.SpreadAdjustment]) -> dict[str, int]:
    """Return the sum of adjustments by player."""
    together: dict[str, int] = {}
    for sanction in given:
        together[sanction.player_id] = together.get(sanction.player_id, 0) + sanction.points
    return together


class ScoreSanction(Shown):
    """Sanction that took points off the score of a game."""

    player_id: str = Field(description="Id of the player whose score is reduced.")
    points: int = Field(description="Points deducted, greater than 0.")
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
    hall: str = Field(description="Hall of the table; empty if the tournament has none.")
    game_id: str
    seats: Annotated[list[Seat], Read(read_seats)] = Field(description="Both players, in the order of the pairing.")
    turns: int = Field(description="Turns completed or lost so far.")
    final: bool = Field(description="The result is final.")
    winner_id: str = Field(description="Id of the winner; empty for a draw, if all players lost, and before the end.")
    loser_ids: list[str] = Field(description="Players who abandoned the game or lost it by decision.")
    lost_by_all: bool = Field(description="All players lost (FISC I.8.F).")
    unplayed: bool = Field(description="A forfeit, which does not count as a game in pairing and tie-breaks.")
    corrected: bool = Field(description="The result was corrected after it was final.")
    postponed_to: datetime | None = Field(description="New time of a postponed game.")
    first_player_id: str = Field(description="Id of the starting player; empty before it is known.")
    spread_adjustments: Annotated[dict[str, int], Read(lambda table: _adjustments(table.spread_adjustments))] = Field(
        description="Spread added by corrected rulings and by sanctions, by player id (PES Δ.ε, Ζ)."
    )
    total_adjustments: Annotated[
        dict[str, int], Read(lambda table: _adjustments(each for each in table.spread_adjustments if each.sanction))
    ] = Field(description="Adjustments by sanctions that also apply to the total; negative for a deduction (PES Ζ).")
    match: int = MATCH
    board: int = Field(description="Board of that match, from 1; 0 without teams.")
    score_sanctions: list[ScoreSanction] = Field(
        description="Points that sanctions in force deducted; the scores of the seats already exclude them (FISE 49)."
    )
    entered_by: Annotated[str, Read(lambda table: find_public_id(table.entered_by))] = Field(
        description="Arbiter who entered the result by hand; empty if the table recorded it."
    )
    corrected_by: Annotated[str, Read(lambda table: find_public_id(table.corrected_by))] = Field(
        description="Arbiter of the last correction; empty without a correction or after an erasure of the name."
    )
    links: links.OfTable


class RequestedBye(Shown):
    """Player with a bye that the pairing itself did not allocate."""

    player: Annotated[Seat, Read(lambda bye: Seat.of(bye.seat))]
    kind: ByeKind = Field(description="Value of the round.")
    match: int = Field(
        description="Match in which the player wins the board because the other team has no player for it; 0 for none."
    )
    board: int = Field(description="Board, from 1, in that match or in the line-up; 0 without teams.")
    opponent_gone: bool = Field(
        description="Unrequested: the opponent in the table of rounds has withdrawn or does not play in the round."
    )


class TeamSide(Shown):
    """Team in a match."""

    team_id: str
    name: str
    board_points: Annotated[float, Read(lambda side: side.board_half_points / 2)] = Field(
        description="Points of the boards with a final result."
    )


class Match(Shown):
    """Two teams in a round."""

    match: int = Field(description="Its number in the round, from 1.")
    first_team: TeamSide = Field(description="The team of the players named first at its tables.")
    second_team: TeamSide
    final: bool = Field(description="The results of all its boards are final.")
    winner_team_id: str = Field(
        description="The team with more points of the boards; empty for a draw, if both lost, and before the end."
    )
    lost_by_all: bool = Field(description="Both players lost at every board, so both teams lost the match.")
    points_unknown: bool = Field(
        description="The rules for the value of a board are not installed: points and winner are omitted."
    )


class TeamBye(Shown):
    """Team with a bye. Its players are among the requested byes."""

    team_id: str
    name: str
    kind: ByeKind | None = Field(description="Value of the round; null for the odd team.")
    opponent_gone: bool = Field(
        description="Unrequested: the opponent in the table of rounds has withdrawn or does not play in the round."
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
    phase: Phase = Field(description="Phase of the round.")
    tables: list[Table]
    bye: Seat | None = Field(description="Player with the bye.")
    requested_byes: Annotated[list[RequestedBye], Read(_requested_byes)] = Field(
        description="Other players who do not play in the round."
    )
    division: str = DIVISION
    matches: list[Match] = Field(description="Matches of teams, in the order of their numbers; empty without teams.")
    team_byes: Annotated[list[TeamBye], Read(_team_byes)] = Field(description="Teams that do not play in the round.")
    algorithm: str = Field(description="Name and version of the pairing system, such as `swiss-2`.")
    next_page_token: str = NEXT_PAGE
    total: int = TOTAL
    links: links.OfPairings
