"""Confirmations at the terminal before a command changes data."""

from __future__ import annotations

import sys

import typer

from faristol.host import StartError
from faristol.kernel.refusal import N_
from faristol.table_terminal.shared.common import localize

SIMILAR = N_("{name} is similar to {other}. Is this a different person?")
GIVE_ID = N_("No player was registered: if {name} and {other} are different people, give {name} an id.")


GIVE_FLAG = N_("The change was not saved: if {name} and {other} are different people, use --another-person.")


def ask_whether_another(name: str, other: str, *, registers: bool = True) -> None:
    """Ask whether two similar names are of two people. Raises ``StartError`` if not, or without a terminal."""
    agree(
        localize(SIMILAR, name=name, other=other), localize(GIVE_ID if registers else GIVE_FLAG, name=name, other=other)
    )


def agree(question: str, otherwise: str) -> None:
    """Ask a question. Raises ``StartError`` with the sentence ``otherwise`` if the answer is no."""
    if not is_agreed(question, otherwise):
        raise StartError(otherwise)


def is_agreed(question: str, otherwise: str) -> bool:
    """Ask a question and return whether the answer is yes. Raises ``StartError`` without a terminal."""
    if not sys.stdin.isatty():
        raise StartError(f"{question} {otherwise}")
    return typer.confirm(question, err=True)
