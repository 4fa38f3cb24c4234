from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial, reduce

import pytest
from google.protobuf.message import Message
from hypothesis import given
from hypothesis import strategies as st
from tests.support.halls import FISC, Hall, decide_command
from tests.support.refusals import reason_and_article_of, reason_of

from faristol.kernel.errors import AlreadyExists, Invalid
from faristol.kernel.refusal import Refusal
from faristol.kernel.times import to_timestamp
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.rules import Bye, Ruleset, load_ruleset
from faristol.rules.ruleset.with_options import with_options
from faristol.text import TRANSLATED, translations
from faristol.tournament.pairing_explanations import team_pairs as team_explanation
from faristol.tournament.results.results import record_result
from faristol.tournament.rounds import systems
from faristol.tournament.rounds.pairing import obstacles
from faristol.tournament.rounds.past import Past, past_of
from faristol.tournament.rounds.ranking import entrants
from faristol.tournament.rounds.tables import tables_for_matches
from faristol.tournament.state import GameDecision, PlayerState, TournamentState, evolve
from faristol.tournament.state import HallRange as ModelHall
from faristol.tournament.teams.sentences import SAID_OF_TEAMS
from faristol.tournament.teams.tournament import between, match_of, rules_between, standing_of_teams

FISE = load_ruleset("fise")
OF_TWO = with_options(FISE, {"teams": 2})


def players_of(*teams: str, each: int = 3) -> dict[str, int | None]:
    return {f"{team}{place}": 2000 - place for team in teams for place in range(1, each + 1)}


def register(hall: Hall, team_id: str, *player_ids: str, name: str = "") -> Sequence[Message]:
    return hall.carry_out(
        pb.RegisterTeamRequest(team_id=team_id, name=name or f"Team {team_id.upper()}", player_ids=player_ids)
    )


def line_up(hall: Hall, team_id: str, *player_ids: str) -> Sequence[Message]:
    return hall.carry_out(pb.SetLineUpRequest(team_id=team_id, player_ids=player_ids))


def withdraw(hall: Hall, team_id: str) -> Sequence[Message]:
    return hall.carry_out(pb.WithdrawTeamRequest(team_id=team_id))


def reinstate(hall: Hall, team_id: str) -> Sequence[Message]:
    return hall.carry_out(pb.ReinstateTeamRequest(team_id=team_id))


def hall_of(*teams: str, each: int = 3, rounds: int = 3, ruleset: Ruleset = OF_TWO) -> Hall:
    hall = Hall(players_of(*teams, each=each), rounds, ruleset)
    for team in teams:
        register(hall, team, *(f"{team}{place}" for place in range(1, each + 1)))
    return hall


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
    assert reason_and_article_of(lambda: register(hall, "rooks", "ana")) == ("NO_TEAMS", "")
    hall = Hall({"ana": 1500}, 5, FISE)
    assert reason_and_article_of(lambda: register(hall, "rooks", "ana")) == ("NO_TEAMS", "FISE 4.4")


def test_nobody_is_in_two_teams_or_twice_in_one_and_no_team_is_empty() -> None:
    hall = hall_of("a", "b")
    hall.carry_out(pb.RegisterPlayerRequest(player_id="new", rating=1000))
    assert reason_of(lambda: register(hall, "c", "new", "b1")) == "IN_OTHER_TEAM"
    assert reason_of(lambda: line_up(hall, "a", "a1", "b1")) == "IN_OTHER_TEAM"
    assert reason_of(lambda: register(hall, "c", "nobody")) == "NOT_REGISTERED"
    for wrong in ((), ("new", "new")):
        with pytest.raises(Invalid, match="player_ids"):
            register(hall, "c", *wrong)
    with pytest.raises(AlreadyExists, match="there is a team 'a' already"):
        register(hall, "a", "new")
    assert reason_of(lambda: register(hall, "c", "new", name="team  A")) == "NAME_TAKEN"


def test_a_line_up_changes_and_nobody_sets_the_one_there_is() -> None:
    hall = hall_of("a", "b")
    line_up(hall, "a", "a3", "a1")
    assert hall.state.teams[0].line_up == ("a3", "a1")
    assert reason_of(lambda: line_up(hall, "a", "a3", "a1")) == "SAME_LINE_UP"
    assert reason_of(lambda: line_up(hall, "z", "a3", "a1")) == "NO_SUCH_TEAM"
    # A player who left the line-ups may play for another team.
    line_up(hall, "b", "b1", "a2")


