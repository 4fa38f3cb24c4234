"""The judge's page over real services: visibility and assignment of a case, and stored input."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from tests.component.officials import appoint, browser, challenge, do, judge, press, queue, read_notice, words_of
from tests.support.access_cell import OWN, Cell, build_credential, open_access_cell

from faristol.pb.access.v1 import needs_pb2 as needs
from faristol.pb.game.v1 import game_pb2 as game
from faristol.pb.lexicon.v1 import lexicon_pb2 as lexicon

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.lexicon]

ADA, BERTA, CARLES = "ada", "berta", "carles"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def cell(tmp_path_factory: pytest.TempPathFactory, lexicons: Path, no_open: None) -> AsyncIterator[Cell]:
    async with open_access_cell(tmp_path_factory.mktemp("bench"), lexicons) as made:
        await appoint(made, ADA, BERTA, CARLES)
        yield made


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def case_id(cell: Cell) -> str:
    """Return a case that waits, of the first table."""
    return await challenge(cell, f"{OWN}-r1-t1", ADA)


async def test_of_two_judges_who_take_a_case_one_gets_it_and_the_other_is_told_who(cell: Cell, case_id: str) -> None:
    async with browser(cell, judge(ADA)) as ada, browser(cell, judge(BERTA)) as berta:
        pages = [await web.get("/judge") for web in (ada, berta)]
        assert all(f'data-case="{case_id}"' in page.text for page in pages)
        address = f"/judge/cases/{case_id}"
        answers = await asyncio.gather(press(ada, address, "claim"), press(berta, address, "claim"))
        assert sorted(answer.status_code for answer in answers) == [303, 409]
        winner, loser = (ADA, 1) if answers[0].status_code == 303 else (BERTA, 0)
        assert read_notice(answers[loser]) == f"Case {case_id} is assigned to {winner}."
        held_by = (await (ada, berta)[1 - loser].get(address)).text
        assert 'id="lease"' in held_by
        assert 'data-seconds="30"' in held_by
        assert f"Assigned to {winner}." in (await (ada, berta)[loser].get(address)).text
        await press((ada, berta)[1 - loser], address, "release")


async def test_a_case_shows_words_and_the_lexicon_and_nobody_who_plays(cell: Cell, case_id: str) -> None:
    async with browser(cell, judge(ADA)) as web:
        page = await web.get(f"/judge/cases/{case_id}")
    assert page.headers["cache-control"] == "no-store, private"
    assert 'href="/help/judge"' in page.text
    assert "lexicon" in page.text
    assert "catalan" in page.text
    for hidden in ("own 1", "own-1", "own 2", f"{OWN}-r1-t1", "/games/", 'class="board"'):
        assert hidden not in page.text


async def test_what_was_written_stays_when_the_claim_was_lost_and_the_case_can_be_taken_again(cell: Cell) -> None:
    await appoint(cell, lease_seconds=2)
    case_id = await challenge(cell, f"{OWN}-r1-t2", ADA)
    await appoint(cell)
    address = f"/judge/cases/{case_id}"
    async with browser(cell, judge(ADA)) as web:
        assert (await press(web, address, "claim")).status_code == 303
        words = words_of(await web.get(address))
        written = {"words.0.valid": "1", "words.0.reason": "as in «Gramàtica»", "words.0.source": "GIEC"}
        async with asyncio.timeout(60):
            while True:
                if not await held_by(cell, case_id):
                    break
                await asyncio.sleep(0.3)
        lost = await press(web, address, "rule", **words, **written)
        assert lost.status_code == 409
        assert "No ruling was recorded. Case" in read_notice(lost)
        assert 'value="as in «Gramàtica»"' in lost.text
        again = await press(web, address, "claim", **words, **written)
        assert again.status_code == 200
        assert 'id="lease"' in again.text
        assert 'value="GIEC"' in again.text
        await press(web, address, "release")


async def held_by(cell: Cell, case_id: str) -> list[str]:
    case = await do(cell, lexicon.GetCaseRequest(case_id=case_id))
    return list(case.held_by)


async def test_a_ruling_against_the_lexicon_without_a_source_is_refused_in_words_and_a_word_left_out_is_asked_for(
    cell: Cell, case_id: str
) -> None:
    address = f"/judge/cases/{case_id}"
    async with browser(cell, judge(BERTA)) as web:
        await press(web, address, "claim")
        page = await web.get(address)
        words = words_of(page)
        against = {"words.0.valid": "1" if 'data-valid="0"' in page.text else "0"}
        refused = await press(web, address, "rule", **words, **against)
        assert refused.status_code == 409
        assert "give a reason and a source" in read_notice(refused)
        left_out = await press(web, address, "rule", **words)
        assert left_out.status_code == 400
        assert read_notice(left_out) == "Rule on every word: valid or not."
        await press(web, address, "release")


async def test_a_form_that_is_sent_twice_rules_once_and_the_table_goes_on(cell: Cell, case_id: str) -> None:
    address = f"/judge/cases/{case_id}"
    async with browser(cell, judge(CARLES)) as web:
        await press(web, address, "claim")
        page = await web.get(address)
        words = words_of(page)
        lexicon_says = "1" if 'data-valid="1"' in page.text else "0"
        form = {**words, "words.0.valid": lexicon_says, "command_id": "00000000-0000-4000-8000-000000000001"}
        sent = [await press(web, address, "rule", **form) for _ in range(2)]
        assert [answer.status_code for answer in sent] == [303, 303]
        assert {answer.headers["location"] for answer in sent} == {"/judge"}
        assert [read_notice(await web.get("/judge")) for _ in range(2)] == ["Ruled.", ""]
        over = await web.get(address)
        assert ("The play stands." in over.text) is (lexicon_says == "1")
        assert 'id="ruling"' not in over.text
    async with asyncio.timeout(60):
        while True:
            table = await do(cell, game.GetGameRequest(game_id=f"{OWN}-r1-t1"))
            if table.phase != game.PHASE_CHALLENGED:
                break
            await asyncio.sleep(0.1)
    assert table.ruling.valid is (lexicon_says == "1")


async def test_nobody_sees_the_queue_who_does_not_judge(cell: Cell) -> None:
    async with browser(cell, None) as web:
        answer = await web.get("/judge")
        assert answer.status_code == 303
        assert answer.headers["location"].startswith("/sign-in")
    for role in (needs.ROLE_SCORER, needs.ROLE_PLAYER):
        async with browser(cell, build_credential(role)) as web:
            assert (await web.get("/judge")).status_code == 404
            assert (await web.get("/judge/cases/some-case")).status_code == 404
            assert (await press(web, "/judge/cases/some-case", "claim")).status_code in {403, 404}


async def test_a_judge_of_another_tournament_sees_no_case(cell: Cell) -> None:
    case = (await queue(cell, ADA)).cases[0].case_id
    async with browser(cell, build_credential(needs.ROLE_JUDGE, "foreign", subject=ADA)) as web:
        assert case not in (await web.get("/judge")).text
        assert (await web.get(f"/judge/cases/{case}")).status_code == 404
        assert (await press(web, f"/judge/cases/{case}", "claim")).status_code == 404
    async with browser(cell, judge("nobody-appointed")) as web:
        page = await web.get("/judge")
        assert "no tournament has appointed you as a judge" in page.text
        assert "nobody-appointed is not a judge of the tournament" in read_notice(await web.get(f"/judge/cases/{case}"))


async def test_a_form_of_another_site_takes_nothing(cell: Cell) -> None:
    async with browser(cell, judge(ADA)) as web:
        web.headers["Sec-Fetch-Site"] = "cross-site"
        assert (await press(web, "/judge/cases/any", "claim")).status_code == 403


async def test_no_judge_of_a_panel_sees_what_another_found_before_the_last_has_ruled(cell: Cell) -> None:
    await appoint(cell, ADA, BERTA, CARLES, "dora", panel=3, lease_seconds=30)
    case = await challenge(cell, f"{OWN}-r1-t3", ADA)
    address = f"/judge/cases/{case}"
    for number, judge_id in enumerate((ADA, BERTA, CARLES)):
        async with browser(cell, judge(judge_id)) as web:
            assert "panel of 3 judges" in (await web.get("/judge")).text
            await press(web, address, "claim")
            page = await web.get(address)
            assert "sees the other decisions only at the end" in page.text
            assert "found-by-ada" not in page.text
            verdict = "1" if 'data-valid="1"' in page.text else "0"
            form = {**words_of(page), "words.0.valid": verdict, "words.0.reason": f"found-by-{judge_id}"}
            answer = await press(web, address, "rule", **form)
            assert answer.headers["location"] == "/judge"
            assert ("faristol-done", f"judge.{'ruled' if number == 2 else 'opinion'}") in web.cookies.items()
            assert ("found-by-ada" in (await web.get(address)).text) is (number == 2)
