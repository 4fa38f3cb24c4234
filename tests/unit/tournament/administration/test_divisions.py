from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, timedelta
from functools import partial

import pytest
from google.protobuf.message import Message
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from tests.support.examples import scale_examples
from tests.support.halls import NOON, Hall

from faristol.kernel.errors import AlreadyExists, Invalid
from faristol.kernel.refusal import Refusal
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.tournament.administration.divisions import MAX_DIVISIONS, add_division
from faristol.tournament.players.move import move as decide_move
from faristol.tournament.situation import Situation
from faristol.tournament.state import HallRange as Tables
from faristol.tournament.state import TournamentState

Divisions = dict[str, Hall]


def division(tournament_id: str, name: str) -> events.Division:
    return events.Division(tournament_id=tournament_id, name=name)


def add(halls: Divisions, tournament_id: str, name: str, first_division: str = "") -> Hall:
    """Return a further division of the championship that ``open`` is the first division of."""
    first = halls["open"]
    situation = Situation(first.state, now=first.now)
    first.do(add_division(situation, division(tournament_id, name), first_division=first_division))
    halls[tournament_id] = Hall({}, tournament_id=tournament_id, division=name, division_of="open")
    return halls[tournament_id]


def championship() -> Divisions:
    """Return three divisions, of which the first has six players and the second another six."""
    halls = {"open": Hall({f"a{place}": 2000 - place for place in range(6)}, division="A")}
    for tournament_id, name in (("second", "B"), ("third", "C")):
        add(halls, tournament_id, name)
    for place in range(6):
        register(halls, "second", f"b{place}", 1500 - place)
    return halls


def others(halls: Divisions, *without: str) -> tuple[TournamentState, ...]:
    return tuple(hall.state for tournament_id, hall in halls.items() if tournament_id not in without)


def register(halls: Divisions, tournament_id: str, player_id: str, rating: int | None = 1500) -> Sequence[Message]:
    hall = halls[tournament_id]
    among = others(halls, tournament_id)
    return hall.carry_out(pb.RegisterPlayerRequest(player_id=player_id, rating=rating), divisions=among)


def withdraw(halls: Divisions, tournament_id: str, player_id: str) -> Sequence[Message]:
    hall = halls[tournament_id]
    return hall.carry_out(pb.WithdrawPlayerRequest(player_id=player_id, running_game=pb.RUNNING_GAME_PLAYED_OUT))


def reinstate(halls: Divisions, tournament_id: str, player_id: str) -> Sequence[Message]:
    hall = halls[tournament_id]
    among = others(halls, tournament_id)
    return hall.carry_out(pb.ReinstatePlayerRequest(player_id=player_id), divisions=among)


def move(halls: Divisions, leaving: str, entering: str, player_id: str) -> tuple[list[Message], list[Message]]:
    now = halls[leaving].now
    left, entered = decide_move(
        Situation(halls[leaving].state, now=now),
        Situation(halls[entering].state, now=now, divisions=others(halls, leaving, entering)),
        pb.MovePlayerRequest(player_id=player_id),
    )
    halls[leaving].do(left)
    halls[entering].do(entered)
    return left, entered


def read_refusal(act: Callable[[], object]) -> tuple[str, str]:
    with pytest.raises(Refusal) as problem:
        act()
    return problem.value.reason, str(problem.value)


def test_the_first_division_knows_all_and_each_knows_its_own_name_and_the_first() -> None:
    halls = championship()
    assert halls["open"].state.divisions == (division("open", "A"), division("second", "B"), division("third", "C"))
    assert [(hall.state.division, hall.state.division_of) for hall in halls.values()] == [
        ("A", ""),
        ("B", "open"),
        ("C", "open"),
    ]
    assert {hall.state.first_division for hall in halls.values()} == {"open"}


def test_a_tournament_that_is_no_division_yet_becomes_the_first_in_the_same_act() -> None:
    halls = {"open": Hall({})}
    with pytest.raises(Invalid, match="first_division"):
        add(halls, "second", "B")
    add(halls, "second", "B", first_division="A")
    assert halls["open"].state.division == "A"
    assert halls["open"].state.divisions == (division("open", "A"), division("second", "B"))


@pytest.mark.parametrize(
    ("name", "first", "reason"),
    [("b", "", "DIVISION_TAKEN"), ("A", "A", "DIVISION_TAKEN"), ("D", "Z", "DIVISION_NAMED")],
)
def test_every_division_of_a_championship_has_a_name_of_its_own(name: str, first: str, reason: str) -> None:
    assert read_refusal(lambda: add(championship(), "fourth", name, first_division=first))[0] == reason