def test_who_had_a_board_for_a_team_plays_for_no_other() -> None:
    hall = hall_of("a", "b", rounds=1)
    hall.carry_out(pb.WithdrawPlayerRequest(player_id="b2"))
    line_up(hall, "b", "b1")
    line_up(hall, "a", "a1", "a2", "a3", "b3")
    hall.pair(1)
    assert list(hall.state.played[0].board_byes) == ["a2"]
    # The round may still be paired again.
    line_up(hall, "a", "a2", "a3")
    line_up(hall, "b", "b1", "a1")
    line_up(hall, "b", "b1")
    hall.start(1)
    line_up(hall, "a", "a3")
    for had_one in ("a1", "a2"):
        assert reason_of(partial(line_up, hall, "b", "b1", had_one)) == "PLAYED_FOR_OTHER_TEAM"
        assert reason_of(partial(register, hall, "c", had_one)) == "PLAYED_FOR_OTHER_TEAM"
    # A reserve without a board may, and so may a player who returns to their own team.
    line_up(hall, "b", "b1", "b3")
    line_up(hall, "a", "a1", "a2")


def test_who_was_in_a_team_that_never_came_may_be_in_another_and_then_it_cannot_come_back() -> None:
    hall = hall_of("a", "b", "c")
    withdraw(hall, "c")
    reinstate(hall, "c")
    assert hall.state.teams[2].entry.withdrawn is None
    withdraw(hall, "c")
    assert reason_of(lambda: withdraw(hall, "c")) == "WITHDRAWN"
    line_up(hall, "a", "a1", "a2", "c1")
    assert reason_of(lambda: reinstate(hall, "c")) == "IN_OTHER_TEAM"
    assert reason_of(lambda: reinstate(hall, "a")) == "NOT_WITHDRAWN"


def play(hall: Hall, number: int, scores: Callable[[int, int], tuple[int, int]]) -> None:
    """Play a whole round, with the scores of each match and board."""
    hall.pair(number)
    hall.start(number)
    for table in hall.state.played[number - 1].pairings:
        hall.report(table.game_id, *scores(table.match, table.board))
    hall.close(number)


def list_met(hall: Hall, number: int) -> set[frozenset[str]]:
    return {frozenset(match.team_ids) for match in hall.state.played[number - 1].matches}


def at_boards(hall: Hall, number: int) -> dict[str, int]:
    return {player: table.board for table in hall.state.played[number - 1].pairings for player in table.player_ids}


def first_wins(match: int, board: int) -> tuple[int, int]:
    return 400, 300


def test_the_players_of_a_match_sit_by_their_line_ups_at_tables_beside_each_other() -> None:
    hall = hall_of("a", "b", "c", "d", ruleset=with_options(FISE, {"teams": 3}))
    line_up(hall, "a", "a3", "a1", "a2")
    hall.pair(1)
    played = hall.state.played[0]
    assert [(table.table, table.match, table.board) for table in played.pairings] == [
        (1, 1, 1), (2, 1, 2), (3, 1, 3), (4, 2, 1), (5, 2, 2), (6, 2, 3)
    ]  # fmt: skip
    assert {player: board for player, board in at_boards(hall, 1).items() if player.startswith("a")} == {
        "a3": 1, "a1": 2, "a2": 3
    }  # fmt: skip
    for table in played.pairings:
        teams = played.matches[table.match - 1].team_ids
        assert tuple(player[0] for player in table.player_ids) == teams


def matches(*sizes: int) -> list[list[tuple[str, str]]]:
    """Return matches of this number of games."""
    return [
        [(f"{place}-{board}", f"{place}+{board}") for board in range(1, size + 1)]
        for place, size in enumerate(sizes, 1)
    ]


def fix_table(hall: Hall, player_id: str, table: int) -> None:
    hall.carry_out(pb.FixTableRequest(player_id=player_id, table=table))


def test_a_match_is_played_around_the_table_that_a_player_of_it_has() -> None:
    hall = hall_of("a", "b", "c", "d", ruleset=with_options(FISE, {"teams": 3}))
    halls = [ModelHall("Blava", 1, 5), ModelHall("Verda", 11, 14)]
    hall.carry_out(pb.SetHallsRequest(halls=[hall.message() for hall in halls], top_tables=0))
    fix_table(hall, "a2", 13)
    hall.pair(1)
    (played,) = hall.state.played
    assert [(each.match, each.board, each.table) for each in played.pairings] == [
        (2, 1, 1), (2, 2, 2), (2, 3, 3), (1, 1, 12), (1, 2, 13), (1, 3, 14)
    ]  # fmt: skip
    # At an end of a hall the boards beside it take the rest of the row; another match has its table there.
    hall.carry_out(pb.UnpairRoundRequest(round=1))
    fix_table(hall, "a1", 14)
    fix_table(hall, "b3", 12)
    hall.pair(1)
    (played,) = hall.state.played
    assert {each.player_ids[0]: each.table for each in played.pairings} == {
        "a1": 14, "a2": 13, "a3": 11, "b1": 4, "b2": 5, "b3": 12
    }  # fmt: skip
    hall.carry_out(pb.UnpairRoundRequest(round=1))
    fix_table(hall, "c2", 11)
    assert reason_of(lambda: hall.pair(1)) == "OWN_TABLES_CLASH"


