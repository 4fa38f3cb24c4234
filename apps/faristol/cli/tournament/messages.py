"""`faristol message …`: messages of officials."""

from __future__ import annotations

from faristol.cli.client import Client
from faristol.cli.options import Tournament
from faristol.kernel.refusal import N_
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.presentation.messages import describe_message, describe_readers
from faristol.presentation.ruleset_lookup import is_of_duplicate_games
from faristol.table_terminal.shared.common import columns, localize

EVERYONE = N_("everyone")


def list_messages(client: Client, tournament: Tournament) -> None:
    """List the messages that are shown now, the latest first."""
    known = client.load_names(tournament)
    answer = client.answer_to(pb.ListMessagesRequest(tournament_id=known.tournament_id))
    language = client.language
    of_games = is_of_duplicate_games(known.tournament)
    rows = [
        (
            str(each.number),
            ", ".join(map(known.name, each.player_ids)) or describe_readers(each, language) or localize(EVERYONE),
            describe_message(each, known.tournament, language, of_games=of_games),
        )
        for each in answer.messages
    ]
    client.print(answer, columns(rows) if rows else localize(N_("no entries")))
