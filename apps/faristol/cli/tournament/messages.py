"""`faristol message …`: messages of officials."""

from __future__ import annotations

from faristol.cli.options import Address, AsJson, Tournament
from faristol.kernel.refusal import N_
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.presentation.messages import describe_message, describe_readers
from faristol.presentation.ruleset_lookup import is_of_duplicate_games
from faristol.table_terminal.shared.common import columns, localize, print_answer, run
from faristol.table_terminal.shared.names import load_names
from faristol.table_terminal.shared.services import answer_to
from faristol.text.terminal import language_of_terminal

EVERYONE = N_("everyone")


def list_messages(tournament: Tournament, address: Address = None, json_output: AsJson = False) -> None:
    """List the messages that are shown now, the latest first."""
    known = run(load_names(tournament, address))
    answer = answer_to(pb.ListMessagesRequest(tournament_id=known.tournament_id), address)
    language = language_of_terminal()
    of_games = is_of_duplicate_games(known.tournament)
    rows = [
        (
            str(each.number),
            ", ".join(map(known.name, each.player_ids)) or describe_readers(each, language) or localize(EVERYONE),
            describe_message(each, known.tournament, language, of_games=of_games),
        )
        for each in answer.messages
    ]
    print_answer(answer, columns(rows) if rows else localize(N_("no entries")), json_output=json_output)