def test_a_match_around_a_table_parts_no_other_match_that_has_a_row_beside_it() -> None:
    hall = hall_of("a", "b", "c", "d", ruleset=with_options(FISE, {"teams": 3}))
    hall.carry_out(pb.SetHallsRequest(halls=[hall.message() for hall in [ModelHall("Blava", 1, 6)]], top_tables=0))
    fix_table(hall, "a1", 2)
    hall.pair(1)
    (played,) = hall.state.played
    assert sorted(each.table for each in played.pairings if "a" in each.player_ids[0]) == [1, 2, 3]
    assert sorted(each.table for each in played.pairings if "b" in each.player_ids[0]) == [4, 5, 6]


@given(
    sizes=st.lists(st.integers(1, 4), min_size=1, max_size=6),
    halls=st.lists(st.integers(1, 6), min_size=1, max_size=4),
    spare=st.integers(0, 3),
    chance=st.randoms(use_true_random=False),
)
def test_every_game_has_a_table_for_itself_and_who_has_one_is_at_it(
    sizes: list[int], halls: list[int], spare: int, chance: random.Random
) -> None:
    games = [game for match in matches(*sizes) for game in match]
    rooms: list[ModelHall] = []
    for size in (*halls, max(1, len(games) + spare - sum(halls))):
        first = rooms[-1].last_table + 2 if rooms else 1
        rooms.append(ModelHall(f"hall {first}", first, first + size - 1))
    tables = [table for room in rooms for table in room.tables]
    fixed = chance.sample(games, k=chance.randint(0, len(games)))
    own = dict(zip((game[0] for game in fixed), chance.sample(tables, k=len(fixed)), strict=True))
    players = tuple(PlayerState(player_id, 1500, unrated=False, table=table) for player_id, table in own.items())
    found = tables_for_matches(TournamentState(halls=tuple(rooms), players=players), matches(*sizes))
    assert [len(row) for row in found] == sizes
    flat = [table for row in found for table in row]
    assert len(set(flat)) == len(flat)
    assert set(flat) <= set(tables)
    assert {player: table for (player, _), table in zip(games, flat, strict=True) if player in own} == own


def test_a_match_is_not_split_over_halls_where_it_fits() -> None:
    hall = hall_of("a", "b", "c", "d", ruleset=with_options(FISE, {"teams": 3}))
    halls = [ModelHall("Blava", 1, 5), ModelHall("Verda", 11, 14)]
    hall.carry_out(pb.SetHallsRequest(halls=[hall.message() for hall in halls], top_tables=0))
    hall.pair(1)
    assert [(table.match, table.table, table.hall) for table in hall.state.played[0].pairings] == [
        (1, 1, "Blava"), (1, 2, "Blava"), (1, 3, "Blava"), (2, 11, "Verda"), (2, 12, "Verda"), (2, 13, "Verda")
    ]  # fmt: skip
    assert tables_for_matches(hall.state, matches(2, 3, 4)) == ((1, 2), (3, 4, 5), (11, 12, 13, 14))
    # 5 and 4 tables are left of rows: only the third match has to be split.
    assert tables_for_matches(hall.state, matches(3, 3, 3)) == ((1, 2, 3), (11, 12, 13), (4, 5, 14))
    assert reason_of(lambda: tables_for_matches(hall.state, matches(5, 5))) == "TOO_FEW_TABLES"


def test_who_withdraws_makes_room_for_the_next_of_the_line_up() -> None:
    hall = hall_of("a", "b", rounds=1)
    hall.carry_out(pb.WithdrawPlayerRequest(player_id="a1"))
    hall.pair(1)
    assert at_boards(hall, 1) == {"a2": 1, "a3": 2, "b1": 1, "b2": 2}


def test_a_player_without_an_opponent_wins_and_a_board_of_neither_is_nobodys() -> None:
    hall = Hall(players_of("a", "b"), 1, with_options(FISE, {"teams": 4}))
    register(hall, "a", "a1", "a2", "a3")
    register(hall, "b", "b1")
    hall.do([hall.decide(pb.WithdrawPlayerRequest(player_id=player_id))[0] for player_id in ("b2", "b3")])
    (paired,) = hall.pair(1)
    assert at_boards(hall, 1) == {"a1": 1, "b1": 1}
    played = hall.state.played[0]
    assert dict(played.requested) == {"a2": Bye.FULL_POINT, "a3": Bye.FULL_POINT}
    assert [(bye.player_id, bye.team_id, bye.match, bye.board) for bye in paired.requested_byes] == [  # type: ignore[attr-defined]
        ("a2", "a", 1, 2), ("a3", "a", 1, 3)
    ]  # fmt: skip
    hall.start(1)
    first_is_a = played.pairings[0].player_ids[0] == "a1"
    hall.report(played.pairings[0].game_id, *((300, 400) if first_is_a else (400, 300)))
    found = match_of(hall.state.played[0], played.matches[0])
    # a lost its game and won two boards: 2 points to 1.
    assert found is not None
    assert found.board_points(hall.ruleset) == ((2, 1) if first_is_a else (1, 2))


