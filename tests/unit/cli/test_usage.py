"""The help and the errors of the parser speak the language of the terminal."""

from __future__ import annotations

import pytest

from faristol.cli.main import main
from faristol.cli.usage import ERRORS, in_language
from faristol.text import TRANSLATED


def run_main(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    with pytest.raises(SystemExit):
        main([*words])
    captured = capsys.readouterr()
    return captured.out + captured.err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("rond",), "no es reconeix 'rond' (ordre); volíeu dir round?"),
        (("serve", "gateways"), "no es reconeix 'gateways' (servei); volíeu dir gateway?"),
        (("round", "show"), "Falta l’argument 'TOURNAMENT'; `faristol round show --help` mostra què hi ha."),
        (
            ("round", "show", "copa", "--away"),
            "No hi ha l’opció --away (opcions possibles: --as); `faristol",
        ),
        (("round", "show", "copa", "1", "2"), "Hi ha arguments de més (2)"),
        (("round", "show", "copa", "--address"), "L’opció '--address' vol un valor"),
        (("demo", "--players", "x"), "El valor de '--players' no és vàlid: s’esperava un nombre enter"),
        (("demo", "--players", "1"), "El valor de '--players' no és vàlid: s’esperava 2 o més"),
        (("completion", "x"), "'x' no és cap d’aquests: 'bash', 'zsh', 'fish'"),
    ],
)
def test_what_cannot_be_read_is_told_in_the_language_of_the_terminal(
    words: tuple[str, ...], sentence: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", "ca_ES.UTF-8")
    assert sentence in run_main(capsys, *words)


@pytest.mark.parametrize("language", TRANSLATED)
def test_help_has_its_headings_and_nouns_in_the_language_of_the_terminal(
    language: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    english = run_main(capsys, "--help")
    monkeypatch.setenv("LC_ALL", f"{language}.UTF-8")
    for text in (
        run_main(capsys, "--help"),
        run_main(capsys),
        run_main(capsys, "demo", "--help"),
        run_main(capsys, "round", "--help"),
    ):
        for heading in ("Usage:", "Commands:", "Options:", "Show this message", "[default:"):
            assert heading not in text
    assert [
        line for line in run_main(capsys, "--help").splitlines() if line in english.splitlines() and "  " in line
    ] == [
        "  --version  Show the version and exit.",
        "  --as NAME  Name stored with your actions; default: FARISTOL_CLIENT_NAME.",
    ]


def test_a_sentence_that_is_not_the_parsers_stays_as_it_is() -> None:
    assert in_language("there is no ruleset 'x'", ERRORS, "ca") == "there is no ruleset 'x'"
