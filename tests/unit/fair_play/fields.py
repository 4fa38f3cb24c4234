"""Simulated players: honest ones of different strengths, and users of a program."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from faristol.fair_play.turns import AnalysedTurn

TURNS_PER_GAME_COUNT = 12
BAG_SIZES = (86, 78, 70, 62, 54, 46, 38, 30, 22, 14, 6, 0)
DIFFICULTIES = (2, 3, 3, 4, 4, 4, 5, 5, 6, 7)


class SimulatedPlayer(NamedTuple):
    """A player with a rating; ``strength`` is in logits of the probability of finding a best play."""

    player_id: str
    rating: int
    strength: float
    program_share: float = 0.0
    """Share of turns that a program plays, always the best play and in about the same time."""


def draw_field(size: int, chance: random.Random, program_share: float = 0.0) -> list[SimulatedPlayer]:
    """Return players whose strength follows their rating in part; the first uses a program for some share of turns."""
    players = []
    for number in range(size):
        rating = round(chance.gauss(1500, 60))
        strength = (rating - 1500) / 300 + chance.gauss(0, 0.25)
        players.append(SimulatedPlayer(f"p{number:02}", rating, strength, program_share if number == 0 else 0.0))
    return players


def play_games(players: Sequence[SimulatedPlayer], games: int, chance: random.Random) -> list[AnalysedTurn]:
    """Return the analysed turns of each player in some games."""
    return [turn for player in players for game in range(games) for turn in _play_game(player, game, chance)]


def _play_game(player: SimulatedPlayer, game: int, chance: random.Random) -> Iterator[AnalysedTurn]:
    luck = chance.gauss(0, 0.3)  # the turns of a game depend on each other
    for place in range(TURNS_PER_GAME_COUNT):
        difficulty = chance.choice(DIFFICULTIES)
        best = max(8, round(chance.gauss(14 + 4 * difficulty, 6)))
        by_program = chance.random() < player.program_share
        finds = 1 / (1 + math.exp(-(1.4 - 0.45 * difficulty + player.strength + luck)))
        is_found = by_program or chance.random() < finds
        loss = 0 if is_found else min(best - 1, 1 + int(chance.expovariate(1 / (7 - 2 * player.strength))))
        usual = 15.0 if by_program else 12 * math.exp(0.18 * difficulty)
        seconds = usual * math.exp(chance.gauss(0, 0.25 if by_program else 0.6))
        yield AnalysedTurn(
            game_id=f"cup-{player.player_id}-g{game}",
            tournament_id="cup",
            round=game + 1,
            table=int(player.player_id[1:]) + 1,
            turn=2 * place + 1,
            player_id=player.player_id,
            rack=tuple("ACEILRT"),
            bag_left=BAG_SIZES[place],
            word=tuple("CARTE"),
            coordinates="H8",
            score=best - loss,
            best_score=best,
            best_word=tuple("CARTEL"),
            best_coordinates="H8",
            best_count=1,
            difficulty=difficulty,
            seconds=seconds,
        )
