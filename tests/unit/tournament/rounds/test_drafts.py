"""A pairing that only officials know until it is published."""

from __future__ import annotations

from datetime import timedelta

import pytest
from google.protobuf.message import Message
from tests.support.halls import Hall, hall_of

from faristol.kernel.errors import Invalid
from faristol.kernel.event_types import PUBLIC_TYPES
from faristol.kernel.refusal import Refusal
from faristol.kernel.times import to_timestamp
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.rules import load_ruleset
from faristol.tournament.rounds.draft_checks import list_checks
from faristol.tournament.state import Draft, HallRange, RoundState


def draft_round(players: int = 8) -> Hall:
    hall = hall_of(players)
    hall.carry_out(pb.PairRoundRequest(round=1, draft=True))
    return hall


def draft_of(hall: Hall) -> Draft:
    assert hall.state.draft is not None
    return hall.state.draft


def seats(played: RoundState) -> list[tuple[int, tuple[str, ...]]]:
    return [(table.table, table.player_ids) for table in played.pairings]


def public(new_events: list[Message] | tuple[Message, ...]) -> list[str]:
    return [each.DESCRIPTOR.name for each in new_events if each.DESCRIPTOR.full_name in PUBLIC_TYPES]


def undo(hall: Hall, act: Message) -> None:
    version = 1 + next(place for place, event in enumerate(hall.events) if event is act)
    hall.carry_out(pb.UndoActRequest(version=version))


def reason_of(hall: Hall, request: Message) -> str:
    with pytest.raises(Refusal) as refused:
        hall.carry_out(request)
    return refused.value.reason


def test_a_draft_and_its_changes_are_in_no_public_event() -> None:
    hall = hall_of(9)
    hall.carry_out(pb.SetPairingPublicationRequest(publication=events.PAIRING_PUBLICATION_DRAFT))
    paired = hall.pair(1)
    swapped = hall.carry_out(pb.SwapPlayersRequest(round=1, player_ids=["p1", "p2"]))
    moved = hall.carry_out(pb.MovePairingRequest(round=1, table=1, to_table=9))
    at = to_timestamp(hall.now + timedelta(hours=1))
    scheduled = hall.carry_out(pb.SchedulePublicationRequest(round=1, publish_at=at))
    cancelled = hall.carry_out(pb.CancelPublicationRequest(round=1))
    discarded = hall.carry_out(pb.UnpairRoundRequest(round=1))
    assert public([*paired, *swapped, *moved, *scheduled, *cancelled, *discarded]) == []
    assert not hall.state.played


def test_a_published_draft_is_the_pairing_that_is_public_at_once() -> None:
    at_once = hall_of(9)
    at_once.pair(1)
    hall = draft_round(9)
    new_events = list(hall.carry_out(pb.PublishRoundRequest(round=1)))
    assert public(new_events) == ["RoundPaired", "ByeAwarded"]
    assert hall.state.played == at_once.state.played
    assert hall.state.draft is None


def test_a_tournament_publishes_at_once_unless_it_is_set_otherwise() -> None:
    hall = hall_of()
    assert public(list(hall.pair(1))) == ["RoundPaired"]
    hall.carry_out(pb.UnpairRoundRequest(round=1))
    hall.carry_out(pb.SetPairingPublicationRequest(publication=events.PAIRING_PUBLICATION_DRAFT))
    assert public(list(hall.pair(1))) == []
    assert reason_of(hall, pb.PairRoundRequest(round=1, draft=False)) == "ROUND_DRAFTED"


def test_a_round_is_not_started_before_its_pairing_is_published() -> None:
    hall = draft_round()
    assert reason_of(hall, pb.StartRoundRequest(round=1)) == "ROUND_NOT_PUBLISHED"
    hall.carry_out(pb.PublishRoundRequest(round=1))
    hall.start(1)


def test_a_round_is_published_once() -> None:
    hall = draft_round()
    hall.carry_out(pb.PublishRoundRequest(round=1))
    assert reason_of(hall, pb.PublishRoundRequest(round=1)) == "ROUND_PUBLISHED"


def test_swapped_players_have_each_others_places_and_games_of_their_own() -> None:
    hall = draft_round()
    before = dict(seats(draft_of(hall).played))
    (_, (first, second)), (_, (third, fourth)), *_ = before.items()
    swap = hall.carry_out(pb.SwapPlayersRequest(round=1, player_ids=[second, third], note="club mates"))
    after = draft_of(hall)
    assert seats(after.played) == [(1, (first, third)), (2, (second, fourth)), *list(before.items())[2:]]
    assert after.content.changed_by_hand
    undo(hall, swap[0])
    assert dict(seats(draft_of(hall).played)) == before


