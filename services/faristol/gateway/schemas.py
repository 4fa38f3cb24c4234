"""The JSON that results apps read. Fields are named as in ``proto/faristol/results/v1``; points are numbers."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Literal, TypeVar

from google.protobuf.timestamp_pb2 import Timestamp
from pydantic import BaseModel, Field

from faristol.gateway import labels
from faristol.pb.clock.v1 import events_pb2 as clock
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.pb.results.v1 import results_pb2 as pb

Phase = Literal["paired", "started", "closed"]
ByeKind = Literal["half_point", "full_point", "zero_point"]
EntryKind = Literal[
    "play",
    "exchange",
    "pass",
    "phony",
    "rack_penalty",
    "out_bonus",
    "time_penalty",
    "withdrawn",
    "cannot_play",
    "lost_turn",
    "free_exchange",
    "challenge_penalty",
    "sanction",
    "abandonment",
    "forfeit",
    "correction",
]
EndCondition = Literal[
    "out",
    "lost_turns",
    "scoreless_turns",
    "overtime",
    "round_time",
    "agreement",
    "abandoned",
    "all_abandoned",
    "forfeit",
]
WithdrawalReason = Literal["challenged", "off_centre", "fake_blank", "leaked"]
TurnLostReason = Literal[
    "touch", "time", "overdraw", "challenge", "free_exchange", "illegal_exchange", "sanction", "abandoned"
]
IncidentKind = Literal[
    "overdraw",
    "underdraw",
    "illegal_exchange",
    "tiles_found",
    "arbiter_called",
    "count_disputed",
    "appeal",
    "warning",
    "turn_sanction",
    "game_sanction",
    "expulsion",
    "word_asked",
    "play_corrected",
    "reopened",
    "taken_back",
]
TermBasis = Literal["game", "forfeit", "bye", "requested_bye", "absence", "adjustment", "sanction"]
Outcome = Literal["win", "draw", "loss"]
LeftOut = Literal["lowest", "missed_by_will", "not_all_met"]
NeutralisationReason = Literal["challenge", "count_dispute", "arbiter_call", "force_majeure", "overdraw", "correction"]

PHASES: dict[pb.RoundPhase.ValueType, Phase] = {
    pb.ROUND_PHASE_PAIRED: "paired",
    pb.ROUND_PHASE_STARTED: "started",
    pb.ROUND_PHASE_CLOSED: "closed",
}
BYE_KINDS: dict[pairing.ByeKind.ValueType, ByeKind] = {
    pairing.BYE_KIND_HALF_POINT: "half_point",
    pairing.BYE_KIND_FULL_POINT: "full_point",
    pairing.BYE_KIND_ZERO_POINT: "zero_point",
}
TERM_BASES: dict[pb.TermBasis.ValueType, TermBasis] = {
    pb.TERM_BASIS_GAME: "game",
    pb.TERM_BASIS_FORFEIT: "forfeit",
    pb.TERM_BASIS_BYE: "bye",
    pb.TERM_BASIS_REQUESTED_BYE: "requested_bye",
    pb.TERM_BASIS_ABSENCE: "absence",
    pb.TERM_BASIS_ADJUSTMENT: "adjustment",
    pb.TERM_BASIS_SANCTION: "sanction",
}
OUTCOMES: dict[pb.Outcome.ValueType, Outcome] = {
    pb.OUTCOME_WIN: "win",
    pb.OUTCOME_DRAW: "draw",
    pb.OUTCOME_LOSS: "loss",
}
LEFT_OUT: dict[pb.LeftOut.ValueType, LeftOut] = {
    pb.LEFT_OUT_LOWEST: "lowest",
    pb.LEFT_OUT_MISSED_BY_WILL: "missed_by_will",
    pb.LEFT_OUT_NOT_ALL_MET: "not_all_met",
}
ENTRY_KINDS: dict[pb.EntryKind.ValueType, EntryKind] = {
    pb.ENTRY_KIND_PLAY: "play",
    pb.ENTRY_KIND_EXCHANGE: "exchange",
    pb.ENTRY_KIND_PASS: "pass",
    pb.ENTRY_KIND_PHONY: "phony",
    pb.ENTRY_KIND_RACK_PENALTY: "rack_penalty",
    pb.ENTRY_KIND_OUT_BONUS: "out_bonus",
    pb.ENTRY_KIND_TIME_PENALTY: "time_penalty",
    pb.ENTRY_KIND_WITHDRAWN: "withdrawn",
    pb.ENTRY_KIND_CANNOT_PLAY: "cannot_play",
    pb.ENTRY_KIND_LOST_TURN: "lost_turn",
    pb.ENTRY_KIND_FREE_EXCHANGE: "free_exchange",
    pb.ENTRY_KIND_CHALLENGE_PENALTY: "challenge_penalty",
    pb.ENTRY_KIND_SANCTION: "sanction",
    pb.ENTRY_KIND_ABANDONMENT: "abandonment",
    pb.ENTRY_KIND_FORFEIT: "forfeit",
    pb.ENTRY_KIND_CORRECTION: "correction",
}
END_CONDITIONS: dict[game.EndCondition.ValueType, EndCondition] = {
    game.END_CONDITION_OUT: "out",
    game.END_CONDITION_LOST_TURNS: "lost_turns",
    game.END_CONDITION_SCORELESS_TURNS: "scoreless_turns",
    game.END_CONDITION_OVERTIME: "overtime",
    game.END_CONDITION_ROUND_TIME: "round_time",
    game.END_CONDITION_AGREEMENT: "agreement",
    game.END_CONDITION_ABANDONED: "abandoned",
    game.END_CONDITION_ALL_ABANDONED: "all_abandoned",
    game.END_CONDITION_FORFEIT: "forfeit",
}
WITHDRAWAL_REASONS: dict[game.WithdrawalReason.ValueType, WithdrawalReason] = {
    game.WITHDRAWAL_REASON_CHALLENGED: "challenged",
    game.WITHDRAWAL_REASON_OFF_CENTRE: "off_centre",
    game.WITHDRAWAL_REASON_FAKE_BLANK: "fake_blank",
    game.WITHDRAWAL_REASON_LEAKED: "leaked",
}
TURN_LOST_REASONS: dict[game.TurnLostReason.ValueType, TurnLostReason] = {
    game.TURN_LOST_REASON_TOUCH: "touch",
    game.TURN_LOST_REASON_TIME: "time",
    game.TURN_LOST_REASON_OVERDRAW: "overdraw",
    game.TURN_LOST_REASON_CHALLENGE: "challenge",
    game.TURN_LOST_REASON_FREE_EXCHANGE: "free_exchange",
    game.TURN_LOST_REASON_ILLEGAL_EXCHANGE: "illegal_exchange",
    game.TURN_LOST_REASON_SANCTION: "sanction",
    game.TURN_LOST_REASON_ABANDONED: "abandoned",
}
INCIDENT_KINDS: dict[pb.IncidentKind.ValueType, IncidentKind] = {
    pb.INCIDENT_KIND_OVERDRAW: "overdraw",
    pb.INCIDENT_KIND_UNDERDRAW: "underdraw",
    pb.INCIDENT_KIND_ILLEGAL_EXCHANGE: "illegal_exchange",
    pb.INCIDENT_KIND_TILES_FOUND: "tiles_found",
    pb.INCIDENT_KIND_ARBITER_CALLED: "arbiter_called",
    pb.INCIDENT_KIND_COUNT_DISPUTED: "count_disputed",
    pb.INCIDENT_KIND_APPEAL: "appeal",
    pb.INCIDENT_KIND_WARNING: "warning",
    pb.INCIDENT_KIND_TURN_SANCTION: "turn_sanction",
    pb.INCIDENT_KIND_GAME_SANCTION: "game_sanction",
    pb.INCIDENT_KIND_EXPULSION: "expulsion",
    pb.INCIDENT_KIND_WORD_ASKED: "word_asked",
    pb.INCIDENT_KIND_PLAY_CORRECTED: "play_corrected",
    pb.INCIDENT_KIND_REOPENED: "reopened",
    pb.INCIDENT_KIND_TAKEN_BACK: "taken_back",
}
NEUTRALISATION_REASONS: dict[clock.NeutralisationReason.ValueType, NeutralisationReason] = {
    clock.NEUTRALISATION_REASON_CHALLENGE: "challenge",
    clock.NEUTRALISATION_REASON_COUNT_DISPUTE: "count_dispute",
    clock.NEUTRALISATION_REASON_ARBITER_CALL: "arbiter_call",
    clock.NEUTRALISATION_REASON_FORCE_MAJEURE: "force_majeure",
    clock.NEUTRALISATION_REASON_OVERDRAW: "overdraw",
    clock.NEUTRALISATION_REASON_CORRECTION: "correction",
}


def moment(timestamp: Timestamp) -> datetime:
    """A timestamp as a moment in UTC."""
    return timestamp.ToDatetime(tzinfo=UTC)


class Answer(BaseModel):
    """What every answer has."""

    position: int = Field(description="Position in the record up to which this holds; follow the stream from here.")


A = TypeVar("A", bound=Answer)


class Pin(BaseModel):
    """A document pinned by its content."""

    name: str = Field(description="Name of a ruleset or of a lexicon.", examples=["fisc-2023"])
    digest: str = Field(description="SHA-256 of the content, in lower-case hexadecimal.")

    @classmethod
    def of(cls, pin: game.Pin) -> Pin:
        """From the contract's message."""
        return cls(name=pin.name, digest=pin.digest)


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


