"""Files and slips with errors are read, or reported, as before.

The result of each of them is stored at the end, as a checksum. If it is changed on purpose, the test shows the new
checksum.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from random import Random

import pytest
from tests.unit.rules.duplicate_game.test_slips import WORDS, board
from tests.unit.rules.gcg.games import CATALAN, ENGLISH, FISC, INSTRUCTIONS, NaiveGame
from tests.unit.rules.trf.test_trf import ADJACENT, FOUR, TEAM

from faristol.rules import Ruleset, load_ruleset
from faristol.rules.duplicate_game.slips import Handed, TurnData, WrittenSlip, judge_slip
from faristol.rules.gcg import GcgError, draw_board, draw_sheet, read_gcg, replay, write_gcg
from faristol.rules.ruleset.with_options import with_options
from faristol.rules.trf import Edition, TrfError, read_trf, write_trf


def damage_text(text: str, chance: Random) -> str:
    """Return the text with a line removed, duplicated, moved or altered; sometimes unchanged."""
    lines = text.splitlines()
    for _ in range(chance.choice([0, 1, 1, 2])):
        place = chance.randrange(len(lines))
        match chance.randrange(5):
            case 0:
                del lines[place]
            case 1:
                lines.insert(place, lines[place])
            case 2:
                lines.insert(chance.randrange(len(lines)), lines.pop(place))
            case _:
                line = lines[place]
                at = chance.randrange(len(line) + 1)
                lines[place] = line[:at] + chance.choice("0123456789+-() aEWb") + line[at + chance.randrange(2) :]
        if not lines:
            return ""
    return "\n".join(lines)


def games(seed: int) -> Iterator[str]:
    """Yield the results of files of a game."""
    chance = Random(seed)
    rules: Ruleset = (ENGLISH, INSTRUCTIONS, FISC, CATALAN)[seed % 4]
    text = write_gcg(NaiveGame(rules, chance).play(chance.choice([6, 20, 60])))
    for _ in range(12):
        try:
            found = replay(read_gcg(damage_text(text, chance)), rules)
        except GcgError as error:
            yield str(error)
            continue
        yield f"{found.end} {found.totals} {[f'{problem} {problem.article}' for problem in found.problems]}"
        yield draw_sheet(found)
        yield draw_board(found.board)


def tournaments(seed: int) -> Iterator[str]:
    """Yield the results of files of a tournament, in either edition."""
    chance = Random(seed)
    lines = [*FOUR, "XXR 5", "XXC black1", "XXZ 3", "240 H 003    2", "250      01.0 001 002 0001 0002", "XXP 1 4"]
    lines += ["299 P        00.5  001 0001", "162  W 3.0    D 1.0", "DAT 0001 SCORES 401:377 350:350", "012 Open"]
    lines += [TEAM + "   1    2", "BBW 1.0", "XXS D=0.5", "XXA    3  1.0  0.5"]
    for _ in range(25):
        chosen = [*lines[:4], *chance.sample(lines[4:], 3)] if chance.random() < 0.8 else ADJACENT
        try:
            document = read_trf(damage_text("\n".join(chosen), chance))
        except TrfError as error:
            yield str(error)
            continue
        yield repr(document)
        for edition in Edition:
            try:
                yield write_trf(document, edition)
            except ValueError as problem:
                yield str(problem)


WRITTEN = ("caserna", "casa", "C A S E S", "as", "sa", "casas", "es", "CAS(A)", "cas?a", "rasa")


def slips(seed: int) -> Iterator[str]:
    """Yield the values of slips of a turn."""
    chance = Random(seed)
    rules = [load_ruleset("fisc-2023-duplicate"), load_ruleset("duplicate-house")][seed % 2]
    if seed % 3 == 0:
        rules = with_options(rules, {"score": "asked"})
    on = board("H8 C A S A") if seed % 2 else board()
    turn = TurnData(on, tuple(chance.choice(["CASERNA", "CASES?A", "AS?CRNE"])), rules, WORDS.__contains__)
    for _ in range(40):
        word = list(
            chance.choice(["caserna", "casa", "C A S E S", "as", "sa", "casas", "es", "CAS(A)", "cas?a", "rasa"])
        )
        if chance.random() < 0.2:
            word[chance.randrange(len(word))] = chance.choice("as #?(")
        verdict = judge_slip(
            WrittenSlip(
                chance.choice(["H8", "8H", "H4", "I8", "8L", "L8", "H12", "G8", "", "P9", "h 8"]),
                "".join(word),
                chance.choice(["", "", "10", "68", "70", "x"]),
                chance.choice([Handed.IN_TIME] * 9 + list(Handed)),
                coordinates_illegible=chance.random() < 0.05,
                word_illegible=chance.random() < 0.05,
            ),
            turn,
        )
        told = [(found.fault, found.article, str(found)) for found in (verdict.null, *verdict.warned) if found]
        yield f"{verdict.points} {told} {verdict.start} {verdict.word} {verdict.placements}"


def sums(texts: Callable[[int], Iterator[str]], seeds: int) -> str:
    return " ".join(hashlib.sha256("\n".join(texts(seed)).encode()).hexdigest()[:6] for seed in range(seeds))


@pytest.mark.parametrize("texts", [games, tournaments, slips], ids=lambda texts: texts.__name__)
def test_what_people_write_is_read_and_told_about_alike(texts: Callable[[int], Iterator[str]]) -> None:
    kept = KEPT[texts.__name__]
    assert sums(texts, len(kept.split())) == kept


KEPT = {
    "games": (
        "2cd71e 7e0484 2f407c fc3d32 81f08c dc97fa 99572c cab807 5f73ec ef00b1 d9b5f0 ef8e86 b706ad a17914 "
        "feeff7 924312"
    ),
    "tournaments": (
        "b0eb62 d22137 84e404 1617b4 eb1d3c c712f9 4d5dea 9c48c5 995c49 372063 0f5fd9 8a4dfe c16955 95e93f "
        "607d54 cebf93"
    ),
    "slips": (
        "eec478 9812c4 175c78 58a387 a246fb 91df11 ee4243 47c773 221243 a5fbac 1ad9a8 2842a5 f30d46 3a60d5 "
        "aab345 63bbcc"
    ),
}
