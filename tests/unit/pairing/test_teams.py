from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from google.protobuf.message import Message
from tests.unit.pairing.halls import FISC, Hall

from faristol.host.errors import AlreadyExists, Invalid
from faristol.pairing import decide
from faristol.pairing.team_tournament import between
from faristol.rules import Refusal, Ruleset, load_ruleset, with_options

FISE = load_ruleset("fise")
OF_TWO = with_options(FISE, {"teams": 2})


def players_of(*teams: str, each: int = 3) -> dict[str, int | None]:
    return {f"{team}{place}": 2000 - place for team in teams for place in range(1, each + 1)}


def register(hall: Hall, team_id: str, *player_ids: str, name: str = "") -> Sequence[Message]:
    return hall.do(
        decide.register_team(
            hall.state,
            hall.ruleset,
            team_id=team_id,
            name=name or f"Team {team_id.upper()}",
            player_ids=player_ids,
            at=None,
            now=hall.now,
        )
    )


def line_up(hall: Hall, team_id: str, *player_ids: str) -> Sequence[Message]:
    return hall.do(decide.set_line_up(hall.state, team_id=team_id, player_ids=player_ids, at=None, now=hall.now))


def withdraw(hall: Hall, team_id: str) -> Sequence[Message]:
    return hall.do(decide.withdraw_team(hall.state, hall.ruleset, team_id=team_id, note="", at=None, now=hall.now))


def reinstate(hall: Hall, team_id: str) -> Sequence[Message]:
    return hall.do(decide.reinstate_team(hall.state, hall.ruleset, team_id=team_id, at=None, now=hall.now))


def hall_of(*teams: str, each: int = 3, rounds: int = 3, ruleset: Ruleset = OF_TWO) -> Hall:
    hall = Hall(players_of(*teams, each=each), rounds, ruleset)
    for team in teams:
        register(hall, team, *(f"{team}{place}" for place in range(1, each + 1)))
    return hall


def refusal_of(act: Callable[[], object]) -> tuple[str, str]:
    with pytest.raises(Refusal) as refused:
        act()
    return refused.value.reason, refused.value.article


def test_a_team_has_its_line_up_and_its_rating_is_the_mean_of_those_at_the_boards() -> None:
    hall = Hall({"ana": 1500, "blai": 1700, "cleo": 1801, "dan": None, "eva": None}, 3, OF_TWO)
    register(hall, "rooks", "blai", "cleo", "ana")
    register(hall, "knights", "dan", "eva")
    rooks, knights = between(hall.state, hall.ruleset).players
    assert (rooks.rating, rooks.unrated) == (1751, False)
    assert (knights.rating, knights.unrated) == (1000, True)
    assert [team.line_up for team in hall.state.teams] == [("blai", "cleo", "ana"), ("dan", "eva")]


def test_there_are_no_teams_where_players_play_each_for_themselves() -> None:
    hall = Hall({"ana": 1500}, 5, FISC)
    assert refusal_of(lambda: register(hall, "rooks", "ana")) == ("NO_TEAMS", "")
    hall = Hall({"ana": 1500}, 5, FISE)
    assert refusal_of(lambda: register(hall, "rooks", "ana")) == ("NO_TEAMS", "FISE 4.4")


def test_nobody_is_in_two_teams_or_twice_in_one_and_no_team_is_empty() -> None:
    hall = hall_of("a", "b")
    hall.do(decide.register(hall.state, OF_TWO, player_id="new", rating=1000, at=None, now=hall.now))
    assert refusal_of(lambda: register(hall, "c", "new", "b1"))[0] == "IN_OTHER_TEAM"
    assert refusal_of(lambda: line_up(hall, "a", "a1", "b1"))[0] == "IN_OTHER_TEAM"
    assert refusal_of(lambda: register(hall, "c", "nobody"))[0] == "NOT_REGISTERED"
    for wrong in ((), ("new", "new")):
        with pytest.raises(Invalid, match="player_ids"):
            register(hall, "c", *wrong)
    with pytest.raises(AlreadyExists, match="there is a team 'a' already"):
        register(hall, "a", "new")
    assert refusal_of(lambda: register(hall, "c", "new", name="team  A"))[0] == "NAME_TAKEN"


def test_a_line_up_changes_and_nobody_sets_the_one_there_is() -> None:
    hall = hall_of("a", "b")
    line_up(hall, "a", "a3", "a1")
    assert hall.state.teams[0].line_up == ("a3", "a1")
    assert refusal_of(lambda: line_up(hall, "a", "a3", "a1"))[0] == "SAME_LINE_UP"
    assert refusal_of(lambda: line_up(hall, "z", "a3", "a1"))[0] == "NO_SUCH_TEAM"
    # Who is in no line-up any more may play for another team.
    line_up(hall, "b", "b1", "a2")


def test_who_was_in_a_team_that_never_came_may_be_in_another_and_then_it_cannot_come_back() -> None:
    hall = hall_of("a", "b", "c")
    withdraw(hall, "c")
    reinstate(hall, "c")
    assert hall.state.teams[2].entry.withdrawn is None
    withdraw(hall, "c")
    assert refusal_of(lambda: withdraw(hall, "c"))[0] == "WITHDRAWN"
    line_up(hall, "a", "a1", "a2", "c1")
    assert refusal_of(lambda: reinstate(hall, "c"))[0] == "IN_OTHER_TEAM"
    assert refusal_of(lambda: reinstate(hall, "a"))[0] == "NOT_WITHDRAWN"
