"""The sections of a ruleset: one class for each, one field for each value in which rule books differ.

The docstring of a field gives the meaning of its value, the alternatives in the order of the type; the file of a book
has its values and articles.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from faristol.rules.ruleset.modes import Mode

TurnWord = Literal["play", "exchange", "pass", "withdrawn", "cannot-play", "lost", "timed-out", "forfeited"]
"""The result of a turn, as in ``faristol.rules.turns.TurnKind``."""


Step = Literal["place", "announce", "stop", "write", "draw", "press"]
"""One step of a turn: lay the tiles, announce word and score (PES: declare the play done), stop one's clock, write
the score, refill the rack, start the opponent's clock."""


@dataclass(frozen=True, slots=True)
class GameRules:
    """The number of players, and their tiles."""

    mode: Mode
    """Two players, a table of several, or one game that all play with the same tiles."""
    players_min: int
    players_max: int
    tile_set: str
    """Name of a tile set for ``load_tile_set``."""
    rack_size: int
    """Tiles of a full rack; laying that many at once is a bingo."""
    turn_direction: Literal["alternate", "right", "left", "together"]
    """The next player on turn: the other player; the neighbour on that side; or all take the turn at once."""


@dataclass(frozen=True, slots=True)
class Start:
    """The choice of the first player."""

    method: Literal["draw", "lot", "first-named", "system", "draw-then-alternate"]
    """Each player draws a tile; a lot before the game determines the whole order; the first named in the pairing; as
    the pairing system says; a draw for the first game of a match, then alternately."""
    blank: Literal["first", "last"]
    """The rank of a blank in a draw: before the first letter or after the last."""
    tie: Literal["return-and-redraw", "redraw"]
    """Equal tiles go back before the next draw, or stay out."""
    seat: Literal["free", "drawn", "starter-chooses", "lot"]
    """The seats: no rule; drawn if wanted; chosen by the first player; by the lot of the start."""

    @property
    def by_pairing(self) -> bool:
        """The first named of a pair begins (FISE 4.1, 4.2, PES Γ.α)."""
        return self.method in {"first-named", "system"}


@dataclass(frozen=True, slots=True)
class FirstMove:
    """Requirements for the first play on an empty board."""

    tiles_min: int
    centre: Literal["mandatory", "opponent-decides"]
    """Whether a play that misses the centre is invalid, or is the opponent's to accept or declare invalid."""
    direction: Literal["any", "across"]


@dataclass(frozen=True, slots=True)
class Touch:
    """The obligations of a player from a tile laid on the board."""

    rule: Literal["strict", "until-announced", "free-until-clock"]
    """A tile laid must be played; may be taken back until the play is announced; or until the clock is stopped."""
    line_fixed_by_first_tile: bool
    """The play must stay in the row or column in which it was begun."""
    sanction: Literal["turn-lost", "none"]
    """The penalty for a breach, after the tiles are taken back."""


@dataclass(frozen=True, slots=True)
class TurnRules:
    """The steps of a turn in which tiles are laid."""

    steps: tuple[Step, ...]
    """The steps in the order of the book."""
    written_by: Literal["both", "mover", "keeper"]
    """The writers of a play's score: both players, the mover, or the keeper of the table's sheet."""
    complete_on: Literal["placed", "both-written", "draw", "press"]
    """The step that completes a play."""
    next_waits_for_draw: bool
    """The opponent may not lay a tile before the mover has drawn and shown a full rack."""


@dataclass(frozen=True, slots=True)
class Scoring:
    """Points beyond those of tiles and premiums."""

    bingo: int
    """Points for laying a full rack in one play."""


