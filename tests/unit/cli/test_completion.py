"""A shell completes nouns, verbs, options, values, tournaments and players."""

from __future__ import annotations

import subprocess
from collections.abc import Awaitable
from typing import Any

import pytest
import typer
from tests.component.processes import FARISTOL, environment

from faristol.cli import completion
from faristol.presentation.names import Named


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("faristol player wi", ["withdraw"]),
        ("faristol player withdraw kup anna --ga", ["--game"]),
        ("faristol player withdraw kup anna --game ", ["lost", "played-out"]),
        ("faristol bye grant kup anna --kind z", ["zero-point"]),
        ("faristol player withdraw k", []),  # no address of a service is set
    ],
)
def test_bash_is_offered_verbs_options_and_values(words: str, offered: list[str]) -> None:
    asked = {"COMP_WORDS": words, "COMP_CWORD": str(words.count(" ")), "_FARISTOL_COMPLETE": "complete_bash"}
    done = subprocess.run([FARISTOL], env=environment() | asked, capture_output=True, text=True, check=False)
    assert (done.stdout.split(), done.stderr) == (offered, "")


def test_bash_is_offered_a_name_as_one_word_whatever_signs_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(completion.COMPLETE, "complete_bash")
    assert [word for word, _ in completion._offers([Named("p-1", "Núria d'Or (B)")], "nur")] == [
        "Núria\\ d\\'Or\\ \\(B\\)"
    ]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_is_told_how_to_ask(shell: str) -> None:
    done = subprocess.run([FARISTOL, "completion", shell], capture_output=True, text=True, check=True)
    assert f"_FARISTOL_COMPLETE=complete_{shell}" in done.stdout


def test_tournaments_are_offered_by_id_and_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    known = [Named("kup", "Kup Valls"), Named("t-2", "Kup Reus"), Named("copa", "Copa")]

    def return_known(work: Awaitable[Any]) -> list[Named]:
        work.close()  # type: ignore[attr-defined] # a coroutine that nobody awaits
        return known

    monkeypatch.setattr(completion, "_run_with_timeout", return_known)
    monkeypatch.setenv(completion.COMPLETE, "complete_bash")
    context = typer.Context(typer.main.get_command(typer.Typer(callback=lambda: None)))
    assert [word for word, _ in completion.tournaments(context, "kup")] == ["kup", "Kup\\ Reus"]


PLAYERS = [
    Named("p-1", "Àngels Coma", "Vic"),
    Named("p-2", "Núria d'Or"),
    Named("p-3", "Joan Pla", "Valls"),
    Named("p-4", "Joan Pla", "Reus"),
]


@pytest.mark.parametrize(
    ("written", "offered"),
    [
        ("ang", ["Àngels Coma"]),
        ("ÀN", ["Àngels Coma"]),
        ("com", ["Àngels Coma"]),
        ("joan", ["p-3", "p-4"]),
        ("p-", ["p-1", "p-2", "p-3", "p-4"]),
        ("", ["Àngels Coma", "Núria d'Or", "p-3", "p-4"]),
        ("xyz", []),
    ],
)
def test_players_are_offered_by_name_whatever_case_and_accents_and_namesakes_by_id(
    written: str, offered: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(completion.COMPLETE, raising=False)
    found = [word for word, _ in completion._offers(PLAYERS, written)]
    assert found == offered
    assert all(word.startswith(written) for word in found), "or the command line drops it"
