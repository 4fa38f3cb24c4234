"""Stages of a championship over gRPC: their creation, and the players that qualify for them."""

from __future__ import annotations

import uuid
from math import ceil
from typing import Any

import grpc
import pytest
from tests.component.tournament.test_service import create, read_refusal, register
from tests.support.pairing_service import PairingService

from faristol.client.services import build_call
from faristol.event_store import load
from faristol.event_store.integrity.verification import verify
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.rules import pinned_ruleset
from faristol.tournament.rounds.ranking import compute_spreads, initial_ranking, rank_by_results
from faristol.tournament.state import TournamentState, evolve, stream

KNOCK_OUT = {"format": "knock-out", "match_games": "3", "placed": "4"}


async def ask(service: PairingService, request: Any) -> Any:
    """Return the answer to a request, with an id if it needs one."""
    if "command_id" in request.DESCRIPTOR.fields_by_name:
        request.command_id = str(uuid.uuid4())
    if "tournament_id" in request.DESCRIPTOR.fields_by_name and not request.tournament_id:
        request.tournament_id = "open"
    return await build_call(service.runtime.channel("pairing"), type(request))(request)


def stage(name: str, last_place: int, options: dict[str, str] | None = None, **fields: Any) -> pb.CreateStageRequest:
    """Return the command for a stage of the tournament ``open``."""
    chosen = [game_events.ChosenOption(name=option, value=value) for option, value in (options or {}).items()]
    return pb.CreateStageRequest(name=name, last_place=last_place, options=chosen, **fields)


async def open_tournament(service: PairingService, players: int = 8) -> None:
    """Create the tournament ``open`` with players p1, p2 … in the order of their ratings, and halls."""
    await create(service)
    hall = events.Hall(name="Main", first_table=1, last_table=20)
    await ask(service, pb.SetHallsRequest(halls=[hall]))
    for number in range(1, players + 1):
        await register(service, player_id=f"p{number}", name=f"Player {number}", rating=2000 - number)


async def play_round(service: PairingService, number: int, tournament_id: str = "open") -> list[tuple[str, ...]]:
    """Play a round, in which the player with the lower number wins; return the tables."""
    await ask(service, pb.PairRoundRequest(tournament_id=tournament_id, round=number))
    await ask(service, pb.StartRoundRequest(tournament_id=tournament_id, round=number))
    listed = await ask(service, pb.ListResultsRequest(tournament_id=tournament_id))
    for table in listed.tables:
        scores = [
            game_events.FinalScore(player_id=each.player_id, score=500 - 10 * int(each.player_id[1:]))
            for each in table.players
        ]
        entered = pb.EnterResultRequest(
            tournament_id=tournament_id, game_id=table.game_id, scores=scores, arbiter_id="eva"
        )
        await ask(service, entered)
    await ask(service, pb.CloseRoundRequest(tournament_id=tournament_id, round=number))
    return sorted(tuple(sorted(each.player_id for each in table.players)) for table in listed.tables)


async def reason(call: Any) -> str:
    return str((await read_refusal(call))[2].reason)