@dataclass(frozen=True, slots=True)
class Blank:
    """The letter of a blank, and disputes about it."""

    fixed_on: Literal["declared", "counting", "clock-stopped"]
    """The moment after which the letter cannot be changed."""
    written_by: Literal["both", "mover", "keeper"]
    claims: Literal["placer-prevails", "arbiter"]
    """If the sheets differ or have no letter: the placer's claim prevails, or an arbiter decides."""
    fake: Literal["turn-lost", "none"]
    """The penalty for a letter laid face down as a blank, if detected before the score is written."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """Exchange of tiles for a turn."""

    limit: Literal["bag", "full-rack-in-bag", "leave-full-rack"]
    """As many as the bag has; any number while it has a full rack; or as many as leave a full rack in it."""
    max: int
    """The most tiles in one exchange, regardless of the bag."""
    illegal: Literal["none", "turn-lost", "reveal-and-choose"]
    """After an exchange of too many: only a refusal; the turn is lost; or the opponent reveals as many tiles of the
    player and the whole bag, and chooses which of them the player keeps."""
    stops_clock: bool
    """Whether the mover stops the clock before drawing."""
    number_fixed: bool
    """Whether the announced number is fixed."""
    announced_can_be_dropped: bool
    """Whether the player may still play or pass after announcing an exchange."""


@dataclass(frozen=True, slots=True)
class FreeExchange:
    """A change of a rack of only vowels or only consonants without losing the turn."""

    allowed: bool
    bag_min: int
    """The least number of tiles in the bag."""
    blanks_count: bool
    """Whether a blank counts as the required vowel or consonant."""
    all_tiles: bool
    """Whether the whole rack must be changed."""
    when: Literal["before-acting", "never"]
    """On the player's own turn, before any other action in it; or never."""
    unfounded: Literal["none", "turn-lost"]
    """The penalty for requesting it without such a rack."""


@dataclass(frozen=True, slots=True)
class Passing:
    """Conditions for passing a turn."""

    allowed: Literal["always", "full-rack-in-bag"]
    cannot_play: bool
    """Whether a player without a possible play may give the turn up although passing is not allowed."""


@dataclass(frozen=True, slots=True)
class Overdraw:
    """A draw of too many tiles."""

    unracked: Literal["random-of-new", "two-more-of-new", "arbiter"]
    """With the new tiles apart from the others: the surplus is taken at random from the new ones; or two more than the
    surplus are, and the opponent chooses which of them go back; or an arbiter decides."""
    racked: Literal["random-of-rack", "two-more-of-rack", "arbiter"]
    """The same if the new tiles cannot be distinguished from the others."""
    seen_counts_as_racked: bool
    """Whether tiles that the player has seen are treated as racked."""
    returned_seen: Literal["by-nobody", "by-opponent-if-mover-saw", "by-opponent"]
    """The opponent's right to see tiles taken at random before they go back."""
    late: Literal["as-drawn", "as-racked", "choose-and-lose-turn", "arbiter"]
    """Noticed by the opponent after the press: as before it, by the place of the new tiles; or as racked in any case.
    Or at any time before the player's next play is complete, also before the press: the opponent sees the rack, chooses
    the tiles that go back, and the player loses the next turn. Or an arbiter decides."""
    expulsion_after_in_game: int | None
    """Number of deliberate overdraws in one game after which expulsion is proposed."""
    expulsion_after_in_tournament: int | None
    own_late: Literal["as-drawn", "arbiter"] = "as-drawn"
    """Noticed by the player on that player's next turn: as before; or an arbiter decides."""


@dataclass(frozen=True, slots=True)
class Underdraw:
    """A draw of too few tiles."""

    unracked: Literal["complete", "arbiter"]
    racked: Literal["complete", "complete-and-show", "arbiter"]
    """The missing tiles are drawn; drawn and shown to the opponent; or an arbiter decides."""
    late: Literal["as-drawn", "refused", "arbiter"] = "as-drawn"
    """Noticed on the player's next turn: as before; or no claim is accepted, and the rack is full again after the next
    draw; or an arbiter decides."""


@dataclass(frozen=True, slots=True)
class FoundTiles:
    """Tiles found beside the board after the game began."""

    rule: Literal["refused", "into-bag"]
    """No claim is accepted; or the tiles go into the bag."""
    out_at: int | None
    """They stay out of the game if the bag has this number of tiles or fewer."""
    counted: Literal["before", "after"]
    """Whether the bag is counted before or after the tiles found are added."""


Neutraliser = Literal["challenge", "count-dispute", "arbiter-call", "force-majeure", "overdraw", "correction"]
"""The reasons to stop both clocks: a challenge is judged; a count is disputed; an arbiter is called; force majeure;
surplus tiles go back; a written error is corrected."""


