from __future__ import annotations

import html
import re

import pytest
from tests.support.stage import Stage
from tests.support.synthetic import COUNTRIES, NAMES, Championship, keep_names

from faristol.gateway.http.headers import CONTENT_SECURITY_POLICY
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.pairing.v1 import events_pb2 as pairing

pytestmark = pytest.mark.asyncio(loop_scope="module")

PAGES = (
    "/",
    "/tournaments/lliga",
    "/tournaments/lliga?round=1",
    "/tournaments/lliga/standings/anna",
    "/tournaments/lliga/crosstable",
    "/tournaments/lliga/prospects",
    "/tournaments/lliga/stages",
    "/tournaments/lliga/prospects?place=2&player=anna",
    "/tournaments/lliga/prizes",
    "/tournaments/lliga/round/1",
    "/tournaments/lliga/players",
    "/tournaments/lliga/round/1?by=name",
    "/games/lliga-r1-t1",
    "/games/lliga-r1-t1/replay",
    "/games/lliga-r1-t1/replay?move=3",
    "/players/anna",
    "/search?q=anna",
    "/tournaments/lliga/find",
    "/seasons",
    "/players/anna/career",
    "/status",
    "/help",
    "/help/player",
)


async def test_every_page_is_there_in_every_language(finished_stage: Stage) -> None:
    for language, word in (("ca", "Idioma"), ("es", "Idioma"), ("el", "Γλώσσα"), ("en", "Language")):
        for path in PAGES:
            answer = await finished_stage.http.get(path, headers={"Accept-Language": language})
            assert answer.status_code == 200, path
            assert answer.headers["content-language"] == language
            assert f'<html lang="{language}">' in answer.text
            assert word in answer.text


async def test_the_language_chosen_is_remembered_and_goes_before_the_browsers(finished_stage: Stage) -> None:
    greek = {"Accept-Language": "el"}
    chosen = await finished_stage.http.get("/tournaments/lliga?lang=ca", headers=greek)
    assert chosen.headers["content-language"] == "ca"
    again = await finished_stage.http.get("/tournaments/lliga", headers=greek)
    finished_stage.http.cookies.clear()
    assert again.headers["content-language"] == "ca"


async def test_a_language_that_there_is_not_is_passed_over(finished_stage: Stage) -> None:
    answer = await finished_stage.http.get("/?lang=tlh", headers={"Accept-Language": "es-MX;q=0.9, de"})
    assert (answer.headers["content-language"], "set-cookie" in answer.headers) == ("es", False)


async def test_a_link_that_is_sent_on_says_what_it_leads_to(finished_stage: Stage) -> None:
    async def read_meta(path: str, name: str) -> str:
        found = re.findall(
            rf'<meta property="og:{name}" content="([^"]*)">', (await finished_stage.http.get(path)).text
        )
        assert len(found) == 1, path
        return str(found[0])

    for path in ("/games/lliga-r1-t1", "/games/lliga-r1-t1/replay?move=2"):
        assert "Carme Riera 111" in await read_meta(path, "title")
        assert (await read_meta(path, "image")).partition("?")[0].endswith("/games/lliga-r1-t1/board.png")
        assert "Carme Riera 111" in await read_meta(path, "image:alt")
    assert await read_meta("/players/biel", "title") == "Biel Soler · Faristol"
    for path in ("/", "/search", "/tournaments/lliga", "/players/biel"):
        assert (await read_meta(path, "image")).startswith("http"), path


async def test_the_live_part_is_the_page_without_its_frame(finished_stage: Stage) -> None:
    for path in PAGES:
        whole = (await finished_stage.http.get(path)).text
        part = (await finished_stage.http.get(path, params={**dict_of(path), "part": "live"})).text
        assert part.strip() in whole
        assert "<html" not in part


def dict_of(path: str) -> dict[str, str]:
    return dict(pair.split("=") for pair in path.partition("?")[2].split("&") if pair)


