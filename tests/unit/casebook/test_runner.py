"""A case that differs from its expectations is detected and reported."""

from __future__ import annotations

from pathlib import Path

import pytest
from google.protobuf.descriptor import ServiceDescriptor
from typer.testing import CliRunner

from faristol.casebook.commands import verbs_of
from faristol.casebook.forms import content_of
from faristol.casebook.hosts.services import CLOCK, GAME
from faristol.casebook.reader import read_cases
from faristol.casebook.runner import run_case
from faristol.cli.main import app
from faristol.kernel.screens import size_of_picture
from faristol.pb.clock.v1 import clock_pb2
from faristol.pb.game.v1 import game_pb2

CASE = """\
ruleset: fisc-2023
words: [C A S A]
cases:
  - case: A word challenged
    articles: [FISC I.6, FISC I.10]
    racks: {Anna: C A S A N O T}
    steps:
      - Anna: place-play H8 C A S A
        at: 0:30
        {expected}
      - Blai: challenge C A S A
        at: 0:40
      - judge: rule
        at: 1:40
        {ruled}
      - Anna: draw-tiles
      - Anna: press
        {after}
"""


def file_of(folder: Path, **said: str) -> Path:
    text = CASE
    for place in ("expected", "ruled", "after"):
        text = text.replace(f"{{{place}}}", said.get(place, "no-facts: [GameEnded]"))
    file = folder / "cases.yaml"
    file.write_text(text, encoding="utf-8")
    return file


@pytest.mark.parametrize(
    ("said", "difference"),
    [
        ({"expected": "score: 11"}, ":10: expected a score of 11, got 10 (C A S A 10)"),
        ({"expected": "words: {C A S A: 9}"}, ":10: expected the words C A S A 9, got C A S A 10"),
        ({"expected": "bingo: yes"}, "expected a bingo: yes, and it is not so"),
        ({"expected": "refused: FISC I.6"}, "expected a refusal by FISC I.6, and it was done"),
        ({"expected": "runs: Blai"}, "expected the clock of Blai to run, got Anna"),
        ({"expected": "racks: {Anna: N O}"}, "expected the rack of Anna to be N O, got N O T"),
        ({"expected": "board: {H8: (C), A1: C}"}, "expected (C) on H8, got C"),
        ({"expected": "facts: [PlayPlaced: {score: 9}]"}, "expected the event PlayPlaced (score: 9), got turn: 1"),
        ({"expected": "no-facts: [PlayPlaced]"}, "expected no event PlayPlaced, and there is one"),
        ({"ruled": "ruling: invalid"}, ":15: expected the ruling invalid, got valid"),
        ({"ruled": "runs: Anna"}, "expected the clock of Anna to run, got nobody"),
        ({"after": "scores: {Anna: 12}"}, "expected 12 points for Anna, got 10"),
        ({"after": "used: {Anna: 1:40}"}, "expected 1:40 on the clock for Anna, got 0:40"),
        ({"after": "on-turn: Anna"}, "expected Anna to be on turn, got Blai"),
        ({"after": "bag: 90"}, "expected 90 tiles in the bag, got 82"),
        ({"after": "ends: out"}, "expected the game to end: out, got no"),
        ({"after": "phase: placed"}, "expected the phase placed, got turn"),
        ({"after": "winner: Anna"}, "expected Anna to win, got no result"),
        ({"after": "answer: {used-ms: 0:30}"}, "expected of the answer used-ms: 0:30, got used-ms: 0:40"),
    ],
)
async def test_a_difference_is_named(tmp_path: Path, said: dict[str, str], difference: str) -> None:
    (case,) = read_cases(file_of(tmp_path, **said))
    verdict = await run_case(case)
    assert any(difference in problem for problem in verdict.problems), verdict.problems


TOURNAMENT = """\
kind: tournament
ruleset: fisc-2023:pairing=swiss
cases:
  - case: Two rounds
    articles: FISC I.1
    rounds: 5
    players: 7
    steps:
      - director: play-round 1
        results: [1 400 – 4 350, 2 400 – 5 350, 3 400 – 6 350]
      - director: pair-round 2
        {expected}
"""


@pytest.mark.parametrize(
    ("expected", "difference"),
    [
        ("pairs: [1 – 3, 2 – 7, 4 – 5]", "expected these to meet: 1 – 3, 2 – 7, 4 – 5; got 1 – 2, 3 – 7, 4 – 5"),
        ("tables: [3 – 7, 1 – 2, 4 – 5]", "expected the tables 3 – 7, 1 – 2, 4 – 5; got 1 – 2, 3 – 7, 4 – 5"),
        ("bye: 5", "expected the bye for 5, got 6"),
        ("bye: nobody", "expected the bye for nobody, got 6"),
        ("byes: [6, 7]", "expected the byes 6, 7; got 7, 6"),
        ("sits-out: {1: zero-point}", "expected to sit out: 1 zero-point; got nobody"),
        ("met-twice: [1 – 2]", "expected to meet twice: 1 – 2; got none"),
        ("rounds-are: {2: started}", "expected round 2 to be started, got paired"),
        ("fictitious: {1: 1}", "expected 1 fictitious points for 1, got 0"),
        ("prize-lists: [General]", "expected the prize lists General; got none"),
        ("awards: {General: none}", "there is no key 'General'"),
        ("messages: [break]", "expected the messages break; got none"),
        ("screens: {Door: [seats]}", "expected the screens Door with seats; got none"),
        ("pictures: [Logo]", "expected the pictures Logo; got none"),
        ("checks: none", "expected after a pairing that is not public: after `get-draft` or `preview-round`"),
        ("obstacles: none", "expected the obstacles none; got ROUND_OPEN, ROUND_NOT_STARTED"),
        ("points: {1: 2}", "expected 2 points for 1, got 1"),
        ("tie-breaks: {1: {spread: 51}}", "expected spread 51 for 1, got 50"),
        ("tie-breaks: {1: {bucholz: 1}}", "there is no tie-break 'bucholz'"),
        ("standings: [1 1]", "expected the standings 1 1; got 1 "),
        ("standing: {1: {wins: 2}}", "expected of the line of 1 wins: 2, got wins: 1"),
        ("table-sizes: [2]", "expected tables of 2 players; got 2, 2, 2"),
        ("chosen: {pairing: dutch}", "expected the option pairing to be dutch, got swiss"),
        ("tournament: {rounds: 6}", "expected of the tournament rounds: 6, got rounds: 5"),
        ("exists: player", "expected that there is such a player already, and it was done"),
        ("ratings: {1: 1500}", "the services cannot go on: there is no"),
    ],
)
async def test_a_difference_in_a_tournament_is_named(tmp_path: Path, expected: str, difference: str) -> None:
    file = tmp_path / "cases.yaml"
    file.write_text(TOURNAMENT.replace("{expected}", expected), encoding="utf-8")
    (case,) = read_cases(file)
    (problem,) = (await run_case(case)).problems
    assert difference in problem