@dataclass(frozen=True, slots=True)
class ClockRules:
    """The clock of a table."""

    model: Literal["chess", "per-turn", "none"]
    """Time of each player for the whole game; time for each turn; or no clock."""
    minutes: int | None
    """Thinking time of each player for the whole game; None without a chess clock, or until the organiser chooses."""
    turn_seconds: int | None
    """Time for one turn; None without a timer."""
    runs_while_counting: bool
    runs_while_drawing: bool
    stopped_by_mover: bool
    """Whether the mover stops their clock after laying the tiles."""
    verification_pause_seconds: int | None
    """A longer check of a count may stop a running clock."""
    neutralised_by: tuple[Neutraliser, ...]
    """The reasons that stop both clocks; no other reason does."""
    resumed_on: Literal["ruled", "written"]
    """The end of the stop after a challenge of a play that stands: the ruling, or its written score."""
    overtime_points: int
    """Points lost for each minute of overtime, or part of one."""
    overtime_cap_minutes: int | None
    """More overtime than this ends the game; None for no cap."""
    turn_timeout: Literal["stands-or-lost", "begun-or-lost", "turn-lost", "none"]
    """At the end of a turn's time: a play on the board is scored, otherwise the turn is lost; a play that was begun is
    finished, without one the turn is lost; the turn is lost in any case; or there is no time of a turn."""
    last_play_stops_on: Literal["placed", "written"]
    """The last play of a game stops the clock permanently when its tiles are laid, or when its score is written."""
    reminders: Literal["forbidden", "players-and-arbiter", "allowed"]
    """The persons who may say that a clock was forgotten."""
    forgotten_heard: bool
    """Whether an arbiter hears the claim that a player forgot to press, stop or start a clock."""


@dataclass(frozen=True, slots=True)
class RoundTime:
    """Rules for the end of the round's time."""

    rule: Literal["hand-and-one-more", "equal-turns", "scores-stand", "none"]
    """The current round of turns and one more; each player with fewer turns has one more; scores stand at once; or the
    book has no such time."""
    minutes: int | None
    """Length of a round; None without a limit, before the organiser's choice, or with ``twice_the_clock``."""
    twice_the_clock: bool
    """Whether the round lasts twice the ``clock.minutes`` of a player."""
    last_turn_seconds: int | None
    """The most that each turn after the end may take."""
    runs_while_challenged: bool
    """Whether the time of the round runs while the clocks of the players are stopped."""
    out_counts: bool
    """Whether a player who goes out in those last turns ends the game."""


@dataclass(frozen=True, slots=True)
class Lateness:
    """A player who is absent at the start of the round."""

    clock_starts_after_minutes: int | None
    """Delay of the absent player's clock after ``counted_from``; None if the clock is not started."""
    clock_starts_on: Literal["signal", "press"]
    """The clock counts from the due moment, however late it is recorded; or from the press of an arbiter, not
    before."""
    counted_from: Literal["start", "draw"]
    """The delay counts from the start of the round, or from the draw of its pairings. No clock runs before the
    start."""
    long_break_minutes: int | None
    """After a break between draw and start of this length or more, the minutes count from the start; None if they
    always do."""
    loses_after_minutes: int | None
    """An absent player loses after this time; None without such a limit."""
    loses_counted: Literal["from-signal", "on-clock"]
    """Whether that time counts from the signal or on the absent player's clock."""
    loses_at_limit: bool
    """Whether reaching the limit loses, or only exceeding it."""
    loses_with: Literal["limit", "own-time-or-round", "arbiter"]
    """By the limit above; at the end of the player's time or of the other games of the round; or by decision of an
    arbiter."""
    both: Literal["both-clocks-run", "arbiter"]
    """Both absent: both clocks run and the first player to arrive has the remaining time; or an arbiter decides."""
    postponement_hours: int | None
    """Least time from the agreement on a postponement to the game; None if the book has no postponement."""


@dataclass(frozen=True, slots=True)
class Absence:
    """A player who leaves the table during a game."""

    told: Literal["arbiter", "opponent", "nobody"]
    """The person who must be notified before."""
    untold: Literal["disqualified", "game-lost", "none"]
    """The penalty for leaving without telling."""
    first: Literal["complete-undrawn", "place-undrawn", "none"]
    """Before leaving, the play is completed and the clock pressed without a draw; a play is laid without a draw; or no
    rule."""
    tiles_min: int
    """Least number of tiles of the play before leaving."""
    opponent_may_draw: bool
    """Whether the opponent may draw during the absence."""
    played_meanwhile: Literal["questioned-on-return", "stands"]
    """A play that the opponent completed during the absence: the player may question it on return before writing its
    score, drawing, or beginning the next turn; or it is accepted as any other complete play."""
    loses_with: Literal["own-time-or-round", "arbiter"]