async def test_a_final_takes_its_players_from_the_standings_and_the_rules_of_the_tournament_before(
    service: PairingService,
) -> None:
    await open_tournament(service)
    made = await ask(service, stage("Final", 4, KNOCK_OUT, first_stage="Swiss", stage_id="open-final"))
    assert (made.stage_id, made.rounds, made.ruleset.name) == ("open-final", 6, "fisc-2023")
    final = await ask(service, pb.GetTournamentRequest(tournament_id="open-final"))
    assert (final.name, final.division, final.division_of) == ("Open", "Final", "open")
    assert [(hall.name, hall.last_table) for hall in final.halls] == [("Main", 20)], "tables are shared by stages"
    assert [each.name for each in (await ask(service, pb.GetTournamentRequest())).divisions] == ["Swiss", "Final"]
    early = pb.QualifyPlayersRequest(tournament_id="open-final")
    assert await reason(ask(service, early)) == "SOURCE_NOT_FINISHED"
    for number in range(1, 6):
        await play_round(service, number)
    await ask(service, pb.WithdrawPlayerRequest(player_id="p2"))
    qualified = await ask(service, pb.QualifyPlayersRequest(tournament_id="open-final"))
    assert (qualified.player_ids[0], len(qualified.player_ids)) == ("p1", 4)
    assert "p2" not in qualified.player_ids, "the next one moves up for a player that has withdrawn"
    again = pb.QualifyPlayersRequest(tournament_id="open-final")
    assert await reason(ask(service, again)) == "QUALIFICATION_UNCHANGED"
    seeds = list(qualified.player_ids)
    assert await play_round(service, 1, "open-final") == sorted(
        tuple(sorted(pair)) for pair in ((seeds[0], seeds[3]), (seeds[1], seeds[2]))
    )
    await play_round(service, 2, "open-final")
    await play_round(service, 3, "open-final")
    await play_round(service, 4, "open-final")
    await ask(service, pb.PublishStandingsRequest(tournament_id="open-final"))
    names = (await verify(service.record)).names
    assert (names.bound, names.unbound, names.missing) == (8, 0, 0)


async def test_groups_are_dealt_from_the_first_to_the_last_and_back_and_their_winners_meet_in_a_knock_out(
    service: PairingService,
) -> None:
    await open_tournament(service)
    groups: dict[str, Any] = {"options": {"format": "round-robin"}, "by_rating": True, "groups": 2}
    for number, name in ((1, "A"), (2, "B")):
        made = await ask(service, stage(name, 8, group=number, first_stage="Entries", **groups))
        assert (made.stage_id, made.rounds) == (f"open-{name.lower()}", 3)
    of_a = await ask(service, pb.QualifyPlayersRequest(tournament_id="open-a"))
    of_b = await ask(service, pb.QualifyPlayersRequest(tournament_id="open-b"))
    assert list(of_a.player_ids) == ["p1", "p4", "p5", "p8"]
    assert list(of_b.player_ids) == ["p2", "p3", "p6", "p7"]
    twice = {"tournament_id": "open-a", "player_id": "p2", "name": "Player 2"}
    assert await reason(register(service, **twice)) == "ALREADY_IN_DIVISION", "groups are beside each other"
    for each in ("open-a", "open-b"):
        for number in range(1, 4):
            await play_round(service, number, each)
    knock_out = stage("Final", 2, {"format": "knock-out"}, tournament_id="open-a", source_ids=["open-b"])
    made = await ask(service, knock_out)
    found = await ask(service, pb.QualifyPlayersRequest(tournament_id=made.stage_id))
    assert list(found.player_ids) == ["p1", "p2", "p4", "p3"], "winners first, in the order of the groups"
    assert await play_round(service, 1, made.stage_id) == [("p1", "p3"), ("p2", "p4")]
    assert await play_round(service, 2, made.stage_id) == [("p1", "p2")]


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"last_place": 0}, "last_place"),
        ({"last_place": 2, "first_place": 3}, "last_place"),
        ({"last_place": 2, "groups": 1}, "groups"),
        ({"last_place": 2, "groups": 2, "group": 3}, "group"),
        ({"last_place": 2, "source_ids": ["open"]}, "source_ids"),
        ({"last_place": 2, "name": ""}, "name"),
        ({"last_place": 1}, "last_place"),
        ({"last_place": 2, "first_stage": ""}, "first_stage"),
        ({"last_place": 4}, "rounds"),
    ],
)
async def test_a_stage_with_wrong_fields_is_refused_with_the_field(
    service: PairingService, fields: Any, named: str
) -> None:
    await open_tournament(service, 4)
    request = pb.CreateStageRequest(**{"name": "Final", "first_stage": "Swiss", **fields})
    if named != "rounds":
        request.options.add(name="format", value="knock-out")
    code, text, _ = await read_refusal(ask(service, request))
    assert code == grpc.StatusCode.INVALID_ARGUMENT
    assert text.startswith(f"{named}: ")