TEAM = Field(description="The player's team; empty where there are no teams.")
MATCH = Field(description="The match between two teams, by its number in the round; 0 where there are no teams.")
DIVISION = Field(description="The division that the tournament is; empty where it is none.")


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
    def of(cls, one: pb.Tournament) -> Tournament:
        """From the contract's message."""
        return cls(
            tournament_id=one.tournament_id,
            name=one.name,
            rounds=one.rounds,
            players=one.players,
            ruleset=Pin.of(one.ruleset),
            lexicon=Pin.of(one.lexicon),
            played=[Round.of(line) for line in one.played],
            over=one.over,
            created_at=moment(one.created_at),
            division=one.division,
            division_of=one.division_of,
            divisions=[Division(tournament_id=each.tournament_id, name=each.name) for each in one.divisions],
            team_boards=one.team_boards,
            time_zone=one.time_zone,
            halls=[
                Hall(name=each.name, first_table=each.first_table, last_table=each.last_table) for each in one.halls
            ],
        )


class Tournaments(Answer):
    """All tournaments, the latest first."""

    tournaments: list[Tournament]

    @classmethod
    def of(cls, answer: pb.ListTournamentsResponse) -> Tournaments:
        """From the contract's message."""
        return cls(position=answer.position, tournaments=[Tournament.of(one) for one in answer.tournaments])