@dataclass(frozen=True, slots=True)
class Challenge:
    """The players who may challenge a play, the time for it, and its consequences."""

    by: Literal["opponent", "table", "nobody"]
    """The opponent; any other player of the table; or no player, because every play is checked when it is laid."""
    opens_on: Literal["placed", "counted", "clock-stopped"]
    closes_on: Literal["press", "refill", "challenger-writes", "both-write", "next-turn"]
    """The opponent's clock starts; the mover draws, or presses the clock if the bag is empty; the challenger has
    written the score; both players have; or the next player has begun."""
    seconds_max: int | None
    """The most seconds after the window opened; the window closes earlier on ``closes_on``."""
    ruling: Literal["play", "word"]
    """Whether players are notified of the play as a whole or of each word."""
    once: bool
    """A play can be challenged once: words not named then stand. Otherwise another challenge can name other words of it
    within the time. Each word is ruled on once."""
    words_max: int | None
    """The most words of the play in one challenge; None without a limit."""
    free_invalid: int | None
    """Unfounded challenges in one game without a penalty; None if all are."""
    penalty: int
    """Points for an unfounded challenge."""
    penalty_unit: Literal["challenge", "word"]
    """The unit of the penalty: each challenge of a play that stands, or each challenged word found valid."""
    penalty_goes: Literal["from-challenger", "to-mover"]
    """Whether the challenger loses the points, or the mover gains them."""
    unfounded_loses_turn: bool
    """Whether the challenger of a play that stands loses the next turn."""
    mover_may_draw: bool
    """Whether the mover may draw while a challenge is open."""
    appeal_by: Literal["challenger", "mover", "none"]
    rulings_max: int
    """The most rulings on one play; the last one is final."""
    arguments_hidden: bool
    """Whether the appellant may ask that the other player does not see the arguments."""
    corrected_later: Literal["none", "spread"]
    """After a ruling found wrong after the game: no correction; or the spread of the player in the tournament changes
    by the points of the play and ``corrected_later_points``, on the same day, and the result stays."""
    corrected_later_points: int


@dataclass(frozen=True, slots=True)
class Arbiter:
    """Duties and rights of officials."""

    required: bool
    """Whether every game needs an arbiter."""
    players_may_check: bool
    """Whether players may check plays together, by agreement, without an arbiter."""
    asked_word: Literal["unplayable", "none"]
    """The status of a word that a player asked about and was answered before playing it."""
    asked_again: Literal["disqualified", "none"]
    """The sanction for asking or answering again, in this game or another of the tournament: the game is lost, and
    expulsion is proposed."""
    sanction_points_min: int | None
    """The least deduction of a sanction in points; None if the book sets none."""
    sanction_points_from: Literal["score", "spread"]
    """Points deducted after the game reduce the score of the game, and so may change the result; or they reduce the
    spread and the total of the player in the tournament, and the result stays.
    """


@dataclass(frozen=True, slots=True)
class End:
    """End conditions of a game, and the tiles left in the racks."""

    out_bonus: Literal["opponents-racks", "twice-opponents-racks", "none"]
    """The player who goes out gains the points of the other racks, which the others lose; gains them twice, and the
    others lose no points; or gains no points, and the others lose theirs."""
    lost_turns: int | None
    """Consecutive lost turns of each player that end the game."""
    lost_turn_kinds: tuple[TurnWord, ...]
    """The kinds of lost turns that count."""
    scoreless_turns: int | None
    """Consecutive turns of each player, counted by ``scoreless_unit``, that end the game."""
    scoreless_unit: Literal["no-tile", "own-turn", "zero-score"]
    """Turns in which no tile stayed on the board; only those in which the player passed, exchanged or took a play back,
    not turns lost by a penalty or the timer; or turns that scored 0, including a play worth 0."""
    exempt_at_zero: Literal["both", "scoreless", "none"]
    """Which of the two ends does not apply while no player has a point."""
    agreement: bool
    """Whether the game ends if the players agree that no player can lay a tile. With an empty bag it is enough that
    each declares so in turn, if ``passing.cannot_play`` allows it."""
    racks_count_after_time: bool
    """Whether racks are counted if the round ran out of time."""
    racks_count_after_overtime: bool
    """Whether racks are counted if a player has used more than their time, by any end of the game."""
    racks_count_after_cap: bool
    """Whether racks are counted if a player exceeded the cap on overtime."""