def test_a_team_has_a_bye_with_its_players_and_no_team_twice() -> None:
    hall = hall_of("a", "b", "c", rounds=3)
    resting = []
    for number in (1, 2, 3):
        play(hall, number, first_wins)
        played = hall.state.played[number - 1]
        assert played.team_bye
        assert dict(played.requested) == {f"{played.team_bye}{place}": Bye.FULL_POINT for place in (1, 2)}
        assert {bye.match for bye in played.board_byes.values()} == {0}
        resting.append(played.team_bye)
    assert sorted(resting) == ["a", "b", "c"]
    assert past_between(hall, "a")[resting.index("a")] == Past(half_points=2, paired=True, allocated=True)


def past_between(hall: Hall, team_id: str) -> tuple[Past, ...]:
    return past_of(between(hall.state, hall.ruleset), rules_between(hall.ruleset), team_id, len(hall.state.played) + 1)


def test_a_match_is_won_drawn_or_lost_by_its_boards_whatever_their_scores() -> None:
    hall = hall_of("a", "b", rounds=1, ruleset=with_options(FISE, {"teams": 2}))
    play(hall, 1, lambda _, board: (500, 100) if board == 1 else (300, 301))
    assert [past.half_points for team in "ab" for past in past_between(hall, team)] == [1, 1]
    hall = hall_of("a", "b", rounds=1, ruleset=with_options(FISE, {"teams": 3}))
    play(hall, 1, lambda _, board: (500, 100) if board == 1 else (300, 301))
    first, second = hall.state.played[0].matches[0].team_ids
    assert (past_between(hall, first)[0].half_points, past_between(hall, second)[0].half_points) == (0, 2)


def test_a_match_of_which_every_board_is_lost_by_both_is_lost_by_both() -> None:
    hall = hall_of("a", "b", rounds=1)
    hall.pair(1)
    hall.start(1)
    for board in hall.state.played[0].pairings:
        hall.do(
            record_result(
                hall.state,
                hall.ruleset,
                game=board.game_id,
                scores=[(player_id, 0) for player_id in board.player_ids],
                occurred_at=to_timestamp(hall.now),
                decided=GameDecision(lost_by_all=True, losers=board.player_ids),
            )
        )
    assert [past_between(hall, team)[0].half_points for team in "ab"] == [0, 0]


def test_where_teams_are_ranked_by_their_boards_those_pair_them() -> None:
    hall = hall_of("a", "b", "c", ruleset=with_options(FISE, {"teams": 3, "team_score": "board-points"}))
    play(hall, 1, lambda _, board: (300, 300) if board == 1 else (500, 100))
    played = hall.state.played[0]
    assert played.team_bye
    first, second = played.matches[0].team_ids
    assert [past_between(hall, team)[0].half_points for team in (first, second, played.team_bye)] == [5, 1, 6]


def test_a_line_up_holds_from_the_next_pairing_on() -> None:
    hall = hall_of("a", "b", rounds=1)
    hall.pair(1)
    line_up(hall, "a", "a3", "a2", "a1")
    hall.start(1)
    assert at_boards(hall, 1) == {"a1": 1, "a2": 2, "b1": 1, "b2": 2}


def test_a_round_waits_for_who_is_in_no_team_and_for_a_team_of_nobody() -> None:
    hall = hall_of("a", "b")
    hall.carry_out(pb.RegisterPlayerRequest(player_id="new", rating=1000))
    for place in (1, 2, 3):
        hall.carry_out(pb.WithdrawPlayerRequest(player_id=f"b{place}"))
    found = obstacles(hall.state, hall.ruleset, 1)
    assert [(obstacle.reason, obstacle.article, obstacle.subject) for obstacle in found] == [
        ("NOT_IN_TEAM", "FISE 4.4", "players/new"),
        ("NOBODY_LEFT", "FISE 4.4", "teams/b"),
        ("TOO_MANY_ROUNDS", "FISE 4.2", ""),
    ]
    assert str(found[2]).startswith("2 teams can play 1 round ")
    hall = Hall({"ana": 1}, 1, OF_TWO)
    register(hall, "rooks", "ana")
    assert [str(obstacle) for obstacle in obstacles(hall.state, hall.ruleset, 1)] == [
        "A round needs 2 teams or more; 1 can be paired."
    ]


