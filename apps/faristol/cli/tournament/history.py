"""`faristol tournament history`: the commands on a tournament, as sentences."""

from __future__ import annotations

from collections.abc import Iterator
from zoneinfo import ZoneInfo

from faristol.cli.client import Client
from faristol.cli.commands import format_command
from faristol.cli.contract import call
from faristol.cli.options import Tournament
from faristol.kernel.times import to_datetime
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.presentation import history as sentences
from faristol.table_terminal.shared.names import TournamentNames
from faristol.text.terminal import language_of_terminal


def history(client: Client, tournament: Tournament) -> None:
    """Show all commands on a tournament: time, command, actor, and the command that would undo it."""
    known = client.load_names(tournament)
    answer = pairing.ListActsResponse(more=True)
    while answer.more:
        after = answer.acts[-1].version if answer.acts else 0
        request = pairing.ListActsRequest(tournament_id=known.tournament_id, after_version=after, others_after=0)
        answer.ClearField("more")
        answer.MergeFrom(call(client, "ListActs", request))
    client.print(answer, format_history(answer, known))


def format_history(answer: pairing.ListActsResponse, known: TournamentNames) -> Iterator[str]:
    """Yield the lines of a history, in the order of the record: number, local time of the halls, and the command."""
    zone = ZoneInfo(known.tournament.time_zone or "UTC")
    for each in sentences.describe_history(answer, known, language_of_terminal(), format_command):
        at = to_datetime(each.act.recorded_at).astimezone(zone).isoformat(" ", "seconds")
        yield f"{each.act.version or '':>4}  {at}  {' '.join((each.said, *each.also.values()))}"
