"""JSON of one game: board, scoresheet, clocks."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

from pydantic import Field

from faristol.gateway.api import links
from faristol.gateway.api.answers import DIVISION, Answer, Pin, Read, Shown, word_of
from faristol.gateway.api.resources.pairings import ScoreSanction, Seat, read_seats, without_invented_scores
from faristol.pb.clock.v1 import events_pb2 as clock
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.presentation.outcome import find_public_id

GameState = Annotated[str, word_of(pb.GameState)]
EntryKind = Annotated[str, word_of(pb.EntryKind)]
IncidentKind = Annotated[str, word_of(pb.IncidentKind)]
EndCondition = Annotated[str, word_of(game.EndCondition)]
WithdrawalReason = Annotated[str, word_of(game.WithdrawalReason)]
TurnLostReason = Annotated[str, word_of(game.TurnLostReason)]
NeutralisationReason = Annotated[str, word_of(clock.NeutralisationReason)]


class Placement(Shown):
    """Tile on a square."""

    row: int = Field(description="Row, from 0 at the top.")
    column: int = Field(description="Column, from 0 at the left.")
    face: str = Field(description="Face of the tile: `A`, `L·L`. For a blank, the face that it represents.")
    blank: bool = Field(description="The tile is a blank, with a value of 0.")


def _faces(message: game.ScoredWord | game.RuledWord) -> Sequence[str]:
    return message.word.faces


class Word(Shown):
    """Word formed by a play."""

    faces: Annotated[list[str], Read(_faces)] = Field(
        description="Its tiles, from left to right or from top to bottom."
    )
    row: int = Field(description="Row of its first tile, from 0.")
    column: int = Field(description="Column of its first tile, from 0.")
    across: bool = Field(description="True if the play reads from left to right, false from top to bottom.")
    score: int = Field(description="Points, with premiums applied.")


class WrittenScore(Shown):
    """Score on a player's own sheet."""

    player_id: str
    score: int = Field(description="Points of the play.")
    total: int = Field(description="The mover's running total.")


class RuledWord(Shown):
    """Challenged word and its ruling."""

    faces: Annotated[list[str], Read(_faces)] = Field(description="Its tiles.")
    valid: bool


class Incident(Shown):
    """Event at the table besides its turns."""

    kind: IncidentKind
    turn: int = Field(description="Turn of the incident, from 1.")
    player_id: str = Field(description="Player concerned; empty if it does not concern a single player.")
    count: int = Field(description="Number of tiles or points, if the incident has one.")
    open: bool = Field(description="The incident is not settled yet.")
    article: str = Field(description="Article that applies; empty if the book has none.")


class Entry(Shown):
    """Line of the scoresheet."""

    kind: EntryKind
    turn: int = Field(description="Turn, from 1; 0 for the lines after the end.")
    player_id: str
    placements: list[Placement] = Field(description="The tiles placed.")
    words: list[Word] = Field(description="Words formed, the main word first.")
    score: int = Field(description="Points; negative for a deduction.")
    total: int = Field(description="The player's total after it.")
    bingo: bool = Field(description="A full rack was placed.")
    challenged: bool
    complete: bool = Field(description="The clock was pressed, or the line needs no press.")
    exchanged: int = Field(description="Number of tiles exchanged.")
    overtime_ms: int = Field(description="Overtime in milliseconds, for its penalty.")
    faces: list[str] = Field(description="Faces left on the rack, for the lines after the end.")
    coordinates: str = Field(description="Position of the main word, in the notation of the ruleset.", examples=["H8"])
    withdrawn_for: WithdrawalReason | None = Field(description="Why the play was withdrawn.")
    lost_for: TurnLostReason | None = Field(description="Why the turn was lost.")
    article: str = Field(description="Article for a lost turn or changed points.", examples=["FISE 24"])
    written: list[WrittenScore] = Field(description="Entries of the players on their own sheets.")
    ruled_words: list[RuledWord] = Field(description="Ruling on each word, if the rules disclose it to players.")
    sheet_play: str = Field(
        description="The play as written on the sheet of the rules; empty if that sheet has no words."
    )
    sheet_score: str = Field(description="The score as written on that sheet.", examples=["68", "–", "−11"])
    circled: bool = Field(description="The score is circled, for a bingo.")
    noted_blanks: list[str] = Field(description="Letters of blanks written next to the play.")


