"""English labels of the enumerations of the contract, translated by the pages."""

from __future__ import annotations

from collections.abc import Mapping

from faristol.kernel.refusal import N_
from faristol.pb.access.v1 import needs_pb2 as needs
from faristol.pb.clock.v1 import events_pb2 as clock
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.lexicon.v1 import events_pb2 as lexicon
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.presentation.ruleset_lookup import known_rules
from faristol.presentation.sentences import BYES as BYES
from faristol.presentation.sentences import PRIZES as PRIZES
from faristol.presentation.sentences import RATING_SYSTEMS as RATING_SYSTEMS
from faristol.rules import Ruleset
from faristol.rules.board import Premium
from faristol.rules.standings.opponents import PREDETERMINED

ROLES: Mapping[needs.Role.ValueType, str] = {
    needs.ROLE_PLAYER: N_("player"),
    needs.ROLE_SCORER: N_("scorer"),
    needs.ROLE_ARBITER: N_("arbiter"),
    needs.ROLE_JUDGE: N_("judge"),
    needs.ROLE_DIRECTOR: N_("director"),
    needs.ROLE_FEDERATION: N_("federation"),
    needs.ROLE_SERVICE: N_("service"),
    needs.ROLE_OPERATOR: N_("operator"),
}

RATING_LABELS: Mapping[str, Mapping[str, str]] = {
    "elo-1": {
        "title": f"{RATING_SYSTEMS['elo-1']} (RaScCat)",
        "text": N_(
            "The chess formula, as in the Catalan RaScCat: a win against a stronger player earns more. A "
            "rating changes twice as fast in the first tournament."
        ),
    },
    "naspa-1": {
        "title": RATING_SYSTEMS["naspa-1"],
        "text": N_("The formula and the multipliers of the North American association, from its published tables."),
    },
    "glicko2-1": {
        "title": RATING_SYSTEMS["glicko2-1"],
        "text": N_(
            "It also measures the certainty of a rating: the rating of an infrequent player changes faster. "
            "Ratings change once per tournament, by all its results together."
        ),
    },
}
"""Title and description of a rating system, by name and version."""

PHASES: Mapping[pb.RoundPhase.ValueType, str] = {
    pb.ROUND_PHASE_PAIRED: N_("paired"),
    pb.ROUND_PHASE_STARTED: N_("being played"),
    pb.ROUND_PHASE_CLOSED: N_("closed"),
}


RULING_MODES: Mapping[lexicon.Mode.ValueType, str] = {
    lexicon.MODE_AUTOMATIC: N_("the lexicon"),
    lexicon.MODE_JUDGE: N_("a judge"),
    lexicon.MODE_PANEL: N_("a panel of judges"),
}

CONSUMER_KINDS: Mapping[pb.ConsumerKind.ValueType, str] = {
    pb.CONSUMER_KIND_RELAY: N_("outbox relay to the event bus"),
    pb.CONSUMER_KIND_REACTION: N_("reaction"),
    pb.CONSUMER_KIND_PROJECTION: N_("projection"),
    pb.CONSUMER_KIND_SEALER: N_("seals the record"),
    pb.CONSUMER_KIND_WITNESS: N_("stores seals externally"),
}

CONSUMER_STATES: Mapping[pb.ConsumerState.ValueType, str] = {
    pb.CONSUMER_STATE_LIVE: N_("up to date"),
    pb.CONSUMER_STATE_STOPPED: N_("has stopped"),
    pb.CONSUMER_STATE_OLDER: N_("replaced by a newer generation"),
    pb.CONSUMER_STATE_BUILDING: N_("being built"),
    pb.CONSUMER_STATE_LEFT_OVER: N_("left over from a rebuild"),
    pb.CONSUMER_STATE_WAITING: N_("waits"),
}


def prize_without_winner(prize: pb.Prize, *, over: bool) -> str:
    """Return the text for a prize without a leader, to be translated."""
    if not over:
        return N_("None yet.")
    return N_("Not recorded: the record has no plays.") if prize.unrecorded else N_("None.")