def test_a_round_paired_with_a_team_that_has_left_is_paired_again() -> None:
    hall = hall_of("a", "b", "c", "d", rounds=1)
    hall.pair(1)
    withdraw(hall, "d")
    assert reason_of(lambda: hall.start(1)) == "PAIRED_AND_WITHDRAWN"
    reinstate(hall, "d")
    hall.start(1)
    hall = hall_of("a", "b", "c", "d", rounds=1)
    hall.pair(1)
    hall.carry_out(pb.RegisterPlayerRequest(player_id="late", rating=1))
    register(hall, "e", "late")
    assert reason_of(lambda: hall.start(1)) == "ENTERED_AFTER_PAIRING"


def forbid_teams(hall: Hall, *teams: str) -> list[Message]:
    return hall.decide(pb.ForbidPairRequest(team_ids=teams))


def keep_teams(hall: Hall, *teams: str) -> list[Message]:
    return hall.decide(pb.KeepPairRequest(team_ids=teams))


def grant_team_bye(hall: Hall, team: str, number: int, kind: events.ByeKind.ValueType) -> list[Message]:
    return hall.decide(pb.GrantByeRequest(team_id=team, round=number, kind=kind))


def test_teams_are_kept_apart_paired_by_hand_and_given_byes() -> None:
    hall = hall_of("a", "b", "c", "d", rounds=3)
    hall.do(forbid_teams(hall, "a", "b"))
    hall.do(keep_teams(hall, "c", "a"))
    hall.pair(1)
    assert list_met(hall, 1) == {frozenset("ac"), frozenset("bd")}
    hall.start(1)
    for table in hall.state.played[0].pairings:
        hall.report(table.game_id, 400, 300)
    hall.close(1)
    kind = events.BYE_KIND_HALF_POINT
    hall.do(grant_team_bye(hall, "b", 2, kind))
    hall.pair(2)
    second = hall.state.played[1]
    assert dict(second.team_byes) == {"b": Bye.HALF_POINT}
    assert dict(second.requested) == {
        "b1": Bye.HALF_POINT, "b2": Bye.HALF_POINT,
        **{f"{second.team_bye}{place}": Bye.FULL_POINT for place in (1, 2)},
    }  # fmt: skip
    assert frozenset("ac") not in list_met(hall, 2)
    for wrong in (["a"], ["a", "a"]):
        with pytest.raises(Invalid, match="two different teams"):
            forbid_teams(hall, *wrong)
    assert reason_of(lambda: forbid_teams(hall, "a", "z")) == "NO_SUCH_TEAM"
    of_players = pb.ForbidPairRequest(player_ids=["a1", "b1"])
    both = pb.ForbidPairRequest(player_ids=["a1", "b1"], team_ids=["a", "b"])
    refused = reason_and_article_of(lambda: hall.decide(of_players))
    assert refused == ("OF_TEAMS", "FISE 4.4")
    with pytest.raises(Invalid, match="either players or teams"):
        hall.decide(both)


def undo(hall: Hall, event: Message) -> Sequence[Message]:
    version = max(place for place, known in enumerate(hall.events, 1) if known is event)
    return hall.carry_out(pb.UndoActRequest(version=version))


def test_what_is_done_with_teams_can_be_undone() -> None:
    hall = hall_of("a", "b", "c", "d", rounds=3)
    kind = events.BYE_KIND_ZERO_POINT
    acts: list[Callable[[], Sequence[Message]]] = [
        lambda: line_up(hall, "a", "a3", "a1"),
        lambda: withdraw(hall, "b"),
        lambda: forbid_teams(hall, "a", "b"),
        lambda: keep_teams(hall, "a", "b"),
        lambda: grant_team_bye(hall, "c", 2, kind),
        lambda: hall.pair(1),
    ]
    for act in acts:
        before = hall.state
        new_events = act()
        if new_events[0] not in hall.events:
            hall.do(new_events)
        after = hall.state
        (back,) = undo(hall, new_events[0])
        assert not any(hall.state.kept.values())
        assert replace(hall.state, latest=before.latest, kept=before.kept) == before
        undo(hall, back)
        assert replace(hall.state, latest=after.latest) == after
        undo(hall, hall.events[-1])


def test_a_team_that_came_in_by_mistake_leaves_and_one_that_was_paired_stays() -> None:
    hall = hall_of("a", "b", rounds=1)
    hall.carry_out(pb.RegisterPlayerRequest(player_id="new", rating=1))
    (event,) = register(hall, "c", "new")
    undo(hall, event)
    assert hall.state.team("c").entry.never_came  # type: ignore[union-attr]
    hall.carry_out(pb.WithdrawPlayerRequest(player_id="new"))
    hall.pair(1)
    first = next(event for event in hall.events if isinstance(event, events.TeamRegistered))
    assert reason_of(lambda: undo(hall, first)) == "NOT_UNDONE"


