"""The game service as a part of a process."""

from __future__ import annotations

from faristol.game import reactions
from faristol.game.duplicate_game import service as duplicate
from faristol.game.duplicate_game.lexicons import Installed, Lexicons
from faristol.game.duplicate_game.reactions import scoring
from faristol.game.halls.service import hall_service
from faristol.game.halls.watch import HallWatch
from faristol.game.service import service
from faristol.host import Part, Runtime
from faristol.words import Library


def part(runtime: Runtime, lexicons: Lexicons | None = None) -> Part:
    """Build the game service, its reactions, which open tables and apply rulings, and the watch over halls.

    In the cell of a hall, a further reaction scores the slips of duplicate games.

    ``lexicons`` are used to score duplicate games, by default the installed ones.
    """
    record = runtime.record
    lexicons = lexicons or Installed(Library(runtime.settings.lexicons))
    of_hall = (scoring(record, lexicons, runtime.now),) if record.owner_key else ()
    return Part(
        name="game",
        servicers=(service(runtime), duplicate.service(runtime, lexicons), hall_service(runtime, lexicons)),
        reactions=(reactions.opening(record), reactions.following(record), *of_hall),
        tasks=(HallWatch(record, runtime.now).run,),
    )