def test_two_players_of_a_table_swap_the_start() -> None:
    hall = draft_round()
    _, (first, second) = seats(draft_of(hall).played)[0]
    hall.carry_out(pb.SwapPlayersRequest(round=1, player_ids=[first, second]))
    assert seats(draft_of(hall).played)[0] == (1, (second, first))


def test_a_player_takes_the_bye_of_another() -> None:
    hall = draft_round(9)
    bye = draft_of(hall).played.bye
    assert bye
    hall.carry_out(pb.SwapPlayersRequest(round=1, player_ids=["p1", bye]))
    assert draft_of(hall).played.bye == "p1"
    hall.carry_out(pb.PublishRoundRequest(round=1))
    assert hall.state.played[0].bye == "p1"
    assert hall.state.played[0].changed_by_hand


@pytest.mark.parametrize("given", [["p1"], ["p1", "p1"], ["p1", "nobody"], ["p1", "p2", "p3"]])
def test_only_two_players_of_the_draft_are_swapped(given: list[str]) -> None:
    hall = draft_round()
    with pytest.raises(Invalid):
        hall.carry_out(pb.SwapPlayersRequest(round=1, player_ids=given))


def test_a_pairing_moves_to_the_first_free_table_of_a_hall() -> None:
    hall = hall_of()
    halls = [HallRange("A", 1, 4), HallRange("B", 5, 8)]
    hall.carry_out(pb.SetHallsRequest(halls=[each.message() for each in halls]))
    hall.carry_out(pb.PairRoundRequest(round=1, draft=True))
    moved = hall.carry_out(pb.MovePairingRequest(round=1, table=2, hall="B"))
    assert [(table.table, table.hall) for table in draft_of(hall).played.pairings][-1] == (5, "B")
    undo(hall, moved[0])
    assert [table.table for table in draft_of(hall).played.pairings] == [1, 2, 3, 4]
    with pytest.raises(Invalid):
        hall.carry_out(pb.MovePairingRequest(round=1, table=2, to_table=99))
    assert reason_of(hall, pb.MovePairingRequest(round=1, table=2, hall="A")) == "HALL_FULL"


def test_two_pairings_swap_their_tables() -> None:
    hall = draft_round()
    before = dict(seats(draft_of(hall).played))
    hall.carry_out(pb.MovePairingRequest(round=1, table=1, to_table=3))
    after = dict(seats(draft_of(hall).played))
    assert (after[1], after[3], after[2]) == (before[3], before[1], before[2])


def test_a_draft_with_a_withdrawn_player_is_paired_again_before_it_is_published() -> None:
    hall = draft_round()
    hall.carry_out(pb.WithdrawPlayerRequest(player_id="p1"))
    with pytest.raises(Refusal, match="Round 1 cannot be published: p1 withdrew") as refused:
        hall.decide(pb.PublishRoundRequest(round=1))
    assert refused.value.reason == "PAIRED_AND_WITHDRAWN"
    hall.carry_out(pb.PairRoundRequest(round=1))
    assert "p1" not in draft_of(hall).played.seated
    hall.carry_out(pb.PublishRoundRequest(round=1))


def test_a_draft_is_paired_again_after_a_bye_is_granted_or_revoked() -> None:
    hall = draft_round()
    hall.carry_out(pb.GrantByeRequest(player_id="p1", round=1, kind=events.BYE_KIND_HALF_POINT))
    assert reason_of(hall, pb.PublishRoundRequest(round=1)) == "BYES_CHANGED"
    hall.carry_out(pb.PairRoundRequest(round=1))
    hall.carry_out(pb.RevokeByeRequest(player_id="p1", round=1))
    assert reason_of(hall, pb.PublishRoundRequest(round=1)) == "BYES_CHANGED"


def test_an_unpublished_pairing_is_the_same_draft_again() -> None:
    hall = draft_round(9)
    hall.carry_out(pb.SwapPlayersRequest(round=1, player_ids=["p1", "p2"]))
    before = draft_of(hall).content
    hall.carry_out(pb.PublishRoundRequest(round=1))
    new_events = list(hall.carry_out(pb.UnpublishRoundRequest(round=1, note="a late withdrawal")))
    assert public(new_events) == ["RoundUnpublished"]
    assert not hall.state.played
    after = draft_of(hall).content
    assert (list(after.pairings), after.bye_player_id) == (list(before.pairings), before.bye_player_id)
    assert after.changed_by_hand
    published = hall.carry_out(pb.PublishRoundRequest(round=1))
    undo(hall, published[-1])
    assert hall.state.draft
    assert not hall.state.played


