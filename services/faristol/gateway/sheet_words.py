"""The words of the JSON for what happens in a game."""

from __future__ import annotations

from typing import Literal

EntryKind = Literal[
    "play",
    "exchange",
    "pass",
    "phony",
    "rack_penalty",
    "out_bonus",
    "time_penalty",
    "withdrawn",
    "cannot_play",
    "lost_turn",
    "free_exchange",
    "challenge_penalty",
    "sanction",
    "abandonment",
    "forfeit",
    "correction",
]
EndCondition = Literal[
    "out",
    "lost_turns",
    "scoreless_turns",
    "overtime",
    "round_time",
    "agreement",
    "abandoned",
    "all_abandoned",
    "forfeit",
]
WithdrawalReason = Literal["challenged", "off_centre", "fake_blank", "leaked"]
TurnLostReason = Literal[
    "touch", "time", "overdraw", "challenge", "free_exchange", "illegal_exchange", "sanction", "abandoned"
]
IncidentKind = Literal[
    "overdraw",
    "underdraw",
    "illegal_exchange",
    "tiles_found",
    "arbiter_called",
    "count_disputed",
    "appeal",
    "warning",
    "turn_sanction",
    "game_sanction",
    "expulsion",
    "word_asked",
    "word_answered",
    "play_corrected",
    "reopened",
    "taken_back",
]
NeutralisationReason = Literal["challenge", "count_dispute", "arbiter_call", "force_majeure", "overdraw", "correction"]
