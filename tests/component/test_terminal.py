"""Every interactive command is tested at a terminal."""

from __future__ import annotations

import ast
import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from tests.component.contents import PEOPLE, fill
from tests.component.processes import faristol
from tests.component.terminal import CTRL_C, CTRL_D, Terminal
from tests.component.test_arbiter import GAME as TABLE
from tests.component.test_arbiter import open_hall
from tests.support.court import Court, now, sitting
from tests.support.small_lexicon import catalan, library

from faristol import cli, table_terminal
from faristol.event_store import Record
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.lexicon.v1 import events_pb2 as events
from faristol.table_terminal import results_entry
from faristol.table_terminal import shared as terminal
from faristol.words import InstalledLexicon, Library

__all__ = ["catalan", "library"]

ANY, ANYS = ("A", "NY"), ("A", "NY", "S")
GAME = "cup-r1-t1"
WORDS = "y valid, n invalid, r return, q leave [{usual}]: "

PROMPTS = {
    "record/archive.py": "test_an_operator_answers_before_a_person_is_erased",
    "judge/case_file.py": "test_a_judge_types_rulings_at_a_terminal",
    "cli/confirmation.py": "test_a_director_says_at_a_terminal_how_a_list_is_read",
    "tournament/results_entry.py": "test_who_enters_results_says_their_name_at_a_terminal",
    "game/table.py": "test_an_arbiter_types_at_a_table",
    "table/scorer_session.py": "test_an_arbiter_types_at_a_table",
}
"""Modules of the programs at a terminal that ask something, and the test that types the answers."""


