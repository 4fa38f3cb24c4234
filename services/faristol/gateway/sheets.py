"""The JSON of one game: board, scoresheet, clocks."""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel, Field

from faristol.gateway.answers import DIVISION, Answer, Pin, moment
from faristol.gateway.outcome import known
from faristol.gateway.pairings import ScoreSanction, Seat
from faristol.gateway.sheet import Sheet
from faristol.gateway.sheet_words import (
    END_CONDITIONS,
    ENTRY_KINDS,
    INCIDENT_KINDS,
    NEUTRALISATION_REASONS,
    TURN_LOST_REASONS,
    WITHDRAWAL_REASONS,
    EndCondition,
    EntryKind,
    IncidentKind,
    NeutralisationReason,
    TurnLostReason,
    WithdrawalReason,
)
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.results.v1 import results_pb2 as pb


class Placement(BaseModel):
    """A tile on a square."""

    row: int = Field(description="Row, from 0 at the top.")
    column: int = Field(description="Column, from 0 at the left.")
    face: str = Field(description="What the tile shows, one tile: `A`, `L·L`. For a blank, what it stands for.")
    blank: bool = Field(description="The tile is a blank, worth 0.")

    @classmethod
    def of(cls, placement: game.Placement) -> Placement:
        """From the contract's message."""
        return cls(row=placement.row, column=placement.column, face=placement.face, blank=placement.blank)


class Word(BaseModel):
    """A word that a play formed."""

    faces: list[str] = Field(description="Its tiles, from left to right or from top to bottom.")
    row: int = Field(description="Row of its first tile, from 0.")
    column: int = Field(description="Column of its first tile, from 0.")
    across: bool = Field(description="It reads from left to right; otherwise from top to bottom.")
    score: int = Field(description="Points, premiums applied.")

    @classmethod
    def of(cls, word: game.ScoredWord) -> Word:
        """From the contract's message."""
        return cls(faces=list(word.word.faces), row=word.row, column=word.column, across=word.across, score=word.score)


class WrittenScore(BaseModel):
    """A score as a player wrote it on the own sheet."""

    player_id: str
    score: int = Field(description="Points of the play.")
    total: int = Field(description="The mover's running total.")


class RuledWord(BaseModel):
    """A challenged word and what it was found to be."""

    faces: list[str] = Field(description="Its tiles.")
    valid: bool


class Incident(BaseModel):
    """Something that happened at the table beside its turns."""

    kind: IncidentKind
    turn: int = Field(description="Turn in which it happened, from 1.")
    player_id: str = Field(description="Whom it concerns; empty when nobody alone.")
    count: int = Field(description="How many tiles, or points, where it is about some.")
    open: bool = Field(description="It is not settled yet.")
    article: str = Field(description="The article by which it is dealt with; empty where the book is silent.")

    @classmethod
    def of(cls, incident: pb.Incident) -> Incident:
        """From the contract's message."""
        return cls(
            kind=INCIDENT_KINDS[incident.kind],
            turn=incident.turn,
            player_id=incident.player_id,
            count=incident.count,
            open=incident.open,
            article=incident.article,
        )


class Entry(BaseModel):
    """One line of the scoresheet."""

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

    @classmethod
    def of(cls, entry: pb.Entry) -> Entry:
        """From the contract's message."""
        return cls(
            kind=ENTRY_KINDS[entry.kind],
            turn=entry.turn,
            player_id=entry.player_id,
            placements=[Placement.of(tile) for tile in entry.placements],
            words=[Word.of(word) for word in entry.words],
            score=entry.score,
            total=entry.total,
            bingo=entry.bingo,
            challenged=entry.challenged,
            complete=entry.complete,
            exchanged=entry.exchanged,
            overtime_ms=entry.overtime_ms,
            faces=list(entry.faces),
            coordinates=entry.coordinates,
            withdrawn_for=WITHDRAWAL_REASONS.get(entry.withdrawn_for),
            lost_for=TURN_LOST_REASONS.get(entry.lost_for),
            article=entry.article,
            written=[
                WrittenScore(player_id=each.player_id, score=each.score, total=each.total) for each in entry.written
            ],
            ruled_words=[RuledWord(faces=list(each.word.faces), valid=each.valid) for each in entry.ruled_words],
            sheet_play=entry.sheet_play,
            sheet_score=entry.sheet_score,
            circled=entry.circled,
            noted_blanks=list(entry.noted_blanks),
        )


