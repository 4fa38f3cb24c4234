from __future__ import annotations

import asyncio
import json

import pytest
from google.protobuf.timestamp_pb2 import Timestamp
from tests.support.stage import Stage
from tests.support.synthetic import Championship, append, full_game, game_id, keep_names

from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.rating.v1 import events_pb2 as rating
from faristol.rules import load_ruleset

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_tournaments_and_what_is_in_them_can_be_read(finished_stage: Stage) -> None:
    answer = (await finished_stage.http.get("/api/v1/tournaments")).json()
    assert [tournament["name"] for tournament in answer["tournaments"]] == ["Lliga de primavera"]
    tournament = (await finished_stage.http.get("/api/v1/tournaments/lliga")).json()["tournament"]
    assert tournament == answer["tournaments"][0]
    assert tournament["ruleset"] == {"name": "fisc-2023", "digest": load_ruleset("fisc-2023").digest}
    assert (tournament["players"], tournament["rounds"], tournament["over"]) == (5, 5, True)
    times = [[round_.pop(name) for name in ("paired_at", "started_at", "closed_at")] for round_ in tournament["played"]]
    assert all(all(of_round) for of_round in times)
    assert [round_.pop("ends_at") for round_ in tournament["played"]] == [None, None]
    assert tournament["played"] == [
        {"round": 1, "phase": "closed", "tables": 2, "finished": 2, "corrected_before": False, "algorithm": "swiss-1"},
        {"round": 2, "phase": "closed", "tables": 2, "finished": 2, "corrected_before": False, "algorithm": "swiss-1"},
    ]


async def test_standings_have_points_as_numbers_and_tie_breaks_by_name(finished_stage: Stage) -> None:
    answer = (await finished_stage.http.get("/api/v1/tournaments/lliga/standings")).json()
    assert answer["round"] == 2
    lines = {line["player_id"]: line for line in answer["standings"]}
    assert lines["biel"]["points"] == 1.5
    assert lines["biel"]["name"] == "Biel Soler"
    assert list(lines["biel"]["tie_breaks"]) == ["median-buchholz", "berger", "spread", "total"]
    assert lines["dolors"]["bye"]


async def test_standings_of_an_earlier_round_are_as_they_were(stage: Stage) -> None:
    hall = Championship()
    await stage.add(*hall.create(), *hall.first_round())
    then = (await stage.http.get("/api/v1/tournaments/lliga/standings")).json()
    await stage.add(*hall.second_round(), *hall.finish())
    again = (await stage.http.get("/api/v1/tournaments/lliga/standings?round=1")).json()
    assert (again["round"], again["standings"]) == (1, then["standings"])
    now = (await stage.http.get("/api/v1/tournaments/lliga/standings")).json()
    assert now["standings"] != then["standings"]


async def test_tournaments_and_players_can_be_read_as_they_were(stage: Stage) -> None:
    hall = Championship()
    position = await stage.add(*hall.create(), *hall.first_round())
    paths = ("/api/v1/tournaments", "/api/v1/tournaments/lliga", "/api/v1/tournaments/lliga/players")
    then = {path: (await stage.http.get(path)).json() for path in paths}
    await stage.add(*hall.second_round(), *hall.finish())
    for path, given in then.items():
        assert (await stage.http.get(path, params={"as_of_position": position})).json() == given
        assert (await stage.http.get(path)).json() != given
        both = await stage.http.get(path, params={"as_of_position": position, "min_position": position})
        assert (both.status_code, both.json()["field"]) == (400, "min_position")


async def test_pairings_show_scores_while_they_move(stage: Stage) -> None:
    hall = Championship()
    table = hall.table(1, 1, "anna", "carme")
    await stage.add(
        *hall.create(),
        *hall.pair(1, [("anna", "carme"), ("biel", "dolors")], "eloi"),
        *hall.begin(1),
        *table.open(hall.ruleset, hall.lexicon),
    )
    await stage.add(*table.play("H5", "F E R I R", 22))
    answer = (await stage.http.get("/api/v1/tournaments/lliga/rounds/1/pairings")).json()
    assert answer["phase"] == "started"
    assert answer["bye"]["name"] == "Eloi Ferrer"
    first = answer["tables"][0]
    assert ([seat["score"] for seat in first["seats"]], first["turns"], first["final"]) == ([22, 0], 1, False)


