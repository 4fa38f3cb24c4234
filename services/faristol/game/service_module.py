"""The game service as a part of a process."""

from __future__ import annotations

from faristol.game import reactions
from faristol.game.duplicate_game import service as duplicate
from faristol.game.duplicate_game.lexicons import Installed, Lexicons
from faristol.game.halls.service import hall_service
from faristol.game.halls.watch import HallWatch
from faristol.game.service import service
from faristol.host import Part, Runtime
from faristol.words import Library


def part(runtime: Runtime, lexicons: Lexicons | None = None) -> Part:
    """Build the game service its reactions, which open tables and apply rulings, and the watch over halls.

    ``lexicons`` are used to score duplicate games, by default the installed ones.
    """
    return Part(
        name="game",
        servicers=(
            service(runtime),
            duplicate.service(runtime, lexicons or Installed(Library(runtime.settings.lexicons))),
            hall_service(runtime),
        ),
        reactions=(reactions.opening(runtime.record), reactions.following(runtime.record)),
        tasks=(HallWatch(runtime.record, runtime.now).run,),
    )
