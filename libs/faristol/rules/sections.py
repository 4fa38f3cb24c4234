"""The sections of a ruleset: one class for each, one field for each value in which rule books differ.

The docstring of a field says what its value means; what a book says is in its file, beside the article.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from faristol.rules.modes import Mode

TurnWord = Literal["play", "exchange", "pass", "withdrawn", "cannot-play", "lost", "timed-out", "forfeited"]
"""What a turn came to, see ``faristol.rules.turns.TurnKind``."""


Step = Literal["place", "announce", "stop", "write", "draw", "press"]
"""One step of a turn: lay the tiles, say word and score (PES: declare the play done), stop the own clock, write the
score, refill the rack, start the opponent's clock."""


@dataclass(frozen=True, slots=True)
class Game:
    """Who plays, and with what."""

    mode: Mode
    """Two players, a table of several, or one game that all play with the same tiles."""
    players_min: int
    players_max: int
    tile_set: str
    """Name of a tile set, see ``load_tile_set``."""
    rack_size: int
    """Tiles that a player holds while the bag lasts; laying that many at once is a bingo."""
    turn_direction: Literal["alternate", "right", "left", "together"]
    """To whom the turn passes: the other player, or the neighbour on that side; or all take it at once."""


@dataclass(frozen=True, slots=True)
class Start:
    """Who begins."""

    method: Literal["draw", "lot", "first-named", "system", "draw-then-alternate"]
    """Each draws a tile; a lot before the game fixes the whole order; the first named in the pairing; as the
    pairing system says; a draw for the first game of a match, then in turn."""
    blank: Literal["first", "last"]
    """Where a blank stands in a draw: before the first letter or after the last."""
    tie: Literal["return-and-redraw", "redraw"]
    """Equal tiles: whether they go back before the next draw."""
    seat: Literal["free", "drawn", "starter-chooses", "lot"]
    """Who sits where: no rule; a draw if wanted; whoever begins chooses; the lot of the start."""

    @property
    def by_pairing(self) -> bool:
        """The first named of a pair begins (FISE 4.1, 4.2, PES Γ.α)."""
        return self.method in {"first-named", "system"}


@dataclass(frozen=True, slots=True)
class FirstMove:
    """What the first play on an empty board must do."""

    tiles_min: int
    centre: Literal["mandatory", "opponent-decides"]
    """Whether a play that misses the centre breaks the rules, or is the opponent's to accept or declare invalid."""
    direction: Literal["any", "across"]


@dataclass(frozen=True, slots=True)
class Touch:
    """What a tile laid on the board binds its player to."""

    rule: Literal["strict", "until-announced", "free-until-clock"]
    """A tile laid must be played; or may be taken back until the play is announced; or until the clock is stopped."""
    line_fixed_by_first_tile: bool
    """The row or column in which a play was begun must be kept."""
    sanction: Literal["turn-lost", "none"]
    """What a breach costs, after the tiles are taken back."""


@dataclass(frozen=True, slots=True)
class Turn:
    """The course of a turn in which tiles are laid."""

    steps: tuple[Step, ...]
    """In the order of the book."""
    written_by: Literal["both", "mover", "keeper"]
    """Who writes the score of a play: both players, the mover, or the one who keeps the sheet of the table."""
    complete_on: Literal["placed", "both-written", "draw", "press"]
    """The step with which a play is complete and no longer in doubt."""
    next_waits_for_draw: bool
    """The opponent may lay no tile before the mover has drawn and shown a full rack."""


@dataclass(frozen=True, slots=True)
class Scoring:
    """Points beyond those of tiles and premiums."""

    bingo: int
    """Points for laying a full rack in one play."""