async def test_a_game_shows_board_and_sheet_and_no_rack(stage: Stage) -> None:
    hall = Championship()
    table = hall.table(1, 1, "anna", "carme")
    await stage.add(
        *hall.create(), *hall.pair(1, [table.players], "eloi"), *hall.begin(1), *table.open(hall.ruleset, hall.lexicon)
    )
    await stage.add(*list(full_game(table))[:9])
    response = await stage.http.get(f"/api/v1/games/{table.id}")
    game = response.json()
    assert [entry["kind"] for entry in game["entries"]] == ["play", "play", "exchange"]
    assert game["entries"][1]["words"][0]["faces"] == ["C", "O", "L·L", "E", "G", "I"]
    assert game["entries"][2]["exchanged"] == 3
    assert game["tournament_name"] == "Lliga de primavera"
    assert not [face for face in ("NY", "QU", "Ç", '"?"') if face in response.text]


async def test_players_have_names_clubs_and_both_ratings(finished_stage: Stage) -> None:
    answer = (await finished_stage.http.get("/api/v1/tournaments/lliga/players")).json()
    assert answer["rating_system"] == "elo-1"
    assert answer["players"][0] == {
        "player_id": "anna",
        "name": "Anna Puigdomènech i Casadevall",
        "club": "Club Tarragona",
        "country": "AND",
        "rating": 1600,
        "unrated": False,
        "new_rating": 1610,
        "checked_in": False,
        "team_id": "",
        "category": "",
        "entered_round": 1,
        "withdrawn_round": 0,
    }


async def test_a_rating_list_that_was_revised_takes_the_place_of_the_first_and_says_so(stage: Stage) -> None:
    hall = Championship()
    before = await stage.add(*hall.steps())
    path = "/api/v1/tournaments/lliga/players"
    first = (await stage.http.get(path)).json()
    assert (first["rating_revision"], first["rating_revised_at"]) == (0, None)
    assert first["rating_published_at"]
    revised = rating.RatingListPublished(
        tournament_id="lliga", system="elo-1", revision=1, occurred_at=Timestamp(seconds=1_800_000_000)
    )
    lines = [
        rating.RatingUpdated(player_id=player["player_id"], before=player["rating"], after=player["new_rating"] + 3)
        for player in first["players"]
    ]
    await stage.add({"ratings-lliga": [revised, *lines]})

    second = (await stage.http.get(path)).json()
    assert (second["rating_revision"], second["rating_revised_at"]) == (1, "2027-01-15T08:00:00Z")
    assert second["rating_published_at"] == first["rating_published_at"]
    assert [player["new_rating"] - 3 for player in second["players"]] == [
        player["new_rating"] for player in first["players"]
    ]
    page = (await stage.http.get("/tournaments/lliga/players", headers={"Accept-Language": "ca"})).text
    assert "es va revisar el 15 de gener del 2027" in page
    then = (await stage.http.get(f"{path}?as_of_position={before}")).json()
    assert then == first


async def test_a_person_who_is_erased_is_gone_at_once(finished_stage: Stage) -> None:
    before = await finished_stage.http.get("/api/v1/tournaments/lliga/standings")
    async with finished_stage.record.writing() as connection:
        await connection.exec_driver_sql("DELETE FROM people WHERE player_id = 'biel'")
    after = await finished_stage.http.get(
        "/api/v1/tournaments/lliga/standings", headers={"If-None-Match": before.headers["etag"]}
    )
    assert after.status_code == 200
    await keep_names(finished_stage.record)
    assert "Biel" in before.text
    assert "Biel" not in after.text