def explain_pairing(hall: Hall, player: str, other: str = "") -> list[tuple[str, str]]:
    number = len(hall.state.played)
    places = [place for place, event in enumerate(hall.events) if isinstance(event, events.RoundPaired)]
    before = reduce(evolve, hall.events[: places[-1]], TournamentState())
    found = team_explanation.explain(before, hall.ruleset, hall.state.played[number - 1], player, other)
    return [(why.reason, why.message.format_map(why.params)) for why in found]


def test_it_is_said_why_two_teams_meet_and_who_sits_where() -> None:
    hall = hall_of("a", "b", "c", "d", "e", rounds=3)
    line_up(hall, "a", "a2", "a1", "a3")
    hall.pair(1)
    assert explain_pairing(hall, "a2") == [
        ("first", "In the first round the top half meets the bottom half: a meets c."),
        ("board", "By the line-ups a2 plays at board 1, against c1."),
    ]
    assert explain_pairing(hall, "c1", "a2")[1] == ("board", "By the line-ups c1 plays at board 1, against a2.")
    assert explain_pairing(hall, "a2", "c2")[1] == ("board", "By the line-ups a2 plays at board 1, and c2 at board 2.")
    assert explain_pairing(hall, "a3")[1] == (
        "reserve", "a3 is a reserve of a in this round: other players come first in the line-up."
    )  # fmt: skip
    assert explain_pairing(hall, "a2", "a3") == [("one-team", "a2 and a3 are in the same team, a.")]
    assert [reason for reason, _ in explain_pairing(hall, "a2", "d1")] == ["halves"]
    assert [reason for reason, _ in explain_pairing(hall, "e1")] == ["bye"]
    hall = Hall(players_of("a", "b"), 1, OF_TWO)
    register(hall, "a", "a1", "a2", "a3")
    register(hall, "b", "b1")
    hall.do([hall.decide(pb.WithdrawPlayerRequest(player_id=player_id))[0] for player_id in ("b2", "b3")])
    hall.pair(1)
    assert explain_pairing(hall, "a2")[1] == (
        "board", "By the line-up a2 is at board 2, and wins there without a game: b has no player left for it."
    )  # fmt: skip
    assert reason_of(lambda: explain_pairing(hall, "b2")) == "NOT_IN_ROUND"


def test_it_is_said_of_a_team_that_rests_whether_a_bye_was_granted_or_the_opponent_has_left() -> None:
    hall = hall_of("a", "b", "c", "d", rounds=3)
    kind = events.BYE_KIND_HALF_POINT
    hall.do(grant_team_bye(hall, "b", 1, kind))
    hall.pair(1)
    granted = ("bye-granted", "b sits out this round: a bye was granted.")
    assert explain_pairing(hall, "b1") == [granted]
    assert explain_pairing(hall, "a1", "b2") == [granted]

    berger = with_options(FISE, {"teams": 2, "pairing": "round-robin"})
    hall = hall_of("a", "b", "c", "d", rounds=3, ruleset=berger)
    play(hall, 1, first_wins)
    assert reason_and_article_of(lambda: grant_team_bye(hall, "a", 2, kind)) == ("BYE_WITH_POINTS", "FISE 4")
    withdraw(hall, "d")
    hall.pair(2)
    resting = hall.state.played[1].team_bye
    assert resting
    ((reason, told),) = explain_pairing(hall, f"{resting}1")
    assert (reason, told) == (
        "opponent-gone", f"By the table of rounds {resting} would meet d, but d is not in this round."
    )  # fmt: skip


def test_in_a_dutch_round_of_teams_it_is_said_of_teams_why_two_do_not_meet() -> None:
    hall = hall_of("a", "b", "c", "d", "e", rounds=4, ruleset=with_options(FISE, {"teams": 2, "pairing": "dutch"}))
    told = set()
    for number in (1, 2, 3):
        play(hall, number, first_wins)
        teams = "abcde"
        told |= {
            explain_pairing(hall, f"{team}1", f"{other}1" if other != team else "")[0][1]
            for team in teams
            for other in teams
        }
    assert any("team" in sentence for sentence in told), told
    assert not [sentence for sentence in told if "player" in sentence or "nobody" in sentence]


def test_every_sentence_said_of_players_that_is_said_otherwise_of_teams_is_said_somewhere() -> None:
    for language in TRANSLATED:
        assert all(translations(language).gettext(text) != text for text in SAID_OF_TEAMS), language


def test_a_team_that_rests_with_fewer_players_than_boards_has_the_points_of_all_boards_as_others_do() -> None:
    hall = Hall(players_of("a", "b", "c"), 3, with_options(FISE, {"teams": 3, "team_score": "board-points"}))
    for team in "abc":
        register(hall, team, f"{team}1", f"{team}2")
    for unused in "abc":
        hall.carry_out(pb.WithdrawPlayerRequest(player_id=f"{unused}3"))
    play(hall, 1, first_wins)
    (resting,) = (played.team_bye for played in hall.state.played)
    assert resting
    assert past_between(hall, resting)[0] == Past(half_points=6, paired=True, allocated=True)