@dataclass(frozen=True, slots=True)
class Blank:
    """What a blank stands for, and who is believed."""

    fixed_on: Literal["declared", "counting", "clock-stopped"]
    """When what it stands for can no longer be changed."""
    written_by: Literal["both", "mover", "keeper"]
    claims: Literal["placer-prevails", "arbiter"]
    """When the sheets differ, or nobody wrote: the one who laid it is believed, or an arbiter decides."""
    fake: Literal["turn-lost", "none"]
    """A letter laid face down as a blank, and noticed before the score is written."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """How tiles are exchanged for a turn."""

    limit: Literal["bag", "full-rack-in-bag", "leave-full-rack"]
    """As many as the bag holds; any number while it holds a full rack; or as many as leave a full rack in it."""
    max: int
    """The most in one exchange, whatever the bag holds."""
    illegal: Literal["none", "turn-lost", "reveal-and-choose"]
    """What follows when more were taken: nothing but a refusal; the turn is lost; or the opponent reveals as many
    tiles of the player and the whole bag, and chooses which of them the player keeps."""
    stops_clock: bool
    """The mover stops the clock before drawing."""
    number_fixed: bool
    """The number announced cannot be changed."""
    announced_can_be_dropped: bool
    """After announcing an exchange the player may still play or pass."""


@dataclass(frozen=True, slots=True)
class FreeExchange:
    """Changing a rack of vowels alone, or of consonants alone, without losing the turn."""

    allowed: bool
    bag_min: int
    """Tiles that the bag must hold."""
    blanks_count: bool
    """Whether a blank passes for the vowel or consonant that is wanted."""
    all_tiles: bool
    """The whole rack must be changed."""
    when: Literal["before-acting", "never"]
    """On the own turn, before anything else was done in it."""
    unfounded: Literal["none", "turn-lost"]
    """What asking for it without such a rack costs."""


@dataclass(frozen=True, slots=True)
class Passing:
    """When a turn may be passed."""

    allowed: Literal["always", "full-rack-in-bag"]
    cannot_play: bool
    """Where passing is not allowed, a player who can lay nothing says so and gives the turn up."""


@dataclass(frozen=True, slots=True)
class Overdraw:
    """Too many tiles drawn."""

    unracked: Literal["random-of-new", "two-more-of-new", "arbiter"]
    """Before the new tiles are among the others: the surplus is taken at random out of the new ones; or two more
    than the surplus are, and the opponent chooses which of them go back; or an arbiter decides."""
    racked: Literal["random-of-rack", "two-more-of-rack", "arbiter"]
    """The same when the new tiles cannot be told from the others."""
    seen_counts_as_racked: bool
    """Tiles that the player has looked at are treated as racked."""
    returned_seen: Literal["by-nobody", "by-opponent-if-mover-saw", "by-opponent"]
    """Who may look at tiles taken at random before they go back."""
    late: Literal["as-drawn", "as-racked", "choose-and-lose-turn", "arbiter"]
    """Noticed by the opponent. After the press: as before it, by where the new tiles lie; or as racked, wherever they
    lie; or an arbiter decides. Or at any time before the player's next play is complete, also before the press: the
    opponent sees the rack, chooses what goes back, and the player loses the next turn."""
    expulsion_after_in_game: int | None
    """Held on purpose so many times in one game: expulsion is proposed."""
    expulsion_after_in_tournament: int | None
    own_late: Literal["as-drawn", "arbiter"] = "as-drawn"
    """Noticed by the player when it is that player's turn again: as before; or an arbiter decides."""


@dataclass(frozen=True, slots=True)
class Underdraw:
    """Too few tiles drawn."""

    unracked: Literal["complete", "arbiter"]
    racked: Literal["complete", "complete-and-show", "arbiter"]
    """Draw what is missing; draw it and show it to the opponent; or an arbiter decides."""
    late: Literal["as-drawn", "refused", "arbiter"] = "as-drawn"
    """Noticed when it is the player's turn again: as before; or no claim is heard any more, and the rack is full again
    after the next draw; or an arbiter decides."""


@dataclass(frozen=True, slots=True)
class FoundTiles:
    """Tiles found beside the board after the game began."""

    rule: Literal["refused", "into-bag"]
    """No claim is heard any more; or they go into the bag."""
    out_at: int | None
    """They stay out of the game when the bag holds so many tiles or fewer."""
    counted: Literal["before", "after"]
    """Whether the bag is counted before or after the tiles found are added."""