@pytest.mark.parametrize(
    ("expected", "difference"),
    [
        ("proposed: [2 – 1, 3 – 7, 4 – 5]", "expected the tables 2 – 1, 3 – 7, 4 – 5 to be proposed; got 1 – 2, "),
        ("proposed: none", "expected the tables none to be proposed; got 1 – 2, 3 – 7, 4 – 5"),
        ("proposed-seats: {3: Gran 2}", "expected the seat Gran 2 to be proposed for 3, got 2"),
        ("proposed-seats: {6: 1}", "there is no key '6'"),
        ("proposed-bye: 5", "expected the bye to be proposed for 5, got 6"),
        ("checks: [met-before]", "expected the checks met-before; got none"),
    ],
)
async def test_a_difference_in_a_draft_is_named(tmp_path: Path, expected: str, difference: str) -> None:
    steps = "with: {draft: yes}\n      - director: get-draft\n        {expected}"
    file = tmp_path / "cases.yaml"
    file.write_text(TOURNAMENT.replace("{expected}", steps.replace("{expected}", expected)), encoding="utf-8")
    (case,) = read_cases(file)
    (problem,) = (await run_case(case)).problems
    assert difference in problem


@pytest.mark.parametrize(
    ("text", "size"), [("640 × 480", (640, 480)), ("9 × 1", (9, 1)), ("640 x 480", (0, 0)), ("A text", (0, 0))]
)
def test_a_picture_of_a_case_is_written_by_its_size(text: str, size: tuple[int, int]) -> None:
    assert size_of_picture(content_of(text)) == size


async def test_a_refusal_that_nobody_expects_is_a_difference(tmp_path: Path) -> None:
    file = file_of(tmp_path)
    file.write_text(file.read_text(encoding="utf-8").replace("C A S A N O T", "C A S O N O T"), encoding="utf-8")
    (case,) = read_cases(file)
    problems = (await run_case(case)).problems
    assert problems[0].startswith(f"{file}:8: this was refused: FISC I.6, NOT_IN_RACK: ")


def commands(service: ServiceDescriptor) -> set[str]:
    return {method.name for method in service.methods if "command_id" in method.input_type.fields_by_name}


def test_every_command_of_a_table_is_a_verb() -> None:
    verbs = verbs_of((GAME, CLOCK)).values()
    contract = [
        game_pb2.DESCRIPTOR.services_by_name["GameService"],
        clock_pb2.DESCRIPTOR.services_by_name["ClockService"],
    ]
    assert {verb.method.name for verb in verbs} == set().union(*map(commands, contract))
    assert {"PlacePlay", "Press"} <= {verb.method.name for verb in verbs}


def test_the_command_says_what_is_covered_and_fails_with_a_case(tmp_path: Path) -> None:
    report = tmp_path / "report.md"
    good = CliRunner().invoke(app, ["referee", str(file_of(tmp_path)), "--report", str(report), "--coverage"])
    assert (good.exit_code, good.output.splitlines()[-1]) == (0, "1 of 1 cases came out as they say")
    assert "fisc-2023: covered: FISC I.6, FISC I.10" in good.output
    assert "fisc-2023: no case for: FISC I.1, FISC I.1.A, FISC I.1.B, FISC I.1.C, FISC I.2, FISC I.3, " in good.output
    assert "| FISC I.10 | " in report.read_text(encoding="utf-8")
    bad = CliRunner().invoke(app, ["referee", str(file_of(tmp_path, expected="score: 11"))])
    assert (bad.exit_code, bad.output.splitlines()[-1]) == (1, "0 of 1 cases came out as they say")
    assert bad.output.splitlines()[-2].startswith(f"{file_of(tmp_path, expected='score: 11')}:")
    assert "covered" not in bad.output
    unreadable = CliRunner().invoke(app, ["referee", str(tmp_path / "none.yaml")])
    assert unreadable.exit_code == 2


async def test_what_time_brings_comes_of_itself(tmp_path: Path) -> None:
    file = tmp_path / "time.yaml"
    file.write_text(
        """\
ruleset: fisc-2023
cases:
  - case: The cap on overtime
    articles: FISC I.11
    clocks: {Blai: 34:59}
    to-play: Blai
    steps:
      - at: 0:01
        ends: no
        used: {Blai: 35:00}
      - at: 0:02
        ends: overtime
        facts: [OvertimeCapExceeded: {player-id: Blai}]
""",
        encoding="utf-8",
    )
    (case,) = read_cases(file)
    assert (await run_case(case)).problems == ()
