"""A federation's year of twelve tournaments and three circuits: its rankings, their pages, and their recomputation."""

from __future__ import annotations

import random
import re
import uuid
from collections import defaultdict
from collections.abc import AsyncIterator
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import grpc
import httpx
import pytest
import pytest_asyncio
from tests.component.officials import do
from tests.support.access_cell import Cell, build_credential
from tests.support.plain_http import PLAIN

from faristol.host import SERVICES, Settings
from faristol.launcher.processes import running
from faristol.pb.access.v1 import needs_pb2 as needs
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.pb.rating.v1 import federation_pb2 as rating_lists
from faristol.pb.season.v1 import events_pb2 as events
from faristol.pb.season.v1 import season_pb2 as season
from faristol.rating.federation.decide import compute_changes
from faristol.rating.federation.model import LISTS_STREAM, FederationLists, fold_lists
from faristol.rating.rated import load_rated

DIRECTOR = build_credential(needs.ROLE_DIRECTOR, tournament="", subject="dora")
FEDERATION = build_credential(needs.ROLE_FEDERATION, tournament="", subject="fede")
YEAR = "2026-27"
TOURNAMENTS = [f"open-{number}" for number in range(1, 13)]
PLAYERS = [f"p{number}" for number in range(1, 11)]
NUM_ROUNDS = 2
LEAGUE_POINTS = (25, 18, 15, 12, 10, 8, 6, 4)
CIRCUITS = ("league", "cup", "year")

pytestmark = pytest.mark.asyncio(loop_scope="module")


@dataclass(frozen=True)
class Year:
    """A cell with the tournaments and circuits of a year."""

    web: httpx.AsyncClient
    cell: Cell

    async def ask(self, request: Any) -> Any:
        """Return the answer to a request of the director."""
        return await do(self.cell, request, DIRECTOR)

    async def decide(self, request: Any) -> Any:
        """Return the answer to a request of the federation."""
        return await do(self.cell, request, FEDERATION)

    async def get(self, path: str, **params: Any) -> dict[str, Any]:
        """Return the JSON of a resource, without the position up to which it is valid."""
        answer = await self.web.get(f"/api/v1/{path}", params=params)
        assert answer.status_code == HTTPStatus.OK, answer.text
        found: dict[str, Any] = answer.json()
        found.pop("position")
        return found

    async def position(self) -> int:
        """Return the last position of the record, once the read models have it."""
        last = await self.cell.process.runtime.record.last_position()
        answer = await self.web.get("/api/v1/tournaments", params={"min_position": last})
        assert answer.status_code == HTTPStatus.OK
        return last


async def play(year: Year, tournament_id: str, luck: random.Random) -> None:
    """Play a tournament of eight players to its last round, with random scores."""
    await year.ask(
        pairing.CreateTournamentRequest(
            tournament_id=tournament_id,
            name=tournament_id.title(),
            rounds=NUM_ROUNDS,
            ruleset="fise",
            without_lexicon=True,
            keeping=game_events.KEEPING_RECORDED,
        )
    )
    for player in luck.sample(PLAYERS, 8):
        await year.ask(
            pairing.RegisterPlayerRequest(
                tournament_id=tournament_id,
                player_id=player,
                name=f"Player {player}",
                rating=1500 + 10 * int(player[1:]),
            )
        )
    for number in range(1, NUM_ROUNDS + 1):
        await year.ask(pairing.PairRoundRequest(tournament_id=tournament_id, round=number))
        await year.ask(pairing.StartRoundRequest(tournament_id=tournament_id, round=number))
        listed = await year.ask(pairing.ListResultsRequest(tournament_id=tournament_id, round=number))
        results = [
            pairing.GameResult(
                game_id=table.game_id,
                scores=[
                    game_events.FinalScore(player_id=each.player_id, score=luck.choice((380, 400, 420, 450)))
                    for each in table.players
                ],
            )
            for table in listed.tables
        ]
        await year.ask(pairing.EnterResultsRequest(tournament_id=tournament_id, results=results, arbiter_id="eva"))
        await year.ask(pairing.CloseRoundRequest(tournament_id=tournament_id, round=number))