def test_in_a_round_of_king_of_the_hill_each_team_meets_the_next_of_the_standings() -> None:
    hall = hall_of("a", "b", "c", "d", rounds=3)
    # The first match is won by two boards to none, the second by one and a half to a half.
    play(
        hall,
        1,
        lambda match, board: ((400, 300), (400, 300))[board - 1] if match == 1 else ((400, 300), (300, 300))[board - 1],
    )
    first, second = hall.state.played[0].matches
    ranked = standing_of_teams(hall.state, hall.ruleset)
    assert ranked == (first.team_ids[0], second.team_ids[0], second.team_ids[1], first.team_ids[1])
    hall.carry_out(pb.PairRoundRequest(round=2, system="king-of-the-hill"))
    assert [match.team_ids for match in hall.state.played[1].matches] == [ranked[:2], ranked[2:]]


def test_where_teams_are_kept_apart_king_of_the_hill_says_so() -> None:
    hall = hall_of("a", "b", "c", "d", rounds=3)
    play(hall, 1, first_wins)
    ranked = standing_of_teams(hall.state, hall.ruleset)
    hall.do(forbid_teams(hall, *ranked[:2]))
    hall.carry_out(pb.PairRoundRequest(round=2, system="king-of-the-hill"))
    assert hall.state.played[1].matches[0].team_ids == (ranked[0], ranked[2])
    apart = (
        "King of the hill: some players are kept apart, so each meets the nearest opponent in the standings "
        "with whom all can be paired"
    )
    first, last = f"{ranked[0]}1", f"{ranked[3]}1"
    assert explain_pairing(hall, first)[0][1] == f"{apart}: {ranked[0]} meets {ranked[2]}."
    assert explain_pairing(hall, first, last)[0][1] == f"{apart}: {ranked[0]} and {ranked[3]} do not meet."


def test_a_team_that_was_paired_by_hand_meets_another_team_and_not_somebody_else() -> None:
    hall = hall_of("a", "b", "c", "d", rounds=3)
    play(hall, 1, first_wins)
    met = {team for match in hall.state.played[0].matches if "a" in match.team_ids for team in match.team_ids}
    left, other = sorted({"b", "c", "d"} - met)
    hall.do(keep_teams(hall, "a", left))
    hall.pair(2)
    assert explain_pairing(hall, "a1", f"{other}1") == [
        ("kept", f"The arbiter paired a or {other} with another team by hand.")
    ]


def test_the_rating_of_a_team_is_that_of_its_first_line_up_whoever_plays_later() -> None:
    hall = hall_of("a", "b", "c", "d", rounds=3)
    line_up(hall, "a", "a3", "a2", "a1")
    assert between(hall.state, hall.ruleset).players[0].rating == 1998
    play(hall, 1, first_wins)
    line_up(hall, "a", "a1", "a2", "a3")
    assert between(hall.state, hall.ruleset).players[0].rating == 1998


def test_a_team_comes_in_late_where_players_may_and_without_fictitious_points() -> None:
    hall = hall_of("a", "b", "c", "d", "e", rounds=4)
    play(hall, 1, first_wins)
    line_up(hall, "a", "a1", "a2")
    assert reason_of(lambda: register(hall, "f", "a3")) == "TOO_LATE_TO_ENTER"

    law = replace(hall.ruleset.championship, late_entry="first-half", late_entry_points=0.5)
    hall.ruleset = replace(hall.ruleset, championship=law)
    register(hall, "f", "a3")
    late = between(hall.state, hall.ruleset).players[-1]
    assert (late.player_id, late.entered, late.fictitious) == ("f", 2, 0)


def test_who_comes_back_or_comes_late_does_not_move_the_rating_that_a_team_began_with() -> None:
    hall = hall_of("a", "b", "c", "d", "e", rounds=3)

    def rating(team: int) -> int:
        return between(hall.state, hall.ruleset).players[team].rating

    hall.carry_out(pb.WithdrawPlayerRequest(player_id="a1"))
    assert rating(0) == 1998
    hall.pair(1)
    hall.carry_out(pb.UnpairRoundRequest(round=1))
    # A cancelled round reserves no tables.
    line_up(hall, "b", "b3", "b2")
    line_up(hall, "b", "b3", "b2", "b1")
    assert rating(1) == 1998
    withdraw(hall, "c")
    for player in ("c1", "c2", "c3"):
        hall.carry_out(pb.WithdrawPlayerRequest(player_id=player))
    play(hall, 1, first_wins)
    hall.carry_out(pb.ReinstatePlayerRequest(player_id="a1"))
    assert rating(0) == 1998
    # A team that enters later has the one of the line-up with which it enters.
    for player in ("c1", "c2"):
        hall.carry_out(pb.ReinstatePlayerRequest(player_id=player))
    reinstate(hall, "c")
    assert rating(2) == 1999
    play(hall, 2, first_wins)
    hall.carry_out(pb.ReinstatePlayerRequest(player_id="c3"))
    line_up(hall, "c", "c3", "c2", "c1")
    assert rating(2) == 1999