@pytest.mark.parametrize("name", ["from", "until"])
async def test_a_day_is_one_of_the_calendar(finished_stage: Stage, name: str) -> None:
    for given, status in (("2026-03-07", 200), ("", 400), ("7/3/2026", 400), ("2026-02-30", 400)):
        answer = await finished_stage.http.get("/api/v1/tournaments", params={name: given})
        assert answer.status_code == status, (given, answer.text)


async def test_an_answer_is_not_sent_again_until_it_has_changed(stage: Stage) -> None:
    hall = Championship()
    await stage.add(*hall.create())
    first = await stage.http.get("/api/v1/tournaments/lliga")
    tag = first.headers["etag"]
    assert tag.startswith(f'"{first.json()["position"]}-')
    again = await stage.http.get("/api/v1/tournaments/lliga", headers={"If-None-Match": f'"other", {tag}'})
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
    await stage.add(*hall.pair(1, [("anna", "biel")], "eloi"))
    changed = await stage.http.get("/api/v1/tournaments/lliga", headers={"If-None-Match": tag})
    assert changed.status_code == 200


async def test_a_read_waits_for_the_position_that_it_names(stage: Stage) -> None:
    for step in Championship().create():
        position = await append(stage.record, step)
    answer = await stage.http.get(f"/api/v1/tournaments/lliga?min_position={position}")
    assert answer.json()["tournament"]["players"] == 5
    assert answer.json()["position"] >= position


MISSING = [
    ("/api/v1/tournaments/nowhere", "tournament", "nowhere"),
    ("/api/v1/tournaments/nowhere/standings", "tournament", "nowhere"),
    ("/api/v1/tournaments/nowhere/stream", "tournament", "nowhere"),
    ("/api/v1/tournaments/lliga/rounds/3/pairings", "round", "lliga/3"),
    ("/api/v1/tournaments/lliga/standings?round=4", "round", "lliga/4"),
    ("/api/v1/tournaments/lliga/standings?as_of_position=1", "tournament", "lliga"),
    ("/api/v1/tournaments/lliga/teams?as_of_position=1", "tournament", "lliga"),
    ("/api/v1/tournaments/lliga/report.trf?as_of_position=1", "tournament", "lliga"),
    ("/api/v1/games/lliga-r9-t9", "game", "lliga-r9-t9"),
]


async def test_what_is_not_there_is_a_problem_that_names_it(finished_stage: Stage) -> None:
    for path, kind, wanted in MISSING:
        answer = await finished_stage.http.get(path)
        assert answer.headers["content-type"] == "application/problem+json", path
        problem = answer.json()
        assert (answer.status_code, problem["status"], problem["kind"], problem["id"]) == (404, 404, kind, wanted)
        assert wanted.rpartition("/")[2] in problem["detail"]


@pytest.mark.parametrize(
    ("path", "catalan", "greek"),
    [
        ("/api/v1/games/lliga-r9-t9", "no hi ha cap partida 'lliga-r9-t9'", "δεν υπάρχει αγώνας 'lliga-r9-t9'"),
        ("/api/v1/tournaments/no/stream", "no hi ha cap torneig 'no'", "δεν υπάρχει τουρνουά 'no'"),
        (
            "/api/v1/teams",
            "el camí /api/v1/teams no existeix; a /docs hi ha tots els camins",
            "η διαδρομή /api/v1/teams δεν υπάρχει· το /docs έχει όλες τις διαδρομές",
        ),
    ],
)
async def test_a_problem_is_told_in_the_readers_language(
    finished_stage: Stage, path: str, catalan: str, greek: str
) -> None:
    answer = await finished_stage.http.get(path, headers={"Accept-Language": "ca-ES,ca;q=0.9,en;q=0.5"})
    assert (answer.json()["detail"], answer.headers["content-language"]) == (catalan, "ca")
    chosen = await finished_stage.http.get(f"{path}?lang=el", headers={"Accept-Language": "ca"})
    assert (chosen.json()["detail"], chosen.headers["content-language"]) == (greek, "el")
    assert {**chosen.json(), "detail": ""} == {**answer.json(), "detail": ""}


