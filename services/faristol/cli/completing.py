"""What a shell offers for a tournament or a player, where services can be asked; nothing where they cannot."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Iterable
from typing import Annotated, TypeVar

import typer

T = TypeVar("T")

PATIENCE_S = 1.0
"""Whoever presses a key does not wait for longer."""

COMPLETE = "_FARISTOL_COMPLETE"
"""The environment variable by which a shell asks."""

Offer = tuple[str, str]
"""A word, and what it stands for."""


def tournaments(ctx: typer.Context, incomplete: str) -> list[Offer]:
    """Ids and names of tournaments that begin with what is written."""
    from faristol.cli.names import tournaments_at

    return _offers(_asked(tournaments_at(ctx.params.get("address"))), incomplete)


def players(ctx: typer.Context, incomplete: str) -> list[Offer]:
    """Ids and names of the players of the tournament, and of its teams."""
    from faristol.cli.names import roll

    tournament = ctx.params.get("tournament_id") or ctx.params.get("tournament")
    if not tournament:
        return []
    found = _asked(roll(tournament, ctx.params.get("address")))
    return _offers([*found.players, *found.teams], incomplete) if found else []


Tournament = Annotated[
    str,
    typer.Argument(
        metavar="TOURNAMENT", help="The tournament, by its id or the beginning of its name.", autocompletion=tournaments
    ),
]
"""A tournament on the command line."""


def _asked(work: Awaitable[T]) -> T | None:
    """What services answer; None where they do not, or not in time."""
    from faristol.host import StartError

    async def wait() -> T:
        return await asyncio.wait_for(work, PATIENCE_S)

    try:
        return asyncio.run(wait())
    except (StartError, TimeoutError):
        return None


def _offers(known: Iterable[object] | None, incomplete: str) -> list[Offer]:
    from faristol.cli.names import Named, folded

    offers = []
    for named in known or ():
        assert isinstance(named, Named)
        if named.id.startswith(incomplete):
            offers.append((named.id, str(named)))
        elif incomplete and folded(named.name).startswith(folded(incomplete)):
            offers.append((_quoted(named.name), str(named)))
    return offers


def _quoted(name: str) -> str:
    """A name as a word of the shell that asks; Bash takes it as it stands, the others quote it."""
    return name.replace(" ", "\\ ") if os.environ.get(COMPLETE, "").endswith("bash") else name
