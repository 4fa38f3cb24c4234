"""`faristol trf pair` prints the output of pairing programs, checks files, and explains pairings."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.unit.rules.trf.test_trf import line
from typer.testing import CliRunner, Result

from faristol.cli.main import app

SIX = [
    line(1, "1.0", "   4 w 1"),
    line(2, "1.0", "   5 b 1"),
    line(3, "1.0", "   6 w 1"),
    line(4, "0.0", "   1 b 0"),
    line(5, "0.0", "   2 w 0"),
    line(6, "0.0", "   3 b 0"),
]


def run(tmp_path: Path, rows: list[str], *options: str) -> Result:
    file = tmp_path / "open.trf"
    file.write_text("\r\n".join(rows))
    return CliRunner().invoke(app, ["trf", "pair", str(file), *options])


def test_the_next_round_is_printed_as_pairing_programs_print_it(tmp_path: Path) -> None:
    done = run(tmp_path, [*SIX, "XXR 5"])
    assert (done.exit_code, done.stdout.split("\n")) == (0, ["3", "2 1", "4 3", "6 5", ""])


def test_the_bye_is_a_pair_with_nobody(tmp_path: Path) -> None:
    done = run(tmp_path, [*SIX, "XXZ 6"])
    assert done.stdout.split("\n")[0] == "3"
    assert done.stdout.split("\n")[-2] == "5 0"


def test_a_file_paired_by_the_rules_passes_the_check(tmp_path: Path) -> None:
    done = run(tmp_path, SIX, "--check")
    assert (done.exit_code, done.stdout) == (0, "1 round checked, 0 paired differently from the FIDE Dutch system\n")


def test_a_difference_is_named_and_is_a_failure(tmp_path: Path) -> None:
    rows = [line.replace("   4 w 1", "   5 w 1") for line in SIX]
    rows[4] = line(5, "0.0", "   1 b 0")
    rows[1] = line(2, "1.0", "   4 b 1")
    rows[3] = line(4, "0.0", "   2 w 0")
    done = run(tmp_path, rows, "--check")
    assert done.exit_code == 1
    assert "round 1: the file has 1 5, 4 2; the FIDE Dutch system gives 1 4, 5 2" in done.stdout
    told = json.loads(run(tmp_path, rows, "--check", "--json").stdout)
    assert told["differing"] == [{"round": 1, "file": [[1, 5], [4, 2]], "rules": [[1, 4], [5, 2]]}]


def test_a_pairing_tells_what_it_takes_to_run_it_again(tmp_path: Path) -> None:
    told = json.loads(run(tmp_path, SIX, "--json").stdout)
    assert (told["algorithm"], told["round"], told["seed"]) == ("fide-dutch-2026-2", 2, 0)
    assert len(told["inputs"]) == 64
    assert told["boards"][0] == {"white": 2, "black": 1, "colours_by": "5.2.1"}
    assert json.loads(run(tmp_path, SIX, "--json", "--round", "1").stdout)["inputs"] != told["inputs"]


def test_the_initial_colour_is_drawn_from_the_seed(tmp_path: Path) -> None:
    rows = [line(number, "0.0") for number in (1, 2, 3, 4)]
    firsts = {run(tmp_path, rows, "--seed", str(seed)).stdout.split("\n")[1] for seed in range(12)}
    assert firsts == {"1 3", "3 1"}


def test_reasons_are_told_in_the_readers_language(tmp_path: Path) -> None:
    done = run(tmp_path, SIX, "--why", "1,4", "--language", "ca")
    assert done.stdout == "1 i 4 ja han jugat entre ells. (FIDE C.04.3 C1)\n"
    assert "colour" in run(tmp_path, SIX, "--why", "1,3").stdout


def test_an_impossible_round_says_why_and_what_the_arbiter_may_do(tmp_path: Path) -> None:
    done = run(tmp_path, [line(1, "1.0", "   2 w 1"), line(2, "0.0", "   1 b 0")])
    assert done.exit_code == 1
    assert done.stdout == ""
    assert "Player 1 may meet no remaining player" in done.stderr
    assert "Let 1–2 meet again." in done.stderr


@pytest.mark.parametrize(
    ("rows", "options", "said"),
    [
        (["001    x"], (), "line 1, column 5: the starting number is 'x'"),
        (SIX, ("--round", "9"), "round 9 cannot be paired: 1 rounds are over"),
        (SIX, ("--why", "one"), "expected a pairing number or two"),
        (SIX, ("--language", "tlh"), "there is no language 'tlh'"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(
    tmp_path: Path, rows: list[str], options: tuple[str, ...], said: str
) -> None:
    done = run(tmp_path, rows, *options)
    assert done.exit_code == 2
    assert said in " ".join(done.stderr.replace("│", " ").split())


@pytest.mark.parametrize("options", [("--seed", "1" + "0" * 90), ("--seed", "-1"), ("--why", "²"), ("--why", "0")])
def test_what_no_option_can_be_is_refused(tmp_path: Path, options: tuple[str, str]) -> None:
    done = run(tmp_path, SIX, *options)
    assert (done.exit_code, type(done.exception)) == (2, SystemExit)


def test_a_file_that_is_not_there_is_said_in_a_sentence(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["trf", "pair", str(tmp_path / "none.trf")])
    assert (done.exit_code, type(done.exception)) == (2, SystemExit)


def test_the_command_line_starts_without_the_compiler() -> None:
    code = "import sys, faristol.cli.main; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_bye_that_is_set_before_the_pairing_is_part_of_it(tmp_path: Path) -> None:
    done = run(tmp_path, [*SIX[:5], line(6, "1.0", "   3 b 0", "0000 - U"), "240 Z 002    5"])
    assert (done.exit_code, done.stdout.split("\n")) == (0, ["3", "2 1", "4 3", "6 0", ""])
    told = json.loads(run(tmp_path, [*SIX[:5], line(6, "1.0", "   3 b 0", "0000 - U"), "XXZ 5"], "--json").stdout)
    assert told["bye"] == 6


def test_a_second_allocated_bye_of_a_round_is_refused(tmp_path: Path) -> None:
    done = run(tmp_path, [*SIX[:5], line(6, "1.0", "   3 b 0", "0000 - U")])
    assert done.exit_code == 1
    assert "round 2 already has its allocated bye (6), and an odd number of players is left" in done.stderr


def test_a_round_in_which_each_player_has_a_bye_has_no_pair(tmp_path: Path) -> None:
    done = run(tmp_path, [*SIX, "XXZ 1 2 3 4 5 6"])
    assert (done.exit_code, done.stdout) == (1, "")
    assert "round 2 has no pair: each player has a bye" in done.stderr


def test_a_round_after_the_last_is_refused(tmp_path: Path) -> None:
    done = run(tmp_path, [*SIX, "XXR 1"])
    assert done.exit_code == 2
    assert "round 2 cannot be paired" in done.stderr


def test_a_line_of_an_unknown_tag_is_passed_over_with_a_note(tmp_path: Path) -> None:
    done = run(tmp_path, [*SIX, "XXQ 1"])
    assert (done.exit_code, done.stdout.split("\n")[0]) == (0, "3")
    assert "line 7: 'XXQ 1' was passed over: the tag is not known" in done.stderr


@pytest.mark.parametrize("told", ["352 WBWB", "192 FIDE_TEAM_BAKU", "092 Swiss system, FIDE (Dutch), for teams"])
def test_a_file_of_teams_is_refused_as_one(tmp_path: Path, told: str) -> None:
    done = run(tmp_path, [*SIX, told])
    assert done.exit_code == 2
    assert "the file pairs teams" in " ".join(done.stderr.replace("│", " ").split())


@pytest.mark.parametrize("system", ["knock-out", "Individual: Knockout"])
def test_a_file_of_a_knock_out_is_not_checked(tmp_path: Path, system: str) -> None:
    done = run(tmp_path, [*SIX, f"092 {system}"])
    assert done.exit_code == 2
    assert "cannot check it" in " ".join(done.stderr.replace("│", " ").split())
    folder = tmp_path / "several"
    folder.mkdir()
    (folder / "bracket.trf").write_text("\r\n".join([*SIX, f"092 {system}"]) + "\r\n")
    made = CliRunner().invoke(app, ["trf", "generate", "--players", "8", "--rounds", "3"])
    (folder / "swiss.trf").write_text(made.output)
    done = CliRunner().invoke(app, ["trf", "check", str(folder)])
    assert done.exit_code == 0
    assert "bracket.trf: not checked" in done.output
    assert "1 file with 3 rounds checked, 0 rounds paired differently" in done.output


def test_generated_files_pass_the_check_and_a_changed_one_is_named(tmp_path: Path) -> None:
    options = ["--players", "12", "--rounds", "5", "--count", "3", "--folder", str(tmp_path / "made"), "--seed", "4"]
    done = CliRunner().invoke(app, ["trf", "generate", *options])
    assert done.output == f"3 tournaments written to {tmp_path / 'made'}\n"
    done = CliRunner().invoke(app, ["trf", "check", str(tmp_path / "made")])
    assert (done.exit_code, done.output) == (0, "3 files with 15 rounds checked, 0 rounds paired differently\n")

    (tmp_path / "made" / "other.trf").write_text(
        "\r\n".join(line.translate(str.maketrans("wb", "bw")) for line in SIX) + "\r\n152 W\r\n"
    )
    done = CliRunner().invoke(app, ["trf", "check", str(tmp_path / "made"), "--json"])
    assert done.exit_code == 1
    assert {Path(each["path"]).name for each in json.loads(done.stdout)["differing"]} == {"other.trf"}


def test_one_generated_tournament_is_printed_and_impossible_ones_are_refused(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["trf", "generate", "--players", "8", "--rounds", "3"])
    assert done.stdout.startswith("012 Generated tournament 0")
    done = CliRunner().invoke(app, ["trf", "generate", "--players", "8", "--rounds", "8"])
    assert (done.exit_code, "8 rounds need at least 9 players" in " ".join(done.output.split())) == (2, True)
    assert CliRunner().invoke(app, ["trf", "generate", "--count", "2"]).exit_code == 2
    assert CliRunner().invoke(app, ["trf", "check", str(tmp_path)]).exit_code == 2