async def add_circuits(year: Year) -> None:
    """Create the season with a league of the first eight tournaments, a cup of the others, and the year."""
    await year.decide(season.CreateSeasonRequest(season_id=YEAR, name="Season 2026/27", starts_on="2026-09-01"))
    rules: dict[str, dict[str, Any]] = {
        "league": {
            "basis": events.POINTS_BASIS_PLACE,
            "place_points": LEAGUE_POINTS,
            "best_of": 4,
            "tie_breaks": [events.CIRCUIT_TIE_BREAK_BEST_RESULTS, events.CIRCUIT_TIE_BREAK_HEAD_TO_HEAD],
            "qualified_places": 3,
            "qualifies_for_id": TOURNAMENTS[-1],
        },
        "cup": {
            "basis": events.POINTS_BASIS_FIELD,
            "min_tournaments": 3,
            "tie_breaks": [events.CIRCUIT_TIE_BREAK_LATEST],
        },
        "year": {"basis": events.POINTS_BASIS_RATING, "whole_season": True},
    }
    for circuit_id, rule in rules.items():
        await year.decide(
            season.SetCircuitRequest(season_id=YEAR, circuit_id=circuit_id, name=circuit_id.title(), **rule)
        )
    for place, tournament_id in enumerate(TOURNAMENTS):
        circuit_id, percent = ("league", 0) if place < 8 else ("cup", 200 if place == 11 else 0)
        await year.decide(
            season.AddCircuitTournamentRequest(
                season_id=YEAR, circuit_id=circuit_id, tournament_id=tournament_id, percent=percent
            )
        )


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def year(tmp_path_factory: pytest.TempPathFactory, shared_nats: str, no_open: None) -> AsyncIterator[Year]:
    """Yield a cell with a played year."""
    folder = tmp_path_factory.mktemp("year")
    given = {"data": folder, "open": False, "nats_url": shared_nats, "http_port": 0, "grpc_port": 0}
    given["access_sign_in_minutes"] = 0  # on a slow machine, the module takes longer than a sign-in is recent
    async with (
        running(Settings.model_validate({**given, "grace_seconds": 0.1}), SERVICES) as process,
        grpc.aio.insecure_channel(process.grpc_address) as channel,
        httpx.AsyncClient(verify=PLAIN, base_url=process.http_address, timeout=60) as web,
    ):
        made = Year(web, Cell(process, channel, folder, {}))
        luck = random.Random(20_261_130)
        for tournament_id in TOURNAMENTS:
            await play(made, tournament_id, luck)
        await add_circuits(made)
        await made.position()
        yield made


async def places_of(year: Year, tournament_id: str) -> dict[str, int]:
    standings = (await year.get(f"tournaments/{tournament_id}/standings"))["standings"]
    return {line["player_id"]: line["rank"] for line in standings}


async def test_the_points_of_a_circuit_are_those_of_the_places_of_its_tournaments(year: Year) -> None:
    found = await year.get(f"seasons/{YEAR}/circuits/league")
    wanted: defaultdict[str, list[float]] = defaultdict(list)
    for tournament_id in TOURNAMENTS[:8]:
        places = await places_of(year, tournament_id)
        for player, place in places.items():
            sharing = [*places.values()].count(place)
            wanted[player].append(sum(LEAGUE_POINTS[place - 1 : place - 1 + sharing]) / sharing)
    points = {line["player_id"]: line["points"] for line in found["lines"]}
    assert points == pytest.approx({player: sum(sorted(own)[-4:]) for player, own in wanted.items()}, abs=0.03)
    assert [line["place"] for line in found["lines"][:3]] == [1, 2, 3]
    assert [line["qualified"] for line in found["lines"][:4]] == [True, True, True, False]
    assert all(sum(each["counts"] for each in line["results"]) <= 4 for line in found["lines"])


async def read_bytes(year: Year, path: str, **params: Any) -> bytes:
    """Return the bytes of a resource, without the position up to which it is valid."""
    answer = await year.web.get(f"/api/v1/{path}", params=params)
    assert answer.status_code == HTTPStatus.OK, answer.text
    content, count = re.subn(rb'"position": ?\d+,?', b"", answer.content)
    assert count == 1
    return content


