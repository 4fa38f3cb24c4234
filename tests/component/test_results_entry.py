"""Results are entered by people at terminals, by round and table, and no entry overwrites another."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import grpc
import pytest
from tests.component.blind_typist import slips_for
from tests.component.processes import Child, faristol, free_port, wait_until_serving
from tests.component.terminal import CTRL_C, Terminal

from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.pb.pairing.v1 import pairing_pb2_grpc as pairing_grpc

pytestmark = [pytest.mark.lexicon, pytest.mark.usefixtures("lexicons")]

EVA, NIL = "Eva Soler", "Nil Camps"


@dataclass
class Hall:
    """A platform that runs, and the tournaments made there."""

    address: str
    child: Child
    numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def stub(self, channel: grpc.Channel) -> pairing_grpc.PairingServiceStub:
        return pairing_grpc.PairingServiceStub(channel)

    def start_tournament(self, tables: int) -> str:
        """Return a tournament whose round 1 is being played at this number of tables."""
        name = f"cup-{next(self.numbers)}"
        with grpc.insecure_channel(self.address) as channel:
            stub = self.stub(channel)
            stub.CreateTournament(
                pairing.CreateTournamentRequest(
                    command_id=str(uuid.uuid4()),
                    tournament_id=name,
                    name="Cup",
                    ruleset="fisc-2023",
                    rounds=5,
                    keeping=game.KEEPING_RECORDED,
                )
            )
            for number in range(1, 2 * tables + 1):
                stub.RegisterPlayer(
                    pairing.RegisterPlayerRequest(
                        command_id=str(uuid.uuid4()),
                        tournament_id=name,
                        player_id=f"p{number:02}",
                        name=f"Player {number:02}",
                        rating=2000 - number,
                    )
                )
            stub.PairRound(pairing.PairRoundRequest(command_id=str(uuid.uuid4()), tournament_id=name, round=1))
            stub.StartRound(pairing.StartRoundRequest(command_id=str(uuid.uuid4()), tournament_id=name, round=1))
        return name

    def results(self, tournament: str) -> pairing.ListResultsResponse:
        with grpc.insecure_channel(self.address) as channel:
            return self.stub(channel).ListResults(pairing.ListResultsRequest(tournament_id=tournament))

    def scores(self, tournament: str) -> dict[int, tuple[int, ...]]:
        found = self.results(tournament).tables
        return {table.table: tuple(score.score for score in table.scores) for table in found if table.scores}


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hall]:
    folder, port = tmp_path_factory.mktemp("hall"), free_port()
    child = Child(["up", "--data", str(folder / "data"), "--http", "0", "--grpc", str(port)], {}, folder / "up.log")
    try:
        wait_until_serving(f"127.0.0.1:{port}", child)
        yield Hall(f"127.0.0.1:{port}", child)
    finally:
        child.terminate()


def at_terminal(hall: Hall, tournament: str, name: str, *more: str) -> Terminal:
    return Terminal("enter", tournament, "1", "--as", name, "--address", hall.address, *more)


def score_of(table: int) -> tuple[int, int]:
    return 400 + table, 300 + table


@pytest.mark.nightly
def test_two_people_enter_forty_results_at_once_within_ten_minutes_and_overwrite_nothing(hall: Hall) -> None:
    tournament = hall.start_tournament(40)
    ready = threading.Barrier(2)
    began = time.monotonic()

    def enter(name: str, tables: range) -> str:
        with at_terminal(hall, tournament, name) as terminal:
            terminal.until("left: 1–40. Type ? for help.")
            ready.wait(60)
            for table in tables:
                first, second = score_of(table)
                terminal.type(f"{table} {first} {second}")
                terminal.until(f"{first} – ")
                terminal.until(f" {second}, ")
            terminal.type("q")
            assert terminal.end() == 0, terminal.shown
            return terminal.shown

    with ThreadPoolExecutor() as both:  # from both ends, past the middle: tables 15 to 26 are entered by both
        eva = both.submit(enter, EVA, range(1, 27))
        nil = both.submit(enter, NIL, range(40, 14, -1))
        shown = eva.result(), nil.result()

    assert time.monotonic() - began < 600
    assert hall.scores(tournament) == {table: score_of(table) for table in range(1, 41)}
    by = {table.table: table.actor_name for table in hall.results(tournament).tables}
    assert set(by.values()) == {EVA, NIL}
    assert all("Traceback" not in line for line in shown)
    assert "Recorded: " in shown[0] + shown[1]


def test_who_comes_second_is_shown_what_stands_and_who_entered_it(hall: Hall) -> None:
    tournament = hall.start_tournament(3)
    with at_terminal(hall, tournament, EVA) as eva, at_terminal(hall, tournament, NIL) as nil:
        eva.until("1 · ")
        nil.until("1 · ")
        eva.type("412 378")
        eva.until(" 378, entered by Eva Soler at ")
        nil.type("402 378")
        assert "already has a result" in nil.until("Eva Soler made a change first, at ")
        nil.until("Recorded: 1 · ")
        nil.until(" 412 – ")
        nil.until(", entered by Eva Soler at ")
        assert hall.scores(tournament) == {1: (412, 378)}
        # Both read it, and both correct it.
        eva.type("1 413 378")
        eva.until("413–378 would replace it")
        nil.type("1 414 378")
        nil.until("414–378 would replace it")
        eva.type("y")
        eva.until("entered: 1 · ")
        nil.type("y")
        nil.until("now has the result 413–378, not 412–378")
        nil.until("Recorded: 1 · ")
    assert hall.scores(tournament) == {1: (413, 378)}


def test_what_is_implausible_is_asked_again_and_what_was_entered_is_corrected(hall: Hall) -> None:
    tournament = hall.start_tournament(4)
    with at_terminal(hall, tournament, EVA) as terminal:
        terminal.until("1 · ")
        terminal.type("4120 37")
        terminal.until("4120 is unusually high")
        terminal.until("37 is unusually low")
        terminal.until("Not saved, and open: 1: 4120 37. Type y if it is correct")
        terminal.type("n")
        terminal.until("Discarded: 1: 4120 37")
        terminal.type("1 412 370")
        terminal.until("entered: 1 · ")
        terminal.until("2 · ")
        terminal.type("378 378")
        terminal.until("it is a draw\n")
        terminal.type("y")
        terminal.until("entered: 2 · ")
        terminal.until("3 · ")
        second = hall.results(tournament).tables[2].players[1].name
        terminal.type(f"412 378 {second}")
        terminal.until(f"these scores do not make {second} the winner: they may be swapped\n")
        terminal.until("with the scores swapped: 378–412")
        terminal.type("y")
        terminal.until("entered: 3 · ")
        terminal.until("4 · ")
        terminal.type("ff -")
        terminal.until("by forfeit")
        terminal.until("All results are in.")
        terminal.type("b")
        terminal.until("4 · ")
        terminal.type("1 412 37O")
        terminal.until("is no")
        terminal.type("1 412 371")
        terminal.until("412–371 would replace it")
        terminal.type("y")
        terminal.until("entered: 1 · ")
        terminal.until("> ")
        terminal.press(CTRL_C)
        assert terminal.end() == 130
        assert "Traceback" not in terminal.shown
    assert hall.scores(tournament)[1] == (412, 371)
    assert hall.scores(tournament)[3] == (378, 412)


def test_a_typist_who_never_looks_at_the_terminal_saves_no_wrong_result(hall: Hall) -> None:
    tournament = hall.start_tournament(40)
    pile = slips_for(40)
    with at_terminal(hall, tournament, EVA) as terminal:
        terminal.until("left: 1–40")
        for slip in pile:  # ahead of all answers
            terminal.type(" ".join(slip.words))
        terminal.type("q")
        assert terminal.end() == 0, terminal.shown
        shown = terminal.shown
    assert hall.scores(tournament) == {
        slip.table: tuple(map(int, slip.words[1:])) for slip in pile if not slip.is_doubtful
    }
    for slip in pile:
        assert (f"open, and not saved: {' '.join(slip.words)} (" in shown) == slip.is_doubtful


def test_a_file_with_a_wrong_line_enters_nothing_and_says_every_error(hall: Hall, tmp_path: Path) -> None:
    tournament = hall.start_tournament(5)
    file = tmp_path / "round1.csv"
    enter = ("enter", tournament, "1", "--as", EVA, "--address", hall.address, "--file")

    file.write_text("table,first_score,second_score\n1,412,378\n9,400,300\n2,4120,37\n3,abc,300\n1,412,378\n")
    done = faristol(*enter, str(file))
    assert done.returncode == 2
    assert [line.split(":")[1] for line in done.stderr.splitlines()[:-1]] == ["3", "4", "4", "4", "5", "6"]
    assert done.stderr.splitlines()[-1] == "No result was entered."
    assert hall.scores(tournament) == {}

    file.write_text("1,412,378\n2,410,370\n\n3 ff -\n")
    done = faristol(*enter, str(file))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "3 results entered\nleft: 4–5\n"

    file.write_text("1,412,378\n2,411,370\n4,400,390\n")
    done = faristol(*enter, str(file))
    assert done.returncode == 2
    assert "round1.csv:2: 2 · " in done.stderr
    assert "entered by Eva Soler at " in done.stderr
    assert hall.scores(tournament).keys() == {1, 2, 3}


def test_a_pairings_file_filled_in_is_what_a_whole_round_is_entered_from(hall: Hall, tmp_path: Path) -> None:
    tournament = hall.start_tournament(3)
    file = tmp_path / "pairings.csv"
    done = faristol("round", "export", tournament, "1", "--address", hall.address, "--output", str(file))
    assert done.returncode == 0, done.stderr
    lines = file.read_text().splitlines()
    columns = lines[0].split(",")
    filled = [lines[0]]
    for place, line in enumerate(lines[1:]):
        cells = dict(zip(columns, line.split(","), strict=True))
        cells |= {"first_score": str(410 + place), "second_score": "377"}
        filled.append(",".join(cells[column] for column in columns))
    file.write_text("\n".join(filled))
    done = faristol("enter", tournament, "--as", EVA, "--address", hall.address, "--file", str(file))
    assert (done.returncode, done.stdout) == (0, "3 results entered\n"), done.stderr
    assert sorted(hall.scores(tournament).values()) == [(410, 377), (411, 377), (412, 377)]


def test_entering_goes_on_when_the_service_was_briefly_away(tmp_path: Path) -> None:
    port = free_port()
    arguments = ["up", "--data", str(tmp_path / "data"), "--http", "0", "--grpc", str(port)]
    child = Child(arguments, {}, tmp_path / "up.log")
    try:
        wait_until_serving(f"127.0.0.1:{port}", child)
        hall = Hall(f"127.0.0.1:{port}", child)
        tournament = hall.start_tournament(3)
        with at_terminal(hall, tournament, EVA) as terminal:
            terminal.until("1 · ")
            child.kill()
            terminal.type("412 378")
            terminal.until("Your entries are saved and are sent when it is available again.")
            child.start()
            terminal.until("The pairing service is available again.")
            terminal.until("entered: 1 · ")
            terminal.until("2 · ")
            terminal.type("q")
            assert terminal.end() == 0
        assert hall.scores(tournament) == {1: (412, 378)}
    finally:
        child.terminate()
