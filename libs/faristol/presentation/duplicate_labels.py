"""English labels of the enumerations of duplicate games, translated by the pages."""

from __future__ import annotations

from collections.abc import Mapping

from faristol.kernel.refusal import N_
from faristol.kernel.spellings import sentences_of
from faristol.pb.game.v1 import duplicate_events_pb2 as events
from faristol.rules.duplicate_game.finish import Unofficial
from faristol.rules.duplicate_game.slips import Fault

FAULTS: Mapping[str, str] = {
    Fault.LATE: N_("late"),
    Fault.NOT_HANDED_IN: N_("not handed in"),
    Fault.HAND_NOT_RAISED: N_("hand not raised"),
    Fault.TWO_SLIPS: N_("two slips"),
    Fault.COORDINATES: N_("coordinates"),
    Fault.WORD_MISSING: N_("no word"),
    Fault.ILLEGIBLE: N_("illegible"),
    Fault.NOT_WHOLE: N_("word incomplete"),
    Fault.NOT_IN_RACK: N_("not from the rack"),
    Fault.INVALID: N_("word not acceptable"),
    Fault.UNCIRCLED: N_("blank not circled"),
    Fault.CROSS_WORD: N_("word across not acceptable"),
    Fault.SCORE_MISSING: N_("score missing"),
    Fault.SCORE_WRONG: N_("score wrong"),
}
"""Reasons why a slip is null or its player was warned."""

ENDS = sentences_of(events.DuplicateEnd.DESCRIPTOR)

UNOFFICIAL: Mapping[str, str] = {
    Unofficial.PLAYERS: N_("Not official: there are too few players."),
    Unofficial.TURNS: N_("Not official: the game is not complete."),
}