async def test_the_second_of_two_stages_beside_each_other_gets_no_halls_whose_tables_the_first_has(
    service: PairingService,
) -> None:
    await open_tournament(service)
    await ask(service, stage("A", 4, KNOCK_OUT, first_stage="Swiss"))
    await ask(service, stage("B", 8, KNOCK_OUT, first_place=5))
    for name, first, last in (("a", 1, 10), ("b", 11, 20)):
        hall = events.Hall(name="Main", first_table=first, last_table=last)
        await ask(service, pb.SetHallsRequest(tournament_id=f"open-{name}", halls=[hall]))
    found = await ask(service, pb.GetTournamentRequest(tournament_id="open-b"))
    assert [(hall.first_table, hall.last_table) for hall in found.halls] == [(11, 20)]


async def test_a_stage_of_another_format_has_no_options_of_the_format_before(service: PairingService) -> None:
    await open_tournament(service)
    await ask(service, stage("Semi-finals", 8, KNOCK_OUT, first_stage="Swiss", stage_id="semi"))
    last = await ask(service, stage("Last four", 4, {"format": "round-robin"}, tournament_id="semi"))
    assert {option.name: option.value for option in last.ruleset.options} == {"format": "round-robin"}
    again = await ask(service, stage("Final", 2, {"final_games": "5"}, tournament_id="semi"))
    assert {option.name for option in again.ruleset.options} == {*KNOCK_OUT, "final_games"}


async def test_an_option_of_a_stage_that_is_given_twice_is_refused(service: PairingService) -> None:
    await open_tournament(service)
    twice = stage("Final", 2, KNOCK_OUT, first_stage="Swiss")
    twice.options.add(name="match_games", value="5")
    code, text, _ = await read_refusal(ask(service, twice))
    assert (code, text.partition(":")[0]) == (grpc.StatusCode.INVALID_ARGUMENT, "options")


async def test_no_stage_follows_a_removed_one(service: PairingService) -> None:
    await open_tournament(service)
    await ask(service, stage("Semi-finals", 4, KNOCK_OUT, first_stage="Swiss", stage_id="semi"))
    await ask(service, pb.RemoveTournamentRequest(tournament_id="semi"))
    assert await reason(ask(service, stage("Final", 2, KNOCK_OUT, tournament_id="semi"))) == "TOURNAMENT_REMOVED"


async def test_a_tournament_that_is_no_stage_qualifies_no_players(service: PairingService) -> None:
    await open_tournament(service, 4)
    assert await reason(ask(service, pb.QualifyPlayersRequest())) == "NO_STAGE"
    await create(service, tournament_id="other")
    other = stage("Final", 2, {"format": "knock-out"}, first_stage="Swiss", source_ids=["other"])
    assert await reason(ask(service, other)) == "OTHER_CHAMPIONSHIP"


async def preview(service: PairingService, tournament_id: str = "open-final") -> pb.PreviewQualificationResponse:
    """Return the preview of the qualification for a stage."""
    found = await ask(service, pb.PreviewQualificationRequest(tournament_id=tournament_id))
    assert isinstance(found, pb.PreviewQualificationResponse)
    return found


def list_changes(found: pb.PreviewQualificationResponse) -> dict[str, tuple[str, int, int]]:
    """Return the change, the seed before and the seed after of each player with a change."""
    return {
        line.player_id: (
            pb.QualificationChange.Name(line.change).removeprefix("QUALIFICATION_CHANGE_").lower(),
            line.seed_before,
            line.seed_after,
        )
        for line in found.lines
        if line.change != pb.QUALIFICATION_CHANGE_NONE
    }


async def load_state(service: PairingService, tournament_id: str) -> TournamentState:
    """Return the state of a tournament."""
    return (await load(service.record, stream(tournament_id), TournamentState(), evolve)).state


