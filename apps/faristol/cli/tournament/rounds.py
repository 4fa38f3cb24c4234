"""`faristol round show`: the pairings of a round with their results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from faristol.cli.client import Client
from faristol.cli.options import LastRound, Tournament
from faristol.kernel.refusal import N_
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.presentation import labels as words
from faristol.presentation.names import Named, labels
from faristol.presentation.unplayed_results import format_score, has_points
from faristol.table_terminal.shared.common import columns, localize
from faristol.table_terminal.shared.names import played_round, tournament_meant
from faristol.text.terminal import language_of_terminal

HEAD = N_("Round {round} of {tournament}: {phase}.")
RESTS = N_("bye")
SITS_OUT = N_("Does not play:")
OPPONENT_GONE = N_("No game, because the opponent is absent:")
WINNER = N_("winner")


def show(client: Client, tournament: Tournament, number: LastRound = 0) -> None:
    """Show the pairings of a round, table by table, with their results, and its byes."""

    async def ask(stub: Any) -> tuple[str, pb.GetPairingsResponse]:
        tournament_id = await tournament_meant(tournament, client.address)
        head = (await stub.GetTournament(pb.GetTournamentRequest(tournament_id=tournament_id))).tournament
        request = pb.GetPairingsRequest(tournament_id=tournament_id, round=played_round(head, number).round)
        return head.name, await stub.GetPairings(request)

    name, found = client.ask("results", ask)
    client.print(found, format_round(name, found))


def format_round(tournament: str, found: pb.GetPairingsResponse) -> Iterator[str]:
    """Yield the lines of a round in the words of its page; remarks on a result follow its scores."""
    phase = localize(words.PHASES[found.phase])
    yield localize(HEAD, round=found.round, tournament=tournament, phase=phase)
    resting = [(found.bye, localize(RESTS))] if found.HasField("bye") else []
    for bye in found.requested_byes:
        why = OPPONENT_GONE if bye.match or bye.opponent_gone else SITS_OUT
        resting.append((bye.seat, f"{localize(why)} {localize(words.BYES[bye.kind])}"))
    seats = [seat for table in found.tables for seat in table.seats] + [seat for seat, _ in resting]
    called = labels([Named(seat.player_id, seat.name) for seat in seats])
    rows = []
    for table in found.tables:
        players = " – ".join(called[seat.player_id] for seat in table.seats)
        are_points = has_points((seat.score for seat in table.seats), unplayed=table.unplayed)
        marks = [format_score(table, seat, language_of_terminal()) for seat in table.seats] if table.final else []
        scores = ("–" if are_points else " ").join(marks)
        number = f"{table.hall} {table.table}".strip() if table.table else "–"
        rows.append([number, players, scores, ", ".join(_besides(table, called))])
    rows += [["", called[seat.player_id], why, ""] for seat, why in resting]
    yield from columns(rows)


def _besides(table: pb.Table, called: Mapping[str, str]) -> Iterator[str]:
    """Yield the remarks on a result: the kind of loss if not by score, the losers, and the winner."""
    if not table.final:
        if table.HasField("postponed_to"):
            yield localize(N_("postponed"))
        return
    if table.lost_by_all:
        yield localize(N_("both lost") if len(table.seats) == 2 else N_("all lost"))
    if table.unplayed:
        yield localize(N_("forfeit"))
    elif table.corrected:
        yield localize(N_("corrected"))
    scores = sorted(table.seats, key=lambda seat: -seat.score)
    by_score = scores[0].player_id == table.winner_id and scores[0].score > scores[1].score
    if table.winner_id and (table.unplayed or not by_score):
        yield f"{localize(WINNER)}: {called[table.winner_id]}"
    for loser in table.loser_ids:
        if how := words.ABSENT_LABEL if table.unplayed else words.LOSERS.get(table.condition, ""):
            yield f"{called[loser]}: {localize(how)}"