async def test_every_ranking_recomputed_from_the_record_is_equal_byte_for_byte(year: Year) -> None:
    position = await year.position()
    lists: list[tuple[str, dict[str, Any]]] = [(f"seasons/{YEAR}", {}), (f"seasons/{YEAR}/bests", {"min_games": 6})]
    for circuit_id in CIRCUITS:
        path = f"seasons/{YEAR}/circuits/{circuit_id}"
        assert (await year.get(path))["lines"], circuit_id
        lists += [(path, {}), *((path, {"player": player}) for player in PLAYERS)]
    for path, params in lists:
        recomputed = await read_bytes(year, path, **params, as_of_position=position)
        assert await read_bytes(year, path, **params) == recomputed, (path, params)


async def test_every_result_of_a_circuit_leads_to_the_games_that_it_is_computed_from(year: Year) -> None:
    found = await year.get(f"seasons/{YEAR}/circuits/year", player="p3")
    (line,) = found["lines"]
    assert line["points"] == pytest.approx(sum(each["points"] for each in line["results"]))
    for result in line["results"]:
        won = sum(game["opponent_rating"] * game["points"] for game in result["games"])
        assert result["points"] == pytest.approx(won / 100, abs=0.01), "the weight is that of the cup, not of the year"
        assert len(result["games"]) == NUM_ROUNDS
        for game in result["games"]:
            played = await year.get(f"games/{game['game_id']}")
            seats = {seat["player_id"]: seat["score"] for seat in played["seats"]}
            own, other = seats.pop("p3"), *seats.values()
            assert game["points"] == (own > other) + (own == other) / 2


async def test_a_late_correction_changes_the_ranking_and_an_earlier_position_still_gives_the_former(
    year: Year,
) -> None:
    before, path = await year.position(), f"seasons/{YEAR}/circuits/league"
    former = await year.get(path)
    listed = await year.ask(pairing.ListResultsRequest(tournament_id=TOURNAMENTS[0], round=NUM_ROUNDS))
    table = listed.tables[0]
    players = [each.player_id for each in table.players]
    won = await year.get(f"games/{table.game_id}")
    scores = {seat["player_id"]: seat["score"] for seat in won["seats"]}
    loser = min(players, key=lambda player: (scores[player], player))
    corrected = await year.ask(
        pairing.CorrectResultRequest(
            tournament_id=TOURNAMENTS[0],
            game_id=table.game_id,
            scores=[
                game_events.FinalScore(player_id=player, score=900 if player == loser else 100) for player in players
            ],
            arbiter_id="eva",
            note="the sheets were exchanged",
        )
    )
    found = await year.get(path, min_position=corrected.position)
    assert found != former
    assert await year.get(path, as_of_position=before) == former
    assert await year.get(path, as_of_position=corrected.position) == found


async def test_a_tournament_that_is_not_finished_gives_no_points(year: Year) -> None:
    former = await year.get(f"seasons/{YEAR}/circuits/league")
    await year.ask(
        pairing.CreateTournamentRequest(
            tournament_id="late",
            name="Late",
            ruleset="fise",
            rounds=2,
            without_lexicon=True,
            keeping=game_events.KEEPING_RECORDED,
        )
    )
    await year.ask(pairing.RegisterPlayerRequest(tournament_id="late", player_id="p1", name="Player p1"))
    added = await year.decide(
        season.AddCircuitTournamentRequest(season_id=YEAR, circuit_id="league", tournament_id="late")
    )
    found = await year.get(f"seasons/{YEAR}/circuits/league", min_position=added.position)
    assert found["lines"] == former["lines"]
    assert [each["finished"] for each in found["circuit"]["tournaments"]] == [True] * 8 + [False]
    removed = await year.decide(
        season.RemoveCircuitTournamentRequest(season_id=YEAR, circuit_id="league", tournament_id="late")
    )
    assert await year.get(f"seasons/{YEAR}/circuits/league", min_position=removed.position) == former