async def list_seeds(service: PairingService, tournament_id: str = "open-final") -> list[str]:
    """Return the ids of the players of a stage that take part, in the order of the initial ranking of its state."""
    return list(initial_ranking(await load_state(service, tournament_id)))


async def open_final(service: PairingService) -> None:
    """Create a final of four that follows five rounds, with its players registered: p1 to p4."""
    await open_tournament(service)
    await ask(service, stage("Final", 4, {"format": "knock-out"}, first_stage="Swiss", stage_id="open-final"))
    for number in range(1, 6):
        await play_round(service, number)
    await ask(service, pb.QualifyPlayersRequest(tournament_id="open-final"))


async def test_a_repeated_qualification_moves_up_the_next_in_line_for_a_player_who_withdrew_from_the_stage(
    service: PairingService,
) -> None:
    await open_final(service)
    first, second, third, fourth = await list_seeds(service)
    assert not (await preview(service)).changed
    await ask(service, pb.WithdrawPlayerRequest(tournament_id="open-final", player_id=second))
    found = await preview(service)
    assert not found.obstacles
    changes = list_changes(found)
    (joins,) = set(changes) - {third, fourth}
    assert changes == {third: ("reseeded", 3, 2), fourth: ("reseeded", 4, 3), joins: ("joins", 0, 4)}
    (line,) = (each for each in found.lines if each.player_id == joins)
    assert (line.name, line.place, line.source_id) == (f"Player {joins[1:]}", 4, "open")
    assert line.reason == "Place 4 in Open Swiss, without 1 before that does not take part."
    answer = await ask(service, pb.QualifyPlayersRequest(tournament_id="open-final"))
    assert list(answer.player_ids) == [first, third, fourth, joins] == await list_seeds(service)
    assert (list(answer.joined_player_ids), list(answer.left_player_ids)) == ([joins], [])
    assert await play_round(service, 1, "open-final") == sorted(
        tuple(sorted(pair)) for pair in ((first, joins), (third, fourth))
    )


async def test_a_correction_of_an_earlier_stage_replaces_a_player_who_no_longer_qualifies_and_its_undo_restores_them(
    service: PairingService,
) -> None:
    await open_final(service)
    before = await list_seeds(service)
    state = await load_state(service, "open")
    for played in state.played:
        for table in played.pairings:
            if before[3] in table.player_ids:
                scores = [
                    game_events.FinalScore(player_id=each, score=300 if each == before[3] else 600)
                    for each in table.player_ids
                ]
                await ask(service, pb.CorrectResultRequest(game_id=table.game_id, scores=scores, arbiter_id="eva"))
    found = await preview(service)
    assert found.changed
    answer = await ask(service, pb.QualifyPlayersRequest(tournament_id="open-final"))
    after = await list_seeds(service)
    assert after == list(answer.player_ids)
    assert set(after) != set(before)
    (line,) = (each for each in found.lines if each.player_id not in after)
    assert (line.player_id, line.change, line.seed_after) == (before[3], pb.QUALIFICATION_CHANGE_LEAVES, 0)
    assert line.reason.endswith("places 1 to 4 qualify.")
    acts = (await ask(service, pb.ListActsRequest(tournament_id="open-final"))).acts
    act = next(each for each in reversed(acts) if each.type == "PlayersQualified")
    assert act.undone_by == "QualifyPlayers"
    await ask(service, pb.UndoActRequest(tournament_id="open-final", version=act.version, note="the slip was right"))
    assert await list_seeds(service) == before
    again = await ask(service, pb.QualifyPlayersRequest(tournament_id="open-final"))
    assert list(again.player_ids) == after == await list_seeds(service)
    names = (await verify(service.record)).names
    assert (names.unbound, names.missing) == (0, 0)