@dataclass(frozen=True, slots=True)
class Abandon:
    """The result of a game that a player leaves. The player who stays wins."""

    rule: Literal["stands-or-behind", "stands", "forfeit"]
    """A leading player gets the opponent's score less ``points_behind``, a trailing one keeps theirs; scores stand; or
    the result is that of a forfeit."""
    points_behind: int
    at_tie: Literal["as-leading", "as-trailing"]
    both: Literal["double-loss"]
    """Both leave: 0–0, and both lose."""
    racks_count: bool


@dataclass(frozen=True, slots=True)
class Forfeit:
    """The result of a game that was not played, or was lost by decision."""

    winner_points: int
    loser_points: int
    begun: Literal["as-abandoned", "forfeit"]
    """The result of a game lost by decision after a completed turn: as if the loser had abandoned it; or the points
    above, as if it had not been played."""


@dataclass(frozen=True, slots=True)
class Scoresheet:
    """Signatures, corrections, and the notation of plays."""

    signers: Literal["both", "keeper", "nobody"]
    totals_until: Literal["final", "round-end", "never"]
    """The end of corrections of a running total."""
    plays_until: Literal["completed", "final", "never"]
    """The end of corrections of the count of a play."""
    final_on: Literal["both-signed", "handed-over", "written"]
    """The result is definitive when both have signed; when the signed sheet is handed over; or when the score is
    written."""
    reopen_by: Literal["nobody", "both-players"]
    """The players who may ask to reopen a final game to correct an error."""
    words: Literal["main", "all", "none"]
    """The words that are written of a play beside its score."""
    zero_plays: Literal["written", "zero"]
    """A turn without points is written as any other, or as a zero only."""
    blank: Literal["parentheses", "field", "letter"]
    """The letter of a blank is in parentheses, in a separate field, or noted as the letter."""
    bingo: Literal["circled", "counted", "none"]
    exchange: Literal["dash", "zero", "none"]
    coordinates: Literal["optional", "required", "none"]


Layer = Literal[
    "general-variants", "balearic", "north-western", "valencian", "marked-a", "marked-b", "marked-r", "marked-v"
]
"""Words that extend those of a book: verb forms of the general variants, of a region, entries marked by dialect (UF
26)."""

TieBreak = Literal["median-buchholz", "buchholz", "berger", "spread", "total", "head-to-head", "cusca", "keizer"]
"""Criteria that rank players of equal points; ``faristol.rules.standings`` implements each."""


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The words that an event adds to those of the book, and the time limit for the choice."""

    layers: tuple[Layer, ...]
    """Layers added to the words of the book's own lexicon."""
    frozen_on: Literal["created", "first-game"]
    """The layers are fixed when the event is created, or when its first game begins."""