ENTRY_KINDS: Mapping[pb.EntryKind.ValueType, str] = {
    pb.ENTRY_KIND_PLAY: N_("play"),
    pb.ENTRY_KIND_EXCHANGE: N_("exchange"),
    pb.ENTRY_KIND_PASS: N_("pass"),
    pb.ENTRY_KIND_PHONY: N_("phony"),
    pb.ENTRY_KIND_RACK_PENALTY: N_("tiles left on the rack"),
    pb.ENTRY_KIND_OUT_BONUS: N_("opponent’s tiles"),
    pb.ENTRY_KIND_TIME_PENALTY: N_("overtime"),
    pb.ENTRY_KIND_WITHDRAWN: N_("withdrawn"),
    pb.ENTRY_KIND_CANNOT_PLAY: N_("cannot play"),
    pb.ENTRY_KIND_LOST_TURN: N_("turn lost"),
    pb.ENTRY_KIND_FREE_EXCHANGE: N_("free exchange of the rack"),
    pb.ENTRY_KIND_CHALLENGE_PENALTY: N_("unfounded challenge"),
    pb.ENTRY_KIND_SANCTION: N_("sanction"),
    pb.ENTRY_KIND_ABANDONMENT: N_("game abandoned"),
    pb.ENTRY_KIND_FORFEIT: N_("lost by decision"),
    pb.ENTRY_KIND_CORRECTION: N_("total corrected"),
}

ENDS: Mapping[game.EndCondition.ValueType, str] = {
    game.END_CONDITION_OUT: N_("Went out: no tiles left in the rack or in the bag."),
    game.END_CONDITION_LOST_TURNS: N_("Ended: too many lost turns in a row."),
    game.END_CONDITION_SCORELESS_TURNS: N_("Ended: too many turns in a row without a play."),
    game.END_CONDITION_OVERTIME: N_("Ended: the overtime limit was exceeded."),
    game.END_CONDITION_ROUND_TIME: N_("Ended: the time of the round was over."),
    game.END_CONDITION_AGREEMENT: N_("Ended by agreement: no player could lay a tile."),
    game.END_CONDITION_ABANDONED: N_("Ended: a player left."),
    game.END_CONDITION_ALL_ABANDONED: N_("Ended: all players left, and all lose."),
    game.END_CONDITION_FORFEIT: N_("Decided by forfeit."),
}

ABSENT_LABEL = N_("absent")

ABANDONED = game.END_CONDITION_ABANDONED

LOSERS: Mapping[game.EndCondition.ValueType, str] = {
    game.END_CONDITION_ABANDONED: N_("resigned the game"),
    game.END_CONDITION_ALL_ABANDONED: N_("resigned the game"),
    game.END_CONDITION_FORFEIT: N_("lost by decision"),
}
"""Labels of a game lost by other means than the score. The loser of an unplayed game was absent."""

WITHDRAWN: Mapping[game.WithdrawalReason.ValueType, str] = {
    game.WITHDRAWAL_REASON_CHALLENGED: N_("phony"),
    game.WITHDRAWAL_REASON_OFF_CENTRE: N_("declared invalid: it misses the centre"),
    game.WITHDRAWAL_REASON_FAKE_BLANK: N_("a letter turned over was played as a blank"),
    game.WITHDRAWAL_REASON_LEAKED: N_("cancelled: it used information that should not have been given"),
}
"""Labels of the reasons why a play was withdrawn."""

LOST: Mapping[game.TurnLostReason.ValueType, str] = {
    game.TURN_LOST_REASON_TOUCH: N_("a tile was laid but the play was not completed as begun"),
    game.TURN_LOST_REASON_TIME: N_("the time of the turn was over"),
    game.TURN_LOST_REASON_OVERDRAW: N_("too many tiles on the rack"),
    game.TURN_LOST_REASON_CHALLENGE: N_("an unfounded challenge"),
    game.TURN_LOST_REASON_FREE_EXCHANGE: N_("the rack did not consist of only vowels or only consonants"),
    game.TURN_LOST_REASON_ILLEGAL_EXCHANGE: N_("too many tiles exchanged"),
    game.TURN_LOST_REASON_SANCTION: N_("sanction"),
    game.TURN_LOST_REASON_ABANDONED: N_("the player has left"),
}
"""Labels of the reasons why a turn was lost."""