def test_a_line_up_that_a_round_was_paired_by_is_not_undone() -> None:
    hall = hall_of("a", "b", "c", "d", rounds=3)
    (event,) = line_up(hall, "a", "a3", "a2", "a1")
    hall.pair(1)
    assert reason_of(lambda: undo(hall, event)) == "NOT_UNDONE"
    hall.carry_out(pb.UnpairRoundRequest(round=1))
    undo(hall, event)
    assert hall.state.teams[0].line_up == ("a1", "a2", "a3")


def test_a_return_that_is_undone_leaves_the_rounds_missed_that_were() -> None:
    hall = hall_of("a", "b", "c", "d", "e", rounds=3)
    withdraw(hall, "e")
    play(hall, 1, first_wins)
    before = hall.state
    (event,) = reinstate(hall, "e")
    assert hall.state.teams[4].entry.missed == {1}
    undo(hall, event)
    assert replace(hall.state, latest=before.latest) == before


def test_who_is_expelled_or_kept_out_of_a_round_makes_room_for_the_next() -> None:
    hall = hall_of("a", "b", "c", "d", rounds=3)
    play(hall, 1, first_wins)
    kind = events.SANCTION_KIND_ROUNDS
    hall.carry_out(
        pb.SanctionPlayerRequest(player_id="a1", kind=kind, rounds=[2], arbiter_id="eva", decided_by=["director"])
    )
    hall.carry_out(pb.ExpelPlayerRequest(player_id="b2", arbiter_id="eva", decided_by=["director"]))
    hall.pair(2)
    boards = at_boards(hall, 2)
    assert {player: board for player, board in boards.items() if player[0] in "ab"} == {
        "a2": 1, "a3": 2, "b1": 1, "b3": 2
    }  # fmt: skip


@pytest.mark.parametrize("score", ["match-points", "board-points"])
def test_a_team_that_had_a_win_without_a_game_gets_no_bye_however_few_its_boards_were(score: str) -> None:
    hall = Hall(players_of("a", "b", "c", "d", "e"), 4, with_options(FISE, {"teams": 2, "team_score": score}))
    for team in "abcde":
        register(hall, team, *(f"{team}{place}" for place in (1, 2, 3)))
    for gone in ("e2", "e3"):
        hall.carry_out(pb.WithdrawPlayerRequest(player_id=gone))
    granted = events.BYE_KIND_FULL_POINT
    hall.do(grant_team_bye(hall, "e", 1, granted))
    play(hall, 1, first_wins)
    found = entrants(between(hall.state, hall.ruleset), rules_between(hall.ruleset))
    assert {entrant.player_id for entrant in found if entrant.had_bye} == {"e"}
    of_dutch = systems.dutch_round(between(hall.state, hall.ruleset), rules_between(hall.ruleset), 2)
    assert [player.had_bye for player in of_dutch.players].count(True) == 1


def test_nobody_waits_for_the_players_of_a_team_that_has_withdrawn_to_check_in() -> None:
    hall = hall_of("a", "b", "c", each=2, rounds=1)
    for player_id in ("a1", "a2", "b1", "b2"):
        hall.carry_out(pb.CheckInPlayerRequest(player_id=player_id))
    (waited,) = [each for each in obstacles(hall.state, hall.ruleset, 1) if each.reason == "NOT_CHECKED_IN"]
    assert (waited.subject, str(waited).partition(".")[0]) == ("", "2 players are not checked in: c1, c2")
    withdraw(hall, "c")
    assert obstacles(hall.state, hall.ruleset, 1) == []
    # A player who moves to another team must check in again.
    line_up(hall, "a", "a1", "a2", "c1")
    assert [obstacle.subject for obstacle in obstacles(hall.state, hall.ruleset, 1)] == ["players/c1"]


@pytest.mark.parametrize(
    "request_",
    [
        pb.RegisterTeamRequest(team_id="e", name="E", player_ids=["a3"]),
        pb.SetLineUpRequest(team_id="a", player_ids=["a2", "a1"]),
        pb.WithdrawTeamRequest(team_id="a"),
        pb.ReinstateTeamRequest(team_id="a"),
    ],
)
def test_nothing_is_done_to_teams_of_a_tournament_that_is_over(request_: Message) -> None:
    hall = hall_of("a", "b")
    with pytest.raises(Refusal) as refused:
        decide_command(replace(hall.state, over=True), request_, rules=OF_TWO, events=hall.events)
    assert refused.value.reason == "TOURNAMENT_OVER"
