"""A duplicate game of a single player. Its master plays are the proposed ones, so all follows from a seed. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

from faristol.duplicate_game.decide.racks import call_rack
from faristol.duplicate_game.decide.turn_scores import Judging
from faristol.duplicate_game.draws import Words
from faristol.duplicate_game.game import Duplicate, Turn, evolve, written_play
from faristol.duplicate_game.hall import written_slip
from faristol.duplicate_game.situation import Situation
from faristol.pb.game.v1 import duplicate_events_pb2 as events
from faristol.pb.game.v1 import duplicate_pb2 as pb
from faristol.rules import Ruleset
from faristol.rules.duplicate_game.plays import Play
from faristol.rules.duplicate_game.slips import Verdict

MAX_SHOWN_PLAYS = 10
"""Best plays that are shown after a turn."""

_TRAINING_GAME_ID = "training"


class JudgedSlip(NamedTuple):
    """The verdict on a slip of a turn, beside the best plays."""

    verdict: Verdict
    score: events.SlipScore
    best: Sequence[Play]


def begin_training(seed: str) -> Duplicate:
    """Return a game before its first rack."""
    return Duplicate(game_id=_TRAINING_GAME_ID, seed=hashlib.sha256(seed.encode()).digest())


def next_turn(game: Duplicate, ruleset: Ruleset, words: Words) -> Duplicate:
    """Return ``game`` with the proposed master play of its turn and the next rack called, or ended."""
    turn = game.current
    if turn is not None and not turn.completed:
        tops = words.tops(turn.board, turn.rack)
        chosen = events.MasterPlayChosen(turn=turn.number, play=written_play(tops[0]), top=tops[0].score)
        game = evolve(evolve(game, chosen), events.TurnCompleted(turn=turn.number))
    for _, event in call_rack(_situation(game, ruleset, words), pb.CallRackRequest()):
        game = evolve(game, event)
    return game


def judge_training_slip(game: Duplicate, turn: Turn, slip: events.Slip, ruleset: Ruleset, words: Words) -> JudgedSlip:
    """Return the verdict that a slip would have in a hall, and the ``MAX_SHOWN_PLAYS`` best plays."""
    judging = Judging(_situation(game, ruleset, words), turn)
    written = written_slip(slip)
    best = words.best(turn.board, turn.rack, MAX_SHOWN_PLAYS)[:MAX_SHOWN_PLAYS]
    return JudgedSlip(judging.verdict(written), judging.score(slip.player_id, written), best)


def _situation(game: Duplicate, ruleset: Ruleset, words: Words) -> Situation:
    return Situation(game, {}, ruleset, words, at=0)