class TournamentAnswer(Answer):
    """One tournament."""

    tournament: Tournament

    @classmethod
    def of(cls, answer: pb.GetTournamentResponse) -> TournamentAnswer:
        """From the contract's message."""
        return cls(position=answer.position, tournament=Tournament.of(answer.tournament))


class Term(BaseModel):
    """One round's part of a value."""

    round: int
    basis: TermBasis = Field(description="What it rests on.")
    value: float = Field(description="What it adds, or would add if it were not left out.")
    opponent_id: str = Field(description="Empty for a bye, an absence and a table of more than two.")
    opponent_name: str
    outcome: Outcome | None = Field(description="To the player, where the value depends on it.")
    worth: float = Field(description="Points of the opponent, or of who stands for one; for Buchholz and Berger.")
    granted: float = Field(description="How much of `worth` is for rounds that the opponent missed.")
    score: int = Field(description="Own points of the game; for spread, total and CUSCA.")
    against: int = Field(description="The opponent's.")
    seats: int = Field(description="Players of the table.")
    left_out: LeftOut | None = Field(description="Why it does not count; null when it does.")
    text: str = Field(description="The same in a sentence, in the language of `Accept-Language`.")

    @classmethod
    def of(cls, term: pb.Term) -> Term:
        """From the contract's message."""
        return cls(
            round=term.round,
            basis=TERM_BASES[term.basis],
            value=term.quarters / 4,
            opponent_id=term.opponent_id,
            opponent_name=term.opponent_name,
            outcome=OUTCOMES.get(term.outcome),
            worth=term.worth_quarters / 4,
            granted=term.granted_quarters / 4,
            score=term.score,
            against=term.against,
            seats=term.seats,
            left_out=LEFT_OUT.get(term.left_out),
            text=term.text,
        )


