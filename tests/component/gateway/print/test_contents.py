"""Papers in both sizes, in the tournament's language, with space for all players."""

from __future__ import annotations

import asyncio
import itertools
import os
import socket
import time
from io import BytesIO
from pathlib import Path

import pytest
from pypdf import PdfReader
from tests.component.gateway.print.pdf_runs import Run, runs
from tests.component.processes import FARISTOL
from tests.support.stage import Stage
from tests.support.synthetic import NAMES, TOURNAMENT, Championship, game_id

from faristol.gateway.pages.qr import qr
from faristol.gateway.print.contents import BLANK_LINES, PAPERS, SLIPS_PER_PAGE, SeatLine, by_hall, lines, of_hall
from faristol.gateway.print.form import LIES, SIZES, STYLES
from faristol.gateway.print.order import name_size, stack_pages
from faristol.gateway.print.pdf import Pdfs, TypesetterBusy, TypesetterFault
from faristol.gateway.print.typesetter import typeset
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.personal_data.people import store_player

pytestmark = pytest.mark.asyncio(loop_scope="module")

AT = "/tournaments/lliga/print"
OF_ROUND = [f"{AT}/round/1/{kind}" for kind, paper in PAPERS.items() if paper.of_round]
PATHS = [*OF_ROUND, *(f"{AT}/{kind}" for kind, paper in PAPERS.items() if not paper.of_round)]
LONG = "Μαρία-Αλεξάνδρα Παπαδοπούλου του Γεωργίου " * 3 + "W" * 74
"""A name of 200 characters, with a word that no line has room for."""

MILLIMETRE_POINTS = 72 / 25.4


def pair_round(*tables: tuple[str, str]) -> pairing.RoundPaired:
    """Return round 1 with these at its tables."""
    pairings = [
        pairing.Pairing(table=number, game_id=game_id(1, number), first_player_id=first, second_player_id=second)
        for number, (first, second) in enumerate(tables, 1)
    ]
    return pairing.RoundPaired(round=1, pairings=pairings, algorithm="swiss-2")


async def paper(stage: Stage, path: str, **asked: str | int) -> list[str]:
    """Return the text of each page of a PDF."""
    answer = await stage.http.get(path, params=asked)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/pdf"), (path, answer.text[:300])
    return [page.extract_text() for page in PdfReader(BytesIO(answer.content)).pages]


async def test_every_paper_is_there_in_both_sizes_and_every_language(finished_stage: Stage) -> None:
    words = {"ca": "Ronda 1", "es": "Ronda 1", "el": "Γύρος 1", "en": "Round 1"}
    for path in PATHS:
        for (language, word), size in zip(words.items(), SIZES * 2, strict=True):
            answer = await finished_stage.http.get(path, params={"paper": size, "lang": language})
            assert answer.status_code == 200, (path, answer.text)
            assert f'<html lang="{language}">' in answer.text
            assert answer.headers["content-language"] == language
            assert word in answer.text or path not in OF_ROUND


async def test_a_paper_is_in_the_language_of_the_tournament_whatever_the_reader_reads(finished_stage: Stage) -> None:
    answer = await finished_stage.http.get(f"{AT}/standings", headers={"Accept-Language": "el", "Cookie": "lang=el"})
    assert answer.headers["content-language"] == "ca"
    unknown = await finished_stage.http.get(f"{AT}/standings", params={"lang": "tlh"})
    assert unknown.headers["content-language"] == "ca"


async def test_the_list_of_papers_leads_to_each_of_them_and_back_to_the_console(finished_stage: Stage) -> None:
    page = (await finished_stage.http.get(AT)).text
    assert 'href="/tournaments/lliga/console"' in page
    for path in PATHS:
        assert f'href="{path}?paper=A4"' in page
        assert f'href="{path}.pdf?paper=A5"' in page


async def test_papers_load_nothing_from_elsewhere_and_nothing_inline(finished_stage: Stage) -> None:
    for path in PATHS:
        text = (await finished_stage.http.get(path)).text
        assert "<style" not in text
        assert "style=" not in text
        assert "//" not in text.replace("http://www.w3.org", "")
    for name in STYLES:
        style = await finished_stage.http.get(f"/print/{name}")
        assert (style.status_code, style.headers["content-type"]) == (200, "text/css; charset=utf-8")
    assert len(STYLES) == len(SIZES) * len(LIES)