Neutraliser = Literal["challenge", "count-dispute", "arbiter-call", "force-majeure", "overdraw", "correction"]
"""Why both clocks stand: a play is judged; the count is disputed; an arbiter is called; something nobody could help;
tiles drawn too many go back; what was written wrong is put right."""


@dataclass(frozen=True, slots=True)
class Clock:
    """The clock of a table."""

    model: Literal["chess", "per-turn", "none"]
    """Time for the whole game of each player; time for each turn; or no clock."""
    minutes: int | None
    """Thinking time of each player for the whole game; None without a chess clock, or while the organiser has not
    said."""
    turn_seconds: int | None
    """Time for one turn; None without a timer."""
    runs_while_counting: bool
    runs_while_drawing: bool
    stopped_by_mover: bool
    """The mover stops the own clock after laying the tiles."""
    verification_pause_seconds: int | None
    """Checking a count for longer than this may stop a running clock."""
    neutralised_by: tuple[Neutraliser, ...]
    """What stops both clocks. Nothing else does."""
    resumed_on: Literal["ruled", "written"]
    """When the time goes on after a challenge of a play that stands: with the ruling, or once its score is written."""
    overtime_points: int
    """Points lost for each minute over, or part of one."""
    overtime_cap_minutes: int | None
    """Going over this many minutes of overtime ends the game; None for no cap."""
    turn_timeout: Literal["stands-or-lost", "begun-or-lost", "turn-lost", "none"]
    """When the time of a turn is over: what lies is counted if it is a play, otherwise the turn is lost; a play that
    was begun is finished, without one the turn is lost; the turn is lost whatever lies; or there is no such time."""
    last_play_stops_on: Literal["placed", "written"]
    """When the last play of a game stops the clock for good: as its tiles are laid, or with its score written."""
    reminders: Literal["forbidden", "players-and-arbiter", "allowed"]
    """Who may say that a clock was forgotten."""
    forgotten_heard: bool
    """Whether an arbiter hears the claim that somebody forgot to press, stop or start a clock."""


@dataclass(frozen=True, slots=True)
class RoundTime:
    """What happens when the time of the round is over."""

    rule: Literal["hand-and-one-more", "equal-turns", "scores-stand", "none"]
    """The hand begun and one more are played; whoever had fewer turns has one more; scores stand at once; or the
    book knows no such time."""
    minutes: int | None
    """Length of a round; None where there is no limit, or the organiser has not said, or ``twice_the_clock``."""
    twice_the_clock: bool
    """The round lasts twice the ``clock.minutes`` of a player."""
    last_turn_seconds: int | None
    """The most that each turn after the end may take."""
    runs_while_challenged: bool
    """The time of the round goes on while the clocks of the players stand."""
    out_counts: bool
    """A player who goes out in those last turns ends the game as at any other time."""


@dataclass(frozen=True, slots=True)
class Lateness:
    """A player who is not there when the round begins."""

    clock_starts_after_minutes: int | None
    """The clock of the absent player is started so long after what ``counted_from`` says; None where it is not."""
    clock_starts_on: Literal["signal", "press"]
    """From when that time counts: from the moment itself, however late somebody notes it; or not before an arbiter, who
    was told, presses the clock."""
    counted_from: Literal["start", "draw"]
    """What those minutes count from: the start of the round, or the draw of its pairings. No clock runs before the
    start."""
    long_break_minutes: int | None
    """A break between draw and start that is so long, or longer, lets the minutes count from the start; None where they
    do anyway."""
    loses_after_minutes: int | None
    """Who is still absent then loses; None for no such limit."""
    loses_counted: Literal["from-signal", "on-clock"]
    """Whether that time is counted from the signal or as shown on the absent player's clock."""
    loses_at_limit: bool
    """Whether the limit itself loses already, or only going over it."""
    loses_with: Literal["limit", "own-time-or-round", "arbiter"]
    """By the limit above; when the own time, or the other games of the round, are over; or as an arbiter decides."""
    both: Literal["both-clocks-run", "arbiter"]
    """Both absent: both clocks run and the first to come has what is left; or an arbiter decides."""
    postponement_hours: int | None
    """How long before a game its postponement must be agreed; None where the book knows none."""


