"""Types of the answers of the HTTP interface, as ``faristol.client.results`` returns them.

Generated from the contract by ``tests/unit/gateway/api/client_models.py``; not edited by hand. Newer gateways may send
further fields, which are available too. ``/docs`` of a gateway describes all fields.
"""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel, ConfigDict


class Model(BaseModel):
    """Part of an answer: immutable, with further fields beside the declared ones."""

    model_config = ConfigDict(extra="allow", frozen=True)


ByeKind = str
"""One of `half_point`, `full_point`, `zero_point`; newer gateways may send further words."""

EndCondition = str
"""One of `out`, `lost_turns`, `scoreless_turns`, `overtime`, `round_time`, `agreement`, `abandoned`, `all_abandoned`,
`forfeit`; newer gateways may send further words."""

EntryKind = str
"""One of `play`, `exchange`, `pass`, `phony`, `rack_penalty`, `out_bonus`, `time_penalty`, `withdrawn`, `cannot_play`,
`lost_turn`, `free_exchange`, `challenge_penalty`, `sanction`, `abandonment`, `forfeit`, `correction`; newer gateways
may send further words."""

EventType = str

GameState = str
"""One of `paired`, `playing`, `postponed`, `final`; newer gateways may send further words."""

HallSide = str
"""One of `first_row`, `last_row`, `left`, `right`; newer gateways may send further words."""

IncidentKind = str
"""One of `overdraw`, `underdraw`, `illegal_exchange`, `tiles_found`, `arbiter_called`, `count_disputed`, `appeal`,
`warning`, `turn_sanction`, `game_sanction`, `expulsion`, `word_asked`, `play_corrected`, `reopened`, `taken_back`,
`word_answered`, `given_up`; newer gateways may send further words."""

LeftOut = str
"""One of `lowest`, `missed_by_will`, `not_all_met`, `parted`, `annulled`; newer gateways may send further words."""

NeutralisationReason = str
"""One of `challenge`, `count_dispute`, `arbiter_call`, `force_majeure`, `overdraw`, `correction`; newer gateways may
send further words."""

Outcome = str
"""One of `win`, `draw`, `loss`; newer gateways may send further words."""

RoundPhase = str
"""One of `paired`, `started`, `closed`; newer gateways may send further words."""

TermBasis = str
"""One of `game`, `forfeit`, `bye`, `requested_bye`, `absence`, `adjustment`, `sanction`, `carried`; newer gateways may
send further words."""

TournamentMode = str
"""One of `classic`, `multi`, `duplicate`; newer gateways may send further words."""

TournamentState = str
"""One of `announced`, `playing`, `over`; newer gateways may send further words."""

TurnLostReason = str
"""One of `touch`, `time`, `overdraw`, `challenge`, `free_exchange`, `illegal_exchange`, `sanction`, `abandoned`; newer
gateways may send further words."""

WithdrawalReason = str
"""One of `challenged`, `off_centre`, `fake_blank`, `leaked`; newer gateways may send further words."""


class AnnouncedRound(Model):
    """A round with an announced time."""

    round: int
    starts_at: datetime
    ends_at: datetime | None
    announced_at: datetime


class Arithmetic(Model):
    """The computation of a value: the sum of its terms without those left out, divided by the divisor of a mean."""

    terms: list[Term]
    text: str
    divisor: int


class ClockSide(Model):
    """The clock of one player."""

    player_id: str
    used_ms: int
    running: bool
    running_since: datetime | None
    turn_used_ms: int
    absent: bool


class Division(Model):
    """A division of a championship: a tournament with its own players, rounds and rules."""

    tournament_id: str
    name: str
    stage: int


class DuplicateRound(Model):
    """A round that is a duplicate game."""

    game_id: str
    round: int
    phase: RoundPhase


class Entry(Model):
    """A line of the scoresheet."""

    kind: EntryKind
    turn: int
    player_id: str
    placements: list[Placement]
    words: list[ScoredWord]
    score: int
    total: int
    bingo: bool
    challenged: bool
    complete: bool
    exchanged: int
    overtime_ms: int
    faces: list[str]
    coordinates: str
    withdrawn_for: WithdrawalReason | None
    lost_for: TurnLostReason | None
    article: str
    written: list[WrittenScore]
    ruled_words: list[RuledWord]
    sheet_play: str
    sheet_score: str
    circled: bool
    noted_blanks: list[str]


class EntryForm(Model):
    """The form of a tournament by which players enter themselves."""

    opens_at: datetime | None
    closes_at: datetime | None


class FoundPlayer(Model):
    """A player in the result of a search."""

    player_id: str
    name: str
    club: str
    country: str
    tournaments: int
    links: FoundPlayerLinks


class FoundPlayerLinks(Model):
    """Links."""

    self: str
    page: str


class FoundPlayers(Model):
    """Answer."""

    players: list[FoundPlayer]
    position: int
    next_page_token: str
    total: int


