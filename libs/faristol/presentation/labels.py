"""English labels of the enumerations of the contract, translated by the pages."""

from __future__ import annotations

from collections.abc import Mapping

from faristol.kernel.refusal import N_
from faristol.kernel.spellings import labels_of, sentences_of
from faristol.pb.access.v1 import needs_pb2 as needs
from faristol.pb.clock.v1 import events_pb2 as clock
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.lexicon.v1 import events_pb2 as lexicon
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.pb.pairing.v1 import pairing_pb2
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.presentation.ruleset_lookup import known_rules
from faristol.presentation.sentences import RATING_SYSTEMS as RATING_SYSTEMS
from faristol.rules import Ruleset
from faristol.rules.board import Premium
from faristol.rules.standings.opponents import PREDETERMINED

ROLES = labels_of(needs.Role.DESCRIPTOR)
PHASES = labels_of(pb.RoundPhase.DESCRIPTOR)
RULING_MODES = labels_of(lexicon.Mode.DESCRIPTOR)
CONSUMER_KINDS = labels_of(pb.ConsumerKind.DESCRIPTOR)
CONSUMER_STATES = labels_of(pb.ConsumerState.DESCRIPTOR)
ENTRY_KINDS = labels_of(pb.EntryKind.DESCRIPTOR)
ENDS = sentences_of(game.EndCondition.DESCRIPTOR)
WITHDRAWN = labels_of(game.WithdrawalReason.DESCRIPTOR)
LOST = labels_of(game.TurnLostReason.DESCRIPTOR)
INCIDENTS = labels_of(pb.IncidentKind.DESCRIPTOR)
NEUTRALISED = sentences_of(clock.NeutralisationReason.DESCRIPTOR)
OUTCOME_WORDS = labels_of(pb.Outcome.DESCRIPTOR)
BYES = labels_of(pairing.ByeKind.DESCRIPTOR)
DATA_REQUESTS = labels_of(pairing.DataRequestKind.DESCRIPTOR)
DATA_REQUEST_STATES = labels_of(pairing_pb2.DataRequestState.DESCRIPTOR)
PLAYER_REQUESTS = labels_of(pairing.PlayerRequestKind.DESCRIPTOR)
PLAYER_REQUEST_STATES = labels_of(pairing_pb2.PlayerRequestState.DESCRIPTOR)
LEAVING_OPTIONS = labels_of(pairing.LeavingOption.DESCRIPTOR)
ABSENCE_TREATMENTS = labels_of(pairing_pb2.AbsenceTreatment.DESCRIPTOR)
PRIZE_SHARINGS = labels_of(pairing.PrizeSharing.DESCRIPTOR)
PRIZE_LIMITS = labels_of(pairing.PrizeLimit.DESCRIPTOR)
PRIZE_CRITERIA = labels_of(pairing.PrizeCriterion.DESCRIPTOR)
FINAL_CHECKS = labels_of(pairing.FinalCheck.DESCRIPTOR)
PRIZES = labels_of(pairing.PrizeKind.DESCRIPTOR)

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
    "naspa-2": {
        "title": RATING_SYSTEMS["naspa-2"],
        "text": N_(
            "The same formula with its acceleration: a gain above 5 points a game counts twice, and the opponents get "
            "a twentieth of it. The program tsh computes its estimates in this way."
        ),
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


NO_PRIZE_LISTS = N_("There are no prize lists.")
NOT_AWARDED_YET = N_("The prizes are awarded when the final standings are published.")
LEFT_OVER = N_("Not awarded, because there are fewer players than places: {money}.")


def prize_without_winner(prize: pb.Prize, *, over: bool) -> str:
    """Return the text for a prize without a leader, to be translated."""
    if not over:
        return N_("None yet.")
    return N_("Not recorded: the record has no plays.") if prize.unrecorded else N_("None.")


ABSENT_LABEL = N_("absent")

ABANDONED = game.END_CONDITION_ABANDONED

LOSERS: Mapping[game.EndCondition.ValueType, str] = {
    game.END_CONDITION_ABANDONED: N_("resigned the game"),
    game.END_CONDITION_ALL_ABANDONED: N_("resigned the game"),
    game.END_CONDITION_FORFEIT: N_("lost by decision"),
}
"""Labels of a game lost by other means than the score. The loser of an unplayed game was absent."""

TIE_BREAKS: Mapping[str, tuple[str, str]] = {
    "median-buchholz": (N_("Median-Buchholz"), N_("MB")),
    "buchholz": (N_("Buchholz"), N_("BH")),
    "berger": (N_("Berger"), N_("BE")),
    "spread": (N_("Spread"), N_("Spread")),
    "total": (N_("Total points"), N_("Total")),
    "head-to-head": (N_("Head-to-head games"), N_("H2H")),
    "cusca": (N_("CUSCA, mean of the games"), N_("CUSCA")),
    "keizer": (N_("Keizer points"), N_("Keizer")),
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

CHANCES: Mapping[pb.Chance.ValueType, str] = {
    pb.CHANCE_SAFE: N_("safe"),
    pb.CHANCE_ALIVE: N_("possible"),
    pb.CHANCE_OUT: N_("out of reach"),
}
"""Chances of a player for one of the first places."""

MATCH_DECISIONS: Mapping[pb.MatchDecision.ValueType, str] = {
    pb.MATCH_DECISION_SPREAD: N_("by the sum of the spreads"),
    pb.MATCH_DECISION_EXTRA_GAME: N_("by a further game"),
    pb.MATCH_DECISION_WITHDRAWAL: N_("the opponent withdrew"),
    pb.MATCH_DECISION_BYE: N_("bye"),
}
"""Criteria that decide a match of a knock-out, other than its points."""

TIE_BREAKS_EXPLAINED: Mapping[str, str] = {
    "median-buchholz": N_("The points of all opponents except the lowest."),
    "buchholz": N_("The points of all opponents."),
    "berger": N_("The points of defeated opponents and half the points of drawn opponents."),
    "spread": N_("Own points minus the opponents’ points, over all games."),
    "total": N_("Own points of all games."),
    "head-to-head": N_("Points in the games against the players who are tied so far."),
    "keizer": N_("Wins by the value of the opponent, which follows from the rank; draws by half of it."),
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
