"""A lexicon of many short words, and a game that was played ahead with it."""

from __future__ import annotations

from functools import cache
from itertools import product

from faristol.casebook.hosts.lexicons import about_cases
from faristol.duplicate_game.sealed import SealedGame, play_ahead
from faristol.game.duplicate_game.lexicons import GraphWords
from faristol.kernel.pins import Pin
from faristol.rules import load_ruleset
from faristol.words import WordGraph, build

FISC = load_ruleset("fisc-2023-duplicate")
VOWELS, CONSONANTS = "AEIOU", "BCDFGLMNPRSTV"
WORDS = frozenset(
    word
    for pattern in ((VOWELS, CONSONANTS), (CONSONANTS, VOWELS), (CONSONANTS, VOWELS, CONSONANTS))
    for word in product(*pattern)
)
GAME = "cup-r1"
SEED, SALT = bytes(range(32)), bytes(32)
PINS = (Pin("fisc-2023-duplicate", FISC.digest), Pin("words", "0" * 64))


@cache
def words() -> GraphWords:
    return GraphWords(WordGraph(build(WORDS, tile_set=FISC.tile_set, about=about_cases())))


@cache
def sealed_game() -> SealedGame:
    return play_ahead(GAME, PINS, SEED, SALT, FISC, words())