@dataclass(frozen=True, slots=True)
class Championship:
    """Rounds, points of the championship and tie-breaks. If a book has none, the system is ``none``."""

    system: Literal[
        "swiss",
        "swiss-lot",
        "classification",
        "classification-lot",
        "dutch",
        "round-robin",
        "double-round-robin",
        "match",
        "knock-out",
        "king-of-the-hill",
        "monrad",
        "keizer",
        "scheveningen",
        "lot",
        "duplicate",
        "none",
    ]
    """The pairing system: the least distance in points and in the initial order, after a first round of halves or by
    lot; the same with the order of the standings instead of the initial one, the bye included; the Dutch system of
    FIDE; a single or double round robin; the same two in every round; a knock-out; neighbours in the standings; from
    the top without rematches; the same by Keizer's standings, with rematches; each player of one side against each of
    the other; by lot; no pairings, as each round is a duplicate game.
    """
    rounds_min: int
    win: float
    draw: float
    loss: float
    bye: float
    bye_spread: int
    coefficient: Literal["none", "cusca"]
    """The value of a game's score in the ranking: the score, or the score times the players of the table (CUSCA)."""
    tie_breaks: tuple[TieBreak, ...]
    """Tie-breaks in the order of application."""
    buchholz_cut: int
    """Number of worst opponents left out of the median Buchholz."""
    buchholz_cut_long: int
    """The same in a championship of ``long_from_rounds`` rounds or more."""
    long_from_rounds: int
    unplayed: Literal["fide-dummy", "fide-virtual", "own-score", "zero"]
    """The value of a round without a game for Buchholz and Berger; ``faristol.rules.standings.opponents`` implements
    each."""
    not_there: Literal["bye", "forfeit"]
    """The value of a round of a round robin if the opponent has left or is absent: a bye; or the absent player loses
    the game with the score of ``forfeit``. A team with an absent opponent has a bye."""
    late_entry: Literal["first-half", "never"]
    late_entry_points: float
    """Fictitious points for each round missed, for pairing only."""
    team_boards: int | None
    """Number of boards of a match between two teams; None if players play individually."""
    team_score: Literal["match-points", "board-points"]
    """The first criterion of teams: points of their matches, or of all their boards together."""
    fide_edition: Literal["2024", "2026"] = "2024"
    """The text of FIDE's tie-breaks (C.07): that of March 2026, or the reading of the one before. The differences are
    in ``faristol.rules.standings.opponents`` and ``faristol.rules.standings.encounters``."""
    rest: Literal["bye", "nothing"] = "bye"
    """The value of a round of a round robin in which the table of rounds leaves a player without an opponent: a bye;
    or 0 points, as all have the same number of them."""
    left_early: Literal["counts", "annulled"] = "counts"
    """The games in a round robin of a player who leaves before half of them: they count, as all others; or they stay
    in the crosstable, count for no player, and the player has no rank."""
    match_games: int = 1
    """Number of games of a match of a knock-out, which ends as soon as it is decided."""
    final_games: int | None = None
    """The same of the final; None for ``match_games``."""
    placed: int = 2
    """How many of the first places of a knock-out are played off."""
    bracket: Literal["seeded", "drawn"] = "seeded"
    """The order of the players in a knock-out: by their seeds, or by lot."""
    match_tie: Literal["spread", "game"] = "spread"
    """The criterion after a match of a knock-out with equal points: the sum of the spreads, or a further game."""
    repechage: int = 0
    """The level of a knock-out whose losers have a second way in; 0 without a repechage."""
    acceleration: Literal["none", "baku"] = "none"
    """Virtual points for the upper half in the pairings of the first rounds (FIDE C.04.5.1)."""


BEYOND_BOOKS = frozenset(
    f"championship.{name}"
    for name in ("match_games", "final_games", "placed", "bracket", "match_tie", "repechage", "acceleration")
)
"""Values that no rule book has, so that their files omit them: options of the organiser set them."""


NOBODY_MEETS = Championship(
    system="duplicate",
    rounds_min=1,
    win=0,
    draw=0,
    loss=0,
    bye=0,
    bye_spread=0,
    coefficient="none",
    tie_breaks=(),
    buchholz_cut=0,
    buchholz_cut_long=0,
    long_from_rounds=1,
    unplayed="zero",
    not_there="bye",
    late_entry="first-half",
    late_entry_points=0,
    team_boards=None,
    team_score="match-points",
)
"""The championship section of duplicate games for pairing code: their files have no such section, and no digest depends
on it."""


@dataclass(frozen=True, slots=True)
class Law:
    """The article of each rule without a value, for refusals; empty if the book is silent."""

    on_board: str
    free_square: str
    face_of_set: str
    digraph: str
    """A face of several letters is one tile and cannot be made of others."""
    blank_face: str
    blank_value: str
    in_rack: str
    one_line: str
    no_gap: str
    contact: str
    premiums_once: str
    turn: str
    announce: str
    write: str
    refill: str
    return_from_exchange: str
    bag_count: str
    """Counting the tiles left in the bag."""
    tiles_checked: str
    """Checking the set before the game; no claim later."""
    play_complete: str
    withdrawn: str
    rearranged: str
    """Time limit for moving tiles that were laid."""
    challenge_words: str
    challenge_once: str
    challenge_form: str
    leaked: str
    """A play that used information leaked by a ruling."""
    overdraw_claim: str
    """Claims that a rack is too full or too empty: their author and their deadline."""
    absence: str
    warning: str
    """Warning a player for conduct."""
    sanctions: str
    """Sanctions of officials beyond a warning."""
    appeal: str
    """Appeals against sanctions; if the book is silent, the first decision is final."""
    tribunal: str
    """Members of the tribunal of appeals."""
    game_over: str
    signatures: str
    correction: str
    correction_closed: str
    """Time limit for correcting a running total."""
    result_final: str
    challenged_board: str = ""
    """No tile on the board changes while a play is judged; if empty, the article of ``challenge.mover_may_draw`` is
    cited."""