@dataclass(frozen=True, slots=True)
class Absence:
    """A player who leaves the table during a game."""

    told: Literal["arbiter", "opponent", "nobody"]
    """Who must be told before."""
    untold: Literal["disqualified", "game-lost", "none"]
    """What leaving without telling costs."""
    first: Literal["complete-undrawn", "place-undrawn", "none"]
    """What is done before leaving: the play is completed and the clock pressed, and no tile is drawn; or a play is
    laid and no tile is drawn."""
    tiles_min: int
    """Tiles that the play before leaving must lay."""
    opponent_may_draw: bool
    """Whether the opponent may draw while the other is away."""
    played_meanwhile: Literal["questioned-on-return", "stands"]
    """A play that the opponent completed while the player was away: who comes back may question it before writing its
    score, drawing, or beginning the next turn; or it is accepted as any other that was completed."""
    loses_with: Literal["own-time-or-round", "arbiter"]


@dataclass(frozen=True, slots=True)
class Challenge:
    """Who may question a play, until when, and what comes of it."""

    by: Literal["opponent", "table", "nobody"]
    """The opponent; any other player of the table; or nobody, because every play is checked as it is laid."""
    opens_on: Literal["placed", "counted", "clock-stopped"]
    closes_on: Literal["press", "refill", "challenger-writes", "both-write", "next-turn"]
    """The opponent's clock starts; the mover draws, or presses the clock when the bag is empty; the challenger has
    written the score; both have; or the next player has begun."""
    seconds_max: int | None
    """The most that may pass after the window opened; what closes it first counts."""
    ruling: Literal["play", "word"]
    """Whether players are told about the play as a whole or about each word."""
    once: bool
    """A play can be challenged once: words not named then stand. Otherwise another challenge can name other words of it
    while its time is not over; a word is ruled on once in any case."""
    words_max: int | None
    """Words of the play that one challenge may name; None for as many as it formed."""
    free_invalid: int | None
    """Unfounded challenges in one game that cost nothing; None for all of them."""
    penalty: int
    """Points that an unfounded challenge costs."""
    penalty_unit: Literal["challenge", "word"]
    """What is counted: each challenge of a play that stands, or each challenged word found good."""
    penalty_goes: Literal["from-challenger", "to-mover"]
    """Whether the challenger loses the points, or the mover gains them."""
    unfounded_loses_turn: bool
    """Whoever challenged a play that stands loses the next turn."""
    mover_may_draw: bool
    """Whether the mover may draw while a challenge is open."""
    appeal_by: Literal["challenger", "mover", "none"]
    rulings_max: int
    """Rulings on one play; the last one is final."""
    arguments_hidden: bool
    """Who appeals may ask that the other player does not see the arguments."""
    corrected_later: Literal["none", "spread"]
    """A ruling found wrong after the game: nothing; or the spread of the player in the tournament is changed by the
    points of the play and ``corrected_later_points``, on the same day, and the result stays."""
    corrected_later_points: int


@dataclass(frozen=True, slots=True)
class Arbiter:
    """What officials must and may do."""

    required: bool
    """No game is played without one."""
    players_may_check: bool
    """Players may check plays together, by agreement, without an arbiter."""
    asked_word: Literal["unplayable", "none"]
    """A word about which a player asked and was answered before playing it."""
    asked_again: Literal["disqualified", "none"]
    """Asking again after that, in this game or another of the tournament, and answering again: the game is lost, and
    expulsion is put forward."""
    sanction_points_min: int | None
    """The least that a sanction in points takes off; None where the book sets none."""
    sanction_points_from: Literal["score", "spread"]
    """Where points come off that are taken after the game: the score of the game, and with it the result; or the spread
    and the total of the player in the tournament, and the result stays."""


