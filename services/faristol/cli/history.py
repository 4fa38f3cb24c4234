"""`faristol tournament history`: what was done in a tournament."""

from __future__ import annotations

import json
from collections.abc import Iterator

import typer

from faristol.cli.calling import AsJson, as_json
from faristol.cli.commands import spelled
from faristol.cli.common import run
from faristol.cli.completing import Tournament
from faristol.cli.director import Address, call
from faristol.cli.names import roll
from faristol.pb.pairing.v1 import pairing_pb2 as pairing


def history(tournament: Tournament, address: Address = None, json_output: AsJson = False) -> None:
    """Show everything that was done in a tournament: when, what, by whom, and what would undo it."""
    tournament_id = run(roll(tournament, address)).tournament_id
    answer = pairing.ListActsResponse(more=True)
    while answer.more:
        after = answer.acts[-1].version if answer.acts else 0
        page = call(address, "ListActs", pairing.ListActsRequest(tournament_id=tournament_id, after_version=after))
        assert isinstance(page, pairing.ListActsResponse)
        answer.ClearField("more")
        answer.MergeFrom(page)
    if json_output:
        typer.echo(json.dumps(as_json(answer), ensure_ascii=False, indent=2))
        return
    typer.echo("\n".join(told(answer)))


def told(answer: pairing.ListActsResponse) -> Iterator[str]:
    """The lines of a history, in the order of the record."""
    for act in sorted((*answer.acts, *answer.rating_choices), key=lambda act: act.position):
        about = [
            f"round {act.round}" if act.round else "",
            act.game_id,
            ", ".join(_whom(act)),
            *act.details,
            act.note,
        ]
        undo = f"undone by `{spelled(act.undone_by)}`" if act.undone_by else ""
        parts = [act.type, *filter(None, about), f"by {act.actor_name or act.actor}" if act.actor else "", undo]
        yield f"{act.version or '':>4}  {act.recorded_at.ToJsonString()}  {'; '.join(filter(None, parts))}"


def _whom(act: pairing.Act) -> Iterator[str]:
    """The players of an act, as ``Anna Puig (anna) 310``: names, ids, and scores where it has them."""
    scores = {entry.player_id: f" {entry.score}" for entry in act.scores}
    for player in act.players:
        yield f"{player.name or 'a player'} ({player.player_id}){scores.get(player.player_id, '')}"