async def test_only_the_federation_changes_seasons(year: Year) -> None:
    command = season.CreateSeasonRequest(season_id="other", name="Other")
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await year.ask(command)
    assert refused.value.code() is grpc.StatusCode.PERMISSION_DENIED
    narrow = build_credential(needs.ROLE_FEDERATION, tournament=TOURNAMENTS[0], subject="fede")
    with pytest.raises(grpc.aio.AioRpcError, match="only some"):
        await do(year.cell, season.CreateSeasonRequest(season_id="other", name="Other"), narrow)
    year.web.cookies.set("faristol", year.cell.token(DIRECTOR))
    assert (await year.web.get("/federation/seasons")).status_code == HTTPStatus.NOT_FOUND
    year.web.cookies.clear()


async def test_an_unknown_tournament_season_circuit_or_player_is_not_found(year: Year) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await year.decide(season.AddCircuitTournamentRequest(season_id=YEAR, circuit_id="cup", tournament_id="nowhere"))
    assert refused.value.code() is grpc.StatusCode.NOT_FOUND
    for path in ("seasons/none", f"seasons/{YEAR}/circuits/none", f"seasons/{YEAR}/circuits/cup?player=none"):
        assert (await year.web.get(f"/api/v1/{path}")).status_code == HTTPStatus.NOT_FOUND, path
    assert (await year.web.get(f"/seasons/{YEAR}/circuits/none")).status_code == HTTPStatus.NOT_FOUND


@pytest.mark.parametrize("language", ["ca", "es", "el", "en"])
async def test_pages_of_a_season_link_each_number_to_its_results_and_games(year: Year, language: str) -> None:
    params = {"lang": language}
    listed = (await year.web.get("/seasons", params=params)).text
    assert f'href="/seasons/{YEAR}"' in listed
    overview = (await year.web.get(f"/seasons/{YEAR}", params=params)).text
    assert all(f'href="/seasons/{YEAR}/circuits/{circuit_id}"' in overview for circuit_id in CIRCUITS)
    ranking = (await year.web.get(f"/seasons/{YEAR}/circuits/year", params=params)).text
    links = re.findall(rf'href="(/seasons/{YEAR}/circuits/year/p\d+)"', ranking)
    assert len(links) == len(PLAYERS)
    assert f'href="/tournaments/{TOURNAMENTS[0]}/standings/p' in ranking
    own = (await year.web.get(links[0], params=params)).text
    assert len(re.findall(r'href="/games/[a-z0-9-]+"', own)) >= NUM_ROUNDS
    if language == "en":
        assert "Points by the ratings of the opponents." in ranking


async def test_a_federation_makes_a_season_by_the_forms_of_its_console(year: Year) -> None:
    year.web.cookies.set("faristol", year.cell.token(FEDERATION))

    async def send(path: str, act: str, **fields: str) -> httpx.Response:
        form = {"act": act, "command_id": str(uuid.uuid4()), **fields}
        return await year.web.post(path, data=form, headers={"Sec-Fetch-Site": "same-origin"}, follow_redirects=True)

    assert 'href="/federation/seasons"' in (await year.web.get("/account")).text
    wrong = await send("/federation/seasons", "CreateSeason", season_id="Next year", name="Next")
    assert wrong.status_code == HTTPStatus.BAD_REQUEST
    assert "is not an id" in wrong.text
    made = await send("/federation/seasons", "CreateSeason", season_id="next", name="Next", starts_on="2027-09-01")
    assert made.status_code == HTTPStatus.OK
    assert made.url.path == "/federation/seasons/next"
    rule = {"circuit_id": "cup", "name": "Cup", "basis": "place", "best_of": "2", "tie_breaks.1": "latest"}
    empty = await send("/federation/seasons/next", "SetCircuit", **rule, place_points="")
    assert empty.status_code == HTTPStatus.BAD_REQUEST
    assert "expected the points of the first place" in empty.text
    added = await send("/federation/seasons/next", "SetCircuit", **rule, place_points="10 6, 4")
    assert "Points of the places: 10, 6, 4." in added.text
    assert "The 2 best results count." in added.text
    joined = await send(
        "/federation/seasons/next", "AddCircuitTournament", circuit_id="cup", tournament_id="open-1", percent="150"
    )
    assert "weight 150 %" in joined.text
    again = await send(
        "/federation/seasons/next", "AddCircuitTournament", circuit_id="cup", tournament_id="open-1", percent="150"
    )
    assert again.status_code == HTTPStatus.CONFLICT
    found = await year.get("seasons/next/circuits/cup")
    assert found["lines"][0]["points"] == 15
    gone = await send("/federation/seasons/next", "RemoveCircuit", circuit_id="cup")
    assert gone.status_code == HTTPStatus.OK
    assert "Points of the places" not in gone.text.partition('id="add-title"')[0]
    year.web.cookies.clear()