class Clock(BaseModel):
    """One player's clock."""

    player_id: str
    used_ms: int = Field(description="Milliseconds used when it last stopped.")
    running: bool
    running_since: datetime | None = Field(
        description="Since when it runs; a moment to come where it will from then unless the player arrives (PES Γ.β)."
    )
    turn_used_ms: int = Field(description="Milliseconds used in the player's turn when it last stopped.")
    absent: bool = Field(description="The player has not come, or has left the table and not come back.")

    @classmethod
    def of(cls, side: pb.ClockSide) -> Clock:
        """From the contract's message."""
        return cls(
            player_id=side.player_id,
            used_ms=side.used_ms,
            running=side.running,
            running_since=moment(side.running_since) if side.running else None,
            turn_used_ms=side.turn_used_ms,
            absent=side.absent,
        )


class Game(Answer):
    """A game. Racks are not shown while it runs."""

    game_id: str
    tournament_id: str
    tournament_name: str
    division: str = DIVISION
    round: int = Field(description="Round, from 1.")
    table: int = Field(description="Table, from 1.")
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
    lexicon: Pin
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
    entered_by: str = Field(
        description="The arbiter who entered the result by hand; empty where it came from the table. Without `entries` "
        "the game was not kept here."
    )
    corrected: bool = Field(description="The result was corrected after it had been final.")
    corrected_by: str = Field(
        description="The arbiter who corrected it last; empty while nobody has, or whose name was erased."
    )
    unplayed: bool = Field(description="A forfeit: no game for pairing and tie-breaks.")

    @classmethod
    def of(cls, answer: pb.GetGameResponse) -> Game:
        """From the contract's message."""
        return cls(
            position=answer.position,
            game_id=answer.game_id,
            tournament_id=answer.tournament_id,
            tournament_name=answer.tournament_name,
            division=answer.division,
            round=answer.round,
            table=answer.table,
            seats=[Seat.of(seat) for seat in answer.seats],
            first_player_id=answer.first_player_id,
            board=[Placement.of(tile) for tile in answer.board],
            entries=[Entry.of(entry) for entry in answer.entries],
            bag_left=answer.bag_left,
            turn_player_id=answer.turn_player_id,
            end_condition=END_CONDITIONS.get(answer.end_condition),
            final=answer.final,
            winner_id=answer.winner_id,
            clocks=[Clock.of(side) for side in answer.clocks],
            allowance_ms=answer.allowance_ms,
            turn_ms=answer.turn_ms,
            round_time_over=answer.round_time_over,
            last_turn=answer.last_turn,
            neutralised_for=NEUTRALISATION_REASONS.get(answer.neutralised_for),
            ruleset=Pin.of(answer.ruleset),
            lexicon=Pin.of(answer.lexicon),
            laid=[Placement.of(tile) for tile in answer.laid],
            incidents=[Incident.of(incident) for incident in answer.incidents],
            loser_ids=list(answer.loser_ids),
            lost_by_all=answer.lost_by_all,
            draw_commitment=answer.draw_commitment.hex(),
            seed=answer.seed.hex(),
            sheet=Sheet.of(answer.sheet) if answer.HasField("sheet") else None,
            counted=[Seat.of(seat) for seat in answer.counted],
            score_sanctions=[ScoreSanction.of(each) for each in answer.score_sanctions],
            entered_by=known(answer.entered_by),
            corrected=answer.corrected,
            corrected_by=known(answer.corrected_by),
            unplayed=answer.unplayed,
        )
