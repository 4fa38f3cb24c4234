"""`faristol completion`: what a shell needs to complete words."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer
from typer._completion_shared import get_completion_script

from faristol.cli.completing import COMPLETE


class Shell(StrEnum):
    """Shells that words are completed in."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


def completion(shell: Annotated[Shell, typer.Argument(help="bash, zsh or fish.")]) -> None:
    """Print what a shell needs to complete nouns, verbs, options, tournaments and players.

    In Bash `source <(faristol completion bash)`, best in ~/.bashrc; in zsh likewise, after `compinit`; in fish
    `faristol completion fish > ~/.config/fish/completions/faristol.fish`. Tournaments and players are completed where
    FARISTOL_PAIRING_ADDRESS and FARISTOL_RESULTS_ADDRESS say where they can be asked.
    """
    typer.echo(get_completion_script(prog_name="faristol", complete_var=COMPLETE, shell=shell.value))
