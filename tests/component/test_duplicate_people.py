"""Players, callers and clubs at duplicate games: own sheets and claims, own names for calling, games summed, paper."""

from __future__ import annotations

import asyncio
import re
import subprocess
from collections.abc import AsyncIterator
from datetime import timedelta

import httpx
import pytest
import pytest_asyncio
from google.protobuf.timestamp_pb2 import Timestamp
from tests.component.processes import FARISTOL, environment, faristol
from tests.component.test_duplicate import BEGIN, CUP, FIRST, Stage, open_stage

from faristol.pb.game.v1 import duplicate_events_pb2 as events
from faristol.pb.game.v1 import duplicate_pb2 as pb
from faristol.pb.pairing.v1 import pairing_pb2 as pairing

pytestmark = pytest.mark.asyncio(loop_scope="module")

SECOND = f"{CUP}-r2"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(shared_nats: str) -> AsyncIterator[Stage]:
    async with open_stage(shared_nats, "gateway") as made:
        yield made


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def web(stage: Stage) -> AsyncIterator[httpx.AsyncClient]:
    headers = {"Cache-Control": "no-cache", "Accept-Language": "en"}
    async with httpx.AsyncClient(base_url=stage.http_address, headers=headers, timeout=20) as http:
        yield http


def at(seconds: float) -> Timestamp:
    found = Timestamp()
    found.FromDatetime(BEGIN + timedelta(seconds=seconds))
    return found


async def own(stage: Stage, player: str, turn: int = 1) -> pb.GetOwnSheetResponse:
    found: pb.GetOwnSheetResponse = await stage.ask(pb.GetOwnSheetRequest(hall="Nord", player_id=player, turn=turn))
    return found


async def test_a_phone_dates_what_it_saved_and_its_player_reads_what_the_judge_decides(stage: Stage) -> None:
    stage.clock.wait(60)
    ahead = await stage.slip("anna", "H5", "C A S E R N A", written_at=at(61))
    assert ahead.taken == 1, "a clock that is a second ahead does not matter"
    assert (await own(stage, "anna")).saved[-1].slip.written_at == at(60)
    before = pb.SubmitSlipsRequest(turn=1, hall="Nord", source=events.SLIP_SOURCE_PHONE)
    before.slips.add(player_id="anna", word="C A S A", written_at=at(-1))
    assert await stage.reason(before) == "TURN_BEGAN_LATER"
    stage.clock.wait(200)
    late = await stage.slip("blai", "H8", "C A S A", written_at=at(120))
    assert (late.waits, (await own(stage, "blai")).waits) == (True, True)
    for hall in ("Nord", "Sud"):
        await stage.ask(pb.CloseHallRequest(turn=1, hall=hall, collector_id="collector"))
    assert await stage.reason(pb.ScoreTurnRequest(turn=1, arbiter_id="judge")) == "SLIPS_WAIT"
    (waits,) = (await stage.ask(pb.ListWaitingRequest(turn=1))).slips
    assert (waits.why, waits.arrived[0].slip.written_at, waits.arrived[0].arrived_at) == (
        "sent-later",
        at(120),
        at(260),
    )
    ruled = pb.RuleSlipRequest(turn=1, hall="Nord", slip=waits.slips[0], reason="seen", arbiter_id="judge")
    await stage.ask(ruled)
    await stage.ask(pb.ScoreTurnRequest(turn=1, arbiter_id="judge"))

    await stage.ask(pb.RaiseClaimRequest(turn=1, hall="Nord", player_id="anna", words="a 4, not a 5"))
    (claim,) = (await stage.ask(pb.ListWaitingRequest(turn=1))).claims
    assert (claim.words, [each.slip.coordinates for each in claim.arrived]) == ("a 4, not a 5", ["H5"])
    assert not (await own(stage, "anna")).claims[0].decided
    await stage.ask(pb.DecideClaimRequest(hall="Nord", claim_id=claim.claim_id, reason="it is a 5", arbiter_id="judge"))
    (decided,) = (await own(stage, "anna")).claims
    assert (decided.words, decided.decided, decided.accepted, decided.reason) == (
        "a 4, not a 5",
        True,
        False,
        "it is a 5",
    )
    assert not (await own(stage, "blai")).claims