async def test_a_position_that_does_not_come_is_said_in_the_readers_language(
    finished_stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("faristol.gateway.rpc.service.Service.ask.__defaults__", (5.0,))
    position = await finished_stage.record.last_position() + 10_000
    answer = await finished_stage.http.get(
        f"/api/v1/tournaments?min_position={position}", headers={"Accept-Language": "ca"}
    )
    assert (answer.status_code, answer.json()["reason"]) == (504, "BEHIND")
    assert answer.json()["detail"].endswith(f"s’ha esperat en va la posició {position}")


FROM_A_POSITION = (
    "/api/v1/tournaments",
    "/api/v1/tournaments/lliga",
    "/api/v1/tournaments/lliga/standings",
    "/api/v1/tournaments/lliga/games",
    "/api/v1/tournaments/lliga/prizes",
    "/api/v1/tournaments/lliga/awards",
    "/api/v1/players",
    f"/api/v1/games/{game_id(1, 1)}",
)


async def test_a_position_that_cannot_come_soon_is_refused_without_waiting(finished_stage: Stage) -> None:
    last = await finished_stage.record.last_position()
    for path in FROM_A_POSITION:
        answer = await asyncio.wait_for(finished_stage.http.get(path, params={"min_position": last + 10_001}), 5)
        problem = answer.json()
        assert (answer.status_code, problem["field"]) == (400, "min_position"), path
        assert f"its last position is {last}" in problem["detail"]


MALFORMED = [
    ("/api/v1/tournaments/lliga/standings?round=last", "round"),
    ("/api/v1/tournaments/lliga/standings?round=-1", "round"),
    ("/api/v1/tournaments/lliga/rounds/0/pairings", "number"),
    ("/api/v1/tournaments?min_position=soon", "min_position"),
    ("/api/v1/tournaments/lliga/stream?after=-3", "after"),
    ("/api/v1/tournaments/lliga/standings?as_of=0001-01-01T00:00:00%2B14:00", "as_of"),
    ("/api/v1/tournaments/lliga/players?as_of=9999-12-31T23:59:59-14:00", "as_of"),
    ("/api/v1/tournaments?as_of=yesterday", "as_of"),
]


async def test_a_malformed_request_is_400_and_names_the_field(stage: Stage) -> None:
    for path, field in MALFORMED:
        answer = await stage.http.get(path)
        assert (answer.status_code, answer.headers["content-type"]) == (400, "application/problem+json"), path
        assert [error["field"] for error in answer.json()["errors"]] == [field]


EXPECTED = [
    ("standings?round=last", "s’esperava un nombre enter, i hi ha 'last'"),
    ("standings?round=-1", "s’esperava 0 o més, i hi ha '-1'"),
    ("standings?round=99999", "s’esperava 10000 o menys, i hi ha '99999'"),
    ("standings?arithmetic=perhaps", "s’esperava true o false, i hi ha 'perhaps'"),
    ("standings?as_of=2026-03-07T11:30:00", "com 2026-03-07T11:30:00Z, i hi ha '2026-03-07T11:30:00'"),
    (
        "standings?as_of=2026-03-07T12:30:00+01:00",
        "com 2026-03-07T12:30:00%2B01:00, i hi ha '2026-03-07T12:30:00 01:00'",
    ),
    (f"standings?round={'9' * 5000}", f"s’esperava un nombre de menys xifres, i hi ha '{'9' * 100}'"),
    (f"standings?round={'x' * 5000}", f"s’esperava un nombre enter, i hi ha '{'x' * 100}'"),
    (f"standings?as_of={'x' * 5000}", f"i hi ha '{'x' * 100}'"),
    ("report.trf?edition=TRF06", "s’esperava un de 'TRF16', 'TRF26', i hi ha 'TRF06'"),
]


async def test_a_malformed_request_is_told_what_was_expected_in_the_language_of_who_asks(stage: Stage) -> None:
    for path, told in EXPECTED:
        answer = await stage.http.get(f"/api/v1/tournaments/lliga/{path}", headers={"Accept-Language": "ca"})
        (error,) = answer.json()["errors"]
        assert error["problem"].endswith(told), path
        assert answer.json()["detail"] == f"{error['field']}: {error['problem']}"
    long = await stage.http.get(f"/api/v1/tournaments/lliga/standings?player={'x' * 65}&lang=es")
    assert "65" in long.json()["errors"][0]["problem"]


async def test_an_unknown_path_and_a_wrong_method_are_problems(stage: Stage) -> None:
    missing = await stage.http.get("/api/v1/teams")
    assert (missing.status_code, missing.headers["content-type"]) == (404, "application/problem+json")
    assert missing.json()["detail"] == "the path /api/v1/teams does not exist; see /docs for all paths"
    wrong = await stage.http.post("/api/v1/tournaments")
    assert (wrong.status_code, wrong.headers["allow"]) == (405, "GET, HEAD")
    assert wrong.json()["detail"] == "expected GET, HEAD, got POST"
    form = await stage.http.post("/api/v1/pairing/StartRound", data={"round": "1"}, headers={"Accept-Language": "ca"})
    assert form.status_code == 415
    assert "application/json" in form.json()["detail"]
    assert "'application/x-www-form-urlencoded'" in form.json()["detail"]


async def test_a_path_that_is_almost_right_is_404_and_sends_nobody_elsewhere(finished_stage: Stage) -> None:
    for path in (
        "/api/v1/tournaments/",
        "/api/v1/tournaments/lliga/",
        "/api/v1/games/%2e%2e%2f",
        "/healthz/",
        "/static",
        "/tournaments/lliga/",
        "/status/",
    ):
        answer = await finished_stage.http.get(path, headers={"Host": "elsewhere.localhost"})
        assert (answer.status_code, answer.headers.get("location")) == (404, None), path
        media_type = "text/html" if path.startswith(("/tournaments/", "/status")) else "application/problem+json"
        assert answer.headers["content-type"].partition(";")[0] == media_type, path


async def test_results_apps_from_elsewhere_may_read(stage: Stage) -> None:
    answer = await stage.http.get("/api/v1/tournaments", headers={"Origin": "https://app.example"})
    assert answer.headers["access-control-allow-origin"] == "*"
    exposed = answer.headers["access-control-expose-headers"].lower()
    assert all(name in exposed for name in ("etag", "content-disposition", "retry-after"))
    private = ("/console", "/round/1/results", "/print", "/my-table", "/duplicate/x-r1/judge", "/no-such-page")
    for path in ("", "/round/1", "/duplicate", "/feed.atom", "/rounds.ics", "/find", *private):
        answer = await stage.http.get(f"/tournaments/nowhere{path}", headers={"Origin": "https://app.example"})
        assert ("access-control-allow-origin" in answer.headers) == (path not in private), path


async def test_the_openapi_document_describes_every_route(stage: Stage) -> None:
    document = (await stage.http.get("/openapi.json")).json()
    assert set(document["paths"]) == {
        "/api/v1/tournaments",
        "/api/v1/tournaments/{tournament_id}",
        "/api/v1/tournaments/{tournament_id}/standings",
        "/api/v1/tournaments/{tournament_id}/standings.csv",
        "/api/v1/tournaments/{tournament_id}/team-standings",
        "/api/v1/tournaments/{tournament_id}/team-standings.csv",
        "/api/v1/tournaments/{tournament_id}/teams",
        "/api/v1/tournaments/{tournament_id}/teams.csv",
        "/api/v1/tournaments/{tournament_id}/rounds/{number}/pairings",
        "/api/v1/tournaments/{tournament_id}/rounds/{number}/pairings.csv",
        "/api/v1/tournaments/{tournament_id}/crosstable",
        "/api/v1/tournaments/{tournament_id}/crosstable.csv",
        "/api/v1/tournaments/{tournament_id}/crosstable.txt",
        "/api/v1/tournaments/{tournament_id}/report.trf",
        "/api/v1/tournaments/{tournament_id}/results.tou",
        "/api/v1/tournaments/{tournament_id}/tsh.zip",
        "/api/v1/tournaments/{tournament_id}/prospects",
        "/api/v1/tournaments/{tournament_id}/stages",
        "/api/v1/tournaments/{tournament_id}/prizes",
        "/api/v1/tournaments/{tournament_id}/awards",
        "/api/v1/tournaments/{tournament_id}/players",
        "/api/v1/tournaments/{tournament_id}/messages",
        "/api/v1/tournaments/{tournament_id}/games",
        "/api/v1/tournaments/{tournament_id}/games.zip",
        "/api/v1/tournaments/{tournament_id}/ratings",
        "/api/v1/tournaments/{tournament_id}/ratings.csv",
        "/api/v1/tournaments/{tournament_id}/rulings",
        "/api/v1/tournaments/{tournament_id}/stream",
        "/api/v1/tournaments/{tournament_id}/duplicate-standings",
        "/api/v1/duplicate/{game_id}",
        "/api/v1/duplicate/{game_id}/standings",
        "/api/v1/duplicate/{game_id}/sheets",
        "/api/v1/games/{game_id}",
        "/api/v1/games/{game_id}.gcg",
        "/api/v1/games/{game_id}/racks",
        "/api/v1/players",
        "/api/v1/players/{player_id}",
        "/api/v1/ratings",
        "/api/v1/ratings/{number}",
        "/api/v1/seasons",
        "/api/v1/seasons/{season_id}",
        "/api/v1/seasons/{season_id}/bests",
        "/api/v1/players/{player_id}/career",
        "/api/v1/seasons/{season_id}/circuits/{circuit_id}",
        "/api/v1/seals",
        "/api/v1/status",
        "/api/v1/stream",
        "/healthz",
        "/readyz",
    }
    assert "median-buchholz" in json.dumps(document)


async def test_the_gateway_says_that_it_lives(stage: Stage) -> None:
    answer = await stage.http.get("/healthz")
    assert (answer.status_code, answer.json()) == (200, {"status": "serving"})


async def test_byes_forfeits_postponed_games_and_who_came_and_left_can_be_read(stage: Stage) -> None:
    hall = Championship()
    pairings = [
        events.Pairing(table=1, game_id="lliga-r1-t1", first_player_id="anna", second_player_id="carme"),
        events.Pairing(table=2, game_id="lliga-r1-t2", first_player_id="biel", second_player_id="dolors"),
    ]
    half = events.RequestedBye(player_id="eloi", kind=events.BYE_KIND_HALF_POINT)
    scores = [game_events.FinalScore(player_id=player) for player in ("anna", "carme")]
    await stage.add(
        *hall.create(),
        {
            hall.stream: [
                events.RoundPaired(round=1, pairings=pairings, requested_byes=[half]),
                events.GamePostponed(round=1, game_id="lliga-r1-t2", postponed_to=hall.at()),
                events.RoundStarted(round=1),
                events.ResultRecorded(
                    round=1,
                    game_id="lliga-r1-t1",
                    scores=scores,
                    winner_id="anna",
                    loser_ids=["carme"],
                    unplayed=True,
                ),
                events.PlayerWithdrawn(player_id="carme", round=2),
            ]
        },
    )
    answer = (await stage.http.get("/api/v1/tournaments/lliga/rounds/1/pairings")).json()
    players = (await stage.http.get("/api/v1/tournaments/lliga/players")).json()["players"]
    page = (await stage.http.get("/tournaments/lliga/round/1", headers={"accept-language": "ca"})).text

    assert [(bye["player"]["name"], bye["kind"]) for bye in answer["requested_byes"]] == [("Eloi Ferrer", "half_point")]
    first, second = answer["tables"]
    assert (first["winner_id"], first["loser_ids"], first["unplayed"]) == ("anna", ["carme"], True)
    assert second["postponed_to"] is not None
    assert [each["player_id"] for each in players if each["withdrawn_round"] == 2] == ["carme"]
    assert all(text in page for text in ("incompareixença", "ajornada", "mig punt"))