class Game(Model):
    """Answer."""

    game_id: str
    tournament_id: str
    tournament_name: str
    round: int
    table: int
    seats: list[Seat]
    first_player_id: str
    board: list[Placement]
    entries: list[Entry]
    bag_left: int
    turn_player_id: str
    end_condition: EndCondition | None
    final: bool
    winner_id: str
    clocks: list[ClockSide]
    allowance_ms: int
    position: int
    ruleset: Pin
    lexicon: Pin | None
    laid: list[Placement]
    incidents: list[Incident]
    loser_ids: list[str]
    lost_by_all: bool
    turn_ms: int
    neutralised_for: NeutralisationReason | None
    round_time_over: bool
    last_turn: int
    sheet: Sheet | None
    draw_commitment: str
    seed: str
    division: str
    counted: list[Seat]
    score_sanctions: list[ScoreSanction]
    entered_by: str
    corrected: bool
    corrected_by: str
    unplayed: bool
    state: GameState
    cell_hall: str
    kept: bool
    links: GameLinks


class GameLinks(Model):
    """Links."""

    self: str
    page: str
    players: list[str]
    tournament: str


class Games(Model):
    """Games of a tournament."""

    games: list[Table]
    position: int
    next_page_token: str
    total: int


class Hall(Model):
    """A hall and its tables."""

    name: str
    first_table: int
    last_table: int
    row_tables: list[int]
    rows_turn: bool
    entrance: HallSide
    stage: HallSide


class HallBehind(Model):
    """A hall that plays on without a connection to the championship."""

    hall: str
    since: datetime


class HallCell(Model):
    """A hall with a cell of its own, such as a laptop."""

    hall: str
    address: str


class HeldRack(Model):
    """The rack of a player before a turn was played or lost."""

    turn: int
    player_id: str
    faces: list[str]


class Incident(Model):
    """An incident at a table."""

    kind: IncidentKind
    turn: int
    player_id: str
    count: int
    open: bool
    article: str


class KeptResult(Model):
    """A result that a hall keeps until its line to the championship is back."""

    table: int
    game_id: str
    scores: list[int]


class Match(Model):
    """A match of two teams in a round (FISE 4.4)."""

    match: int
    first_team: TeamSide
    second_team: TeamSide
    final: bool
    winner_team_id: str
    lost_by_all: bool
    points_unknown: bool


class News(Model):
    """A notification of an event."""

    position: int
    type: EventType
    game_id: str
    round: int
    recorded_at: datetime
    tournament_id: str
    table: int


class Pairings(Model):
    """Answer."""

    round: int
    phase: RoundPhase
    tables: list[Table]
    bye: Seat | None
    position: int
    requested_byes: list[RequestedBye]
    division: str
    matches: list[Match]
    team_byes: list[TeamBye]
    algorithm: str
    next_page_token: str
    total: int
    tournament_id: str
    links: PairingsLinks


class PairingsLinks(Model):
    """Links."""

    self: str
    page: str
    tournament: str


class Pin(Model):
    """A document pinned by the digest of its content, so that it can be identified years later."""

    name: str
    digest: str


class Placement(Model):
    """A tile on a square."""

    row: int
    column: int
    face: str
    blank: bool


class Player(Model):
    """A registered player."""

    player_id: str
    name: str
    club: str
    rating: int
    unrated: bool
    new_rating: int | None
    entered_round: int
    withdrawn_round: int
    checked_in: bool
    country: str
    team_id: str
    category: str


class PlayerAnswer(Model):
    """Answer."""

    player_id: str
    name: str
    club: str
    country: str
    tournaments: list[PlayerTournament]
    position: int
    next_page_token: str
    total: int
    links: PlayerAnswerLinks


class PlayerAnswerLinks(Model):
    """Links."""

    self: str
    page: str


class PlayerBye(Model):
    """A round that a player sits out."""

    round: int
    kind: ByeKind | None


class PlayerDuplicateGame(Model):
    """A started duplicate game of a player."""

    game_id: str
    round: int
    hall: str
    number: int
    total: int


class PlayerDuplicates(Model):
    """The results of a player in the duplicate games of a tournament."""

    rank: int | None
    total: int
    percent: float
    games: list[PlayerDuplicateGame]


class PlayerGame(Model):
    """A game of a player in a tournament."""

    game_id: str
    round: int
    phase: RoundPhase
    table: Table
    outcome: Outcome | None


class PlayerTournament(Model):
    """A tournament of a player."""

    tournament: Tournament
    player: Player
    standing: Standing | None
    games: list[PlayerGame]
    byes: list[PlayerBye]
    duplicate: PlayerDuplicates | None


class Players(Model):
    """Answer."""

    players: list[Player]
    rating_system: str
    position: int
    rating_revision: int
    rating_published_at: datetime | None
    rating_revised_at: datetime | None
    next_page_token: str
    total: int