INCIDENTS: Mapping[pb.IncidentKind.ValueType, str] = {
    pb.INCIDENT_KIND_OVERDRAW: N_("too many tiles drawn"),
    pb.INCIDENT_KIND_UNDERDRAW: N_("too few tiles drawn"),
    pb.INCIDENT_KIND_ILLEGAL_EXCHANGE: N_("too many tiles exchanged"),
    pb.INCIDENT_KIND_TILES_FOUND: N_("tiles found beside the board"),
    pb.INCIDENT_KIND_ARBITER_CALLED: N_("arbiter called"),
    pb.INCIDENT_KIND_COUNT_DISPUTED: N_("count disputed"),
    pb.INCIDENT_KIND_APPEAL: N_("ruling appealed"),
    pb.INCIDENT_KIND_WARNING: N_("warning"),
    pb.INCIDENT_KIND_TURN_SANCTION: N_("loss of a turn"),
    pb.INCIDENT_KIND_GAME_SANCTION: N_("game lost by decision of the arbiter"),
    pb.INCIDENT_KIND_EXPULSION: N_("expulsion proposed"),
    pb.INCIDENT_KIND_WORD_ASKED: N_("asked about a word"),
    pb.INCIDENT_KIND_WORD_ANSWERED: N_("answered a question about a word"),
    pb.INCIDENT_KIND_PLAY_CORRECTED: N_("count of a play corrected"),
    pb.INCIDENT_KIND_REOPENED: N_("result reopened"),
    pb.INCIDENT_KIND_TAKEN_BACK: N_("entries undone"),
    pb.INCIDENT_KIND_GIVEN_UP: N_("turns of the table abandoned: the signed sheet gives the result"),
}
"""Labels of events other than turns."""

NEUTRALISED: Mapping[clock.NeutralisationReason.ValueType, str] = {
    clock.NEUTRALISATION_REASON_CHALLENGE: N_("Clocks stopped: a challenge is being ruled on."),
    clock.NEUTRALISATION_REASON_COUNT_DISPUTE: N_("Clocks stopped: the count is disputed."),
    clock.NEUTRALISATION_REASON_ARBITER_CALL: N_("Clocks stopped: the arbiter was called."),
    clock.NEUTRALISATION_REASON_FORCE_MAJEURE: N_("Clocks stopped: force majeure."),
    clock.NEUTRALISATION_REASON_OVERDRAW: N_("Clocks stopped: extra tiles go back into the bag."),
    clock.NEUTRALISATION_REASON_CORRECTION: N_("Clocks stopped: the scoresheet is being corrected."),
}
"""Texts about stopped clocks."""

TIE_BREAKS: Mapping[str, tuple[str, str]] = {
    "median-buchholz": (N_("Median-Buchholz"), N_("MB")),
    "buchholz": (N_("Buchholz"), N_("BH")),
    "berger": (N_("Berger"), N_("BE")),
    "spread": (N_("Spread"), N_("Spread")),
    "total": (N_("Total points"), N_("Total")),
    "head-to-head": (N_("Head-to-head games"), N_("H2H")),
    "cusca": (N_("CUSCA, mean of the games"), N_("CUSCA")),
    "match-points": (N_("Match points"), N_("MP")),
    "board-points": (N_("Board points"), N_("BP")),
}
"""Name and short name of a tie-break."""

RULESETS: Mapping[str, str] = {
    "box": N_("Box instructions, English set"),
    "duplicate-house": N_("House rules of duplicate games"),
    "festa-major": N_("Festa Major, an afternoon of games"),
    "fisc-2023": N_("FISC, rules of the official championships 2023/2024, classic games"),
    "fisc-2023-duplicate": N_("FISC, rules of the official championships 2023/2024, duplicate games"),
    "fise": N_("FISE, rules of the game, classic"),
    "pes-2024": N_("PES, rules of the games, 1 September 2024"),
    "uf-2007": N_("UF, rules of the championships, 4 May 2007"),
}
"""Names of the built-in rule sets; others use the title in their file."""

