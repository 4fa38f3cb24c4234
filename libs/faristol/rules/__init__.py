"""The rules of the game, pure: tiles, board, placement, scoring, draws, ends, clocks, standings, rulesets as data.

No function reads a clock, a file of the user, or a source of randomness: time and seeds are arguments.
"""

from __future__ import annotations

from faristol.rules.board import CENTRE, PREMIUMS, Board, Direction, Placement, Premium, Square, Tile
from faristol.rules.draws.bag import (
    commitment,
    derive_seed,
    draw,
    exchange,
    full_bag,
    salt_seed,
    starting_draw,
    without,
)
from faristol.rules.notation import Notation, Start, lay, read_tiles, write_word
from faristol.rules.placement import Word, check_play, off_centre, words_formed
from faristol.rules.ruleset.books import load_book
from faristol.rules.ruleset.file import RulesetError, load_ruleset, read_ruleset, ruleset_names
from faristol.rules.ruleset.options import Option, OptionValue
from faristol.rules.ruleset.pins import pinned_ruleset
from faristol.rules.ruleset.ruleset import Ruleset
from faristol.rules.ruleset.with_options import check_settled, list_unsettled, with_options
from faristol.rules.scoring import score_play
from faristol.rules.standings import Bye, Result, RoundOutcome, SpreadAdjustment, StandingsRow, TableResult, standings
from faristol.rules.tiles import BLANK, TileSet, load_tile_set
from faristol.rules.turns import TurnKind, check_exchange, check_pass
