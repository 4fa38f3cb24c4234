"""The players who can be checked in on the page are those that the service accepts."""

from __future__ import annotations

from faristol.gateway.consoles.director.players import waiting_for_check_in
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb


def tournament(*played: pb.Round) -> pb.GetTournamentResponse:
    """Return five players: p3 is checked in, p4 has withdrawn, p5 enters in round 2."""
    players = [pb.Player(player_id=f"p{number}", entered_round=1) for number in range(1, 6)]
    players[2].checked_in, players[3].withdrawn_round, players[4].entered_round = True, 1, 2
    return pb.GetTournamentResponse(players=players, played=played)


def test_before_the_first_round_all_who_stay_are_waited_for() -> None:
    assert waiting_for_check_in(tournament()) == {"p1", "p2", "p5"}


def test_after_it_those_who_were_in_no_round() -> None:
    first = pb.Round(round=1, pairings=[events.Pairing(table=1, first_player_id="p1", second_player_id="p3")])
    assert waiting_for_check_in(tournament(first)) == {"p2", "p5"}
    first.bye_player_id = "p2"
    assert waiting_for_check_in(tournament(first)) == {"p5"}


def test_a_duplicate_game_seats_all_who_do_not_sit_it_out() -> None:
    first = pb.Round(round=1, requested_byes=[events.RequestedBye(player_id="p2")])
    assert waiting_for_check_in(tournament(first)) == {"p2", "p5"}
    assert waiting_for_check_in(tournament(first, pb.Round(round=2))) == set()