async def test_a_pdf_says_what_its_page_says_on_sheets_of_the_size_that_was_asked(finished_stage: Stage) -> None:
    (tables,) = await paper(finished_stage, f"{AT}/round/1/tables.pdf")
    (names,) = await paper(finished_stage, f"{AT}/round/1/names.pdf", paper="A5", lang="en")
    for name in (NAMES[player][0] for player in ("anna", "biel", "carme", "dolors", "eloi")):
        assert name in " ".join(tables.split()), name
        assert name in " ".join(names.split()), name
    assert "bye" in names.partition("Eloi Ferrer")[2]
    answer = await finished_stage.http.get(f"{AT}/round/1/names.pdf", params={"paper": "A5", "lang": "en"})
    box = PdfReader(BytesIO(answer.content)).pages[0].mediabox
    assert (round(box.width / MILLIMETRE_POINTS), round(box.height / MILLIMETRE_POINTS)) == (148, 210)
    assert answer.headers["content-disposition"] == 'inline; filename="lliga-r1-names.pdf"'


async def test_no_heading_runs_into_the_column_beside_it(finished_stage: Stage) -> None:
    for kind in ("crosstable", "standings", "round/1/names", "round/1/results"):
        for language in ("ca", "el"):
            html = (await finished_stage.http.get(f"{AT}/{kind}", params={"paper": "A5", "lang": language})).text
            for page in PdfReader(BytesIO(typeset(html))).pages:
                lines_: dict[float, list[Run]] = {}
                for run in runs(page):
                    lines_.setdefault(round(run.baseline, 1), []).append(run)
                for line in lines_.values():
                    line.sort()
                    for left, right in itertools.pairwise(line):
                        assert right.left >= left.right - 0.5, (kind, language, left, right)


async def test_names_on_a_wall_are_in_large_type(finished_stage: Stage) -> None:
    for size in SIZES:
        html = (await finished_stage.http.get(f"{AT}/round/1/wall", params={"paper": size})).text
        pages = PdfReader(BytesIO(typeset(html))).pages
        assert len(pages) == 1
        large = {round(run.baseline) for run in runs(pages[0]) if run.size >= 23.9}
        assert len(large) >= 5, "a line for each player, more for a long name"


async def test_each_hall_has_a_sheet_of_its_own_with_who_rests_on_each() -> None:
    told = [
        SeatLine("Anna", "a", 4, "South", ()),
        SeatLine("Biel", "b", 1, "North", ()),
        SeatLine("Carme", "c", 0, "", (), bye=True),
    ]
    assert [(hall, [line.name for line in seated]) for hall, seated in by_hall(told)] == [
        ("North", ["Biel", "Carme"]),
        ("South", ["Anna", "Carme"]),
    ]
    assert by_hall(told[2:]) == [("", told[2:])]


async def test_the_code_of_a_slip_opens_the_form_of_its_table(finished_stage: Stage) -> None:
    page = (await finished_stage.http.get(f"{AT}/round/1/slips")).text
    address = str(finished_stage.http.base_url).rstrip("/")
    for table in (1, 2):
        assert str(qr(f"{address}/tournaments/lliga/round/1/results/{table}", at_once=True)) in page
    alone = (await finished_stage.http.get(f"{AT}/round/1/slips", params={"table": 2})).text
    assert str(qr(f"{address}/tournaments/lliga/round/1/results/1", at_once=True)) not in alone
    (slip,) = await paper(finished_stage, f"{AT}/round/1/slips.pdf", table=2)
    assert "Biel Soler" in slip
    assert "Anna" not in slip


async def test_the_sheet_of_a_game_has_its_plays_totals_and_who_signs(finished_stage: Stage) -> None:
    first, _ = await paper(finished_stage, f"{AT}/round/1/games.pdf", lang="en")
    for said in ("6E COL·LEGI", "TIMBAL(S)", "Carme Riera", "111", "Arbiter", "Remarks"):
        assert said in first, said