class Racks(Model):
    """Racks of a game, turn by turn."""

    game_id: str
    public: bool
    racks: list[HeldRack]
    position: int


class RequestedBye(Model):
    """A player who sits out a round for a reason other than the pairing."""

    player: Seat
    kind: ByeKind
    match: int
    board: int
    opponent_gone: bool


class Round(Model):
    """The summary of a round."""

    round: int
    phase: RoundPhase
    tables: int
    finished: int
    corrected_before: bool
    algorithm: str
    started_at: datetime | None
    closed_at: datetime | None
    ends_at: datetime | None
    paired_at: datetime | None


class RuledWord(Model):
    """A word with its validity."""

    faces: list[str]
    valid: bool


class ScoreSanction(Model):
    """A sanction that deducted points from the score of a game."""

    player_id: str
    points: int
    article: str


class ScoredWord(Model):
    """A word that a play forms, with its score."""

    faces: list[str]
    row: int
    column: int
    across: bool
    score: int


class Seat(Model):
    """A player at a table."""

    player_id: str
    name: str
    score: int | None
    team_id: str


class Sheet(Model):
    """The form of the sheet that the rules require."""

    sides: list[SheetSide]
    words: bool
    bingos: bool
    blanks: bool


class SheetSide(Model):
    """A player's fields of the sheet, without its lines."""

    player_id: str
    bingos: int
    blanks: list[str]
    signs: bool


class Standing(Model):
    """A player's line in the standings."""

    rank: int
    player_id: str
    name: str
    wins: int
    draws: int
    losses: int
    bye: bool
    points: float
    spread: int
    total: int
    team_id: str
    withdrawn_round: int
    category: str
    club: str
    rating: int
    unrated: bool
    annulled: bool
    links: StandingLinks
    tie_breaks: dict[str, float]
    arithmetic: dict[str, Arithmetic] | None


class StandingLinks(Model):
    """Links."""

    self: str
    page: str


class Standings(Model):
    """Answer."""

    standings: list[Standing]
    round: int
    position: int
    division: str
    next_page_token: str
    total: int
    tournament_id: str
    links: StandingsLinks


class StandingsLinks(Model):
    """Links."""

    self: str
    page: str
    tournament: str


class Table(Model):
    """A table of a round."""

    table: int
    game_id: str
    seats: list[Seat]
    turns: int
    final: bool
    winner_id: str
    lost_by_all: bool
    condition: EndCondition | None
    loser_ids: list[str]
    unplayed: bool
    corrected: bool
    postponed_to: datetime | None
    first_player_id: str
    hall: str
    match: int
    board: int
    score_sanctions: list[ScoreSanction]
    entered_by: str
    corrected_by: str
    round: int
    state: GameState
    cell_hall: str
    kept: bool
    links: TableLinks
    spread_adjustments: dict[str, int]
    total_adjustments: dict[str, int]


class TableLinks(Model):
    """Links."""

    self: str
    page: str
    players: list[str]


class TeamBye(Model):
    """A team that sits a round out."""

    team_id: str
    name: str
    kind: ByeKind | None
    opponent_gone: bool


class TeamSide(Model):
    """A team in a match."""

    team_id: str
    name: str
    board_points: float


class Term(Model):
    """The contribution of one round to a value."""

    round: int
    basis: TermBasis
    value: float
    opponent_id: str
    opponent_name: str
    outcome: Outcome | None
    worth: float
    granted: float
    score: int
    against: int
    seats: int
    left_out: LeftOut | None
    text: str


class Tournament(Model):
    """The summary of a tournament."""

    tournament_id: str
    name: str
    rounds: int
    players: int
    ruleset: Pin
    lexicon: Pin | None
    played: list[Round]
    over: bool
    created_at: datetime
    division: str
    division_of: str
    divisions: list[Division]
    team_boards: int
    time_zone: str
    halls: list[Hall]
    announced: list[AnnouncedRound]
    place: str
    country: str
    starts_on: str
    ends_on: str
    organiser: str
    contact: str
    link: str
    arbiters: list[str]
    archived: bool
    mode: TournamentMode | None
    state: TournamentState
    duplicate_games: list[DuplicateRound]
    broadcast_delay_minutes: int
    halls_behind: list[HallBehind]
    kept_results: list[KeptResult]
    hall_cells: list[HallCell]
    entry_form: EntryForm | None
    links: TournamentLinks


class TournamentLinks(Model):
    """Links."""

    self: str
    page: str
    players: str
    games: str
    standings: str
    crosstable: str
    teams: str
    rulings: str
    stream: str


class Tournaments(Model):
    """Answer."""

    tournaments: list[Tournament]
    position: int
    next_page_token: str
    total: int


class WrittenScore(Model):
    """A score as a player wrote it on their own sheet."""

    player_id: str
    score: int
    total: int
