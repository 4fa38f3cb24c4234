"""Page of the halls: a plan of the tables with the players."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from starlette.responses import Response

from faristol.client.places import tables_of
from faristol.gateway.consoles.director.page import DirectorPage, page_of_forms
from faristol.kernel.pairings import seats_of
from faristol.kernel.spellings import labels_of
from faristol.pb.hall.v1 import events_pb2 as hall_events
from faristol.pb.hall.v1 import hall_pb2 as pb
from faristol.pb.pairing.v1 import events_pb2 as pairing_events
from faristol.presentation.halls import HallPlan, build_plan, describe_kept, describe_refusal
from faristol.presentation.history import game_params
from faristol.presentation.table_events import EventLine, describe_events

PAGE = "halls"
SPARE_HALL_LINES = 2
"""Empty lines below the existing halls."""
MORE_HALL_LINES = 10
"""Further empty lines, which the director opens."""


class PlannedTable(NamedTuple):
    """Table of the plan."""

    table: int
    seated: list[str]
    """Names of the players there in the last round; empty for a free table."""
    fixed: str
    """Name of the player with this fixed table; empty without one."""
    is_over: bool


class KeptLine(NamedTuple):
    """A command that a hall kept without a line."""

    command: pb.KeptCommand
    said: str
    """Its game, what it is, its scores and author."""
    refusal: str
    """Why the championship refused it; empty while it is pending."""

    @classmethod
    def of(cls, kept: pb.KeptCommand, console: DirectorPage) -> KeptLine:
        """Return the line of a command."""
        return cls(
            kept, describe_kept(kept, console.roster, console.language), describe_refusal(kept, console.language)
        )


class AsideLine(NamedTuple):
    """Events of a hall that were kept aside."""

    aside: pb.KeptAside
    game: str
    """The players and the table; empty for commands that the hall kept."""
    sent: Sequence[EventLine]
    """The events of the hall in sentences."""
    here: Sequence[EventLine]
    """Those of the championship."""

    @classmethod
    def of(cls, aside: pb.KeptAside, console: DirectorPage) -> AsideLine:
        """Return the line of events that were kept aside."""
        game = game_params(aside.game_id, console.roster, console.language)["game"]
        sent, here = (describe_events(those, console.roster, console.language) for those in (aside.events, aside.here))
        return cls(aside, game, sent, here)


async def _show(console: DirectorPage) -> Response:
    cells = (await console.calls.ask(pb.ListHallsRequest(tournament_id=console.tournament_id))).halls
    kept: Sequence[pb.KeptCommand] = ()
    if console.may_call("ListKeptCommands", "game"):
        kept = (await console.calls.ask(pb.ListKeptCommandsRequest(tournament_id=console.tournament_id))).commands
    aside: Sequence[pb.KeptAside] = ()
    if cells and console.may_call("ListKeptAside", "game"):
        aside = (await console.calls.ask(pb.ListKeptAsideRequest(tournament_id=console.tournament_id))).aside
    return await console.show(
        "director/halls.html",
        PAGE,
        halls=list(console.tournament.halls),
        plan=_plan(console),
        hall_sides=labels_of(pairing_events.HallSide.DESCRIPTOR),
        spare=SPARE_HALL_LINES,
        more=MORE_HALL_LINES,
        cells=cells,
        aside=[AsideLine.of(each, console) for each in aside],
        kept=[
            KeptLine.of(each, console) for each in kept if each.state in (pb.KEPT_STATE_PENDING, pb.KEPT_STATE_REFUSED)
        ],
        kept_states=labels_of(pb.KeptState.DESCRIPTOR),
        push_refusals=labels_of(pb.PushRefusal.DESCRIPTOR),
        aside_reasons=labels_of(hall_events.AsideReason.DESCRIPTOR),
        aside_verdicts=labels_of(hall_events.AsideVerdict.DESCRIPTOR),
        players=[player for player in console.players_by_name if not player.withdrawn_round],
    )


routes = page_of_forms(PAGE, _show)


def _plan(console: DirectorPage) -> list[tuple[str, list[list[PlannedTable]], HallPlan | None]]:
    """Return each hall with the rows of its tables and its plan; one without a name if the tournament has no halls."""
    tournament, last, roster = console.tournament, console.last, console.roster
    seated = {seat.table: seat for seat in last.pairings} if last else {}
    over = set(last.finished_game_ids) if last else set()
    fixed = {player.table: roster.name(player.player_id) for player in tournament.players if player.table}

    def spot(table: int) -> PlannedTable:
        seat = seated.get(table)
        names = [roster.name(who) for who in seats_of(seat)] if seat else []
        return PlannedTable(table, names, fixed.get(table, ""), bool(seat and seat.game_id in over))

    if tournament.halls:
        drawn = [(hall, build_plan(hall)) for hall in tournament.halls]
        rows = [plan.rows if plan else [[*range(hall.first_table, hall.last_table + 1)]] for hall, plan in drawn]
        return [
            (hall.name, [[spot(table) for table in row] for row in own], plan)
            for (hall, plan), own in zip(drawn, rows, strict=True)
        ]
    return [("", [[spot(table) for table in sorted(tables_of((), len(tournament.players), seated))]], None)]