async def test_pages_load_nothing_from_elsewhere_and_nothing_inline(finished_stage: Stage) -> None:
    for path in PAGES:
        answer = await finished_stage.http.get(path)
        assert answer.headers["content-security-policy"] == CONTENT_SECURITY_POLICY
        # previews of links and search engines need the whole address of this site; a browser loads none of these
        heads = r'<(meta property="og:\w+" content|link rel="(canonical|alternate)"[^>]* href)="'
        own = heads + re.escape(finished_stage.running.http_address)
        assert "//" not in re.sub(own, "", answer.text.replace("http://www.w3.org", ""))
        assert "style=" not in answer.text
        assert "<style" not in answer.text
        assert " onclick" not in answer.text
    assert "'unsafe" not in CONTENT_SECURITY_POLICY


async def test_no_link_of_a_page_leads_to_a_path_that_is_not_there(finished_stage: Stage) -> None:
    texts = [(await finished_stage.http.get(path)).text for path in PAGES]
    links = {html.unescape(link) for text in texts for link in re.findall(r'<a [^>]*href="(/[^"]*)"', text)}
    assert {"/", "/tournaments/lliga", "/tournaments/lliga/round/1", "/games/lliga-r1-t1"} <= links
    for link in sorted(link for link in links if "lang=" not in link):  # those are remembered
        assert (await finished_stage.http.get(link)).status_code not in {307, 400, 404, 405}, link


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize(
    ("path", "page"),
    [
        ("/t/lliga?lang=ca&round=1", "/tournaments/lliga?lang=ca&round=1"),
        ("/t/lliga/r/1?by=name", "/tournaments/lliga/round/1?by=name"),
        ("/t/lliga/crosstable", "/tournaments/lliga/crosstable"),
        ("/t/lliga/embed/standings?theme=dark", "/tournaments/lliga/embed/standings?theme=dark"),
        ("/t/lliga/console/players/list", "/tournaments/lliga/console/players/list"),
        ("/g/lliga-r1-t1", "/games/lliga-r1-t1"),
        ("/g/r/r/1", "/games/r/r/1"),
        ("/g/lliga-r1-t1/replay?move=2", "/games/lliga-r1-t1/replay?move=2"),
        ("/t/a%3Fc%23d?q=%C3%A9%26", "/tournaments/a%3Fc%23d?q=%C3%A9%26"),
        ("/t//elsewhere.example", "/tournaments//elsewhere.example"),
    ],
)
async def test_a_short_address_redirects_for_ever_with_the_query(
    finished_stage: Stage, path: str, page: str, method: str
) -> None:
    answer = await finished_stage.http.request(method, path, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (308, page)
    assert answer.headers["cache-control"] == "public, max-age=86400"


async def test_a_short_address_only_reads(finished_stage: Stage) -> None:
    assert (await finished_stage.http.post("/t/lliga/console/settings", follow_redirects=False)).status_code == 405
    once = await finished_stage.http.get("/t/lliga/r/1", follow_redirects=True)
    assert (once.status_code, len(once.history)) == (200, 1)


async def test_a_name_is_shown_as_text_whatever_is_in_it(stage: Stage) -> None:
    await stage.add(*Championship().create())
    async with stage.record.writing() as connection:
        await connection.exec_driver_sql(
            "UPDATE people SET name = '<script>alert(1)</script>' WHERE player_id = 'biel'"
        )
    answer = await stage.http.get("/tournaments/lliga/players")
    assert "<script>alert" not in answer.text
    assert "&lt;script&gt;alert" in answer.text


async def test_countries_have_a_column_where_somebody_has_one(stage: Stage) -> None:
    await stage.add(*Championship().create())
    with_countries = (await stage.http.get("/tournaments/lliga/players")).text
    async with stage.record.writing() as connection:
        await connection.exec_driver_sql("UPDATE people SET country = ''")
    without = (await stage.http.get("/tournaments/lliga/players")).text
    await keep_names(stage.record)
    assert '<th scope="col" class="wide">Country</th>' in with_countries
    assert f'<td class="wide">{COUNTRIES["anna"]}</td>' in with_countries
    assert "Country" not in without


async def test_a_printed_game_is_the_sheet_that_its_rules_ask_for(finished_stage: Stage) -> None:
    page = (await finished_stage.http.get("/games/lliga-r1-t1", headers={"Accept-Language": "ca"})).text
    paper = page[page.index('id="paper"') :]
    game = (await finished_stage.http.get("/api/v1/games/lliga-r1-t1")).json()
    plays = [entry for entry in game["entries"] if entry["sheet_play"]]
    assert plays
    for entry in plays:
        why = " [mot no vàlid]" if entry["kind"] == "phony" else ""
        assert f"<td>{entry['sheet_play']}{why}</td>" in paper
    assert any(entry["kind"] == "phony" for entry in plays)
    assert [side["signs"] for side in game["sheet"]["sides"]] == [True, True]
    assert paper.count("Signatura:") == 2


async def test_someone_erased_is_shown_by_id(finished_stage: Stage) -> None:
    async with finished_stage.record.writing() as connection:
        await connection.exec_driver_sql("DELETE FROM people WHERE player_id = 'biel'")
    answer = await finished_stage.http.get("/tournaments/lliga", headers={"Accept-Language": "en"})
    await keep_names(finished_stage.record)
    assert '<span class="erased">a player (biel)</span>' in answer.text


async def test_what_is_not_there_is_a_page_that_names_it(finished_stage: Stage) -> None:
    for path, wanted in (
        ("/tournaments/nowhere", "nowhere"),
        ("/games/lliga-r8-t8", "lliga-r8-t8"),
        ("/tournaments/lliga/round/4", "ronda 4"),
    ):
        answer = await finished_stage.http.get(path, headers={"Accept-Language": "ca"})
        assert (answer.status_code, answer.headers["content-type"]) == (404, "text/html; charset=utf-8")
        assert wanted in answer.text
        assert "There is" not in answer.text
        assert ('href="/tournaments/lliga"' in answer.text) == (wanted == "ronda 4")
    malformed = await finished_stage.http.get("/tournaments/lliga/round/first", headers={"Accept-Language": "es"})
    assert malformed.status_code == 400
    assert "number: se esperaba un número entero" in malformed.text
    assert (await finished_stage.http.get("/nothing/here")).status_code == 404


async def test_the_sheet_marks_blanks_phonies_and_bingos(finished_stage: Stage) -> None:
    text = (await finished_stage.http.get("/games/lliga-r1-t1", headers={"Accept-Language": "en"})).text
    for expected in ("TIMBAL(S)", "COL·LEGI", "phony", "bingo", "exchange of 3 tiles", "challenged, stands", "21:15"):
        assert expected in text


async def test_what_a_sanction_took_off_a_score_stands_beside_it_wherever_the_score_does(stage: Stage) -> None:
    await stage.add(*Championship().steps())
    table = (await stage.http.get("/api/v1/tournaments/lliga/rounds/1/pairings")).json()["tables"][0]
    (first, second), stream = table["seats"], "tournament-lliga"
    before = {seat["player_id"]: seat["score"] for seat in table["seats"]}
    version = len(await stage.record.read_stream(stream)) + 1
    imposed = pairing.PlayerSanctioned(
        player_id=first["player_id"],
        round=1,
        kind=pairing.SANCTION_KIND_POINTS,
        game_id=table["game_id"],
        points=25,
        article="FISE 49",
    )
    scores = [
        game.FinalScore(player_id=first["player_id"], score=first["score"] - 25),
        game.FinalScore(player_id=second["player_id"], score=second["score"]),
    ]
    corrected = pairing.ResultCorrected(round=1, game_id=table["game_id"], scores=scores)
    position = await stage.add({stream: [imposed, corrected]})

    table = (await stage.http.get("/api/v1/tournaments/lliga/rounds/1/pairings")).json()["tables"][0]
    sheet = (await stage.http.get(f"/api/v1/games/{table['game_id']}")).json()
    earlier = (await stage.http.get(f"/api/v1/games/{table['game_id']}?as_of_position={position}")).json()
    taken = [{"player_id": first["player_id"], "points": 25, "article": "FISE 49"}]
    assert table["score_sanctions"] == sheet["score_sanctions"] == earlier["score_sanctions"] == taken
    assert {seat["player_id"]: seat["score"] for seat in sheet["seats"]} == before
    assert [seat["score"] for seat in sheet["counted"]] == [first["score"] - 25, second["score"]]
    said = f"A sanction deducted 25 points from the score of {first['name']} (FISE 49)."
    for path in ("/tournaments/lliga/round/1", f"/games/{table['game_id']}"):
        assert said in (await stage.http.get(path)).text
    noted = f"(a sanction deducted 25 from the score of {first['name']}, FISE 49)"
    for seat in (first, second):
        shown = (await stage.http.get(f"/tournaments/lliga/standings/{seat['player_id']}")).text
        parts = {part.split('"')[0]: part for part in shown.split('<h3 id="')[1:]}
        assert noted not in parts["points"]
        assert parts["spread"].count(noted) == 1

    lifted = pairing.SanctionLifted(
        player_id=first["player_id"],
        round=1,
        version=version,
        kind=pairing.SANCTION_KIND_POINTS,
        game_id=table["game_id"],
    )
    await stage.add({stream: [lifted]})
    for path in ("/tournaments/lliga/round/1", f"/games/{table['game_id']}"):
        assert said not in (await stage.http.get(path)).text


async def test_the_standings_say_that_forfeits_and_byes_are_in_the_points_alone(finished_stage: Stage) -> None:
    page = (await finished_stage.http.get("/tournaments/lliga")).text
    assert "W–D–L counts games over the board. Forfeits, won or lost, and byes are included only in the points" in page


async def test_a_round_paired_before_a_correction_says_so_on_its_page_and_on_its_tab(stage: Stage) -> None:
    await stage.add(*Championship().steps())
    table = (await stage.http.get("/api/v1/tournaments/lliga/rounds/1/pairings")).json()["tables"][0]
    said = {
        "en": ("A result of an earlier round was corrected", "paired before a correction"),
        "ca": ("S’ha corregit un resultat d’una ronda anterior", "aparellada abans d’una correcció"),
        "es": ("Se ha corregido un resultado de una ronda anterior", "emparejada antes de una corrección"),
        "el": ("Ένα αποτέλεσμα προηγούμενου γύρου διορθώθηκε", "κληρώθηκε πριν από διόρθωση"),
    }

    async def fetch_round(number: int, language: str) -> str:
        return (await stage.http.get(f"/tournaments/lliga/round/{number}", headers={"Accept-Language": language})).text

    for note, mark in said.values():
        assert note not in await fetch_round(2, "en")
        assert mark not in await fetch_round(2, "en")
    scores = [game.FinalScore(player_id=seat["player_id"], score=300) for seat in table["seats"]]
    corrected = pairing.ResultCorrected(round=1, game_id=table["game_id"], scores=scores)
    await stage.add({"tournament-lliga": [corrected]})
    for language, (note, mark) in said.items():
        first, second = await fetch_round(1, language), await fetch_round(2, language)
        assert note not in first
        assert note in second
        for page in (first, second):
            tabs = {
                tab.split('"')[0]: tab.split("</a>")[0] for tab in page.split('<a href="/tournaments/lliga/round/')[1:]
            }
            assert [mark in tabs[number] for number in ("1", "2")] == [False, True]


async def test_a_round_says_who_won_who_gave_up_who_was_absent_and_who_is_not_in_it(stage: Stage) -> None:
    championship, stream = Championship(), "tournament-lliga"
    await stage.add(*championship.create())
    tables = [pairing.Pairing(table=1, game_id="lliga-r1-t1", first_player_id="anna", second_player_id="carme")]
    tables.append(pairing.Pairing(table=2, game_id="lliga-r1-t2", first_player_id="biel", second_player_id="dolors"))
    await stage.add({stream: [pairing.RoundPaired(round=1, pairings=tables), pairing.RoundStarted(round=1)]})

    async def fetch_round(language: str = "en") -> str:
        return " ".join(
            (await stage.http.get("/tournaments/lliga/round/1", headers={"Accept-Language": language})).text.split()
        )

    def player(page: str, player_id: str) -> str:
        name = NAMES[player_id][0]
        return page.split(f'<span class="name"><a class="person" href="/players/{player_id}">{name}</a>')[1].split(
            '<span class="score"'
        )[0]

    before = await fetch_round()
    assert "(winner)" not in before
    assert (
        f'Not in this round: <strong><a class="person" href="/players/eloi">{NAMES["eloi"][0]}</a></strong>' in before
    )
    assert before.count("Not in this round:") == 1

    given_up = pairing.ResultRecorded(
        round=1,
        game_id="lliga-r1-t1",
        scores=[game.FinalScore(player_id="anna", score=100), game.FinalScore(player_id="carme", score=150)],
        winner_id="anna",
        loser_ids=["carme"],
        condition=game.END_CONDITION_ABANDONED,
    )
    forfeit = pairing.ResultRecorded(
        round=1,
        game_id="lliga-r1-t2",
        scores=[game.FinalScore(player_id="biel"), game.FinalScore(player_id="dolors")],
        winner_id="dolors",
        loser_ids=["biel"],
        condition=game.END_CONDITION_FORFEIT,
        unplayed=True,
    )
    await stage.add({stream: [given_up, forfeit]})
    page = await fetch_round()
    assert "abandoned</span>" in page
    assert "resigned the game" in player(page, "carme")
    assert "absent" in player(page, "biel")
    for winner, loser in (("anna", "carme"), ("dolors", "biel")):
        assert "(winner)" in player(page, winner)
        assert "(winner)" not in player(page, loser)
    for language, (left, absent) in {
        "ca": ("ha abandonat la partida", "absent"),
        "es": ("ha abandonado la partida", "ausente"),
        "el": ("εγκατέλειψε τον αγώνα", "απουσία"),
    }.items():
        page = await fetch_round(language)
        assert left in player(page, "carme")
        assert absent in player(page, "biel")


async def test_standings_mark_who_has_left_from_the_round_on_in_which_they_were_not_paired(stage: Stage) -> None:
    championship = Championship()
    await stage.add(*championship.steps())

    async def list_marked(address: str, language: str = "en") -> list[str]:
        page = (await stage.http.get(address, headers={"Accept-Language": language})).text
        lines = {line.split('"')[0]: line for line in page.split('<tr data-key="')[1:]}
        word = {"en": "has withdrawn", "ca": "s’ha retirat", "es": "se ha retirado", "el": "έχει αποσυρθεί"}[language]
        return [player for player, line in lines.items() if word in line]

    assert await list_marked("/tournaments/lliga") == []
    await stage.add({"tournament-lliga": [pairing.PlayerWithdrawn(player_id="biel", round=2)]})
    for language in ("en", "ca", "es", "el"):
        assert await list_marked("/tournaments/lliga", language) == ["biel"]
    assert await list_marked("/tournaments/lliga?round=2") == ["biel"]
    assert await list_marked("/tournaments/lliga?round=1") == []


async def test_every_file_that_is_offered_to_take_away_is_there(finished_stage: Stage) -> None:
    page = (await finished_stage.http.get("/tournaments/lliga/files")).text
    links = re.findall(r'<li><a href="([^"]+)">', page[page.index('id="files"') :])
    for end in (
        ".csv",
        "TRF16",
        "TRF26",
        "games.zip",
        "feed.atom?lang=en",
        "rounds.ics?lang=en",
        "/print",
        "/standings",
    ):
        assert any(link.endswith(end) for link in links), end
    away = [link for link in links if (await finished_stage.http.get(html.unescape(link))).status_code != 200]
    assert away == ["/api/v1/tournaments/lliga/ratings.csv"], "the service of ratings alone is not there in these tests"


async def test_a_replay_begins_at_the_first_move(finished_stage: Stage) -> None:
    page = (await finished_stage.http.get("/games/lliga-r1-t1/replay")).text
    assert re.search(r'id="move-1" aria-current="step"', page)