async def test_a_club_calls_by_its_own_names_and_goes_on_with_them_in_the_next_game(
    stage: Stage, web: httpx.AsyncClient
) -> None:
    def names(**own_names: str) -> pb.SetCallNamesRequest:
        said = [events.CallName(face=face, name=name) for face, name in own_names.items()]
        return pb.SetCallNamesRequest(names=said, arbiter_id="judge")

    assert await stage.reason(names(C="Alacant")) == "CALL_NAME_TWICE"
    assert await stage.reason(names(W="Wad-Ras", Ñ="Espanya")) == "CALL_NAME_UNKNOWN"
    await stage.ask(names(C="Cadaqués", H="Hostalric", A="Alacant", S=""))
    table = (await stage.ask(pb.GetDuplicateRequest())).call_table
    called = {said.face: said.name for said in table.names}
    assert (called["C"], called["S"], called["?"], table.numbers[3]) == ("Cadaqués", "Sabadell", "escarràs", "quatre")
    screen = (await web.get(f"/duplicate/{FIRST}/screen")).text
    assert "Cadaqués, Alacant, Sabadell, Elx, Reus, Nules, Alacant" in screen
    assert "Hostalric quatre" in screen

    await stage.ask(pb.EndGameRequest(reason="it is late", arbiter_id="judge"))
    await stage.ask(pairing.CloseRoundRequest(round=1))
    await stage.ask(pairing.WithdrawPlayerRequest(player_id="eloi"))
    await stage.ask(pairing.RegisterPlayerRequest(player_id="fina", name="Fina", category="veteran"))
    await stage.ask(pairing.PairRoundRequest(round=2))
    await stage.ask(pairing.StartRoundRequest(round=2))
    next_table = (await stage.ask(pb.GetDuplicateRequest(game_id=SECOND))).call_table
    assert {said.face: said.name for said in next_table.names} == called


async def test_games_are_summed_and_who_was_absent_has_nothing(stage: Stage, web: httpx.AsyncClient) -> None:
    found = (await web.get(f"/api/v1/tournaments/{CUP}/duplicate-standings")).json()
    lines = {line["player_id"]: line for line in found["standings"]}
    assert [(game["game_id"], game["masters"]) for game in found["games"]] == [(FIRST, 70), (SECOND, 0)]
    assert (lines["anna"]["total"], lines["anna"]["negative"], lines["anna"]["rank"]) == (66, -4, 1)
    assert [share["plays"] for share in lines["fina"]["games"]] == [False, True]
    assert [share["plays"] for share in lines["eloi"]["games"]] == [True, False]
    veterans = (await web.get(f"/api/v1/tournaments/{CUP}/duplicate-standings?category=Veteran")).json()
    assert [(line["rank"], line["name"], line["category"]) for line in veterans["standings"]] == [
        (1, "Fina", "veteran")
    ]
    page = (await web.get(f"/tournaments/{CUP}/duplicate")).text
    assert re.search(r'(?s)data-key="anna" data-rank="1">.*?<td class="num strong" data-flash>66</td>', page)
    told = await asyncio.to_thread(faristol, "duplicate", "standings", CUP, client_address=stage.address, open="true")
    rows = [line.split() for line in told.stdout.splitlines()]
    assert (rows[1], rows[3 + 2]) == (["1", "Anna", "66", "66", "0"], ["3", "Eloi", "0", "0", "–"]), rows
    written = await asyncio.to_thread(
        faristol, "duplicate", "export", "standings", CUP, client_address=stage.address, open="true"
    )
    assert written.stdout.splitlines()[0].endswith(",category,game_1,game_2")
    assert any(line.startswith("3,eloi,Eloi,0,") and line.endswith(",0,") for line in written.stdout.splitlines())


