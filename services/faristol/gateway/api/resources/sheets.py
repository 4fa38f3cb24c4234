"""JSON of one game: board, scoresheet, clocks."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

from pydantic import Field

from faristol.gateway.api import links
from faristol.gateway.api.answers import DIVISION, Answer, Pin, Read, Shown, word_of
from faristol.gateway.api.resources.pairings import ScoreSanction, Seat
from faristol.pb.clock.v1 import events_pb2 as clock
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.presentation.outcome import known

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
    face: str = Field(description="What the tile shows, one tile: `A`, `L·L`. For a blank, what it stands for.")
    blank: bool = Field(description="The tile is a blank, worth 0.")


def _faces(message: game.ScoredWord | game.RuledWord) -> Sequence[str]:
    return message.word.faces


class Word(Shown):
    """Word formed by a play."""

    faces: Annotated[list[str], Read(_faces)] = Field(
        description="Its tiles, from left to right or from top to bottom."
    )
    row: int = Field(description="Row of its first tile, from 0.")
    column: int = Field(description="Column of its first tile, from 0.")
    across: bool = Field(description="It reads from left to right; otherwise from top to bottom.")
    score: int = Field(description="Points, premiums applied.")


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
    turn: int = Field(description="Turn in which it happened, from 1.")
    player_id: str = Field(description="Whom it concerns; empty when nobody alone.")
    count: int = Field(description="How many tiles, or points, where it is about some.")
    open: bool = Field(description="It is not settled yet.")
    article: str = Field(description="The article by which it is dealt with; empty where the book is silent.")


class Entry(Shown):
    """Line of the scoresheet."""

    kind: EntryKind
    turn: int = Field(description="Turn, from 1; 0 for the lines after the end.")
    player_id: str
    placements: list[Placement] = Field(description="The tiles placed.")
    words: list[Word] = Field(description="Words formed, the main word first.")
    score: int = Field(description="Points, negative when taken off.")
    total: int = Field(description="The player's total after it.")
    bingo: bool = Field(description="A full rack was placed.")
    challenged: bool
    complete: bool = Field(description="The clock was pressed, or the line needs none.")
    exchanged: int = Field(description="Number of tiles exchanged.")
    overtime_ms: int = Field(description="Overtime in milliseconds, for its penalty.")
    faces: list[str] = Field(description="Faces left on the rack, for the lines after the end.")
    coordinates: str = Field(description="Where the main word is, in the ruleset's notation.", examples=["H8"])
    withdrawn_for: WithdrawalReason | None = Field(description="Why the play came off the board.")
    lost_for: TurnLostReason | None = Field(description="What the turn was lost for.")
    article: str = Field(description="The article by which a turn was lost or points changed.", examples=["FISE 24"])
    written: list[WrittenScore] = Field(description="What the players wrote on their own sheets.")
    ruled_words: list[RuledWord] = Field(description="Word by word, where players are told so much of a ruling.")
    sheet_play: str = Field(description="The play as the rules' sheet has it; empty where it has no words.")
    sheet_score: str = Field(description="The score as that sheet has it.", examples=["68", "–", "−11"])
    circled: bool = Field(description="That score is circled: a bingo.")
    noted_blanks: list[str] = Field(description="Letters of blanks that the sheet has beside the play.")


class Clock(Shown):
    """Clock of a player."""

    player_id: str
    used_ms: int = Field(description="Milliseconds used when it last stopped.")
    running: bool
    running_since: datetime | None = Field(
        description="Since when it runs; a moment to come where it will from then unless the player arrives (PES Γ.β)."
    )
    turn_used_ms: int = Field(description="Milliseconds used in the player's turn when it last stopped.")
    absent: bool = Field(description="The player has not come, or has left the table and not come back.")


class SheetSide(Shown):
    """Player's part of the sheet besides its lines."""

    player_id: str
    bingos: int = Field(description="How many bingos stand.")
    blanks: list[str] = Field(description="Letters of the blanks, where the sheet has a field for them.")
    signs: bool = Field(description="The player signs.")


class Sheet(Shown):
    """Form of the scoresheet by the rules."""

    sides: list[SheetSide] = Field(description="In the order of the pairing.")
    words: bool = Field(description="Plays stand on it with their words; otherwise with their scores alone.")
    bingos: bool = Field(description="It says how many bingos each player had.")
    blanks: bool = Field(description="It has a field for the blanks of each player.")


class Game(Answer):
    """Game. Racks are hidden during play."""

    game_id: str
    tournament_id: str
    tournament_name: str
    division: str = DIVISION
    round: int = Field(description="Round, from 1.")
    table: int = Field(description="Table, from 1.")
    state: GameState = Field(
        description="`paired` before its round has started, without board and clocks; `playing`; `postponed` to "
        "another time; `final`."
    )
    seats: list[Seat] = Field(description="The players, in the order of the pairing.")
    first_player_id: str = Field(description="Who starts; empty before the starting draw.")
    board: list[Placement] = Field(description="Every tile on the board.")
    entries: list[Entry] = Field(description="The scoresheet.")
    bag_left: int = Field(description="Tiles left in the bag; 0 for a game that was not kept here.")
    turn_player_id: str = Field(description="Who is on turn; empty after the end.")
    end_condition: EndCondition | None = Field(description="What ended the game.")
    final: bool = Field(description="The result is final.")
    winner_id: str = Field(description="Empty for a draw or before the end.")
    clocks: list[Clock] = Field(description="Clocks, in the order of the pairing.")
    allowance_ms: int = Field(description="Milliseconds that each player has for the game; 0 where turns are timed.")
    turn_ms: int = Field(description="Milliseconds that each turn may take; 0 where turns are not timed.")
    round_time_over: bool = Field(description="The time of the round is over.")
    last_turn: int = Field(description="The last turn that is played, once it is; 0 before.")
    neutralised_for: NeutralisationReason | None = Field(description="Why nobody's time runs.")
    ruleset: Pin
    lexicon: Pin | None = Field(description="Null where the tournament has none.")
    laid: list[Placement] = Field(description="Tiles that lie on the board and are not announced.")
    incidents: list[Incident] = Field(description="What happened beside the turns.")
    loser_ids: list[str] = Field(description="Who left, or lost by decision.")
    lost_by_all: bool = Field(description="All players lost.")
    draw_commitment: str = Field(
        description="What the draws are committed to, in hexadecimal: SHA-256 over `faristol.commitment.v1`, the seed "
        "and the game's id. Empty over the board."
    )
    seed: str = Field(description="The seed of the draws, in hexadecimal; empty until the result is final.")
    sheet: Sheet | None = Field(description="The form of the scoresheet; null when the rules are not installed.")
    counted: list[Seat] = Field(
        description="The scores that count in the tournament, where its result was corrected or sanctioned; empty "
        "where those of `seats` do."
    )
    score_sanctions: list[ScoreSanction] = Field(
        description="What sanctions that stand took off the scores that count (FISE 49)."
    )
    entered_by: Annotated[str, Read(lambda game: known(game.entered_by))] = Field(
        description="The arbiter who entered the result by hand; empty where it came from the table. Without `entries` "
        "the game was not kept here."
    )
    corrected: bool = Field(description="The result was corrected after it had been final.")
    corrected_by: Annotated[str, Read(lambda game: known(game.corrected_by))] = Field(
        description="The arbiter who corrected it last; empty while nobody has, or whose name was erased."
    )
    unplayed: bool = Field(description="A forfeit: no game for pairing and tie-breaks.")
    links: links.OfGame