async def test_players_move_between_stages_beside_each_other_in_one_command_that_names_both(
    service: PairingService,
) -> None:
    await open_tournament(service)
    await ask(service, stage("A", 4, {"format": "round-robin"}, first_stage="Swiss", by_rating=True))
    await ask(service, stage("B", 8, {"format": "round-robin"}, first_place=5, by_rating=True))
    for each in ("open-a", "open-b"):
        await ask(service, pb.QualifyPlayersRequest(tournament_id=each))
    await ask(service, pb.AmendPlayerRequest(player_id="p5", rating=2100))
    found = await preview(service, "open-a")
    assert list_changes(found) == {
        "p5": ("joins", 0, 1),
        **{f"p{number}": ("reseeded", number, number + 1) for number in range(1, 4)},
        "p4": ("leaves", 4, 0),
    }
    assert list(found.beside_ids) == ["open-b"]
    assert not found.obstacles
    alone = pb.QualifyPlayersRequest(tournament_id="open-a")
    assert await reason(ask(service, alone)) == "ALREADY_IN_DIVISION"
    await ask(service, pb.QualifyPlayersRequest(tournament_id="open-a", beside_ids=["open-b"]))
    assert await list_seeds(service, "open-a") == ["p5", "p1", "p2", "p3"]
    assert await list_seeds(service, "open-b") == ["p4", "p6", "p7", "p8"]
    other = pb.QualifyPlayersRequest(tournament_id="open-a", beside_ids=["open"])
    code, text, _ = await read_refusal(ask(service, other))
    assert (code, text.partition(":")[0]) == (grpc.StatusCode.INVALID_ARGUMENT, "beside_ids[0]")


async def test_a_vacant_place_of_a_group_goes_to_the_next_in_line_and_no_other_player_changes_the_group(
    service: PairingService,
) -> None:
    await open_tournament(service, 9)
    groups: dict[str, Any] = {"options": {"format": "round-robin"}, "by_rating": True, "groups": 2}
    for number, name in ((1, "A"), (2, "B")):
        await ask(service, stage(name, 8, group=number, first_stage="Entries", **groups))
        await ask(service, pb.QualifyPlayersRequest(tournament_id=f"open-{name.lower()}"))
    assert await list_seeds(service, "open-a") == ["p1", "p4", "p5", "p8"]
    await ask(service, pb.WithdrawPlayerRequest(player_id="p4"))
    assert list_changes(await preview(service, "open-a")) == {
        "p4": ("leaves", 2, 0),
        "p5": ("reseeded", 3, 2),
        "p8": ("reseeded", 4, 3),
        "p9": ("joins", 0, 4),
    }
    assert not (await preview(service, "open-b")).changed
    await ask(service, pb.QualifyPlayersRequest(tournament_id="open-a"))
    assert await list_seeds(service, "open-a") == ["p1", "p5", "p8", "p9"]


async def test_no_qualification_changes_a_stage_after_the_pairing_of_its_first_round(service: PairingService) -> None:
    await open_final(service)
    _, second, _, _ = await list_seeds(service)
    await ask(service, pb.PairRoundRequest(tournament_id="open-final", round=1))
    await ask(service, pb.WithdrawPlayerRequest(player_id=second))
    again = pb.QualifyPlayersRequest(tournament_id="open-final")
    assert await reason(ask(service, again)) == "STAGE_PAIRED"
    assert [each.reason for each in (await preview(service)).obstacles] == ["STAGE_PAIRED"]
    await ask(service, pb.StartRoundRequest(tournament_id="open-final", round=1))
    assert await reason(ask(service, again)) == "STAGE_BEGUN"


async def list_points(service: PairingService, tournament_id: str) -> dict[str, tuple[float, int]]:
    """Return the points and the spread of each player in the standings of the state of a tournament."""
    state = await load_state(service, tournament_id)
    ruleset = pinned_ruleset(state.ruleset.name, state.ruleset.digest, dict(state.ruleset.options))
    spreads = compute_spreads(state)
    return {row.player: (row.points, spreads.get(row.player, 0)) for row in rank_by_results(state, ruleset)}


