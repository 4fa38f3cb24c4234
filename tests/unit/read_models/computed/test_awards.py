"""The awards of prize lists: the players of a list, and the reasons."""

from __future__ import annotations

from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.pb.results.v1 import results_pb2 as results
from faristol.read_models.computed.awards import (
    Candidate,
    Feat,
    compute_awards,
    is_list_of_minors,
)
from faristol.read_models.computed.prizes import Offered, apply_prize_event

NAMES = {"anna": "Anna", "biel": "Biel", "carla": "Carla", "dani": "Dani"}
FIELD = [
    Candidate(results.Standing(player_id="anna", rank=1, half_points=10), "Women", "Valls", 1980),
    Candidate(results.Standing(player_id="biel", rank=2, half_points=8), "", "Vic", 2009),
    Candidate(results.Standing(player_id="carla", rank=3, half_points=8), "women", "Valls", 0),
    Candidate(results.Standing(player_id="dani", rank=4, half_points=2, annulled=True), "", "Vic", 2010),
]


def offer(*lists: pairing.PrizeListSet, **rules: object) -> Offered:
    offered = Offered()
    values: dict[str, object] = {
        "sharing": pairing.PRIZE_SHARING_NONE,
        "limit": pairing.PRIZE_LIMIT_SEVERAL,
        "currency": "EUR",
    }
    event = pairing.PrizeRulesSet(**{**values, **rules})  # type: ignore[arg-type] # fields of the event
    for each in (event, *lists):
        offered = apply_prize_event(offered, each)
    return offered


def prize_list(number: int, **fields: object) -> pairing.PrizeListSet:
    values = {"list": number, "name": f"List {number}", "criterion": pairing.PRIZE_CRITERION_PLACE, "place": number}
    return pairing.PrizeListSet(**{**values, **fields})  # type: ignore[arg-type] # fields of the event


def list_awarded(offered: Offered, feats: dict[int, list[Feat]] | None = None) -> list[list[tuple[str, int]]]:
    found = compute_awards(offered, FIELD, feats or {}, NAMES, "en")
    return [[(won.player_id, won.amount) for won in each.awards] for each in found]


def test_a_list_has_the_players_of_its_category_club_and_age() -> None:
    women = prize_list(1, category="WOMEN", amounts=[50, 20])
    club = prize_list(2, club="vic", amounts=[30])
    young = prize_list(3, born_from=2006, amounts=[10])
    seniors = prize_list(4, born_until=1985, amounts=[5])
    assert list_awarded(offer(women, club, young, seniors)) == [
        [("anna", 50), ("carla", 20)],
        [("biel", 30)],
        [("biel", 10)],
        [("anna", 5)],  # an unknown year has no age; annulled players have no prize
    ]


def test_a_list_without_prize_rules_is_paid_in_euros() -> None:
    main, women = prize_list(1, amounts=[300]), prize_list(2, category="women", amounts=[90])
    offered = apply_prize_event(apply_prize_event(Offered(), main), women)
    assert offered.rules.currency == "EUR"
    assert list_awarded(offered) == [[("anna", 300)], [("anna", 90)]]


def test_the_highest_play_of_each_player_ranks_and_equal_values_share() -> None:
    plays = [Feat("biel", 120), Feat("anna", 101), Feat("carla", 101), Feat("biel", 90)]
    best = prize_list(1, criterion=pairing.PRIZE_CRITERION_HIGH_PLAY, amounts=[100, 50, 21])
    assert list_awarded(offer(best), {pairing.PRIZE_CRITERION_HIGH_PLAY: plays}) == [
        [("biel", 100), ("anna", 36), ("carla", 35)]
    ]


def test_the_reason_names_the_list_the_sharing_and_the_prize_given_up() -> None:
    main, women = prize_list(1, amounts=[300, 100, 50]), prize_list(2, category="women", amounts=[90])
    offered = offer(main, women, sharing=pairing.PRIZE_SHARING_HORT, limit=pairing.PRIZE_LIMIT_MOST_MONEY)
    first, second = compute_awards(offered, FIELD, {}, NAMES, "en")
    assert first.awards[0].why == (
        "Place 1 of “List 1”: rank 1 in the standings, points: 5. Given up for it: List 2 (€0.90)."
    )
    assert "2 players with equal points" not in second.awards[0].why
    assert [(won.player_id, won.amount) for won in first.awards] == [("anna", 300), ("biel", 100)]
    assert [won.player_id for won in second.awards] == ["carla"]
    assert first.left_over == 50


def test_expelled_players_and_those_who_take_no_prize_are_passed_over() -> None:
    offered = offer(prize_list(1, amounts=[9, 4]), player_ids=["anna"])
    assert list_awarded(offered) == [[("biel", 9), ("carla", 4)]]
    assert list_awarded(apply_prize_event(offered, pairing.PlayerExpelled(player_id="biel"))) == [[("carla", 9)]]


def test_a_hidden_list_tells_no_player_and_no_other_list_mentions_it() -> None:
    main, young = prize_list(1, amounts=[300, 100]), prize_list(2, born_from=2006, amounts=[50])
    offered = offer(main, young, limit=pairing.PRIZE_LIMIT_FIRST_LIST)
    first, second = compute_awards(offered, FIELD, {}, NAMES, "en", hidden={2})
    assert not second.awards
    assert all(not won.given_up for won in first.awards)
    assert "List 2" not in str(first.awards)
    assert is_list_of_minors(young, 2024)
    assert not is_list_of_minors(prize_list(3, born_until=1960), 2024)


def test_a_list_keeps_its_number_when_its_place_changes_or_another_is_removed() -> None:
    offered = offer(prize_list(1), prize_list(2), prize_list(3))
    offered = apply_prize_event(offered, prize_list(3, place=1))
    assert [each.list for each in offered.lists] == [3, 1, 2]
    assert [each.list for each in apply_prize_event(offered, pairing.PrizeListRemoved(list=1)).lists] == [3, 2]