async def list_ratings(year: Year, path: str, **params: Any) -> dict[str, int]:
    """Return the ratings of a numbered list by player id."""
    return {line["player_id"]: line["rating"] for line in (await year.get(path, **params))["ratings"]}


async def test_a_numbered_list_is_frozen_and_a_correction_makes_a_revision_that_says_who_moved(year: Year) -> None:
    first = await year.decide(rating_lists.PublishFederationListRequest(name="Half", tournament_ids=TOURNAMENTS[:6]))
    second = await year.decide(rating_lists.PublishFederationListRequest(name="Full", tournament_ids=TOURNAMENTS[6:]))
    assert (first.number, second.number, second.players) == (1, 2, len(PLAYERS))
    half, full = await list_ratings(year, "ratings/1"), await list_ratings(year, "ratings/2")
    listed = (await year.get("ratings/2"))["ratings"]
    assert {line["player_id"]: line["previous"] for line in listed} == half, "it begins from the list before"
    for line in listed:
        steps = [line["previous"], *(change["after"] for change in line["changes"])]
        assert [change["before"] for change in line["changes"]] == steps[:-1], "each tournament goes on from the last"
        assert steps[-1] == line["rating"]
    found = await year.ask(pairing.ListResultsRequest(tournament_id=TOURNAMENTS[2], round=NUM_ROUNDS))
    table = found.tables[0]
    players = [each.player_id for each in table.players]
    seats = (await year.get(f"games/{table.game_id}"))["seats"]
    loser = min(seats, key=lambda seat: seat["score"])["player_id"]
    scores = [game_events.FinalScore(player_id=each, score=800 if each == loser else 100) for each in players]
    await year.ask(
        pairing.CorrectResultRequest(
            tournament_id=TOURNAMENTS[2], game_id=table.game_id, scores=scores, arbiter_id="eva", note="exchanged"
        )
    )
    assert await list_ratings(year, "ratings/1") == half, "a published list is frozen"
    preview = await year.decide(rating_lists.PreviewFederationRevisionRequest(number=1))
    command_id = str(uuid.uuid4())
    revised = await year.decide(rating_lists.ReviseFederationListRequest(number=1, command_id=command_id))
    assert list(preview.moved) == list(revised.moved)
    named = {each["player_id"]: each["name"] for each in (await year.get("ratings/1"))["moved"]}
    assert all(named.values())
    assert {each.player_id: each.name for each in revised.moved}.items() >= named.items()
    kept = await year.cell.process.runtime.record.find_answer(command_id)
    assert kept is not None
    assert not any(name.encode() in kept.answer for name in named.values()), "the record stores no names"
    assert set(players) <= {each.player_id for each in revised.moved}
    after = await year.get("ratings/1")
    moved = {each["player_id"]: (each["before"], each["after"]) for each in after["moved"]}
    ratings = {line["player_id"]: line["rating"] for line in after["ratings"]}
    assert moved == {each: (half[each], ratings[each]) for each in half if half[each] != ratings[each]}
    assert await list_ratings(year, "ratings/1", revision=0) == half
    assert await list_ratings(year, "ratings/2", revision=0) == full
    assert (await year.get("ratings"))["lists"][0]["revisions"] == 1, "the later list depends on it"
    with pytest.raises(grpc.aio.AioRpcError, match="stays as it is"):
        await year.decide(rating_lists.ReviseFederationListRequest(number=1))


async def test_every_numbered_list_recomputed_from_the_record_is_equal_byte_for_byte(year: Year) -> None:
    record = year.cell.process.runtime.record
    lists = fold_lists(FederationLists(), await record.events(LISTS_STREAM))
    assert len(lists.lists) == 2
    for each in lists.lists:
        views = {tournament: (await load_rated(record, tournament)).state for tournament in each.tournament_ids}
        start = lists.ratings_after(each.number - 1)
        recomputed = compute_changes(each.number, each.system, each.tournament_ids, views, start)
        assert [change.SerializeToString(deterministic=True) for change in recomputed] == [
            change.SerializeToString(deterministic=True) for change in each.changes
        ]