@pytest.mark.parametrize(
    ("rule", "options"),
    [
        (events.CARRY_OVER_ALL, {"format": "round-robin"}),
        (events.CARRY_OVER_HALF, {"format": "king-of-the-hill"}),
        (events.CARRY_OVER_QUALIFIED, {"format": "swiss"}),
    ],
)
async def test_points_and_spreads_of_the_stage_before_count_in_the_next_by_the_rule_of_the_stage(
    service: PairingService, rule: events.CarryOver.ValueType, options: dict[str, str]
) -> None:
    await open_tournament(service)
    rounds = 0 if options["format"] == "round-robin" else 3
    asked = stage("Final", 4, options, first_stage="Swiss", stage_id="open-final", rounds=rounds, carry_over=rule)
    await ask(service, asked)
    for number in range(1, 6):
        await play_round(service, number)
    before = await list_points(service, "open")
    await ask(service, pb.QualifyPlayersRequest(tournament_id="open-final"))
    seeds = await list_seeds(service)
    if rule == events.CARRY_OVER_ALL:
        expected = {each: before[each] for each in seeds}
    elif rule == events.CARRY_OVER_HALF:
        expected = {each: (ceil(before[each][0]) / 2, int(before[each][1] / 2)) for each in seeds}
    else:
        state, games = await load_state(service, "open"), dict.fromkeys(seeds, (0.0, 0))
        for played in state.played:
            for table in played.pairings:
                if set(table.player_ids) <= set(seeds):
                    scores = dict(zip(table.player_ids, played.results[table.game_id], strict=True))
                    for one, other in (table.pair, table.pair[::-1]):
                        points, spread = games[one]
                        lead = scores[one] - scores[other]
                        games[one] = points + (lead > 0), spread + lead
        expected = games
    assert any(points for points, _ in expected.values())
    assert await list_points(service, "open-final") == expected
    await play_round(service, 1, "open-final")
    after = await list_points(service, "open-final")
    assert sum(points for points, _ in after.values()) == sum(points for points, _ in expected.values()) + 2


async def test_a_corrected_result_of_the_stage_before_changes_the_points_of_a_stage_that_has_begun(
    service: PairingService,
) -> None:
    await open_tournament(service)
    asked = stage("Final", 4, {"format": "round-robin"}, first_stage="Swiss", stage_id="open-final")
    asked.carry_over = events.CARRY_OVER_ALL
    await ask(service, asked)
    for number in range(1, 6):
        await play_round(service, number)
    await ask(service, pb.QualifyPlayersRequest(tournament_id="open-final"))
    seeds, before = await list_seeds(service), await list_points(service, "open-final")
    await play_round(service, 1, "open-final")
    state = await load_state(service, "open")
    table = next(each for each in state.played[0].pairings if seeds[0] in each.player_ids)
    scores = [
        game_events.FinalScore(player_id=each, score=301 if each == seeds[0] else 300) for each in table.player_ids
    ]
    spread_of_game = abs(state.played[0].results[table.game_id][0] - state.played[0].results[table.game_id][1])
    await ask(service, pb.CorrectResultRequest(game_id=table.game_id, scores=scores, arbiter_id="eva"))
    found = await preview(service)
    assert not found.obstacles
    assert list_changes(found)[seeds[0]] == ("recounted", 1, 1)
    now = await list_points(service, "open-final")
    await ask(service, pb.QualifyPlayersRequest(tournament_id="open-final"))
    after = await list_points(service, "open-final")
    assert after[seeds[0]] == (now[seeds[0]][0], now[seeds[0]][1] - spread_of_game + 1)
    assert await list_seeds(service) == seeds
    assert before[seeds[0]][0] == now[seeds[0]][0] - 1