def test_two_divisions_named_in_one_act_have_two_names() -> None:
    assert read_refusal(lambda: add({"open": Hall({})}, "second", "a", first_division="A"))[0] == "DIVISION_TAKEN"


def test_a_division_without_a_name_is_malformed() -> None:
    with pytest.raises(Invalid, match="division"):
        add(championship(), "fourth", "")


def test_a_division_of_a_further_division_is_refused_with_the_first() -> None:
    state = championship()["second"].state
    act = partial(add_division, Situation(state, now=state.latest), division("x", "X"), first_division="")
    assert read_refusal(act) == ("NOT_FIRST_DIVISION", "second is itself a division of open: use that one.")


def test_no_division_is_added_once_the_first_is_over() -> None:
    halls = championship()
    halls["open"].events.append(events.StandingsPublished(round=5))
    assert read_refusal(lambda: add(halls, "fourth", "D"))[0] == "TOURNAMENT_OVER"


def test_a_championship_has_a_largest_number_of_divisions() -> None:
    halls = championship()
    for number in range(len(halls), MAX_DIVISIONS):
        add(halls, f"d{number}", f"D{number}")
    assert read_refusal(lambda: add(halls, "last", "Last"))[0] == "TOO_MANY_DIVISIONS"


def test_who_is_in_a_division_does_not_enter_another_and_is_told_which() -> None:
    assert read_refusal(lambda: register(championship(), "third", "a1")) == (
        "ALREADY_IN_DIVISION",
        "a1 is in division A (open): a player cannot be in two divisions.",
    )


def test_who_withdrew_before_any_round_may_enter_another_division_and_cannot_come_back_as_well() -> None:
    halls = championship()
    withdraw(halls, "open", "a1")
    register(halls, "third", "a1")
    assert read_refusal(lambda: reinstate(halls, "open", "a1"))[0] == "ALREADY_IN_DIVISION"
    withdrawal = halls["open"].events[-1]
    assert isinstance(withdrawal, events.PlayerWithdrawn)
    hall = halls["open"]
    undo = pb.UndoActRequest(version=len(hall.events))
    undone = partial(hall.decide, undo, divisions=others(halls, "open"))
    assert read_refusal(undone)[0] == "ALREADY_IN_DIVISION"
    withdraw(halls, "third", "a1")
    reinstate(halls, "open", "a1")


def test_who_withdrew_after_a_round_stays_in_the_standings_of_that_division_alone() -> None:
    halls = championship()
    halls["open"].play(1)
    withdraw(halls, "open", "a1")
    assert read_refusal(lambda: register(halls, "third", "a1"))[0] == "ALREADY_IN_DIVISION"


def test_who_was_expelled_from_a_division_enters_no_other() -> None:
    halls = championship()
    halls["open"].events.append(events.PlayerExpelled(player_id="a1", round=1, article="FISE 49"))
    withdraw(halls, "open", "a1")
    with pytest.raises(Refusal) as problem:
        register(halls, "third", "a1")
    assert (problem.value.reason, problem.value.article) == ("EXPELLED", "FISE 49")


def test_an_expulsion_that_is_lifted_brings_nobody_into_two_divisions() -> None:
    # the commands above cannot lead here; the rule holds for any record
    halls = championship()
    halls["open"].events += [
        events.PlayerExpelled(player_id="a1", round=1),
        events.PlayerWithdrawn(player_id="a1", round=1),
    ]
    halls["third"].do([events.PlayerRegistered(player_id="a1", rating=1500)])
    hall = halls["open"]
    asked = pb.LiftExpulsionRequest(player_id="a1", decided_by=["tribunal"])
    lift = partial(hall.decide, asked, divisions=others(halls, "open"))
    assert read_refusal(lift)[0] == "ALREADY_IN_DIVISION"


def test_who_moves_takes_rating_and_check_in_along() -> None:
    halls = championship()
    hall = halls["open"]
    hall.carry_out(pb.CheckInPlayerRequest(player_id="a1"))
    left, entered = move(halls, "open", "second", "a1")
    assert [type(event) for event in (*left, *entered)] == [
        events.PlayerWithdrawn,
        events.PlayerRegistered,
        events.PlayerCheckedIn,
    ]
    player = halls["second"].state.player("a1")
    assert player is not None
    assert (player.rating, player.unrated, player.checked_in) == (1999, False, True)