OUTCOMES: Mapping[pb.Outcome.ValueType, str] = {
    pb.OUTCOME_WIN: "+",
    pb.OUTCOME_DRAW: "=",
    pb.OUTCOME_LOSS: "−",
}
"""Signs of a crosstable."""

OUTCOME_WORDS: Mapping[pb.Outcome.ValueType, str] = {
    pb.OUTCOME_WIN: N_("won"),
    pb.OUTCOME_DRAW: N_("drawn"),
    pb.OUTCOME_LOSS: N_("lost"),
}
"""Labels of a game's outcome."""

TIE_BREAKS_EXPLAINED: Mapping[str, str] = {
    "median-buchholz": N_("The points of all opponents except the lowest."),
    "buchholz": N_("The points of all opponents."),
    "berger": N_("The points of defeated opponents and half the points of drawn opponents."),
    "spread": N_("Own points minus the opponents’ points, over all games."),
    "total": N_("Own points of all games."),
    "head-to-head": N_("Points in the games against the players who are tied so far."),
    "cusca": N_("The mean over all games of the score multiplied by the number of players at the table."),
}
"""Descriptions of tie-breaks."""

UNPLAYED_EXPLAINED: Mapping[str, str] = {
    "fide-dummy": N_(
        "A round without a game counts as an opponent with the player’s own points. The limit is a draw in "
        "every planned round, and for a forfeit also the points of the absent opponent."
    ),
    "fide-virtual": N_(
        "A round without a game counts as an opponent with the player’s points before that round. To these "
        "it adds the reverse of its result, and a draw for every later round."
    ),
    "own-score": N_("A round without a game counts as an opponent with the player’s own points."),
    "zero": N_("A round without a game counts as no opponent: 0."),
}
"""Texts about byes, forfeits and absences in Buchholz and Berger."""

UNPLAYED_IN_CYCLE = N_("A forfeit counts as the points of the absent opponent, and a round without an opponent as 0.")
"""The same if all opponents are known before the first round (FIDE C.07 15.2)."""


def explain_unplayed(rules: Ruleset | None) -> str:
    """Explain in English how rounds without a game count for tie-breaks; empty for unknown rules."""
    if rules is None:
        return ""
    law = rules.championship
    if law.unplayed == "fide-dummy" and law.fide_edition == "2026" and law.system in PREDETERMINED:
        return UNPLAYED_IN_CYCLE
    return UNPLAYED_EXPLAINED[law.unplayed]


BYES_APART = N_("W–D–L counts games over the board. Forfeits, won or lost, and byes are included only in the points.")
RESTS_APART = N_(
    "W–D–L counts games over the board. Forfeits, won or lost, are included only in the points. A bye gives no point."
)


def explain_counts(pin: game.Pin) -> str:
    """Explain in English which games standings count, and the score of a bye under the pinned rules."""
    rules = known_rules(pin)
    if rules is None:
        return BYES_APART
    law = rules.championship
    in_cycle = law.rest == "nothing" and law.system in {"round-robin", "double-round-robin"}
    return RESTS_APART if in_cycle or not law.bye else BYES_APART


REST_ON_OPPONENTS = frozenset(("median-buchholz", "buchholz", "berger"))
"""Tie-breaks that need this explanation."""

PREMIUMS: Mapping[Premium, tuple[str, str, str]] = {
    Premium.TRIPLE_WORD: ("tw", N_("triple word"), N_("TW")),
    Premium.DOUBLE_WORD: ("dw", N_("double word"), N_("DW")),
    Premium.TRIPLE_LETTER: ("tl", N_("triple letter"), N_("TL")),
    Premium.DOUBLE_LETTER: ("dl", N_("double letter"), N_("DL")),
}
"""CSS class, name and mark of a premium."""
