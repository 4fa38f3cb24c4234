"""The cases of the rule book, as an arbiter can read and check them in the files beside this one."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from faristol.rules import (
    Board,
    Notation,
    Outcome,
    Placement,
    Refusal,
    Result,
    Ruleset,
    TurnKind,
    check_exchange,
    check_pass,
    check_play,
    lay,
    load_ruleset,
    read_tiles,
    score_play,
    standings,
)
from faristol.rules.championship import check_rounds, late_entry_points
from faristol.rules.clockwork import cap_exceeded, lost_by_absence, neutralised, overtime_ms, overtime_penalty
from faristol.rules.endgame import EndCondition, end_of_turns, settle, settle_abandonment, turns_after_time_up

Case = Mapping[str, Any]

HERE = Path(__file__).parent
TURNS = {"L": TurnKind.PLAY, "P": TurnKind.PASS, "W": TurnKind.WITHDRAWN, "X": TurnKind.EXCHANGE}
SCENARIOS = {
    *(1, 2, 3, 4, 5, 13, 14, 17, 23, 24, 25, 26, 27, 29, 31, 48, 50, 51, 54, 57, 60),
    *(82, 85, 89, 90, 97, 100, 101, 102, 103),
}
"""The acceptance scenarios of FISC's classic game that the law alone decides."""


def cases() -> Iterator[tuple[str, Ruleset, Case]]:
    for file in sorted(HERE.glob("*.toml")):
        data = tomllib.loads(file.read_text(encoding="utf-8"))
        for case in data["case"]:
            yield data["kind"], load_ruleset(data["ruleset"]), case


def milliseconds(minutes_and_seconds: str) -> int:
    minutes, seconds = minutes_and_seconds.split(":")
    return (int(minutes) * 60 + int(seconds)) * 1000


def board_of(case: Case) -> Board:
    board = Board()
    for play in case.get("before", ()):
        start, word = play.split(" ", 1)
        board = board.place(lay(board, Notation.FISC.read(start), read_tiles(word)))
    return board


def placements_of(case: Case, board: Board) -> tuple[Placement, ...]:
    if "tiles" in case:
        return tuple(
            Placement(Notation.FISC.read(name).square, read_tiles(tile)[0]) for name, tile in case["tiles"].items()
        )
    start, word = case["play"].split(" ", 1)
    return lay(board, Notation.FISC.read(start), read_tiles(word))


def play(case: Case, ruleset: Ruleset) -> None:
    board = board_of(case)
    placements = placements_of(case, board)
    words = check_play(board, placements, rack=case["rack"].split(), ruleset=ruleset)
    score = score_play(board, placements, ruleset)
    assert [(read_tiles(word), points) for word, points in case["words"].items()] == [
        (word.word.tiles, word.points) for word in score.words
    ]
    assert words == tuple(word.word for word in score.words)
    assert score.points == case["score"]


def turn(case: Case, ruleset: Ruleset) -> None:
    if "exchange" in case:
        check_exchange(case["rack"].split(), case["exchange"].split(), case["bag"], ruleset)
    else:
        check_pass(case["bag"], ruleset)


def end(case: Case, ruleset: Ruleset) -> None:
    turns = [TURNS[letter] for letter in case["turns"].split()]
    assert end_of_turns(turns, case["scores"], ruleset) == (EndCondition(case["ends"]) if case["ends"] else None)


def result(case: Case, ruleset: Ruleset) -> None:
    if "abandoned_by" in case:
        settled = settle_abandonment(case["scores"], case["abandoned_by"], ruleset)
        assert {line.article for line in settled.adjustments} <= {case["article"]}
    else:
        racks = {player: rack.split() for player, rack in case["racks"].items()}
        overtime = {player: milliseconds(text) for player, text in case.get("overtime", {}).items()}
        settled = settle(EndCondition(case["condition"]), case["scores"], racks, overtime, ruleset)
    assert dict(settled.scores) == case["final"]
    assert settled.winner == (case["winner"] or None)
    assert settled.lost_by_all == case.get("lost_by_all", False)
    if "lines" in case:
        lines: dict[str, list[str]] = {}
        for line in settled.adjustments:
            lines.setdefault(line.player, []).append(f"{line.kind} {line.points}")
        assert lines == case["lines"]


