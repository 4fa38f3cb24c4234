"""Measure the time of the standings of a great championship, and its growth with the players."""

from __future__ import annotations

import math
import random
import statistics
import time
from itertools import pairwise

from tests.benchmarks.figures import Figures

from faristol.pb.results.v1 import results_pb2 as results
from faristol.read_models.api.answers import standings
from faristol.read_models.computed.standings import Ranking, Tally
from faristol.read_models.projections.championship import Championship
from faristol.read_models.storage.rows import Game, Player, Round, Seat, Tournament
from faristol.rules import load_ruleset

SIZES = (100, 300, 1_000)
ROUND_COUNT = 12
REPEAT_COUNT = 5


def ranking_figures() -> Figures:
    """Return the processor's time for standings after the last round, plain and with the arithmetic of every value."""
    taken = {size: _median(size, arithmetic=False) for size in SIZES}
    found: Figures = [
        (f"standings: {size:,} players, {ROUND_COUNT} rounds", seconds * 1_000, "ms") for size, seconds in taken.items()
    ]
    explained = _median(SIZES[-1], arithmetic=True)
    found.append(
        (f"standings: {SIZES[-1]:,} players, {ROUND_COUNT} rounds, with their arithmetic", explained * 1_000, "ms")
    )
    found.append(
        (f"standings: {SIZES[-1]:,} players, {ROUND_COUNT} rounds, one result more", _one_more() * 1_000, "ms")
    )
    for (small, short), (large, long) in pairwise(taken.items()):
        power = math.log(long / short) / math.log(large / small)
        found.append((f"standings: growth from {small:,} to {large:,} players", power, "power"))
    return found


def _median(size: int, *, arithmetic: bool) -> float:
    ruleset = load_ruleset("fisc-2023")
    tournament = Tournament("great", rounds=ROUND_COUNT, ruleset=ruleset.name, ruleset_digest=ruleset.digest)
    chance = random.Random(size)
    names = [f"player-{number}" for number in range(size)]
    of = Championship(tournament, players={name: Player("great", name) for name in names})
    rounds = [_round(number, names, chance) for number in range(1, ROUND_COUNT + 1)]
    taken = []
    for _ in range(REPEAT_COUNT):
        start = time.process_time()
        assert len(standings(of, rounds, arithmetic=arithmetic)) == size
        taken.append(time.process_time() - start)
    return statistics.median(taken)


def _one_more() -> float:
    """Return the time of the standings after another table of the last round has its result."""
    ruleset = load_ruleset("fisc-2023")
    chance = random.Random(SIZES[-1])
    names = [f"player-{number}" for number in range(SIZES[-1])]
    rounds = [_round(number, names, chance) for number in range(1, ROUND_COUNT + 1)]
    ranking = Ranking(Tournament("great", rounds=ROUND_COUNT), ruleset)
    before = [Tally.of(round_) for round_ in rounds[:-1]]
    games = rounds[-1].games[:REPEAT_COUNT]
    for game in games:
        game.final = False
    ranking.after(dict.fromkeys(names, True), [*before, Tally.of(rounds[-1])])
    taken = []
    for game in games:
        game.final = True
        start = time.process_time()
        ranking.after(dict.fromkeys(names, True), [*before, Tally.of(rounds[-1])])
        taken.append(time.process_time() - start)
    return statistics.median(taken)


def _round(number: int, names: list[str], chance: random.Random) -> Round:
    """Return a round of games, of which one in fifty is a forfeit; two players stay away."""
    chance.shuffle(names)
    round_ = Round("great", number, results.ROUND_PHASE_CLOSED)
    for place in range(0, len(names) - 2, 2):
        game_id = f"great-r{number}-t{place // 2 + 1}"
        seats = [
            Seat(game_id, at, player_id=name, score=chance.randint(250, 550))
            for at, name in enumerate(names[place : place + 2])
        ]
        forfeit = chance.random() < 0.02
        winner = seats[0].player_id if forfeit else ""
        round_.games.append(Game(game_id, "great", number, seats=seats, final=True, unplayed=forfeit, winner_id=winner))
    return round_