def prompts() -> Iterator[str]:
    """Yield modules that call ``input``, ``prompt`` or ``confirm``, or pass them to a function that does."""
    rooms = [Path(str(room.__file__)).parent for room in (cli, results_entry, table_terminal, terminal)]
    for file in sorted(file for room in rooms for file in room.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            asks = isinstance(node, ast.Attribute) and node.attr in ("prompt", "confirm", "getpass")
            if asks or (isinstance(node, ast.Name) and node.id == "input"):
                yield f"{file.parent.name}/{file.name}"


def test_every_prompt_is_typed_at() -> None:
    assert set(prompts()) == set(PROMPTS)
    assert set(PROMPTS.values()) <= set(globals())


@pytest.fixture
async def court(tmp_path: Path, library: Library, catalan: InstalledLexicon, shared_nats: str) -> AsyncIterator[Court]:
    async with sitting(tmp_path, library.path, shared_nats, catalan.digest) as made:
        await made.set_mode(events.MODE_JUDGE)
        await made.open_game(GAME)
        yield made


async def test_a_judge_types_rulings_at_a_terminal(court: Court) -> None:
    case_id = await court.challenge(GAME, ANY, ANYS)

    def work() -> str:
        with Terminal("judge", "sit", "--as", "ada", "--cases", "1", client_lexicon_address=court.address) as terminal:
            terminal.until(f"A NY: {WORDS.format(usual='y')}")
            terminal.type("perhaps")
            terminal.until("'perhaps' is not a valid answer: expected y, n, r, q\n")
            terminal.until(WORDS.format(usual="y"))
            terminal.type("")
            terminal.until("reason (Enter for none): ")
            terminal.type("")
            terminal.until("source (Enter for none): ")
            terminal.type("")
            terminal.until(f"A NY S: {WORDS.format(usual='n')}")
            terminal.type("Y")
            terminal.until("reason: ")
            terminal.type("the plural is regular")
            terminal.until("source: ")
            terminal.type("DIEC2")
            terminal.until(f"{case_id}: ruled\n")
            assert terminal.end() == 0
            return terminal.shown

    assert "Traceback" not in await asyncio.to_thread(work)
    (ruled,) = await court.events(case_id, events.CaseRuled)
    assert [(tuple(ruling.word.faces), ruling.valid, ruling.source) for ruling in ruled.words] == [
        (ANY, True, "catalan first"),
        (ANYS, True, "DIEC2"),
    ]


async def test_no_key_that_a_judge_pressed_before_a_case_came_answers_it_and_q_leaves(court: Court) -> None:
    with Terminal("judge", "sit", "--as", "ada", client_lexicon_address=court.address) as terminal:
        await asyncio.to_thread(terminal.until, "q and Enter to leave\n")
        for _ in range(3):
            terminal.type("")
        case_id = await court.challenge(GAME, ANY)

        def work() -> None:
            terminal.until(f"A NY: {WORDS.format(usual='y')}")
            terminal.type("r")
            terminal.until(f"{case_id}: returned to the queue\n")
            terminal.type("q")
            assert terminal.end() == 0

        await asyncio.to_thread(work)
    assert await court.events(case_id, events.CaseRuled) == []


async def test_a_judge_who_agrees_with_the_lexicon_needs_no_reason(court: Court) -> None:
    case_id = await court.challenge(GAME, ANYS)

    def work() -> None:
        with Terminal("judge", "sit", "--as", "ada", "--cases", "1", client_lexicon_address=court.address) as terminal:
            terminal.until(WORDS.format(usual="n"))
            terminal.type("x")
            terminal.until(f"'x' is not a valid answer: expected y, n, r, q\nA NY S: {WORDS.format(usual='n')}")
            terminal.type("")
            terminal.until("reason (Enter for none): ")
            terminal.type("")
            terminal.until("source (Enter for none): ")
            terminal.type("")
            terminal.until(f"{case_id}: ruled\n")
            assert terminal.end() == 0

    await asyncio.to_thread(work)
    (ruled,) = await court.events(case_id, events.CaseRuled)
    assert [(tuple(word.word.faces), word.valid) for word in ruled.words] == [(ANYS, False)]


async def test_a_judge_who_gives_no_reason_against_the_lexicon_is_asked_of_the_word_again(court: Court) -> None:
    case_id = await court.challenge(GAME, ANYS)
    needed = "A ruling that differs from the lexicon needs a reason and a source.\n"

    def work() -> None:
        with Terminal("judge", "sit", "--as", "ada", "--cases", "1", client_lexicon_address=court.address) as terminal:
            terminal.until(WORDS.format(usual="n"))
            terminal.type("y")
            terminal.until("reason: ")
            terminal.type("")
            terminal.until(f"{needed}A NY S: {WORDS.format(usual='n')}")
            terminal.type("y")
            terminal.until("reason: ")
            terminal.type("the plural is regular")
            terminal.until("source: ")
            terminal.type("")
            terminal.until(f"{needed}A NY S: {WORDS.format(usual='n')}")
            terminal.type("r")
            terminal.until(f"{case_id}: returned to the queue\n")
            assert terminal.end() == 0

    await asyncio.to_thread(work)
    assert await court.events(case_id, events.CaseRuled) == []


@pytest.mark.parametrize(
    ("locale", "known", "question", "wrong", "reason", "source", "ruled"),
    [
        (
            "ca_ES",
            "no és al lèxic",
            "y vàlid, n no vàlid, r torna el cas, q surt [n]: ",
            "'x' no és cap resposta: s’esperava y, n, r, q",
            "motiu: ",
            "font: ",
            "resolt",
        ),
        (
            "es_ES",
            "no está en el léxico",
            "y válida, n no válida, r devuelve el caso, q sale [n]: ",
            "'x' no es ninguna respuesta: se esperaba y, n, r, q",
            "motivo: ",
            "fuente: ",
            "resuelto",
        ),
        (
            "el_GR",
            "όχι στο λεξικό",
            "y έγκυρη, n άκυρη, r επιστροφή της υπόθεσης, q έξοδος [n]: ",
            "το 'x' δεν είναι απάντηση: αναμενόταν y, n, r, q",
            "λόγος: ",
            "πηγή: ",
            "κρίθηκε",
        ),
    ],
)
async def test_a_judge_is_asked_in_the_language_of_the_terminal(
    court: Court,
    monkeypatch: pytest.MonkeyPatch,
    locale: str,
    known: str,
    question: str,
    wrong: str,
    reason: str,
    source: str,
    ruled: str,
) -> None:
    monkeypatch.setenv("LC_ALL", f"{locale}.UTF-8")
    case_id = await court.challenge(GAME, ANYS)

    def work() -> None:
        with Terminal("judge", "sit", "--as", "ada", "--cases", "1", client_lexicon_address=court.address) as terminal:
            terminal.until(f"A NY S: {known}")
            terminal.until(question)
            terminal.type("x")
            terminal.until(f"{wrong}\nA NY S: {question}")
            terminal.type("y")
            terminal.until(reason)
            terminal.type("plural")
            terminal.until(source)
            terminal.type("DIEC2")
            terminal.until(f"{case_id}: {ruled}\n")
            assert terminal.end() == 0

    await asyncio.to_thread(work)
    (event,) = await court.events(case_id, events.CaseRuled)
    assert [(word.reason, word.source) for word in event.words] == [("plural", "DIEC2")]


@pytest.mark.parametrize(("keys", "code"), [("q\n", 0), (CTRL_D, 0), (CTRL_C, 130)])
async def test_a_judge_who_leaves_the_terminal_gives_the_case_back(court: Court, keys: str, code: int) -> None:
    case_id = await court.challenge(GAME, ANY)

    def work() -> str:
        with Terminal("judge", "sit", "--as", "ada", client_lexicon_address=court.address) as terminal:
            terminal.until(WORDS.format(usual="y"))
            terminal.press(keys)
            assert terminal.end() == code, terminal.shown
            assert f"{case_id}: returned to the queue\n" in terminal.shown
            return terminal.shown

    assert "Traceback" not in await asyncio.to_thread(work)
    assert (await court.came(case_id, events.CaseReturned)).reason == events.RETURN_REASON_RELEASED


@pytest.mark.parametrize(("answer", "said"), [("n", "no data was erased"), ("y", "anna is erased")])
def test_an_operator_answers_before_a_person_is_erased(tmp_path: Path, answer: str, said: str) -> None:
    async def prepare() -> None:
        record = await Record.open(f"sqlite:///{tmp_path}/record.db")
        await fill(record)
        await record.close()

    asyncio.run(prepare())
    with Terminal("record", "erase-person", "anna", "--data", str(tmp_path)) as terminal:
        assert PEOPLE["anna"][0] in terminal.until("permanently? [y/N]: ")
        terminal.type("perhaps")
        terminal.until("Error: invalid input\n")
        terminal.type(answer)
        terminal.until(f"{said}\n")
        assert terminal.end() == 0


def type_line(terminal: Terminal, line: str) -> str:
    """Return the answer of a table to a line, up to the next prompt."""
    terminal.type(line)
    terminal.until("\n")
    return terminal.until("\n> ")


def test_a_director_says_at_a_terminal_how_a_list_is_read(tmp_path: Path) -> None:
    players = tmp_path / "players.csv"
    players.write_text("name,rating\nCesca Mas,0\nDídac Pi,1500\n", encoding="utf-8")
    with (
        open_hall(tmp_path, game.KEEPING_RECORDED, now()) as hall,
        Terminal(
            "player", "import", TABLE.partition("-")[0], str(players), "--address", hall.address, home=tmp_path
        ) as terminal,
    ):
        terminal.until("Players with the rating 0: 1. Are they unrated? [y/N]: ")
        terminal.type("y")
        terminal.until("A player can enter only before round 1 starts")
        terminal.until("0 players registered")
        assert terminal.end() == 1


def test_an_arbiter_types_at_a_table(tmp_path: Path) -> None:
    with (
        open_hall(tmp_path, game.KEEPING_RECORDED, now()) as hall,
        Terminal("table", "keep", TABLE, "--address", hall.address, home=tmp_path) as terminal,
    ):
        terminal.until("Next: Anna Puig: start-game; Blai Soler: start-game\n> ")
        assert "Specify the player: `Anna Puig: start-game`; `Blai Soler: start-game`." in type_line(
            terminal, "start-game"
        )
        assert "Turn 1 · " in type_line(terminal, "anna: start-game")
        asked = type_line(terminal, "x rra")
        assert asked.startswith("Which tiles? 1: exchange RR A, 2: exchange R R A.")
        assert "Blai Soler: turn" in type_line(terminal, "h8 c a r r o s")
        assert "E scores 9, not 90: it was not entered." in type_line(terminal, "h14 e 90")
        assert "Turn 3 · " in type_line(terminal, "h14 e 9")
        type_line(terminal, "place-play 15η een")
        assert "Blai Soler: challenge" in type_line(terminal, "table")
        terminal.type("blai: leave-table no")
        terminal.until("Is that correct? [y/N]: ")
        terminal.type("n")
        assert "over" not in terminal.until("> ")
        terminal.type("challenge een")
        terminal.until("Ruling: the play EEN of turn 3 is invalid. (FISE 40)\n")  # though there is no further input
        terminal.until("> ")
        assert "Ruling: " not in type_line(terminal, "rule")
        assert "Turn 4 · " in type_line(terminal, "accept-ruling")
        for line in ("-", "pass", "-", "pass"):
            last = type_line(terminal, line)
        assert "state-rack" in last
        type_line(terminal, "anna: state-rack eenaios")
        type_line(terminal, "blai: state-rack aeioust")
        type_line(terminal, "anna: sign-sheet")
        assert "Anna Puig wins 11–2. The result is final.\n" in type_line(terminal, "blai: sign-sheet")
        terminal.press(f"board{CTRL_C}")
        assert terminal.end() == 130
        assert terminal.echoes
        assert "Traceback" not in terminal.shown


@pytest.mark.nightly
def test_a_table_whose_case_a_judge_elsewhere_holds_says_with_whom_and_waits(tmp_path: Path) -> None:
    with (
        open_hall(tmp_path, game.KEEPING_RECORDED, now()) as hall,
        Terminal("judge", "sit", "--as", "ada", "--cases", "1", client_lexicon_address=hall.address) as ada,
        Terminal("table", "keep", TABLE, "--address", hall.address, home=tmp_path) as terminal,
    ):
        setting_up = (
            ("appoint", "copa", "ada", "--language", "es"),
            ("appoint", "copa", "head", "--director"),
            ("mode", "copa", "judge"),
        )
        for arguments in setting_up:
            done = faristol("judge", *arguments, "--address", hall.address)
            assert done.returncode == 0, done.stdout + done.stderr
        terminal.until("\n> ")
        for line in ("anna: start-game", "place-play 8f z u ll a", "challenge z u ll a"):
            type_line(terminal, line)
        ada.until("[y]: ")
        other = "This case is assigned to ada: write `judge: rule` to wait for the ruling."
        assert other in type_line(terminal, "judge: rule invalid, with: {reason: no, source: no}")
        terminal.type("judge: rule")
        terminal.until("This case is assigned to ada: the table waits for the ruling.\n")
        ada.type("y")
        for question in ("reason", "source"):
            ada.until(f"{question} (Enter for none): ")
            ada.type("")
        assert ada.end() == 0, ada.shown
        assert "Ruling: the play ZULLA of turn 1 is valid." in terminal.until("\n> ")


def test_who_enters_results_says_their_name_at_a_terminal(tmp_path: Path) -> None:
    with (
        open_hall(tmp_path, game.KEEPING_RECORDED, now()) as hall,
        Terminal("enter", "copa", "--address", hall.address, home=tmp_path) as terminal,
    ):
        terminal.until("Your name, stored with each result: ")
        terminal.type("Eva Soler")
        terminal.until("Type ? for help.\n")
        terminal.until(": ")
        terminal.press(CTRL_D)
        assert terminal.end() == 0
        assert "Traceback" not in terminal.shown


def test_an_arbiter_types_greek_and_hears_the_ruling_word_by_word(tmp_path: Path) -> None:
    with (
        open_hall(tmp_path, game.KEEPING_RECORDED, now(), "pes-2024") as hall,
        Terminal("table", "keep", TABLE, "--address", hall.address, home=tmp_path) as terminal,
    ):
        terminal.until("\n> ")
        type_line(terminal, "assign-arbiter")
        type_line(terminal, "anna: start-game")
        assert "Turn 2 · " in type_line(terminal, "Η8 λόγος")
        for line in ("place-play ι8 οι", "stop"):
            type_line(terminal, line)
        said = type_line(terminal, "challenge οι, λο") + type_line(terminal, "rule")
        assert "Ruling: the play ΟΙ of turn 2 is invalid. (PES Δ.ε)\n  ΟΙ: valid\n  ΛΟ: invalid\nTurn 3" in said
        assert said.count("Ruling") == 1
        terminal.press(CTRL_D)
        assert terminal.end() == 0