@dataclass(frozen=True, slots=True)
class End:
    """When a game ends, and what happens to the tiles left in the racks."""

    out_bonus: Literal["opponents-racks", "twice-opponents-racks", "none"]
    """Who goes out gains what the others hold, which they lose; gains it twice, and they lose nothing; or gains
    nothing, and they lose it."""
    lost_turns: int | None
    """Consecutive lost turns of each player that end the game."""
    lost_turn_kinds: tuple[TurnWord, ...]
    """What counts as one of them."""
    scoreless_turns: int | None
    """Consecutive turns of each player, counted by ``scoreless_unit``, that end the game."""
    scoreless_unit: Literal["no-tile", "own-turn", "zero-score"]
    """Turns in which no tile stayed on the board; only those in which the player passed, exchanged or took a play
    back, not those that a penalty or the timer took; or turns that scored 0, a play worth nothing included."""
    exempt_at_zero: Literal["both", "scoreless", "none"]
    """Which of the two ends waits while no player has a point."""
    agreement: bool
    """The game ends when the players agree that nobody can lay a tile; with an empty bag it is enough that each says so
    in turn, where ``passing.cannot_play`` lets them."""
    racks_count_after_time: bool
    """Whether racks are counted when the round ran out of time."""
    racks_count_after_overtime: bool
    """Whether racks are counted when a player has used more than their time, however the game ended."""
    racks_count_after_cap: bool
    """Whether racks are counted when a player went over the cap on overtime."""


@dataclass(frozen=True, slots=True)
class Abandon:
    """What a game is worth that a player leaves. Whoever stays wins."""

    rule: Literal["stands-or-behind", "stands", "forfeit"]
    """A leader gets the other's score less ``points_behind``, anybody else keeps the score; scores stand; or the
    result is that of a forfeit."""
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
    """What a game is worth that is lost by decision after a turn of it was over: what it would be if the loser had
    abandoned it; or the points above, as if it had not been played."""


@dataclass(frozen=True, slots=True)
class Scoresheet:
    """Who signs, what can still be put right, and how things are written."""

    signers: Literal["both", "keeper", "nobody"]
    totals_until: Literal["final", "round-end", "never"]
    """Until when a running total can be corrected."""
    plays_until: Literal["completed", "final", "never"]
    """Until when the count of a play can be corrected."""
    final_on: Literal["both-signed", "handed-over", "written"]
    """When the result is definitive: both have signed; the signed sheet is handed over; the score is written."""
    reopen_by: Literal["nobody", "both-players"]
    """Who may ask that a final game is opened again to correct an error."""
    words: Literal["main", "all", "none"]
    """What is written of a play besides its score."""
    zero_plays: Literal["written", "zero"]
    """How a turn worth nothing is written: as any other, or as a zero alone."""
    blank: Literal["parentheses", "field", "letter"]
    """How the letter of a blank is marked: in parentheses, in a field of its own, or noted as the letter."""
    bingo: Literal["circled", "counted", "none"]
    exchange: Literal["dash", "zero", "none"]
    coordinates: Literal["optional", "required", "none"]


Layer = Literal[
    "general-variants", "balearic", "north-western", "valencian", "marked-a", "marked-b", "marked-r", "marked-v"
]
"""Words beside those of a book: verb forms of the general variants, of a region, entries marked by dialect (UF 26)."""

TieBreak = Literal["median-buchholz", "buchholz", "berger", "spread", "total", "head-to-head", "cusca"]
"""What parts players of equal points; ``faristol.rules.standings`` has each."""


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Which words an event adds to those of the book, and until when that can be said."""

    layers: tuple[Layer, ...]
    """Layers added to the words of the book's own lexicon."""
    frozen_on: Literal["created", "first-game"]
    """No change after the event was created, or after its first game began."""


