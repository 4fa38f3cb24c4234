from __future__ import annotations

from tests.support.halls import FISC, Hall

from faristol.tournament.rounds.ranking import entrants, initial_ranking


def test_the_initial_ranking_is_by_rating_then_rated_before_unrated_then_id() -> None:
    hall = Hall({"d": None, "c": 1000, "a": None, "b": 1200, "z": 900})

    assert initial_ranking(hall.state) == ("b", "c", "a", "d", "z")


def test_entrants_stand_by_points_then_initial_ranking_with_what_they_met() -> None:
    hall = Hall({"a": 1500, "b": 1400, "c": 1300, "d": 1200, "e": 1100})
    hall.pair(1)
    hall.start(1)
    hall.report("open-r1-t1", 300, 400)
    hall.report("open-r1-t2", 350, 350)
    hall.close(1)

    found = entrants(hall.state, FISC)

    # a–c 300–400, b–d drawn, e has a bye.
    assert [(entrant.player_id, entrant.half_points) for entrant in found] == [
        ("c", 2),
        ("e", 2),
        ("b", 1),
        ("d", 1),
        ("a", 0),
    ]
    assert {entrant.player_id: set(entrant.opponents) for entrant in found} == {
        "a": {"c"},
        "b": {"d"},
        "c": {"a"},
        "d": {"b"},
        "e": set(),
    }
    assert [entrant.player_id for entrant in found if entrant.had_bye] == ["e"]