class Arithmetic(BaseModel):
    """How a value comes about: the sum of its terms, those left out excepted, over `divisor`."""

    terms: list[Term]
    divisor: int = Field(description="Games of a mean; 1 for a value that is none.")
    text: str = Field(description="The sum, in the language of `Accept-Language`.")

    @classmethod
    def of(cls, one: pb.Arithmetic, divisor: int = 1) -> Arithmetic:
        """From the contract's message."""
        return cls(terms=[Term.of(term) for term in one.terms], divisor=max(1, divisor), text=one.text)


def tie_break_value(one: pb.TieBreak) -> float:
    """What a tie-break comes to."""
    return one.quarters / 4 / max(1, one.divisor)


def arithmetic_of(line: pb.Standing | pb.TeamStanding) -> dict[str, Arithmetic] | None:
    """How the points and every tie-break of a line come about, by name; None where it was not asked for."""
    if not line.HasField("point_arithmetic"):
        return None
    of_points = Arithmetic.of(line.point_arithmetic)
    return {"points": of_points, **{one.name: Arithmetic.of(one.arithmetic, one.divisor) for one in line.tie_breaks}}


class Standing(BaseModel):
    """A player's line in the standings."""

    rank: int = Field(description="From 1; players equal in everything share a rank.")
    player_id: str
    name: str = Field(description="Name, or empty when it was erased.")
    points: float = Field(description="Championship points: 1 for a win, 0.5 for a draw, 1 for a bye.")
    wins: int = Field(description="Over the board, as draws and losses: a forfeit counts in `points` alone.")
    draws: int
    losses: int
    bye: bool = Field(description="A bye was had; it is counted in `points` and not in `wins`.")
    tie_breaks: dict[str, float] = Field(
        description="Tie-breaks by name, in the order in which they decide.",
        examples=[{"median-buchholz": 12, "berger": 8.5, "spread": 211, "total": 1904}],
    )
    spread: int = Field(description="Own points minus opponents' points in all games.")
    total: int = Field(description="Points in all games.")
    arithmetic: dict[str, Arithmetic] | None = Field(
        description="How `points` and every tie-break come about, by name; null when it was not asked for."
    )
    team_id: str = TEAM

    @classmethod
    def of(cls, line: pb.Standing) -> Standing:
        """From the contract's message."""
        return cls(
            rank=line.rank,
            player_id=line.player_id,
            name=line.name,
            points=line.half_points / 2,
            wins=line.wins,
            draws=line.draws,
            losses=line.losses,
            bye=line.bye,
            tie_breaks={one.name: tie_break_value(one) for one in line.tie_breaks},
            spread=line.spread,
            total=line.total,
            arithmetic=arithmetic_of(line),
            team_id=line.team_id,
        )


class Standings(Answer):
    """Standings, in rank order."""

    round: int = Field(description="The last round counted, 0 when none is.")
    standings: list[Standing]
    division: str = DIVISION

    @classmethod
    def of(cls, answer: pb.GetStandingsResponse) -> Standings:
        """From the contract's message."""
        lines = [Standing.of(line) for line in answer.standings]
        return cls(position=answer.position, round=answer.round, standings=lines, division=answer.division)


class Seat(BaseModel):
    """A player as named at a table."""

    player_id: str
    name: str = Field(description="Name, or empty when it was erased.")
    score: int = Field(description="Score so far, or final.")
    team_id: str = Field(description="The team that the player sits there for; empty where there are no teams.")

    @classmethod
    def of(cls, seat: pb.Seat) -> Seat:
        """From the contract's message."""
        return cls(player_id=seat.player_id, name=seat.name, score=seat.score, team_id=seat.team_id)


def _adjustments(given: Iterable[pb.SpreadAdjustment]) -> dict[str, int]:
    """What came on or off together, by player."""
    together: dict[str, int] = {}
    for one in given:
        together[one.player_id] = together.get(one.player_id, 0) + one.points
    return together


