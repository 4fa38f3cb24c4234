"""What players and officials do at a table. Pure: the game is settled, the moment is given, draws follow from the seed.

Every function gives the facts to write, or raises ``Refusal`` with the article that stands against it.
"""

from __future__ import annotations

from faristol.table.decide.challenges import (
    accept_ruling,
    appeal,
    cancel_play,
    challenge,
    claim_fake_blank,
    rule_appeal,
)
from faristol.table.decide.checks import check_in_time, check_present, check_time
from faristol.table.decide.draws import bag_of, draw_tiles, unseen
from faristol.table.decide.ends import abandon, agree_end, leave_tournament, reopen_game, sign_sheet
from faristol.table.decide.entries import start_game, state_rack, take_back_entries
from faristol.table.decide.exchanges import (
    announce_exchange,
    declare_cannot_play,
    exchange,
    free_exchange,
    keep_after_exchange,
    pass_turn,
)
from faristol.table.decide.officials import (
    assign_arbiter,
    call_arbiter,
    dismiss_arbiter,
    impose_sanction,
    record_overholding,
    record_word_asked,
)
from faristol.table.decide.plays import accept_play, decide_off_centre, lay_tiles, place_play, take_back_tiles
from faristol.table.decide.scores import (
    correct_play,
    correct_total,
    dispute_count,
    settle_blank,
    settle_count,
    write_score,
)
from faristol.table.decide.surplus import (
    choose_surplus,
    claim_overdraw,
    claim_underdraw,
    report_tiles_found,
    resolve_overdraw,
    resolve_underdraw,
)

__all__ = [
    "abandon",
    "accept_play",
    "accept_ruling",
    "agree_end",
    "announce_exchange",
    "appeal",
    "assign_arbiter",
    "bag_of",
    "call_arbiter",
    "cancel_play",
    "challenge",
    "check_in_time",
    "check_present",
    "check_time",
    "choose_surplus",
    "claim_fake_blank",
    "claim_overdraw",
    "claim_underdraw",
    "correct_play",
    "correct_total",
    "decide_off_centre",
    "declare_cannot_play",
    "dismiss_arbiter",
    "dispute_count",
    "draw_tiles",
    "exchange",
    "free_exchange",
    "impose_sanction",
    "keep_after_exchange",
    "lay_tiles",
    "leave_tournament",
    "pass_turn",
    "place_play",
    "record_overholding",
    "record_word_asked",
    "reopen_game",
    "report_tiles_found",
    "resolve_overdraw",
    "resolve_underdraw",
    "rule_appeal",
    "settle_blank",
    "settle_count",
    "sign_sheet",
    "start_game",
    "state_rack",
    "take_back_entries",
    "take_back_tiles",
    "unseen",
    "write_score",
]
