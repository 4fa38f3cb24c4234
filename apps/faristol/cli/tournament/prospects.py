"""`faristol standings prospects`: the places that players can still reach."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import typer

from faristol.cli.client import Client
from faristol.cli.options import Tournament
from faristol.gateway.api.contract_json import to_json
from faristol.gateway.rpc.results import Results
from faristol.kernel.refusal import N_
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.presentation import labels as words
from faristol.presentation.names import Named, labels
from faristol.table_terminal.shared.common import columns
from faristol.text import number, say, translations

HEADING = N_(
    "Places still possible in {tournament}: {rounds} {rounds:round|rounds} to be paired, "
    "{tables} {tables:table|tables} without a result."
)


def prospects(
    client: Client,
    tournament: Tournament,
    place: Annotated[
        int, typer.Option("--place", min=1, max=100_000, help="Chances are those of the first places up to this one.")
    ] = 1,
) -> None:
    """Show the best and the worst place that each player can still reach.

    Pairings to come are taken as free, and equal points can be ranked either way.
    """

    async def ask(results: Results, tournament_id: str) -> tuple[str, pb.GetProspectsResponse]:
        head = (await results.tournament(tournament_id)).tournament
        return head.name, await results.prospects(tournament_id, place)

    name, found = client.ask_results(tournament, ask)
    client.print(to_json(found), format_prospects(name, found, client.language))


def format_prospects(tournament: str, found: pb.GetProspectsResponse, language: str) -> Iterator[str]:
    """Yield a heading, then a line for each player in columns."""
    read = translations(language).gettext
    yield say(HEADING, {"tournament": tournament, "rounds": found.rounds_left, "tables": found.tables_left}, language)
    called = dict(labels([Named(line.player_id, line.name) for line in found.lines]))
    rows = [
        [
            str(line.rank),
            called[line.player_id],
            number(line.half_points / 2, language),
            str(line.best),
            str(line.worst),
            *(read(words.CHANCES[each.chance]) for each in line.goals),
        ]
        for line in found.lines
    ]
    goals = [goal.name or f"{goal.first_place}–{goal.last_place}" for goal in found.goals]
    heads = ["", read("Player"), read("Points"), read("Best place"), read("Worst place"), *goals]
    yield from columns([heads, *rows])
