"""GCG files, in and out: the text form in which games of two are exchanged.

``decode_gcg`` makes text of bytes, ``read_gcg`` makes typed lines of text, ``replay`` plays them under a ruleset and
compares every score and total, and ``write_gcg`` makes text again. Tiles of several characters stand in brackets,
``[L·L]``. GCG letters the columns: ``8H`` is across.
"""

from __future__ import annotations

from faristol.rules.gcg.codec import SIZE_MAX, decode_gcg
from faristol.rules.gcg.digraphs import parse_digraphs, replace_digraphs
from faristol.rules.gcg.game import (
    Challenge,
    Event,
    Exchange,
    GcgGame,
    Line,
    Note,
    Pass,
    Play,
    Player,
    Pragma,
    RackPenalty,
    RackPoints,
    TimePenalty,
    Withdrawal,
)
from faristol.rules.gcg.printout import draw_board, draw_sheet
from faristol.rules.gcg.problem import GcgError, Problem
from faristol.rules.gcg.reader import read_gcg
from faristol.rules.gcg.replay import Replay, replay
from faristol.rules.gcg.ruleset import suited, tile_set_named
from faristol.rules.gcg.tiles import write_play, write_rack, write_tile
from faristol.rules.gcg.writer import write_gcg