def clock(case: Case, ruleset: Ruleset) -> None:
    if "used" in case:
        over = overtime_ms(milliseconds(case["used"]), ruleset)
        assert overtime_penalty(over, ruleset) == case["penalty"]
        assert cap_exceeded(over, ruleset) == case["ends"]
    elif "late" in case:
        assert lost_by_absence(milliseconds(case["late"]), ruleset) == case["lost"]
    elif "stops_for" in case:
        assert neutralised(case["stops_for"], ruleset) == case["stops"]
    else:
        assert turns_after_time_up(case["turns_taken"], 2, ruleset) == case["turns_left"]


def championship(case: Case, ruleset: Ruleset) -> None:
    if "enters_at" in case:
        assert late_entry_points(case["enters_at"], case["planned"], ruleset) == case["fictitious"]
    elif "results" in case:
        results = [result_of(text) for text in case["results"]]
        players = [player for pair in results for player in (pair.first, pair.second) if player]
        rows = standings(results, players, ruleset, case["planned"])
        assert [f"{row.rank} {row.player}" for row in rows] == case["order"]
    elif "opponents" in case:
        row = row_against(case["opponents"], case["outcomes"], ruleset)
        expected = {name: case[name] for name in ("median-buchholz", "berger") if name in case}
        assert {name: value for name, value in row.items() if name in expected} == expected
    else:
        check_rounds(case["rounds"], ruleset)


def result_of(text: str) -> Result:
    round_, first, first_score, second, second_score = text.split()
    return Result.of_game(int(round_), first, second, int(first_score), int(second_score))


def row_against(points: list[float], outcomes: list[str], ruleset: Ruleset) -> dict[str, float]:
    """The tie-breaks of a player whose opponents end with ``points``: what is left of them they get elsewhere."""
    rounds = len(points)
    scores = {"win": (400, 300), "draw": (350, 350), "loss": (300, 400)}
    results, players = [], ["subject"]
    for number, (total, outcome) in enumerate(zip(points, outcomes, strict=True), start=1):
        opponent = f"opponent {number}"
        players.append(opponent)
        results.append(Result.of_game(number, "subject", opponent, *scores[outcome]))
        wanted = total - {"win": 0.0, "draw": 0.5, "loss": 1.0}[outcome]
        for other in (round_ for round_ in range(1, rounds + 1) if round_ != number):
            sparring = f"sparring {number}.{other}"
            players.append(sparring)
            got = min(1.0, wanted)
            wanted -= got
            results.append(
                Result.of_game(other, opponent, sparring, *scores[{1.0: "win", 0.5: "draw", 0.0: "loss"}[got]])
            )
        assert wanted == 0, f"{opponent} cannot end with {total} points"
    rows = standings(results, players, ruleset, rounds)
    row = next(row for row in rows if row.player == "subject")
    own = sum({"win": 1.0, "draw": 0.5, "loss": 0.0}[Outcome(outcome)] for outcome in outcomes)
    assert row.points == own
    return {str(name): value for name, value in row.tie_breaks.items()}


KINDS: Mapping[str, Callable[[Case, Ruleset], None]] = {
    "play": play,
    "turn": turn,
    "end": end,
    "result": result,
    "clock": clock,
    "championship": championship,
}


@pytest.mark.parametrize(
    ("kind", "ruleset", "case"),
    [pytest.param(*found, id=f"{found[2].get('scenario', 'more')}: {found[2]['title']}") for found in cases()],
)
def test_the_law_says_what_the_case_says(kind: str, ruleset: Ruleset, case: Case) -> None:
    if "refused" not in case:
        KINDS[kind](case, ruleset)
        return
    with pytest.raises(Refusal) as caught:
        KINDS[kind](case, ruleset)
    assert (caught.value.reason, caught.value.article) == (case["refused"], case["article"])


def test_every_scenario_that_the_law_alone_decides_has_a_case() -> None:
    assert {case["scenario"] for _, _, case in cases() if "scenario" in case} == SCENARIOS


def test_every_case_names_an_article_of_its_rulebook() -> None:
    for _, ruleset, case in cases():
        known = {*ruleset.articles.values(), ruleset.law.game_over, ruleset.law.contact}
        # I.8.C is cited by title alone: its effects stand in I.11.
        assert case["article"] in known | {"FISC I.8.C"}, case["title"]
