"""GCG files, in and out: the text format for exchanging games of two players.

``decode_gcg`` decodes bytes, ``read_gcg`` parses typed lines, and ``write_gcg`` formats text again. ``replay`` plays
the lines under a ruleset and compares every score and total. Tiles of several characters are in brackets, ``[L·L]``.
GCG letters the columns: ``8H`` is across.
"""

from __future__ import annotations

from faristol.rules.gcg.game import (
    Challenge,
    Event,
    Exchange,
    GcgError,
    GcgGame,
    GcgPlayer,
    GcgProblem,
    Line,
    Note,
    Pass,
    Play,
    Pragma,
    RackPenalty,
    RackPoints,
    TimePenalty,
    Withdrawal,
)
from faristol.rules.gcg.reader import MAX_GCG_BYTES, decode_gcg, read_gcg
from faristol.rules.gcg.replay import Replay, adapt_ruleset, replay, tile_set_named
from faristol.rules.gcg.tiles import parse_digraphs, replace_digraphs, write_play, write_rack, write_tile
from faristol.rules.gcg.writer import draw_board, draw_sheet, write_gcg