@pytest.mark.parametrize("later", ["open", "second"])
def test_who_moves_leaves_and_enters_at_one_moment_after_all_that_happened_in_both(later: str) -> None:
    halls = championship()
    halls[later].now += timedelta(hours=1)
    halls[later].carry_out(pb.ChangeRoundsRequest(rounds=6))
    left, entered = decide_move(
        Situation(halls["open"].state, now=NOON),
        Situation(halls["second"].state, now=NOON, divisions=others(halls, "open", "second")),
        pb.MovePlayerRequest(player_id="a1"),
    )
    latest = halls[later].state.latest
    assert {event.occurred_at.ToDatetime(tzinfo=UTC) for event in (*left, *entered)} == {latest}  # type: ignore[attr-defined]


def test_who_moves_back_comes_back_as_they_were_and_checked_in_only_if_they_are() -> None:
    halls = championship()
    hall = halls["open"]
    hall.carry_out(pb.CheckInPlayerRequest(player_id="a1"))
    move(halls, "open", "second", "a1")
    second = halls["second"]
    second.carry_out(pb.CheckOutPlayerRequest(player_id="a1"))
    _, entered = move(halls, "second", "open", "a1")
    assert [type(event) for event in entered] == [events.PlayerReinstated, events.PlayerCheckedOut]
    player = halls["open"].state.player("a1")
    assert player is not None
    assert (player.rating, player.withdrawn, player.missed, player.checked_in) == (1999, None, frozenset(), False)


def undo(halls: Divisions, tournament_id: str, kind: type[Message]) -> Sequence[Message]:
    """Undo the last command of a kind."""
    hall = halls[tournament_id]
    version = max(number for number, event in enumerate(hall.events, start=1) if isinstance(event, kind))
    among = others(halls, tournament_id)
    return hall.carry_out(pb.UndoActRequest(version=version), divisions=among)


def test_neither_half_of_a_move_is_undone_alone_and_the_refusal_says_where_the_player_was() -> None:
    halls = championship()
    hall = halls["open"]
    hall.carry_out(pb.CheckInPlayerRequest(player_id="a1"))
    move(halls, "open", "second", "a1")
    reason, told = read_refusal(lambda: undo(halls, "second", events.PlayerRegistered))
    assert (reason, "division A (open)" in told) == ("MOVED", True)
    assert read_refusal(lambda: undo(halls, "open", events.PlayerWithdrawn))[0] == "ALREADY_IN_DIVISION"
    move(halls, "second", "open", "a1")
    reason, told = read_refusal(lambda: undo(halls, "open", events.PlayerReinstated))
    assert (reason, "division B (second)" in told) == ("MOVED", True)
    withdraw(halls, "open", "a1")
    undo(halls, "open", events.PlayerWithdrawn)
    player = halls["open"].state.player("a1")
    assert player is not None
    assert player.withdrawn is None


def test_a_registration_by_mistake_in_one_division_alone_is_undone() -> None:
    halls = championship()
    register(halls, "second", "c1")
    undo(halls, "second", events.PlayerRegistered)
    player = halls["second"].state.player("c1")
    assert player is not None
    assert player.never_came


@pytest.mark.parametrize("paired", ["open", "second"])
def test_nobody_moves_once_the_first_round_of_either_division_is_paired(paired: str) -> None:
    halls = championship()
    halls[paired].pair(1)
    assert read_refusal(lambda: move(halls, "open", "second", "a1"))[0] == "ROUND_PAIRED"


def test_nobody_moves_to_another_championship_or_stays() -> None:
    halls = championship()
    halls["cup"] = Hall({}, tournament_id="cup", division="A")
    assert read_refusal(lambda: move(halls, "open", "cup", "a1"))[0] == "OTHER_CHAMPIONSHIP"
    with pytest.raises(Invalid, match="to_tournament_id"):
        move(halls, "open", "open", "a1")


def test_who_is_not_there_or_has_left_does_not_move() -> None:
    halls = championship()
    withdraw(halls, "open", "a1")
    assert read_refusal(lambda: move(halls, "open", "second", "a1"))[0] == "WITHDRAWN"
    assert read_refusal(lambda: move(halls, "open", "second", "b1"))[0] == "NOT_REGISTERED"


def set_halls(halls: Divisions, tournament_id: str, *given: Tables) -> None:
    hall = halls[tournament_id]
    among = others(halls, tournament_id)
    hall.carry_out(pb.SetHallsRequest(halls=[hall.message() for hall in given], top_tables=0), divisions=among)