class ScoreSanction(BaseModel):
    """A sanction that took points off the score of a game."""

    player_id: str = Field(description="Whose score.")
    points: int = Field(description="Points taken off, above 0.")
    article: str = Field(description="The article, such as `FISE 49`.")

    @classmethod
    def of(cls, one: pb.ScoreSanction) -> ScoreSanction:
        """From the contract's message."""
        return cls(player_id=one.player_id, points=one.points, article=one.article)


class Table(BaseModel):
    """One table of a round."""

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
    spread_adjustments: dict[str, int] = Field(
        description="What rulings put right and sanctions have added to the spread of players, by id (PES Δ.ε, Ζ)."
    )
    total_adjustments: dict[str, int] = Field(
        description="What of these sanctions have added to the total too; below 0 for what they took off (PES Ζ)."
    )
    match: int = MATCH
    board: int = Field(description="The board of that match, from 1; 0 where there are no teams.")
    score_sanctions: list[ScoreSanction] = Field(
        description="What sanctions that stand took off the scores of the seats, which are what is left (FISE 49)."
    )

    @classmethod
    def of(cls, one: pb.Table) -> Table:
        """From the contract's message."""
        return cls(
            table=one.table,
            hall=one.hall,
            game_id=one.game_id,
            seats=[Seat.of(seat) for seat in one.seats],
            turns=one.turns,
            final=one.final,
            winner_id=one.winner_id,
            loser_ids=list(one.loser_ids),
            lost_by_all=one.lost_by_all,
            unplayed=one.unplayed,
            corrected=one.corrected,
            postponed_to=moment(one.postponed_to) if one.HasField("postponed_to") else None,
            first_player_id=one.first_player_id,
            spread_adjustments=_adjustments(one.spread_adjustments),
            total_adjustments=_adjustments(each for each in one.spread_adjustments if each.sanction),
            match=one.match,
            board=one.board,
            score_sanctions=[ScoreSanction.of(each) for each in one.score_sanctions],
        )


class RequestedBye(BaseModel):
    """A player who sits a round out, other than by the pairing itself."""

    player: Seat
    kind: ByeKind = Field(description="What the round is worth.")
    match: int = Field(
        description="The match in which the player's board is won because the other team has nobody for it; 0 for none."
    )
    board: int = Field(description="The board, from 1, in that match or in the line-up; 0 where there are no teams.")
    opponent_gone: bool = Field(
        description="Nobody asked for it: the opponent in the table of rounds has left or sits the round out."
    )

    @classmethod
    def of(cls, one: pb.RequestedBye, answer: pb.GetPairingsResponse) -> RequestedBye:
        """From the contract's message, one of those of ``answer``."""
        return cls(
            player=Seat.of(one.seat),
            kind=BYE_KINDS[one.kind],
            match=one.match,
            board=one.board,
            opponent_gone=labels.opponent_gone(answer, one),
        )


class TeamSide(BaseModel):
    """A team in a match."""

    team_id: str
    name: str
    board_points: float = Field(description="Points of the boards of which the result is final.")

    @classmethod
    def of(cls, side: pb.TeamSide) -> TeamSide:
        """From the contract's message."""
        return cls(team_id=side.team_id, name=side.name, board_points=side.board_half_points / 2)


class Match(BaseModel):
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

    @classmethod
    def of(cls, one: pb.Match) -> Match:
        """From the contract's message."""
        return cls(
            match=one.match,
            first_team=TeamSide.of(one.first_team),
            second_team=TeamSide.of(one.second_team),
            final=one.final,
            winner_team_id=one.winner_team_id,
            lost_by_all=one.lost_by_all,
            points_unknown=one.points_unknown,
        )


class TeamBye(BaseModel):
    """A team that sits a round out. Its players are among the requested byes."""

    team_id: str
    name: str
    kind: ByeKind | None = Field(description="What the round is worth; null for the odd team out.")
    opponent_gone: bool = Field(
        description="Nobody asked for it: the opponent in the table of rounds has left or sits the round out."
    )

    @classmethod
    def of(cls, one: pb.TeamBye, answer: pb.GetPairingsResponse) -> TeamBye:
        """From the contract's message, one of those of ``answer``."""
        gone = labels.opponent_gone(answer, one)
        return cls(team_id=one.team_id, name=one.name, kind=BYE_KINDS.get(one.kind), opponent_gone=gone)


