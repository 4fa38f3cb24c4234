from __future__ import annotations

import pytest
from tests.support.stage import ANEW, Stage
from tests.support.synthetic import NAMES, Championship

from faristol.gateway.pages.spectators.players import curve
from faristol.kernel.names import begins, words_of
from faristol.personal_data.erasure import erase

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_a_player_is_shown_with_games_opponents_scores_place_and_tie_breaks(finished_stage: Stage) -> None:
    told = (await finished_stage.http.get("/api/v1/players/anna")).json()
    games = (await finished_stage.http.get("/api/v1/tournaments/lliga/rounds/1/pairings")).json()["tables"]
    (own,) = [game for game in games if "anna" in {seat["player_id"] for seat in game["seats"]}]
    (entered,) = told["tournaments"]
    assert (told["name"], told["club"], told["country"], told["total"]) == (*NAMES["anna"], "AND", 1)
    first, scores = entered["games"][0], {seat["player_id"]: seat["score"] for seat in own["seats"]}
    assert (first["game_id"], first["table"]["seats"]) == (own["game_id"], own["seats"])
    assert first["outcome"] == ("win" if scores.pop("anna") > max(scores.values()) else "loss")
    standings = (await finished_stage.http.get("/api/v1/tournaments/lliga/standings")).json()["standings"]
    assert entered["standing"] == next(line for line in standings if line["player_id"] == "anna")
    page = (await finished_stage.http.get("/players/anna", headers={"Accept-Language": "ca"})).text
    assert NAMES["anna"][0] in page
    assert f'href="/games/{own["game_id"]}"' in page
    assert f"Lloc {entered['standing']['rank']} de " in page
    assert "diferencial" in page.casefold()


async def test_every_page_with_names_leads_to_the_players(finished_stage: Stage) -> None:
    for path in (
        "/tournaments/lliga",
        "/tournaments/lliga/players",
        "/tournaments/lliga/crosstable",
        "/tournaments/lliga/round/1",
        "/games/lliga-r1-t1",
    ):
        text = (await finished_stage.http.get(path)).text
        assert '<a class="person" href="/players/anna">' in text, path


async def test_a_search_finds_names_clubs_and_tournaments_without_accents(finished_stage: Stage) -> None:
    async def search(words: str) -> list[str]:
        answer = await finished_stage.http.get("/api/v1/players", params={"search": words})
        return [player["player_id"] for player in answer.json()["players"]]

    assert await search("puigdomenech ANNA") == ["anna"]
    assert await search("sabadell") == ["biel"]
    assert await search("nobody") == []
    assert await search("?!") == []
    named = (await finished_stage.http.get("/api/v1/tournaments", params={"search": "?!"})).json()
    assert named["tournaments"] == []
    assert len(await search("")) == len(NAMES)
    page = (await finished_stage.http.get("/search", params={"q": "viLÀ"})).text
    assert 'href="/players/dolors"' in page
    whole = (await finished_stage.http.get("/api/v1/tournaments")).json()["tournaments"][0]["name"]
    page = (await finished_stage.http.get("/search", params={"q": whole[:4].upper()})).text
    assert 'href="/tournaments/lliga"' in page
    assert "No match was found" in (await finished_stage.http.get("/search?q=zzz")).text


async def test_long_lists_of_players_come_page_by_page(finished_stage: Stage) -> None:
    first = (await finished_stage.http.get("/api/v1/players?page_size=2")).json()
    then = (await finished_stage.http.get(f"/api/v1/players?page_size=2&page_token={first['next_page_token']}")).json()
    assert first["total"] == len(NAMES)
    assert len(first["players"]) == len(then["players"]) == 2
    assert {each["player_id"] for each in first["players"]}.isdisjoint(each["player_id"] for each in then["players"])
    for wrong in ("page_size=0", "page_size=1001", "page_token=x", f"search={'x' * 201}"):
        assert (await finished_stage.http.get(f"/api/v1/players?{wrong}")).status_code == 400, wrong


async def test_who_never_entered_is_not_there(finished_stage: Stage) -> None:
    for path in ("/api/v1/players/nobody", "/players/nobody"):
        assert (await finished_stage.http.get(path)).status_code == 404


async def test_nobody_finds_or_reads_the_name_of_who_was_erased(stage: Stage) -> None:
    await stage.add(*Championship().steps())
    name = NAMES["anna"][0]
    assert name in (await stage.http.get("/players/anna")).text
    assert (await stage.http.get("/api/v1/players?search=puigdomenech")).json()["total"] == 1
    await erase(stage.record, "anna")
    await stage.caught_up()
    told = (await stage.http.get("/api/v1/players/anna", headers=ANEW)).json()
    assert (told["name"], told["club"], told["country"]) == ("", "", "")
    assert told["tournaments"][0]["games"]
    position = await stage.record.last_position()
    found = await stage.http.get("/api/v1/players", params={"search": "puigdomenech", "min_position": position})
    assert found.json()["players"] == []
    for path in ("/players/anna", "/players/biel", "/search?q=anna", "/tournaments/lliga/round/1"):
        assert "Puigdom" not in (await stage.http.get(path, headers=ANEW)).text, path


async def test_words_are_found_by_their_beginnings_whatever_the_case_and_the_accents() -> None:
    assert words_of("Ελένη Παπαδόπουλος") == words_of("ΕΛΕΝΗ ΠΑΠΑΔΟΠΟΥΛΟΣ") == ("ελενη", "παπαδοπουλοσ")
    assert words_of("Puigdel·lívol, Núria O’Neill") == ("puigdellivol", "nuria", "oneill")
    assert begins(words_of("παπαδοπουλος"), words_of("Ελένη Παπαδόπουλος"))
    assert begins(("an", "pu"), ("anna", "puig"))
    assert not begins(("an", "an"), ("anna", "puig"))
    assert not begins(("uig",), ("anna", "puig"))


async def test_ratings_are_drawn_from_left_to_right_with_the_highest_at_the_top() -> None:
    assert curve([1500, 1600, 1550], 100, 40) == [(0.0, 40.0), (50.0, 0.0), (100.0, 20.0)]
    assert curve([1500, 1500], 100, 40) == [(0.0, 40.0), (100.0, 40.0)]
    assert curve([1500], 100, 40) == []