@pytest.mark.parametrize("language", ["ca", "es", "el", "en"])
async def test_pages_of_rating_lists_show_revisions_and_link_ratings_to_tournaments(year: Year, language: str) -> None:
    params = {"lang": language}
    assert 'href="/ratings/1"' in (await year.web.get("/ratings", params=params)).text
    page = (await year.web.get("/ratings/1", params=params)).text
    assert 'href="/ratings/1?revision=0"' in page
    assert 'id="moved-title"' in page
    assert f'href="/tournaments/{TOURNAMENTS[0]}/standings/p' in page
    assert (await year.web.get("/ratings/3", params=params)).status_code == HTTPStatus.NOT_FOUND


async def test_a_federation_publishes_and_revises_lists_by_the_forms_of_its_console(year: Year) -> None:
    year.web.cookies.set("faristol", year.cell.token(FEDERATION))

    async def send(act: str, **fields: str) -> httpx.Response:
        form = {"act": act, "command_id": str(uuid.uuid4()), "lang": "en", **fields}
        return await year.web.post(
            "/federation/ratings?lang=en",
            data=form,
            headers={"Sec-Fetch-Site": "same-origin"},
            follow_redirects=True,
        )

    shown = (await year.web.get("/federation/ratings", params={"lang": "en"})).text
    assert "Results have changed since the publication" not in shown
    again = await send("PublishFederationList", name="Again", **{"tournament_ids.1": TOURNAMENTS[0]})
    assert again.status_code == HTTPStatus.CONFLICT
    assert "is in list 1 already" in again.text
    empty = await send("PublishFederationList", name="Nothing")
    assert empty.status_code in {HTTPStatus.BAD_REQUEST, HTTPStatus.CONFLICT}
    assert "expected 1 to 500 tournaments" in empty.text
    unchanged = await send("ReviseFederationList", number="1")
    assert unchanged.status_code == HTTPStatus.CONFLICT
    year.web.cookies.clear()


async def test_the_career_of_a_player_is_that_of_the_games_and_equal_from_both_sides(year: Year) -> None:
    for player in PLAYERS[:4]:
        career = await year.get(f"players/{player}/career")
        games = career["wins"] + career["draws"] + career["losses"]
        (own,) = (await year.get(f"seasons/{YEAR}/circuits/year", player=player))["lines"]
        assert games == sum(len(result["games"]) for result in own["results"])
        assert games == sum(each["wins"] + each["draws"] + each["losses"] for each in career["opponents"])
        line = career["opponents"][0]
        other = await year.get(f"players/{line['opponent_id']}/career", opponent=player)
        (mirrored,) = other["opponents"]
        assert (mirrored["wins"], mirrored["draws"], mirrored["spread"]) == (
            line["losses"],
            line["draws"],
            -line["spread"],
        )
        for game in mirrored["games"]:
            played = await year.get(f"games/{game['game_id']}")
            scores = {seat["player_id"]: seat["score"] for seat in played["seats"]}
            assert (scores[player], scores[line["opponent_id"]]) == (game["opponent_score"], game["score"])


async def test_the_best_results_of_a_season_recomputed_from_the_record_are_equal(year: Year) -> None:
    position = await year.position()
    found = await year.get(f"seasons/{YEAR}/bests", min_games=6)
    assert found == await year.get(f"seasons/{YEAR}/bests", min_games=6, as_of_position=position)
    assert [each["value"] for each in found["games"]] == sorted(
        (each["value"] for each in found["games"]), reverse=True
    )
    best = found["games"][0]
    played = await year.get(f"games/{best['game_id']}")
    assert best["value"] == max(seat["score"] for seat in played["seats"])
    medals = sum(len(line[each]) for line in found["medals"] for each in ("first_ids", "second_ids", "third_ids"))
    wanted = [await places_of(year, tournament_id) for tournament_id in TOURNAMENTS]
    assert medals == sum(place <= 3 for places in wanted for place in places.values())
    refused = await year.web.get(f"/api/v1/seasons/{YEAR}/bests", params={"min_games": 10_001})
    assert refused.status_code in {HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY}