async def test_a_sheet_that_was_not_kept_has_lines_to_fill_in(stage: Stage) -> None:
    await stage.add(*Championship().create(rounds=2))
    await stage.add(*Championship().pair(1, [("anna", "carme"), ("biel", "dolors")], "eloi"))
    before = (await stage.http.get(f"{AT}/round/1/games")).text  # they are printed before the round is started
    assert before.count('class="free"') == 2 * BLANK_LINES["A4"]
    assert "Anna" in before
    rows = (await stage.http.get(f"{AT}/round/1/results")).text
    assert rows.count('class="blank"') == 4  # two scores a table are written by hand
    announced = pairing.RoundsAnnounced()
    announced.times.add(round=1).starts_at.FromJsonString("2026-03-07T10:30:00Z")
    await stage.add({f"tournament-{TOURNAMENT}": [announced]})
    for kind in ("tables", "names", "wall", "results"):
        assert "10:30" in (await stage.http.get(f"{AT}/round/1/{kind}")).text, kind
    await stage.add(*Championship().begin(1))
    for number, players in enumerate((("anna", "carme"), ("biel", "dolors")), 1):
        first = Championship().table(1, number, *players)
        await stage.add(*first.open(Championship().ruleset, Championship().lexicon))
    page = (await stage.http.get(f"{AT}/round/1/games")).text
    assert page.count('class="free"') == 2 * BLANK_LINES["A4"]
    for size in SIZES:
        assert len(await paper(stage, f"{AT}/round/1/games.pdf", paper=size)) == 2