class Clock(Shown):
    """Clock of a player."""

    player_id: str
    used_ms: int = Field(description="Milliseconds used at the last stop.")
    running: bool
    running_since: datetime | None = Field(
        description="Time since which the clock runs; in the future if it starts then unless the player arrives (PES "
        "Γ.β)."
    )
    turn_used_ms: int = Field(description="Milliseconds used in the player's turn at the last stop.")
    absent: bool = Field(description="The player has not arrived, or has left the table and not returned.")


class SheetSide(Shown):
    """Player's part of the sheet besides its lines."""

    player_id: str
    bingos: int = Field(description="Number of valid bingos.")
    blanks: list[str] = Field(description="Letters of the blanks, if the sheet has a field for them.")
    signs: bool = Field(description="The player signs.")


class Sheet(Shown):
    """Form of the scoresheet by the rules."""

    sides: list[SheetSide] = Field(description="In the order of the pairing.")
    words: bool = Field(description="The sheet has the words of plays; otherwise only their scores.")
    bingos: bool = Field(description="The sheet has the number of bingos of each player.")
    blanks: bool = Field(description="The sheet has a field for the blanks of each player.")


def _read_counted(answer: pb.GetGameResponse) -> list[Seat]:
    return without_invented_scores(answer.counted, unplayed=answer.unplayed)


class Game(Answer):
    """Game. Racks are hidden during play."""

    game_id: str
    tournament_id: str
    tournament_name: str
    division: str = DIVISION
    round: int = Field(description="Round, from 1.")
    table: int = Field(description="Table, from 1.")
    state: GameState = Field(
        description="`paired` before the round starts, without board and clocks; `playing`; `postponed` to another "
        "time; `final`."
    )
    seats: Annotated[list[Seat], Read(read_seats)] = Field(description="The players, in the order of the pairing.")
    first_player_id: str = Field(description="Id of the starting player; empty before the starting draw.")
    board: list[Placement] = Field(description="Every tile on the board.")
    entries: list[Entry] = Field(description="The scoresheet.")
    bag_left: int = Field(description="Tiles left in the bag; 0 for a game that was not scored here.")
    turn_player_id: str = Field(description="Id of the player on turn; empty after the end.")
    end_condition: EndCondition | None = Field(description="What ended the game.")
    final: bool = Field(description="The result is final.")
    winner_id: str = Field(description="Empty for a draw or before the end.")
    clocks: list[Clock] = Field(description="Clocks, in the order of the pairing.")
    allowance_ms: int = Field(description="Milliseconds of each player for the game; 0 if turns are timed.")
    turn_ms: int = Field(description="Milliseconds of each turn; 0 if turns are not timed.")
    round_time_over: bool = Field(description="The time of the round is over.")
    last_turn: int = Field(description="Last turn to be played, when known; 0 before.")
    neutralised_for: NeutralisationReason | None = Field(description="Why the clocks are stopped.")
    ruleset: Pin
    lexicon: Pin | None = Field(description="The lexicon; null if the tournament has none.")
    laid: list[Placement] = Field(description="Tiles on the board without an announced play.")
    incidents: list[Incident] = Field(description="Incidents outside the turns.")
    loser_ids: list[str] = Field(description="Players who abandoned the game or lost it by decision.")
    lost_by_all: bool = Field(description="All players lost.")
    draw_commitment: str = Field(
        description="Commitment to the draws, in hexadecimal: SHA-256 over `faristol.commitment.v1`, the seed and the "
        "game's id. Empty for a game over the board."
    )
    seed: str = Field(description="The seed of the draws, in hexadecimal; empty until the result is final.")
    sheet: Sheet | None = Field(description="Form of the scoresheet; null if the rules are not installed.")
    counted: Annotated[list[Seat], Read(_read_counted)] = Field(
        description="Scores that count in the tournament after a correction or a sanction; empty if those of `seats` "
        "count."
    )
    score_sanctions: list[ScoreSanction] = Field(
        description="Points that sanctions in force deducted from the scores that count (FISE 49)."
    )
    entered_by: Annotated[str, Read(lambda game: find_public_id(game.entered_by))] = Field(
        description="Arbiter who entered the result by hand; empty if the table recorded it. Without `entries`, the "
        "game was not scored here."
    )
    corrected: bool = Field(description="The result was corrected after it was final.")
    corrected_by: Annotated[str, Read(lambda game: find_public_id(game.corrected_by))] = Field(
        description="Arbiter of the last correction; empty without a correction or after an erasure of the name."
    )
    unplayed: bool = Field(description="A forfeit, which does not count as a game in pairing and tie-breaks.")
    links: links.OfGame