@pytest.mark.parametrize(
    ("fields", "options"),
    [({}, {"format": "knock-out"}), ({"by_rating": True}, {"format": "round-robin"}), ({"carry_over": 9}, {})],
)
async def test_points_are_carried_over_from_results_to_formats_with_points_only(
    service: PairingService, fields: dict[str, Any], options: dict[str, str]
) -> None:
    await open_tournament(service, 4)
    request = stage("Final", 4, options, first_stage="Swiss", **{"carry_over": events.CARRY_OVER_ALL, **fields})
    code, text, _ = await read_refusal(ask(service, request))
    assert (code, text.partition(":")[0]) == (grpc.StatusCode.INVALID_ARGUMENT, "carry_over")


async def test_other_options_of_a_stage_and_a_smaller_field_set_the_number_of_rounds_of_its_format(
    service: PairingService,
) -> None:
    await open_tournament(service, 5)
    made = await ask(service, stage("Final", 4, {"format": "round-robin"}, first_stage="Entries", by_rating=True))
    assert (made.stage_id, made.rounds) == ("open-final", 3)
    chosen = [game_events.ChosenOption(name=name, value=value) for name, value in KNOCK_OUT.items()]
    changed = await ask(service, pb.ChangeOptionsRequest(tournament_id="open-final", options=chosen))
    assert changed.rounds == 6
    assert (await load_state(service, "open-final")).rounds == 6
    for player_id in ("p4", "p5"):
        await ask(service, pb.WithdrawPlayerRequest(player_id=player_id))
    await ask(service, pb.QualifyPlayersRequest(tournament_id="open-final"))
    assert (await load_state(service, "open-final")).rounds == 6, "three players have as many levels as four"
    await ask(service, pb.WithdrawPlayerRequest(player_id="p3"))
    await ask(service, pb.QualifyPlayersRequest(tournament_id="open-final"))
    assert (await load_state(service, "open-final")).rounds == 3
    await ask(service, pb.ChangeRoundsRequest(tournament_id="open-final", rounds=8))
    await ask(service, pb.ReinstatePlayerRequest(player_id="p3"))
    await ask(service, pb.QualifyPlayersRequest(tournament_id="open-final"))
    assert (await load_state(service, "open-final")).rounds == 8, "a number that was set by hand stays"


async def test_a_stage_is_renamed_and_the_name_of_a_removed_one_is_free_for_another(service: PairingService) -> None:
    await open_tournament(service, 4)
    await ask(service, stage("Final", 2, {"format": "knock-out"}, first_stage="Swiss", stage_id="open-final"))

    def rename(name: str, tournament_id: str = "open-final") -> pb.RenameDivisionRequest:
        return pb.RenameDivisionRequest(tournament_id=tournament_id, name=name)

    async def list_names() -> list[str]:
        found = await ask(service, pb.GetTournamentRequest(tournament_id="open"))
        return [each.name for each in found.divisions]

    assert (await ask(service, rename("Grand final"))).before == "Final"
    assert (await ask(service, pb.GetTournamentRequest(tournament_id="open-final"))).division == "Grand final"
    assert await list_names() == ["Swiss", "Grand final"]
    assert await reason(ask(service, rename("Grand final"))) == "SAME_NAME"
    assert await reason(ask(service, rename("swiss"))) == "DIVISION_TAKEN"
    assert await reason(ask(service, rename(""))) == "DIVISION_STANDS"
    assert await reason(ask(service, rename("", "open"))) == "HAS_DIVISIONS"
    await ask(service, pb.RemoveTournamentRequest(tournament_id="open-final"))
    await ask(service, rename(""))
    assert await reason(ask(service, pb.RestoreTournamentRequest(tournament_id="open-final"))) == "NAME_REMOVED"
    again = await ask(service, stage("Grand final", 2, {"format": "knock-out"}, stage_id="other-final"))
    assert again.stage_id == "other-final"
    await ask(service, pb.RemoveTournamentRequest(tournament_id="other-final"))
    await ask(service, rename("", "other-final"))
    await ask(service, rename("", "open"))
    assert await list_names() == []
    assert await reason(ask(service, rename("Swiss", "open"))) == "NO_DIVISION"