def test_divisions_share_halls_and_no_table() -> None:
    halls = championship()
    set_halls(halls, "open", Tables("Gran", 1, 10), Tables("Petita", 21, 30))
    set_halls(halls, "second", Tables("Gran", 11, 20))
    assert read_refusal(lambda: set_halls(halls, "third", Tables("Gran", 8, 12), Tables("Altra", 30, 40))) == (
        "TABLES_OF_DIVISION",
        "Division A (open) has the tables 8–10, 30: a table cannot be in two divisions.",
    )
    set_halls(halls, "open", Tables("Petita", 21, 30))
    set_halls(halls, "third", Tables("Gran", 1, 10))


def test_tables_at_which_a_division_still_plays_a_round_are_its_own_until_that_is_closed() -> None:
    halls = championship()
    set_halls(halls, "open", Tables("Gran", 1, 10))
    halls["open"].pair(1)
    set_halls(halls, "open", Tables("Petita", 21, 30))
    assert read_refusal(lambda: set_halls(halls, "second", Tables("Gran", 3, 10))) == (
        "TABLES_OF_DIVISION",
        "Division A (open) has the tables 3: a table cannot be in two divisions.",
    )
    set_halls(halls, "second", Tables("Gran", 4, 10))


def test_tables_of_a_division_that_is_over_are_free() -> None:
    halls = championship()
    set_halls(halls, "open", Tables("Gran", 1, 10))
    halls["open"].events.append(events.StandingsPublished(round=5))
    set_halls(halls, "second", Tables("Gran", 1, 10))


def test_a_division_stays_once_it_is_added() -> None:
    first = championship()["open"]
    version = next(number for number, event in enumerate(first.events, 1) if isinstance(event, events.DivisionAdded))
    undone = partial(first.decide, pb.UndoActRequest(version=version))
    assert read_refusal(undone)[0] == "NOT_UNDONE"


DIVISION = st.sampled_from(["open", "second", "third"])
PLAYER = st.sampled_from(["anna", "biel"])


class Championship(RuleBasedStateMachine):
    """A director who tries all commands with two players and three divisions that have other players."""

    @initialize()
    def begin(self) -> None:
        self.halls = championship()
        for place in range(6):
            register(self.halls, "third", f"c{place}")

    def attempt(self, act: Callable[..., object], *given: str) -> None:
        try:
            act(self.halls, *given)
        except (Refusal, AlreadyExists):
            return

    @rule(division=DIVISION, player=PLAYER)
    def enter(self, division: str, player: str) -> None:
        known = self.halls[division].state.player(player) is not None
        self.attempt(reinstate if known else register, division, player)

    @rule(player=PLAYER)
    def leave(self, player: str) -> None:
        for division in self.halls:
            self.attempt(withdraw, division, player)

    @rule(leaving=DIVISION, entering=DIVISION, player=PLAYER)
    def move(self, leaving: str, entering: str, player: str) -> None:
        if leaving != entering:
            self.attempt(move, leaving, entering, player)

    @rule(division=DIVISION)
    def begin_a_round(self, division: str) -> None:
        hall = self.halls[division]
        try:
            if hall.state.open_round is None:
                hall.pair(len(hall.state.played) + 1)
            hall.start(1)
        except Refusal:
            return

    @invariant()
    def nobody_is_in_two_divisions(self) -> None:
        for player_id in ("anna", "biel"):
            found = [hall.state.player(player_id) for hall in self.halls.values()]
            assert sum(player is not None and not player.never_came for player in found) <= 1


TestNobodyIsInTwoDivisionsWhateverADirectorTries = Championship.TestCase
TestNobodyIsInTwoDivisionsWhateverADirectorTries.settings = settings(
    max_examples=scale_examples(60), stateful_step_count=20, deadline=None
)


def test_nobody_leaves_a_sanction_behind_by_moving_and_gets_none_where_they_do_not_play() -> None:
    halls = championship()
    hall = halls["open"]

    def warn() -> Sequence[Message]:
        return hall.decide(pb.WarnPlayerRequest(player_id="a1", arbiter_id="eva"))

    hall.do(warn())
    assert read_refusal(lambda: move(halls, "open", "second", "a1"))[0] == "SANCTIONED"
    lifted = hall.decide(pb.LiftSanctionRequest(version=len(hall.events), decided_by=["eva"]))
    hall.do(lifted)
    move(halls, "open", "second", "a1")
    assert read_refusal(warn)[0] == "LEFT_DIVISION"