async def test_a_name_of_200_characters_stays_within_its_slip_and_card(stage: Stage) -> None:
    assert len(LONG) == 200
    await stage.add(*Championship().create(rounds=2))
    async with stage.record.writing() as connection:
        await store_player(connection, "long", LONG, "")
    stream = f"tournament-{TOURNAMENT}"
    await stage.add({stream: [pairing.PlayerRegistered(player_id="long", rating=2000)]})
    await stage.add({stream: [pair_round(("long", "anna"), ("biel", "dolors"), ("carme", "eloi"))]})
    for size, parts in SLIPS_PER_PAGE.items():
        pages = await paper(stage, f"{AT}/round/1/slips.pdf", paper=size)
        assert len(pages) == -(-3 // parts)
        assert "Παπαδοπούλου" in pages[0]
        assert sum(page.count("Signatura") for page in pages) == 3
    for kind in ("round/1/tables", "round/1/names", "round/1/results", "cards", "standings", "crosstable"):
        pages = await paper(stage, f"{AT}/{kind}.pdf")
        assert len(pages) == 1, kind
        assert "Eloi Ferrer" in pages[0], kind


async def test_of_somebody_erased_a_paper_says_so(stage: Stage) -> None:
    await stage.add(*Championship().create(rounds=2))
    await stage.add({f"tournament-{TOURNAMENT}": [pairing.PlayerRegistered(player_id="gone", rating=1)]})
    for kind in ("cards", "standings"):
        assert "(gone)" in (await stage.http.get(f"{AT}/{kind}")).text


@pytest.mark.nightly
async def test_the_command_line_prints_the_same(finished_stage: Stage, tmp_path: Path) -> None:
    made = tmp_path / "slips.pdf"
    words = [
        "print",
        "lliga",
        "slips",
        "--round",
        "1",
        "--address",
        finished_stage.running.grpc_address,
        "--output",
        str(made),
    ]

    async def faristol(*more: str) -> tuple[int | None, str]:
        process = await asyncio.create_subprocess_exec(
            FARISTOL, *words, *more, stderr=asyncio.subprocess.PIPE, env=os.environ | {"LC_ALL": "C.UTF-8"}
        )
        _, said = await process.communicate()
        return process.returncode, said.decode()

    code, said = await faristol()
    assert (code, "--pages" in said, made.exists()) == (2, True, False)
    assert await faristol("--pages", "https://results.example/x", "--paper", "A5") == (0, "")
    assert "Carme Riera" in PdfReader(made).pages[0].extract_text()
    assert await faristol("--pages", "https://results.example", "--html") == (0, "")
    assert str(qr("https://results.example/tournaments/lliga/round/1/results/1", at_once=True)) in made.read_text()


UNKNOWN = ("/nothing", "/slips", "/round/1/cards", "/round/9/tables", "/round/1/tables.exe", "/../x", "/tables.pdf")


@pytest.mark.parametrize("path", UNKNOWN)
async def test_what_there_is_not_is_not_found(finished_stage: Stage, path: str) -> None:
    answer = await finished_stage.http.get(AT + path)
    assert answer.status_code in (400, 404)
    assert "Traceback" not in answer.text


async def test_a_malformed_request_is_refused(finished_stage: Stage) -> None:
    for asked in ("paper=A3", "table=-1", "table=1_0", f"lang={'x' * 20}", "paper=A4%00"):
        assert (await finished_stage.http.get(f"{AT}/round/1/slips?{asked}")).status_code == 400, asked
    for path in ("/tournaments/nowhere/print", "/tournaments/nowhere/print/cards", f"/tournaments/{'x' * 70}/print"):
        assert (await finished_stage.http.get(path)).status_code in (400, 404), path


async def test_slips_are_in_the_order_of_tables_once_the_pile_is_cut() -> None:
    for count in range(1, 30):
        for parts in (2, 4, 8):
            pages = stack_pages(range(count), parts)
            assert {len(page) for page in pages} == {parts}
            piles = [[page[part] for page in pages] for part in range(parts)]
            together = [item for pile in piles for item in pile if item is not None]
            assert together == list(range(count)), (count, parts)
    assert stack_pages([], 4) == []


async def test_a_hall_has_its_own_tables_alone() -> None:
    told = pb.GetPairingsResponse(round=2, bye=pb.Seat(name="Resting"))
    told.tables.add(table=1, hall="North")
    told.tables.add(table=2, hall="South")
    assert [each.table for each in of_hall(told, "South").tables] == [2]
    assert not of_hall(told, "South").HasField("bye")
    assert of_hall(told, "") is told


async def test_slips_and_scoresheets_are_printed_for_one_hall(finished_stage: Stage) -> None:
    for kind in ("slips", "games"):
        page = (await finished_stage.http.get(f"{AT}/round/1/{kind}", params={"hall": "North", "lang": "en"})).text
        assert "There are no tables in this round." in page
        assert "&amp;hall=North" in page


async def test_names_stand_as_people_look_for_them() -> None:
    seat = pb.Seat(player_id="p", name="")
    answer = pb.GetPairingsResponse(tables=[pb.Table(table=1, seats=[seat, pb.Seat(player_id="q", name="Zoe")])])
    assert [line.player_id for line in lines(answer)] == ["q", "p"]
    assert [name_size("x" * length) for length in (0, 22, 23, 80, 81, 200)] == [
        "large", "large", "middle", "small", "tiny", "tiny"
    ]  # fmt: skip


async def test_the_typesetter_reads_nothing_from_the_network_and_no_file() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        port = server.getsockname()[1]
        links = [f"http://127.0.0.1:{port}/x.css", f"http://127.0.0.1:{port}/x.png", "file:///etc/hostname"]
        page = "".join(
            f'<link rel="stylesheet" href="{link}"><img src="{link}"><object data="{link}"></object>' for link in links
        )
        script = f"<script>document.title = 'run'; fetch('http://127.0.0.1:{port}/')</script>"
        made = await asyncio.to_thread(typeset, f"<!doctype html><title>Told</title>{page}{script}<p>Text")
        with pytest.raises(BlockingIOError):
            server.accept()
    reader = PdfReader(BytesIO(made))
    assert reader.pages[0].extract_text().strip() == "Text"
    assert reader.metadata is not None
    assert reader.metadata.title == "Told"


async def test_a_crowd_that_asks_for_one_paper_takes_the_work_of_one_and_a_crowd_of_papers_comes_again() -> None:
    pdfs = Pdfs(most_waiting=2)
    same = await asyncio.gather(*(pdfs.of("<p>One") for _ in range(2)))
    assert same[0] is same[1] is await pdfs.of("<p>One")
    others = await asyncio.gather(*(pdfs.of(f"<p>{number}") for number in range(3)), return_exceptions=True)
    assert [type(other) for other in others] == [bytes, bytes, TypesetterBusy]


async def test_a_typesetter_that_hangs_is_ended() -> None:
    with pytest.raises(TypesetterFault, match="within 0 seconds"):
        await Pdfs(seconds=0.01).of("<p>Slow")


@pytest.mark.nightly
async def test_500_tables_are_printed_within_seconds_while_other_pages_go_on(stage: Stage) -> None:
    await stage.add(*Championship().create(rounds=2))
    players = [(f"p{number}a", f"p{number}b") for number in range(500)]
    registered = [pairing.PlayerRegistered(player_id=player, rating=1000) for pair in players for player in pair]
    await stage.add({f"tournament-{TOURNAMENT}": [*registered, pair_round(*players)]})
    begun = time.monotonic()
    slips = asyncio.create_task(paper(stage, f"{AT}/round/1/slips.pdf"))
    slowest = 0.0
    while not slips.done():
        asked = time.monotonic()
        assert (await stage.http.get("/healthz")).status_code == 200
        slowest = max(slowest, time.monotonic() - asked)
        await asyncio.sleep(0.05)
    pages = await slips
    assert len(pages) == 125
    assert time.monotonic() - begun < 60
    assert slowest < 5
    for kind, most in (("tables", 20), ("names", 40), ("results", 20)):
        assert 5 < len(await paper(stage, f"{AT}/round/1/{kind}.pdf")) < most
