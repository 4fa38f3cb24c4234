"""Tournaments of teams through the public interfaces: pairings, seats, and the director's commands."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
import pytest_asyncio
from tests.component.processes import faristol
from tests.component.quick import Championship, championship

from faristol.pb.pairing.v1 import pairing_pb2 as pairing

pytestmark = pytest.mark.asyncio(loop_scope="module")

CLUBS = ("Àvila", "Burgos", "Conca", "Deva", "Elx")
BOARD_COUNT = 3


def list_lines() -> Iterator[str]:
    """Yield five clubs of four players, the lines of one after another mixed; the last of each is a reserve."""
    yield "name,id,rating,team"
    for place in range(4):
        for number, club in enumerate(CLUBS):
            player_id = f"{'abcde'[number]}{place + 1}"
            yield f"{club} {place + 1},{player_id},{1900 - 100 * place - number},{club}"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def league(tmp_path_factory: pytest.TempPathFactory, shared_nats: str) -> AsyncIterator[Championship]:
    """Yield a round robin; before the third round a player leaves, and a line-up changes before the fourth."""
    folder = tmp_path_factory.mktemp("clubs")
    options = {"teams": BOARD_COUNT, "pairing": "round-robin"}
    async with championship(folder, shared_nats, book="fise", rounds=5, seed=31, options=options) as hall:
        await hall.create(0)
        await import_players(hall, folder)
        for number in range(1, 6):
            if number == 3:
                await hall.direct(hall.api.pairing.WithdrawPlayer, pairing.WithdrawPlayerRequest(player_id="a1"))
            if number == 4:
                line_up = pairing.SetLineUpRequest(team_id="burgos", player_ids=["b4", "b1", "b2", "b3"])
                assert (await hall.direct(hall.api.pairing.SetLineUp, line_up)).round == 4
            await hall.enter_round(number)
        yield hall


async def import_players(hall: Championship, folder: Path) -> None:
    """Import all players, and then the list with one more line: registered ones are refused, the new one is added."""
    file = folder / "clubs.csv"
    lines = list(list_lines())
    for more, code, told in (
        ([], 0, "20 players registered\n5 teams registered\n"),
        (
            ["Deva 5,d5,1500,DEVA"],
            1,
            "1 player registered\n"
            "20 players were there already\n"
            "the team 'Deva' has more players, after those who were in its line-up: d5\n"
            "0 teams registered\n",
        ),
    ):
        file.write_text("\n".join([*lines, *more]) + "\n", encoding="utf-8")
        done = await asyncio.to_thread(
            faristol, "player", "import", hall.tournament_id, str(file), "--address", hall.address, timeout=180
        )
        assert (done.returncode, done.stdout) == (code, told), done.stderr
        assert len(done.stderr.splitlines()) == (20 if code else 0)


async def get_tournament(hall: Championship) -> pairing.GetTournamentResponse:
    return await hall.api.pairing.GetTournament(pairing.GetTournamentRequest(tournament_id=hall.tournament_id))


async def explain_pairing(
    hall: Championship, number: int, player_id: str, other: str = "", language: str = "en"
) -> str:
    asked = pairing.ExplainPairingRequest(
        tournament_id=hall.tournament_id, round=number, player_id=player_id, other_player_id=other
    )
    answer = await hall.api.pairing.ExplainPairing(asked, metadata=(("accept-language", language),))
    return answer.text


async def read_refusal(hall: Championship, method: Any, request: object) -> str:
    with pytest.raises(grpc.aio.AioRpcError) as answer:
        await hall.direct(method, request)
    return answer.value.details() or ""


@pytest.mark.nightly
async def test_teams_come_out_of_the_list_in_its_order(league: Championship) -> None:
    teams = (await get_tournament(league)).teams
    assert [(team.name, team.team_id) for team in teams] == [
        ("Àvila", "avila"), ("Burgos", "burgos"), ("Conca", "conca"), ("Deva", "deva"), ("Elx", "elx")
    ]  # fmt: skip
    assert list(teams[2].player_ids) == ["c1", "c2", "c3", "c4"]
    assert list(teams[3].player_ids) == ["d1", "d2", "d3", "d4", "d5"]


async def test_each_team_meets_each_once_and_rests_once(league: Championship) -> None:
    played = (await get_tournament(league)).played
    met = Counter(
        frozenset((match.first_team_id, match.second_team_id)) for round_ in played for match in round_.matches
    )
    assert (len(met), set(met.values())) == (10, {1})
    assert Counter(round_.bye_team_id for round_ in played) == Counter(["avila", "burgos", "conca", "deva", "elx"])
    for round_ in played:
        resting = [bye.player_id for bye in round_.requested_byes if bye.team_id == round_.bye_team_id]
        assert len(resting) == BOARD_COUNT
        seats = Counter(
            player for table in round_.pairings for player in (table.first_player_id, table.second_player_id)
        )
        assert set(Counter([*seats, *resting]).values()) == {1}


async def test_line_ups_say_who_sits_where_and_the_next_moves_up(league: Championship) -> None:
    for round_ in (await get_tournament(league)).played:
        boards = {
            player: table.board
            for table in round_.pairings
            for player in (table.first_player_id, table.second_player_id)
        }
        boards |= {bye.player_id: bye.board for bye in round_.requested_byes}
        avila = [player for player in sorted(boards, key=boards.__getitem__) if player.startswith("a")]
        burgos = [player for player in sorted(boards, key=boards.__getitem__) if player.startswith("b")]
        assert avila == (["a1", "a2", "a3"] if round_.round < 3 else ["a2", "a3", "a4"])
        assert burgos == (["b1", "b2", "b3"] if round_.round < 4 else ["b4", "b1", "b2"])
        assert [(table.table, table.match, table.board) for table in round_.pairings] == [
            (1, 1, 1), (2, 1, 2), (3, 1, 3), (4, 2, 1), (5, 2, 2), (6, 2, 3)
        ]  # fmt: skip


async def test_a_player_is_told_why_their_team_meets_another_and_at_which_board_they_sit(league: Championship) -> None:
    round_ = (await get_tournament(league)).played[3]
    table = next(table for table in round_.pairings if table.board == 2)
    first, other = table.first_player_id, table.second_player_id
    assert (await explain_pairing(league, 4, first)).endswith(
        f"By the line-ups {first} plays at board 2, against {other}."
    )
    assert "al tauler 2, contra" in await explain_pairing(league, 4, first, language="ca")


async def test_single_players_are_not_paired_by_hand_where_teams_meet(league: Championship) -> None:
    forbid = pairing.ForbidPairRequest(player_ids=["b1", "c1"])
    assert "use this with a team" in await read_refusal(league, league.api.pairing.ForbidPair, forbid)
    both = pairing.ForbidPairRequest(player_ids=["b1", "c1"], team_ids=["burgos", "conca"])
    assert "either players or teams" in await read_refusal(league, league.api.pairing.ForbidPair, both)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def swiss(tmp_path_factory: pytest.TempPathFactory, shared_nats: str) -> AsyncIterator[Championship]:
    """Yield a Swiss of six teams with two boards in two halls, two of them kept apart."""
    folder = tmp_path_factory.mktemp("swiss")
    async with championship(folder, shared_nats, book="fise", rounds=3, seed=32, options={"teams": 2}) as hall:
        await hall.create(12)
        for number in range(1, 7):
            players = [f"p{number:02}", f"p{number + 6:02}"]
            team = pairing.RegisterTeamRequest(team_id=f"t{number}", name=f"Team {number}", player_ids=players)
            answer = await hall.direct(hall.api.pairing.RegisterTeam, team)
            # Sent again, it is registered once.
            assert await hall.api.pairing.RegisterTeam(team) == answer
        halls = [pairing.SetHallsRequest().halls.add(name="Blava", first_table=1, last_table=3)]
        halls.append(pairing.SetHallsRequest().halls.add(name="Verda", first_table=11, last_table=14))
        await hall.direct(hall.api.pairing.SetHalls, pairing.SetHallsRequest(halls=halls))
        await hall.direct(hall.api.pairing.ForbidPair, pairing.ForbidPairRequest(team_ids=["t1", "t4"]))
        yield hall


async def test_six_teams_play_three_rounds_without_meeting_twice_each_match_in_one_hall(swiss: Championship) -> None:
    for number in (1, 2, 3):
        await swiss.enter_round(number)
    played = (await get_tournament(swiss)).played
    met = Counter(
        frozenset((match.first_team_id, match.second_team_id)) for round_ in played for match in round_.matches
    )
    assert (len(met), set(met.values())) == (9, {1})
    assert frozenset(("t1", "t4")) not in met
    for round_ in played:
        assert not round_.requested_byes
        for match in round_.matches:
            tables = [table for table in round_.pairings if table.match == match.match]
            assert len({table.hall for table in tables}) == 1
            assert tables[1].table == tables[0].table + 1


async def test_every_act_on_a_team_is_in_the_history_with_what_undoes_it(swiss: Championship) -> None:
    acts = await swiss.api.pairing.ListActs(pairing.ListActsRequest(tournament_id=swiss.tournament_id))
    registered = [act for act in acts.acts if act.type == "TeamRegistered"]
    assert [(act.undone_by, list(act.player_ids)) for act in registered] == [
        ("WithdrawTeam", [f"p{number:02}", f"p{number + 6:02}"]) for number in range(1, 7)
    ]
    assert "name: Team 1" in registered[0].details
    taken = pairing.RegisterTeamRequest(name="team 1", player_ids=["p01"])
    assert "already has the name team 1" in await read_refusal(swiss, swiss.api.pairing.RegisterTeam, taken)
    leave = pairing.WithdrawTeamRequest(team_id="t6", note="their coach broke down")
    assert (await swiss.direct(swiss.api.pairing.WithdrawTeam, leave)).round == 4
    asked = pairing.ListActsRequest(tournament_id=swiss.tournament_id, after_version=acts.version)
    (left,) = (await swiss.api.pairing.ListActs(asked)).acts
    assert (left.type, left.round, left.note, list(left.details)) == (
        "TeamWithdrawn", 4, "their coach broke down", ["team-id: t6"]
    )  # fmt: skip
    undo = pairing.UndoActRequest(version=left.version)
    assert (await swiss.direct(swiss.api.pairing.UndoAct, undo)).undone_by == "ReinstateTeam"
    assert (await get_tournament(swiss)).teams[5].withdrawn_round == 0
