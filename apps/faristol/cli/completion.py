"""Shell completion: the scripts, and the candidates for tournaments and players.

Without answers from services, there are no candidates.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections import Counter
from collections.abc import Awaitable, Iterable
from enum import StrEnum
from typing import Annotated, TypeVar

import typer
from typer._completion_shared import get_completion_script

T = TypeVar("T")

COMPLETION_TIMEOUT_SECONDS = 1.0
"""Timeout of a completion, in seconds."""

COMPLETE = "_FARISTOL_COMPLETE"
"""Environment variable by which a shell requests completions."""

Offer = tuple[str, str]
"""A word and its meaning."""


def tournaments(ctx: typer.Context, incomplete: str) -> list[Offer]:
    """Complete names and ids of tournaments."""
    from faristol.table_terminal.shared.names import tournaments_at

    return _offers(_run_with_timeout(tournaments_at(ctx.params.get("address"))), incomplete)


def players(ctx: typer.Context, incomplete: str) -> list[Offer]:
    """Complete names and ids of the players and teams of the tournament."""
    from faristol.table_terminal.shared.names import load_names

    tournament = ctx.params.get("tournament_id") or ctx.params.get("tournament")
    if not tournament:
        return []
    found = _run_with_timeout(load_names(tournament, ctx.params.get("address")))
    return _offers([*found.players, *found.teams], incomplete) if found else []


def _run_with_timeout(work: Awaitable[T]) -> T | None:
    """Return the result of calls to services; None on failure or timeout."""
    from faristol.host import StartError

    async def wait() -> T:
        return await asyncio.wait_for(work, COMPLETION_TIMEOUT_SECONDS)

    try:
        return asyncio.run(wait())
    except (StartError, TimeoutError):
        return None


def _offers(known: Iterable[object] | None, incomplete: str) -> list[Offer]:
    from faristol.presentation.names import Named, fold_name

    everybody = [named for named in known or () if isinstance(named, Named)]
    names = Counter(fold_name(named.name) for named in everybody)
    written = fold_name(incomplete)
    offers = []
    for named in everybody:
        name, alone = fold_name(named.name), names[fold_name(named.name)] == 1
        if incomplete and named.id.startswith(incomplete):
            offers.append((named.id, str(named)))
        elif name and alone and (name.startswith(written) or f" {written}" in name):
            offers.append((Offered(_quote(named.name)), str(named)))
        elif not incomplete or name.startswith(written):
            offers.append((Offered(named.id), str(named)))
    return offers


class Offered(str):
    """A completion that need not begin with the typed text, such as ``Àngels`` for ``ang``."""

    __slots__ = ()

    def startswith(self, *_: object) -> bool:
        """Return True, so that the shell's filter accepts it."""
        return True


def _quote(name: str) -> str:
    """Quote a name for Bash, which inserts it as it is; other shells quote it themselves."""
    return re.sub(r"[^\w@%+:,./-]", r"\\\g<0>", name) if os.environ.get(COMPLETE, "").endswith("bash") else name


class Shell(StrEnum):
    """Supported shells."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


def completion(shell: Annotated[Shell, typer.Argument(help="bash, zsh or fish.")]) -> None:
    """Print the completion script of a shell for nouns, verbs, options, tournaments and players.

    In Bash `source <(faristol completion bash)`, best in ~/.bashrc; in zsh likewise, after `compinit`; in fish
    `faristol completion fish > ~/.config/fish/completions/faristol.fish`. Completion of tournaments and players
    requires FARISTOL_CLIENT_PAIRING_ADDRESS and FARISTOL_CLIENT_RESULTS_ADDRESS.
    """
    typer.echo(get_completion_script(prog_name="faristol", complete_var=COMPLETE, shell=shell.value))