@pytest.mark.parametrize("language", ["ca", "es", "el", "en"])
async def test_pages_of_careers_and_best_results_link_to_games(year: Year, language: str) -> None:
    params = {"lang": language}
    bests = (await year.web.get(f"/seasons/{YEAR}/bests", params=params)).text
    assert re.search(r'href="/games/open-\d+-r\d-t\d"', bests)
    assert 'href="/players/p1/career"' in (await year.web.get("/players/p1", params=params)).text
    career = (await year.web.get("/players/p1/career", params=params)).text
    link = re.search(r'href="(/players/p1/career/p\d+)"', career)
    assert link is not None
    assert re.search(r'href="/games/open-\d+-r\d-t\d"', (await year.web.get(link[1], params=params)).text)
    assert (await year.web.get("/players/p1/career/nobody", params=params)).status_code == HTTPStatus.NOT_FOUND


async def test_two_entries_of_one_person_are_counted_as_one_until_the_merge_is_undone(year: Year) -> None:
    await year.ask(
        pairing.CreateTournamentRequest(
            tournament_id="extra",
            name="Extra",
            rounds=1,
            ruleset="fise",
            without_lexicon=True,
            keeping=game_events.KEEPING_RECORDED,
        )
    )
    for player in ("p1-again", "guest"):
        await year.ask(
            pairing.RegisterPlayerRequest(tournament_id="extra", player_id=player, name=f"Name {player}", rating=1600)
        )
    await year.ask(pairing.PairRoundRequest(tournament_id="extra", round=1))
    await year.ask(pairing.StartRoundRequest(tournament_id="extra", round=1))
    scores = [
        game_events.FinalScore(player_id="p1-again", score=500),
        game_events.FinalScore(player_id="guest", score=300),
    ]
    await year.ask(
        pairing.EnterResultRequest(tournament_id="extra", game_id="extra-r1-t1", scores=scores, arbiter_id="eva")
    )
    await year.ask(pairing.CloseRoundRequest(tournament_id="extra", round=1))
    await year.decide(season.AddCircuitTournamentRequest(season_id=YEAR, circuit_id="league", tournament_id="extra"))
    path = f"seasons/{YEAR}/circuits/league"
    apart = await year.get(path, min_position=await year.position())
    career = await year.get("players/p1/career")
    with pytest.raises(grpc.aio.AioRpcError, match="they are two persons"):
        await year.decide(season.MergePersonsRequest(person_id="p1", merged_id="p2"))
    merged = await year.decide(season.MergePersonsRequest(person_id="p1", merged_id="p1-again"))
    together = await year.get(path, min_position=merged.position)
    assert "p1-again" not in {line["player_id"] for line in together["lines"]}
    (own,) = (line for line in together["lines"] if line["player_id"] == "p1")
    assert own["results"][-1]["entry_id"] == "p1-again"
    assert (await year.web.get("/tournaments/extra/standings/p1-again")).status_code == HTTPStatus.OK
    whole = await year.get("players/p1-again/career")
    assert (whole["player_id"], whole["wins"]) == ("p1", career["wins"] + 1)
    assert whole == await year.get("players/p1/career")
    opponent = await year.get("players/guest/career")
    assert [each["opponent_id"] for each in opponent["opponents"]] == ["p1"]
    assert await year.get(path, as_of_position=merged.position - 1) == apart, "as it was before the merge"
    year.web.cookies.set("faristol", year.cell.token(FEDERATION))
    page = (await year.web.get("/federation/persons", params={"lang": "en"})).text
    assert "p1-again" in page
    form = {"act": "SeparatePersons", "command_id": str(uuid.uuid4()), "merged_id": "p1-again"}
    undone = await year.web.post(
        "/federation/persons?lang=en", data=form, headers={"Sec-Fetch-Site": "same-origin"}, follow_redirects=True
    )
    year.web.cookies.clear()
    assert undone.status_code == HTTPStatus.OK
    assert "p1-again" in undone.text
    listed = await year.decide(season.ListMergesRequest())
    assert [(each.merged_id, each.HasField("separated_at")) for each in listed.merges] == [("p1-again", True)]
    assert await year.get(path, min_position=await year.position()) == apart