class Pairings(Answer):
    """The tables of a round."""

    round: int
    phase: Phase = Field(description="Where the round stands.")
    tables: list[Table]
    bye: Seat | None = Field(description="Who has the bye.")
    requested_byes: list[RequestedBye] = Field(description="Who else sits the round out.")
    division: str = DIVISION
    matches: list[Match] = Field(description="Of teams, in the order of their numbers; empty where there are none.")
    team_byes: list[TeamBye] = Field(description="The teams that sit the round out.")
    algorithm: str = Field(description="Name and version of the way in which it was paired, such as `swiss-2`.")

    @classmethod
    def of(cls, answer: pb.GetPairingsResponse) -> Pairings:
        """From the contract's message."""
        return cls(
            position=answer.position,
            round=answer.round,
            phase=PHASES[answer.phase],
            tables=[Table.of(one) for one in answer.tables],
            bye=Seat.of(answer.bye) if answer.HasField("bye") else None,
            requested_byes=[RequestedBye.of(one, answer) for one in answer.requested_byes],
            division=answer.division,
            matches=[Match.of(one) for one in answer.matches],
            team_byes=[TeamBye.of(one, answer) for one in answer.team_byes],
            algorithm=answer.algorithm,
        )


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
                player_id=one.player_id,
                name=one.name,
                club=one.club,
                country=one.country,
                rating=one.rating,
                unrated=one.unrated,
                new_rating=one.new_rating if one.HasField("new_rating") else None,
                entered_round=one.entered_round,
                withdrawn_round=one.withdrawn_round,
                checked_in=one.checked_in,
                team_id=one.team_id,
            )
            for one in answer.players
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


class News(BaseModel):
    """One piece of news, as the stream's `data`."""

    position: int
    type: str = Field(description="Name of the event.", examples=["PlayPlaced"])
    game_id: str = Field(description="The game that it is of; empty for the tournament's own.")
    round: int = Field(description="The round, 0 when it is of none.")
    recorded_at: datetime

    @classmethod
    def of(cls, one: pb.FollowResponse) -> News:
        """From the contract's message."""
        return cls(
            position=one.position,
            type=one.type,
            game_id=one.game_id,
            round=one.round,
            recorded_at=moment(one.recorded_at),
        )


class Seal(BaseModel):
    """A signed statement about the events from one position to another: these and no others, in this order."""

    from_position: int = Field(description="The first event under it.")
    to_position: int = Field(description="The last event under it.")
    root: str = Field(
        description="Over the Merkle tree (RFC 6962, SHA-256) of the hashes of the events, and the number of events of "
        "each tournament, in hex."
    )
    previous: str = Field(description="SHA-256 of the statement of the seal before, in hex; zeros for the first.")
    key_id: str = Field(description="First 16 hexadecimal digits of SHA-256 over the 32 bytes of the public key.")
    signature: str = Field(description="Ed25519, in hex, over `statement`.")
    statement: str = Field(description="What is signed, byte for byte.")
    sealed_at: datetime

    @classmethod
    def of(cls, one: pb.Seal) -> Seal:
        """From the contract's message."""
        root, previous = one.root.hex(), one.previous.hex()
        statement = (
            f"faristol seal 1\npositions {one.from_position} {one.to_position}\nroot {root}\n"
            f"previous {previous}\nkey {one.key_id}\nat {one.sealed_at.ToMicroseconds()}\n"
        )
        return cls(
            from_position=one.from_position,
            to_position=one.to_position,
            root=root,
            previous=previous,
            key_id=one.key_id,
            signature=one.signature.hex(),
            statement=statement,
            sealed_at=moment(one.sealed_at),
        )


class Seals(Answer):
    """Seals of the record, in the order of their positions."""

    seals: list[Seal]

    @classmethod
    def of(cls, answer: pb.ListSealsResponse) -> Seals:
        """From the contract's message."""
        return cls(position=answer.position, seals=[Seal.of(one) for one in answer.seals])