@dataclass(frozen=True, slots=True)
class Championship:
    """Rounds, points of the championship and tie-breaks. Where a book has none, the system is ``none``."""

    system: Literal[
        "swiss",
        "swiss-lot",
        "classification",
        "classification-lot",
        "dutch",
        "round-robin",
        "double-round-robin",
        "match",
        "lot",
        "duplicate",
        "none",
    ]
    """Who meets whom: the least distance in points and in the initial order, after a first round of halves or by lot;
    the same with the order of the standings in place of the initial one, the bye included; the Dutch system of FIDE;
    each against each, once or twice; the same two in every round; by lot; nobody, in rounds that are a duplicate game
    each."""
    rounds_min: int
    win: float
    draw: float
    loss: float
    bye: float
    bye_spread: int
    coefficient: Literal["none", "cusca"]
    """How the score of a game enters the ranking: as it is, or times the players of the table (CUSCA)."""
    tie_breaks: tuple[TieBreak, ...]
    """In the order in which they decide."""
    buchholz_cut: int
    """Worst opponents left out of the median Buchholz."""
    buchholz_cut_long: int
    """The same in a championship of ``long_from_rounds`` rounds or more."""
    long_from_rounds: int
    unplayed: Literal["fide-dummy", "fide-virtual", "own-score", "zero"]
    """What a round without a game is worth to Buchholz and Berger; ``faristol.rules.standings.opponents`` has each."""
    not_there: Literal["bye", "forfeit"]
    """Where players meet each other player, what a round is worth whose opponent is not there for it, having left or
    otherwise: a bye; or the game is lost by who is not there, with the score of ``forfeit``. A team whose opponent is
    not there has a bye."""
    late_entry: Literal["first-half", "never"]
    late_entry_points: float
    """Fictitious points for each round missed, for pairing only."""
    team_boards: int | None
    """How many boards a match between two teams has; None where players play each for themselves."""
    team_score: Literal["match-points", "board-points"]
    """What teams are ranked by first: what their matches came to, or all their boards together."""
    fide_edition: Literal["2024", "2026"] = "2024"
    """Which text of FIDE's tie-breaks (C.07) holds: that of March 2026, or what was read out of the one before it.
    ``faristol.rules.standings.opponents`` and ``faristol.rules.standings.encounters`` have what is otherwise."""
    rest: Literal["bye", "nothing"] = "bye"
    """Where each meets each, what a round is worth in which the table of rounds leaves a player without an opponent: a
    bye; or nothing, as all rest equally often."""
    left_early: Literal["counts", "annulled"] = "counts"
    """Where each meets each, what becomes of the games of a player who leaves before half of them: they count, like all
    others; or they stay in the crosstable and count for nobody, and the player has no place among the others."""


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
"""What rules of duplicate games are to whoever pairs: their files have no section ``championship``, and no digest
depends on this."""


@dataclass(frozen=True, slots=True)
class Law:
    """The article of each rule that has no value, for refusals to cite; empty where the book is silent."""

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
    """Counting what is left in the bag."""
    tiles_checked: str
    """Checking the set before the game; no claim later."""
    play_complete: str
    withdrawn: str
    rearranged: str
    """When tiles laid may still be moved."""
    challenge_words: str
    challenge_once: str
    challenge_form: str
    leaked: str
    """A play that used what a ruling should not have told."""
    overdraw_claim: str
    """Who says that a rack is too full or too empty, and when."""
    absence: str
    warning: str
    """Warning a player for conduct."""
    sanctions: str
    """What officials impose beyond a warning."""
    appeal: str
    """Appealing against it; where the book is silent, who decided it had the last word."""
    tribunal: str
    """Who sits on appeals."""
    game_over: str
    signatures: str
    correction: str
    correction_closed: str
    """Until when a running total can be corrected."""
    result_final: str
    challenged_board: str = ""
    """No tile on the board changes while a play is judged; where empty, what ``challenge.mover_may_draw`` cites."""