async def test_paper_has_slips_with_a_code_seats_by_hall_sheets_and_standings(
    stage: Stage, web: httpx.AsyncClient
) -> None:
    at_ = f"/tournaments/{CUP}/print"
    listed = (await web.get(at_)).text
    assert f'href="{at_}/round/1/playslips?paper=A4"' in listed
    assert f"{at_}/round/1/slips" not in listed, "score slips are of tables"
    slips = (await web.get(f"{at_}/round/1/playslips?lang=en")).text
    assert (slips.count('class="play-slip"'), slips.count("<svg")) == (120, 120)
    alone = (await web.get(f"{at_}/round/1/playslips?table=4&paper=A5&lang=ca")).text
    assert (alone.count('class="play-slip"'), "Dídac" in alone or "Didac" in alone) == (24, True)
    seats = (await web.get(f"{at_}/round/1/seats?lang=en")).text
    assert seats.index("Nord") < seats.index("Anna") < seats.index("Sud") < seats.index("Didac")
    sheets = (await web.get(f"{at_}/round/1/playsheets?lang=en")).text
    assert re.search(r"(?s)H5</td>\s*<td class=\"strong\">C A S E R N A</td>\s*<td class=\"num strong\">66", sheets)
    ranking = (await web.get(f"{at_}/round/1/ranking?lang=en")).text
    assert re.search(r"(?s)<td class=\"num\">1</td><td class=\"strong\">Anna</td><td>Nord</td>.*?66", ranking)
    sums = (await web.get(f"{at_}/sum?lang=en")).text
    assert sums.count("Total of all games") >= 3, "of everybody, and of each category"
    assert (await web.get(f"{at_}/round/1/sum")).status_code == 404
    for language in ("ca", "es", "el"):
        assert (await web.get(f"{at_}/round/1/playslips?lang={language}")).status_code == 200


async def test_a_game_is_played_alone_with_the_verdicts_of_a_hall_and_the_best_plays(
    stage: Stage, web: httpx.AsyncClient
) -> None:
    again = {"game": FIRST, "turn": "1"}
    shown = (await web.get("/train", params=again)).text
    assert "C A S E R N A" in shown
    assert 'id="best"' not in shown, "nothing of the plays before the slip"
    whole = {**again, "written": "1", "coordinates": "H5", "word": "caserna", "begun": "99999999999999"}
    judged = (await web.get("/train", params=whole)).text
    assert "66 points of 70" in judged
    best = judged.partition('id="best"')[2]
    assert 0 < best.index("H4") < best.index("H8"), "the best first"
    wrong = (await web.get("/train", params={**whole, "word": "CASERNES"})).text
    assert re.search(r"0 points of 70\s*<span class=\"tag bad\">", wrong)
    assert "late" in (await web.get("/train", params={**whole, "begun": "1"})).text
    over = (await web.get("/train", params={**again, "turn": "2", "own": "66", "tops": "70"})).text
    assert "You have 66 of 70 points." in over
    running = await web.get("/train", params={"game": SECOND, "turn": "1"})
    assert (running.status_code, "is not over" in running.text) == (409, True)
    assert await stage.reason(pb.TrainTurnRequest(game_id=SECOND, turn=1)) == "GAME_NOT_OVER"
    assert "Reglament propi per a partides duplicades" in (await web.get("/train?lang=ca")).text


async def test_a_new_game_follows_from_its_name_and_ends_as_others_do(stage: Stage) -> None:
    first = [await stage.services.ask(pb.TrainTurnRequest(seed="a", turn=turn)) for turn in (1, 2, 1)]
    assert first[0] == first[2]
    assert first[0].faces != first[1].faces
    slip = events.Slip(player_id="alone", coordinates="H8", word="X")
    judged = await stage.services.ask(pb.TrainTurnRequest(seed="a", turn=1, slip=slip))
    assert (judged.score.points, judged.top, judged.best[0].score) == (0, judged.master.score, judged.master.score)
    assert len(first[1].board) == len(judged.master.placements)
    assert len(judged.best) == 10, "as many as there are of one score"
    typed = await asyncio.to_thread(
        subprocess.run,
        [FARISTOL, "duplicate", "train", "--seed", "a", "--turns", "2"],
        input="\nq\n",
        env=environment(client_address=stage.address, open="true"),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert f"0 of {judged.top}" in typed.stdout
    assert f"the game is over: 0 of {judged.top}" in typed.stdout
