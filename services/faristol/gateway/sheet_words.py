"""The words of the JSON for what happens in a game."""

from __future__ import annotations

from typing import Literal

from faristol.pb.clock.v1 import events_pb2 as clock
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.results.v1 import results_pb2 as pb

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
ENTRY_KINDS: dict[pb.EntryKind.ValueType, EntryKind] = {
    pb.ENTRY_KIND_PLAY: "play",
    pb.ENTRY_KIND_EXCHANGE: "exchange",
    pb.ENTRY_KIND_PASS: "pass",
    pb.ENTRY_KIND_PHONY: "phony",
    pb.ENTRY_KIND_RACK_PENALTY: "rack_penalty",
    pb.ENTRY_KIND_OUT_BONUS: "out_bonus",
    pb.ENTRY_KIND_TIME_PENALTY: "time_penalty",
    pb.ENTRY_KIND_WITHDRAWN: "withdrawn",
    pb.ENTRY_KIND_CANNOT_PLAY: "cannot_play",
    pb.ENTRY_KIND_LOST_TURN: "lost_turn",
    pb.ENTRY_KIND_FREE_EXCHANGE: "free_exchange",
    pb.ENTRY_KIND_CHALLENGE_PENALTY: "challenge_penalty",
    pb.ENTRY_KIND_SANCTION: "sanction",
    pb.ENTRY_KIND_ABANDONMENT: "abandonment",
    pb.ENTRY_KIND_FORFEIT: "forfeit",
    pb.ENTRY_KIND_CORRECTION: "correction",
}
END_CONDITIONS: dict[game.EndCondition.ValueType, EndCondition] = {
    game.END_CONDITION_OUT: "out",
    game.END_CONDITION_LOST_TURNS: "lost_turns",
    game.END_CONDITION_SCORELESS_TURNS: "scoreless_turns",
    game.END_CONDITION_OVERTIME: "overtime",
    game.END_CONDITION_ROUND_TIME: "round_time",
    game.END_CONDITION_AGREEMENT: "agreement",
    game.END_CONDITION_ABANDONED: "abandoned",
    game.END_CONDITION_ALL_ABANDONED: "all_abandoned",
    game.END_CONDITION_FORFEIT: "forfeit",
}
WITHDRAWAL_REASONS: dict[game.WithdrawalReason.ValueType, WithdrawalReason] = {
    game.WITHDRAWAL_REASON_CHALLENGED: "challenged",
    game.WITHDRAWAL_REASON_OFF_CENTRE: "off_centre",
    game.WITHDRAWAL_REASON_FAKE_BLANK: "fake_blank",
    game.WITHDRAWAL_REASON_LEAKED: "leaked",
}
TURN_LOST_REASONS: dict[game.TurnLostReason.ValueType, TurnLostReason] = {
    game.TURN_LOST_REASON_TOUCH: "touch",
    game.TURN_LOST_REASON_TIME: "time",
    game.TURN_LOST_REASON_OVERDRAW: "overdraw",
    game.TURN_LOST_REASON_CHALLENGE: "challenge",
    game.TURN_LOST_REASON_FREE_EXCHANGE: "free_exchange",
    game.TURN_LOST_REASON_ILLEGAL_EXCHANGE: "illegal_exchange",
    game.TURN_LOST_REASON_SANCTION: "sanction",
    game.TURN_LOST_REASON_ABANDONED: "abandoned",
}
INCIDENT_KINDS: dict[pb.IncidentKind.ValueType, IncidentKind] = {
    pb.INCIDENT_KIND_OVERDRAW: "overdraw",
    pb.INCIDENT_KIND_UNDERDRAW: "underdraw",
    pb.INCIDENT_KIND_ILLEGAL_EXCHANGE: "illegal_exchange",
    pb.INCIDENT_KIND_TILES_FOUND: "tiles_found",
    pb.INCIDENT_KIND_ARBITER_CALLED: "arbiter_called",
    pb.INCIDENT_KIND_COUNT_DISPUTED: "count_disputed",
    pb.INCIDENT_KIND_APPEAL: "appeal",
    pb.INCIDENT_KIND_WARNING: "warning",
    pb.INCIDENT_KIND_TURN_SANCTION: "turn_sanction",
    pb.INCIDENT_KIND_GAME_SANCTION: "game_sanction",
    pb.INCIDENT_KIND_EXPULSION: "expulsion",
    pb.INCIDENT_KIND_WORD_ASKED: "word_asked",
    pb.INCIDENT_KIND_WORD_ANSWERED: "word_answered",
    pb.INCIDENT_KIND_PLAY_CORRECTED: "play_corrected",
    pb.INCIDENT_KIND_REOPENED: "reopened",
    pb.INCIDENT_KIND_TAKEN_BACK: "taken_back",
}
NEUTRALISATION_REASONS: dict[clock.NeutralisationReason.ValueType, NeutralisationReason] = {
    clock.NEUTRALISATION_REASON_CHALLENGE: "challenge",
    clock.NEUTRALISATION_REASON_COUNT_DISPUTE: "count_dispute",
    clock.NEUTRALISATION_REASON_ARBITER_CALL: "arbiter_call",
    clock.NEUTRALISATION_REASON_FORCE_MAJEURE: "force_majeure",
    clock.NEUTRALISATION_REASON_OVERDRAW: "overdraw",
    clock.NEUTRALISATION_REASON_CORRECTION: "correction",
}