def test_other_players_get_another_game_at_a_table_that_was_public_before() -> None:
    hall = draft_round()
    hall.carry_out(pb.PublishRoundRequest(round=1))
    was = {table.table: table.game_id for table in hall.state.played[0].pairings}
    hall.carry_out(pb.UnpublishRoundRequest(round=1))
    _, (_, second) = seats(draft_of(hall).played)[0]
    hall.carry_out(pb.SwapPlayersRequest(round=1, player_ids=[second, seats(draft_of(hall).played)[1][1][0]]))
    hall.carry_out(pb.PublishRoundRequest(round=1))
    now = {table.table: table.game_id for table in hall.state.played[0].pairings}
    assert (now[1] != was[1], now[2] != was[2], now[3] == was[3]) == (True, True, True)


def test_a_started_round_is_not_unpublished() -> None:
    hall = hall_of()
    hall.pair(1)
    hall.start(1)
    assert reason_of(hall, pb.UnpublishRoundRequest(round=1)) == "ROUND_STARTED"


def test_a_discarded_draft_is_restored_with_its_changes() -> None:
    hall = draft_round()
    hall.carry_out(pb.SwapPlayersRequest(round=1, player_ids=["p1", "p2"]))
    was = seats(draft_of(hall).played)
    discarded = hall.carry_out(pb.UnpairRoundRequest(round=1))
    assert hall.state.draft is None
    undo(hall, discarded[0])
    assert seats(draft_of(hall).played) == was


def test_a_publication_time_survives_a_new_pairing_unless_it_has_passed() -> None:
    hall = draft_round()
    at = hall.now + timedelta(minutes=10)
    hall.carry_out(pb.SchedulePublicationRequest(round=1, publish_at=to_timestamp(at)))
    hall.carry_out(pb.PairRoundRequest(round=1))
    assert draft_of(hall).publish_at == at
    hall.now += timedelta(minutes=20)
    hall.carry_out(pb.PairRoundRequest(round=1))
    assert draft_of(hall).publish_at is None
    with pytest.raises(Invalid):
        hall.carry_out(pb.SchedulePublicationRequest(round=1, publish_at=to_timestamp(at)))


def test_checks_name_what_officials_may_change() -> None:
    hall = hall_of(8, ruleset=load_ruleset("fise"))
    hall.play(1)
    hall.carry_out(pb.ForbidPairRequest(player_ids=["p1", "p2"]))
    hall.carry_out(pb.PairRoundRequest(round=2, draft=True))
    opponent = {a: b for table in draft_of(hall).played.pairings for a, b in (table.pair, table.pair[::-1])}
    if opponent["p1"] != "p2":
        hall.carry_out(pb.SwapPlayersRequest(round=2, player_ids=[opponent["p1"], "p2"]))
    clubs = {"p1": "Ateneu", "p2": "Ateneu", "p3": "Ateneu"}
    found = list_checks(hall.state, hall.ruleset, draft_of(hall).played, clubs, outdated=True)
    kinds = {check.kind for check in found}
    assert {
        pb.DRAFT_CHECK_KIND_CHANGED_SINCE,
        pb.DRAFT_CHECK_KIND_FORBIDDEN,
        pb.DRAFT_CHECK_KIND_SAME_CLUB,
    } <= kinds
    first = hall.state.played[0].pairings[0].pair
    opponent = {a: b for table in draft_of(hall).played.pairings for a, b in (table.pair, table.pair[::-1])}
    if opponent[first[0]] != first[1]:
        hall.carry_out(pb.SwapPlayersRequest(round=2, player_ids=[opponent[first[0]], first[1]]))
    found = list_checks(hall.state, hall.ruleset, draft_of(hall).played, {})
    assert {check.player_ids for check in found if check.kind == pb.DRAFT_CHECK_KIND_MET_BEFORE} >= {first} or {
        check.player_ids for check in found if check.kind == pb.DRAFT_CHECK_KIND_MET_BEFORE
    } >= {first[::-1]}


def test_a_correction_after_the_draft_is_among_its_checks() -> None:
    hall = hall_of()
    hall.play(1)
    hall.carry_out(pb.PairRoundRequest(round=2, draft=True))
    assert not draft_of(hall).outdated
    game = hall.state.played[0].pairings[0]
    off = events.PointsAdjusted(round=1, game_id=game.game_id, player_id=game.player_ids[0], points=-50)
    hall.do([off])
    assert draft_of(hall).outdated
    hall.carry_out(pb.PairRoundRequest(round=2))
    assert not draft_of(hall).outdated
