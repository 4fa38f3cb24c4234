"""`faristol rating-list list`, `show` and `export`: numbered rating lists, and the ratings that a revision moved."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated

import typer

from faristol.cli.client import Client, ServiceClient
from faristol.cli.options import MAX_CONTRACT_NUMBER
from faristol.gateway.api.comma_separated import format_csv
from faristol.gateway.api.contract_json import to_json
from faristol.kernel.refusal import N_
from faristol.pb.rating.v1 import federation_pb2 as pb
from faristol.presentation.catalogue import CATALOGUE
from faristol.table_terminal.shared.common import columns, localize

NO_LISTS = N_("There are no numbered rating lists.")
LIST_LINE = N_("List {number}: {name}, {players} {players:player|players}, revision {revision}")
MOVED_LINE = N_("List {number}, revision {revision}: {player} {before} → {after} ({change})")
NO_MOVES = N_("No rating would change.")

LIST_COLUMNS = ("name", "club", "rating", "id")
"""Columns of an exported list, which `player import` reads."""

OptionalNumber = Annotated[
    int,
    typer.Argument(metavar="NUMBER", min=0, max=MAX_CONTRACT_NUMBER, help="Number of the list; the latest one if 0."),
]
RevisionOption = Annotated[
    int | None,
    typer.Option(
        "--revision", min=0, max=MAX_CONTRACT_NUMBER, help="Number of the revision; 0 for the first publication."
    ),
]


def list_lists(client: Client) -> None:
    """List the numbered lists with their tournaments, the latest first."""
    found = client.answer_to(pb.ListFederationListsRequest())
    client.print(to_json(found), _format_heads(found.lists))


def _format_heads(heads: Iterable[pb.FederationListHead]) -> Iterator[str]:
    listed = list(heads)
    for head in listed:
        yield _format_head(head, head.revisions)
        yield f"  {', '.join(head.tournament_ids)}"
    if not listed:
        yield localize(NO_LISTS)


def _format_head(head: pb.FederationListHead, revision: int) -> str:
    return localize(LIST_LINE, number=head.number, name=head.name, players=head.players, revision=revision)


def show(client: Client, number: OptionalNumber = 0, revision: RevisionOption = None) -> None:
    """Print a numbered list: ratings, their changes, and the ratings that the revision moved."""
    found = _ask(number, revision, client)
    client.print(to_json(found), format_list(found))


def _ask(number: int, revision: int | None, client: ServiceClient) -> pb.GetFederationListResponse:
    return client.answer_to(pb.GetFederationListRequest(number=number, revision=revision))


def format_list(found: pb.GetFederationListResponse) -> Iterator[str]:
    """Yield the head of a list, the ratings that its revision moved, and its ratings in columns."""
    yield _format_head(found.list, found.revision)
    yield from _format_moved(found.moved)
    rows = [["", localize("Player"), localize("Rating"), localize("Change"), localize("Games")]]
    for place, line in enumerate(found.ratings, 1):
        change = f"{line.rating - line.previous:+}" if line.previous else localize("new")
        rows.append([str(place), line.name or line.player_id, str(line.rating), change, str(line.games)])
    yield from columns(rows)


def format_moved_ratings(answer: pb.PreviewFederationRevisionResponse) -> Iterator[str]:
    """Yield a line for each rating that a revision would move."""
    yield from _format_moved(answer.moved)
    if not answer.moved:
        yield localize(NO_MOVES)


def format_revised_ratings(
    request: pb.ReviseFederationListRequest, answer: pb.ReviseFederationListResponse
) -> Iterator[str]:
    """Yield the sentence of a revision, and a line for each rating that it moved."""
    yield localize(CATALOGUE["ReviseFederationList"].said, number=request.number)
    yield from _format_moved(answer.moved)


def _format_moved(moved: Iterable[pb.MovedRating]) -> Iterator[str]:
    for each in moved:
        yield localize(
            MOVED_LINE,
            number=each.number,
            revision=each.revision,
            player=each.name or each.player_id,
            before=each.before or "–",
            after=each.after or "–",
            change=f"{each.after - each.before:+}",
        )


def export(client: ServiceClient, number: OptionalNumber = 0, revision: RevisionOption = None) -> None:
    """Print a numbered list as CSV, the input of `faristol player import`."""
    found = _ask(number, revision, client)
    rows = ((line.name, line.club, line.rating, line.player_id) for line in found.ratings if line.name)
    typer.echo(format_csv(LIST_COLUMNS, rows), nl=False)
