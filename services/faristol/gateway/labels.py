"""English words for what the contract has codes for; the pages translate them."""

from __future__ import annotations

from collections.abc import Mapping

from faristol.pb.clock.v1 import events_pb2 as clock
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.rules.board import Premium
from faristol.rules.refusal import N_

PHASES: Mapping[pb.RoundPhase.ValueType, str] = {
    pb.ROUND_PHASE_PAIRED: N_("paired"),
    pb.ROUND_PHASE_STARTED: N_("being played"),
    pb.ROUND_PHASE_CLOSED: N_("closed"),
}

KINDS: Mapping[pb.EntryKind.ValueType, str] = {
    pb.ENTRY_KIND_PLAY: N_("play"),
    pb.ENTRY_KIND_EXCHANGE: N_("exchange"),
    pb.ENTRY_KIND_PASS: N_("pass"),
    pb.ENTRY_KIND_PHONY: N_("phony"),
    pb.ENTRY_KIND_RACK_PENALTY: N_("tiles left on the rack"),
    pb.ENTRY_KIND_OUT_BONUS: N_("opponent’s tiles"),
    pb.ENTRY_KIND_TIME_PENALTY: N_("overtime"),
}

ENDS: Mapping[game.EndCondition.ValueType, str] = {
    game.END_CONDITION_OUT: N_("Went out: no tiles left in the rack or in the bag."),
    game.END_CONDITION_LOST_TURNS: N_("Ended after too many lost turns in a row."),
    game.END_CONDITION_SCORELESS_TURNS: N_("Ended after too many turns in a row without a play."),
    game.END_CONDITION_OVERTIME: N_("Ended on overtime."),
}

NEUTRALISED: Mapping[clock.NeutralisationReason.ValueType, str] = {
    clock.NEUTRALISATION_REASON_CHALLENGE: N_("Clocks stopped: a challenge is being ruled on."),
    clock.NEUTRALISATION_REASON_COUNT_DISPUTE: N_("Clocks stopped: the count is disputed."),
    clock.NEUTRALISATION_REASON_ARBITER_CALL: N_("Clocks stopped: the arbiter was called."),
    clock.NEUTRALISATION_REASON_FORCE_MAJEURE: N_("Clocks stopped: force majeure."),
    clock.NEUTRALISATION_REASON_OVERDRAW: N_("Clocks stopped: tiles drawn too many go back into the bag."),
    clock.NEUTRALISATION_REASON_CORRECTION: N_("Clocks stopped: the scoresheet is being corrected."),
}
"""Why nobody's time runs."""

TIE_BREAKS: Mapping[str, tuple[str, str]] = {
    "median-buchholz": (N_("Median-Buchholz"), N_("MB")),
    "buchholz": (N_("Buchholz"), N_("BH")),
    "berger": (N_("Berger"), N_("BE")),
    "spread": (N_("Spread"), N_("Spread")),
    "total": (N_("Total points"), N_("Total")),
}
"""Name and short name of a tie-break."""

PREMIUMS: Mapping[Premium, tuple[str, str, str]] = {
    Premium.TRIPLE_WORD: ("tw", N_("triple word"), N_("TW")),
    Premium.DOUBLE_WORD: ("dw", N_("double word"), N_("DW")),
    Premium.TRIPLE_LETTER: ("tl", N_("triple letter"), N_("TL")),
    Premium.DOUBLE_LETTER: ("dl", N_("double letter"), N_("DL")),
}
"""Class in the stylesheet, name and mark of a premium."""
