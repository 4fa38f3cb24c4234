"""The input of a director becomes a request, or its errors are reported; the answer is a sentence."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from google.protobuf.timestamp_pb2 import Timestamp
from typer.testing import CliRunner

from faristol.cli import client, contract
from faristol.cli.answers import format_answer
from faristol.cli.contract import COMMAND_METHODS, as_written
from faristol.cli.fields import option_of
from faristol.cli.main import app
from faristol.cli.tournament import history
from faristol.kernel.event_types import events_of
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import fee_events_pb2 as fee_events
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.pb.pairing.v1 import registration_events_pb2 as registration_events
from faristol.pb.register.v1 import register_pb2 as register
from faristol.presentation import history as history_sentences
from faristol.presentation.catalogue import CATALOGUE
from faristol.presentation.tournament_commands import TOURNAMENT_COMMANDS
from faristol.table_terminal.shared.names import TournamentNames
from faristol.tournament.state.evolution import FOLDS

READS_ONLY = re.compile("Get|List|Search|Explain|Preview")

PLAYERS = {
    "anna": ("Anna Puig", "Valls"),
    "anna-2": ("Anna Puig", "Reus"),
    "p-1": ("Blai Soler", ""),
    "p-2": ("Cesca, Riu", ""),
}


def _copa(*, teams: bool = False) -> pairing.GetTournamentResponse:
    seats = [
        events.Pairing(table=3, game_id="copa-r1-t3", first_player_id="anna", second_player_id="p-1"),
        events.Pairing(table=4, game_id="copa-r1-t4", first_player_id="anna-2", second_player_id="p-2", hall="Gran"),
    ]
    players = [pairing.Player(player_id=who, name=name, club=club) for who, (name, club) in PLAYERS.items()]
    players[0].byes.add(round=2, kind=events.BYE_KIND_HALF_POINT)
    return pairing.GetTournamentResponse(
        tournament_id="copa",
        name="Copa",
        rounds=5,
        time_zone="Europe/Madrid",
        players=players,
        teams=[pairing.Team(team_id=who, name=name) for who, name in {"t1": "Torres", "c1": "Cavalls"}.items()] * teams,
        played=[pairing.Round(round=1, phase=pairing.ROUND_PHASE_STARTED, pairings=seats)],
    )


Said = Callable[..., tuple[Any, str]]


@pytest.fixture
def run_command(monkeypatch: pytest.MonkeyPatch) -> Said:
    """Return the request of a command line and its output, for a given answer of the service."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)

    def say(*words: str, answer: Message | None = None, teams: bool = False, code: int = 0) -> tuple[Any, str]:
        sent: list[Message] = []

        async def roll(_given: str, _address: str | None) -> TournamentNames:
            return TournamentNames(_copa(teams=teams))

        def call(_address: str | None, method: str, request: Message, *_: object) -> Message:
            if method == "SearchRegister" and words[0] == "player":
                return register.SearchRegisterResponse()
            sent.append(request)
            return answer or GetMessageClass(COMMAND_METHODS[method].output_type)()

        monkeypatch.setattr(client, "load_names", roll)
        monkeypatch.setattr(contract, "call", call)
        done = CliRunner().invoke(app, list(words))
        output = done.output + (str(done.exception) if done.exception and done.exit_code == 1 else "")
        assert (done.exit_code != 0) == (code != 0), output
        return (sent[0] if sent else None), output

    return say


def test_a_player_with_the_id_of_a_person_gets_what_the_register_knows_and_typed_values_win(
    run_command: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    person = register.FoundPerson(person_id="dan", name="Dan Mas", club="CE Vic", rating=1500, category="U18")
    sent: list[Any] = []

    def call(_address: str | None, method: str, request: Any) -> Any:
        if method == "SearchRegister":
            return register.SearchRegisterResponse(persons=[person] if "dan" in request.person_ids else [])
        sent.append(request)
        return pairing.RegisterPlayerResponse(player_id=request.player_id, round=1)

    run_command("player", "add", "copa", "Dan Mas")
    monkeypatch.setattr(contract, "call", call)
    for words, rating, club in (((), 1500, "CE Vic"), (("--rating", "1600", "--club", "Reus"), 1600, "Reus")):
        done = CliRunner().invoke(app, ["player", "add", "copa", "Dan Mas", "--id", "dan", *words])
        assert (sent[-1].rating, sent[-1].club, sent[-1].category) == (rating, club, "U18")
        taken = "Category U18" if words else "Club CE Vic, Rating 1500, Category U18"
        assert f"From the register: {taken}." in done.output
    done = CliRunner().invoke(app, ["player", "add", "copa", "Dan Mas", "--id", "dan", "--json"])
    assert json.loads(done.output)["from_register"] == {"club": "CE Vic", "rating": 1500, "category": "U18"}
    CliRunner().invoke(app, ["player", "add", "copa", "Eva Gil", "--id", "eva"])
    assert not sent[-1].HasField("rating")


def test_a_tournament_is_created_with_options_instead_of_fields(run_command: Said) -> None:
    words = ["--name", "Copa", "--rounds", "3", "--keeping", "recorded", "--option", "pairing=round-robin,minutes=25"]
    made, told = run_command("tournament", "create", "copa", *words, "--option", "exchange_min=7")
    assert (made.tournament_id, made.name, made.rounds, made.keeping) == ("copa", "Copa", 3, game.KEEPING_RECORDED)
    assert {entry.name: entry.value for entry in made.options} == {
        "pairing": "round-robin",
        "minutes": "25",
        "exchange_min": "7",
    }
    assert told.startswith("Copa is created: copa")


@pytest.mark.parametrize(
    ("words", "field", "expected"),
    [
        (["player", "withdraw", "copa", "blai", "--game", "lost"], "player_id", "p-1"),
        (["player", "warn", "copa", "Anna Puig (Reus)", "--arbiter", "eva"], "player_id", "anna-2"),
        (["pair", "forbid", "copa", "blai", "Cesca, Riu"], "player_ids", ["p-1", "p-2"]),
        (["game", "postpone", "copa", "3", "--player", "anna,blai"], "player_ids", ["anna", "p-1"]),
        (
            ["game", "postpone", "copa", "3", "--player", "anna", "--player", "Cesca, Riu"],
            "player_ids",
            ["anna", "p-2"],
        ),
        (["result", "enter", "copa", "--table", "4", "--score", "cesca=1"], "game_id", "copa-r1-t4"),
        (["result", "enter", "copa", "copa-r1-t3", "--score", "blai=1"], "game_id", "copa-r1-t3"),
        (["result", "report", "copa", "--table", "4", "--player", "Anna", "--score", "anna=1"], "player_id", "anna-2"),
        (["player", "sanction", "copa", "blai", "--kind", "rounds", "--rounds", "4,5"], "rounds", [4, 5]),
        (["player", "expel", "copa", "blai", "--decided-by", "nikos,eleni"], "decided_by", ["nikos", "eleni"]),
        (["round", "pair", "copa"], "round", 2),
        (["round", "close", "copa"], "round", 1),
        (["round", "explain", "copa", "blai"], "round", 1),
        (["appeal", "decide", "copa", "1", "--upheld"], "upheld", True),
        (["table", "fix", "copa", "blai", "7"], "table", 7),
        (["player", "add", "copa", "Dan", "--rating", "0", "--id", "dan"], "rating", 0),
        (["prize", "offer", "copa", "bingos", "high-play"], "prizes", [1, 3]),
        (["tournament", "undo", "copa", "23"], "version", 23),
    ],
)
def test_names_tables_and_lists_are_written_as_people_say_them(
    run_command: Said, words: list[str], field: str, expected: object
) -> None:
    made, _ = run_command(*words)
    value = getattr(made, field)
    assert (list(value) if isinstance(expected, list) else value) == expected


def test_what_has_parts_is_written_with_signs_of_equality(run_command: Said) -> None:
    made, _ = run_command(
        "result", "enter", "copa", "--table", "3", "--score", "Anna Puig (Valls)=412", "--score", "blai=-5"
    )
    assert [(score.player_id, score.score) for score in made.scores] == [("anna", 412), ("p-1", -5)]
    made, _ = run_command("result", "enter", "copa", "--table", "4", "--score", "Anna Puig=412,cesca=350")
    assert [score.player_id for score in made.scores] == ["anna-2", "p-2"], "the Anna Puig of that table"
    made, _ = run_command("hall", "set", "copa", "--hall", "Gran=1-20", "--hall", "Petita=21-30", "--top-tables", "4")
    assert [(hall.name, hall.first_table, hall.last_table) for hall in made.halls] == [
        ("Gran", 1, 20),
        ("Petita", 21, 30),
    ]
    made, _ = run_command("hall", "set", "copa", "--hall", "Gran=1-20/8+6/entrance:left/stage:first-row/turning")
    (hall,) = made.halls
    assert (list(hall.row_tables), hall.rows_turn) == ([8, 6], True)
    assert (hall.entrance, hall.stage) == (events.HALL_SIDE_LEFT, events.HALL_SIDE_FIRST_ROW)
    made, _ = run_command(
        "tribunal", "appoint", "copa", "--member", "ona=organisers=AND,galla=players", "--affiliation", "x=A, b"
    )
    assert [(entry.person_id, entry.role, entry.country) for entry in made.appointments] == [
        ("ona", events.TRIBUNAL_ROLE_ORGANISERS, "AND"),
        ("galla", events.TRIBUNAL_ROLE_PLAYERS, ""),
    ]
    assert [(entry.person_id, entry.affiliation) for entry in made.affiliations] == [("x", "A, b")]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["judge", "mode", "copa", "panel"], {"mode": 3, "panel": 3}),
        (["judge", "mode", "copa", "panel", "--panel", "5", "--lease", "20"], {"panel": 5, "lease_seconds": 20}),
        (["judge", "mode", "copa", "automatic"], {"mode": 1, "panel": 0}),
        (["judge", "appoint", "copa", "ada", "--language", "ca", "--director"], {"judge_id": "ada", "director": True}),
        (["judge", "layers", "copa", "--layer", "verbs"], {"layers": ["verbs"]}),
        (["rating", "choose", "copa", "naspa-1"], {"tournament_id": "copa", "system": "naspa-1"}),
    ],
)
def test_methods_of_other_services_are_commands_too(
    run_command: Said, words: list[str], expected: dict[str, object]
) -> None:
    made, _ = run_command(*words)
    assert {name: getattr(made, name) for name in expected} == expected


def test_where_teams_meet_a_bye_and_a_pair_are_of_teams(run_command: Said) -> None:
    made, told = run_command("bye", "grant", "copa", "torres", "--round", "2", "--kind", "zero-point", teams=True)
    assert (made.team_id, made.player_id) == ("t1", "")
    assert told == "Torres sits out round 2: no point.\n"
    made, _ = run_command("pair", "keep", "copa", "torres", "cav", teams=True)
    assert (list(made.team_ids), list(made.player_ids)) == (["t1", "c1"], [])


@pytest.mark.parametrize(
    ("written", "hour"), [("2026-05-02T16:00", 14), ("2026-05-02 16:00", 14), ("2026-05-02T16:00:00Z", 16)]
)
def test_a_time_without_a_zone_is_that_of_the_halls(run_command: Said, written: str, hour: int) -> None:
    made, _ = run_command("round", "start", "copa", "--at", written)
    assert made.occurred_at.ToDatetime(UTC) == datetime(2026, 5, 2, hour, tzinfo=UTC)


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("2026-03-29T02:30", "There is no 02:30 on 2026-03-29: daylight saving time begins."),
        (
            "2025-10-26T02:30",
            "02:30 occurs twice on 2025-10-26, when daylight saving time ends: write 2025-10-26T02:30+02:00 or "
            "2025-10-26T02:30+01:00.",
        ),
    ],
)
def test_a_time_that_is_none_or_two_is_refused_with_the_ways_to_write_it(
    run_command: Said, written: str, told: str
) -> None:
    made, refused = run_command("round", "start", "copa", "--at", written, code=2)
    assert made is None
    assert told in " ".join(re.sub("[│╭╮╰╯─]", " ", refused).split())


def test_a_player_whose_name_is_similar_to_another_is_asked_about(run_command: Said) -> None:
    made, refused = run_command("player", "add", "copa", "Anná Puig", code=1)
    assert made is None
    assert "Anná Puig is similar to Anna Puig. Is this a different person?" in refused
    assert "give Anná Puig an id" in refused
    made, _ = run_command("player", "add", "copa", "Anná Puig", "--id", "anna-2")
    assert made.player_id == "anna-2"


def test_a_corrected_name_that_is_similar_to_another_is_asked_about(run_command: Said) -> None:
    made, refused = run_command("player", "amend", "copa", "blai", "--name", "Anná Puig", code=1)
    assert made is None
    assert "Anná Puig is similar to Anna Puig. Is this a different person?" in refused
    assert "use --another-person" in refused
    made, _ = run_command("player", "amend", "copa", "blai", "--name", "Anná Puig", "--another-person")
    assert (made.player_id, made.name) == ("p-1", "Anná Puig")
    made, _ = run_command("player", "amend", "copa", "blai", "--name", "Blaí Soler")  # like their own earlier name
    assert made.name == "Blaí Soler"


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (
            ["tournament", "create", "x", "--keeping", "recordde"],
            "--keeping cannot be 'recordde'; did you mean recorded?",
        ),
        (["tournament", "create", "x", "--seed", "zz"], "--seed cannot be 'zz': expected HEX"),
        (["round", "start", "copa", "--at", "noon"], "--at cannot be 'noon': expected 2026-03-07T10:00"),
        (
            ["result", "enter", "copa", "--table", "3", "--score", "anna"],
            "--score cannot be 'anna': expected PLAYER=SCORE",
        ),
        (["result", "enter", "copa", "--score", "anna=1"], "specify the game: use its id, or its table"),
        (["result", "enter", "copa", "--table", "9", "--score", "anna=1"], "round 1 has no table 9; it has 3–4"),
        (["round", "pair", "copa", "99999999999"], "cannot be '99999999999': expected NUMBER"),
        (["hall", "set", "copa", "--hall", "A=1-99999999999"], "cannot be '99999999999': expected NUMBER"),
        (["sanction", "lift", "copa", "99999999999999999999"], "cannot be '99999999999999999999': expected NUMBER"),
        (["round", "start", "copa", "--at", "0001-01-01T00:00:00+14:00"], "expected 2026-03-07T10:00"),
        (["hall", "set", "copa", "--hall", "Gran"], "--hall cannot be 'Gran': expected NAME=FIRST-LAST"),
        (["tribunal", "appoint", "copa", "--member", "ona=judges"], "--member cannot be 'judges'"),
        (["player", "withdraw", "copa", "anna p"], "could be Anna Puig (Valls, anna); Anna Puig (Reus, anna-2)"),
        (["prize", "offer", "copa", "bingo"], "did you mean bingos?"),
        (["bye", "grant", "copa", "blai", "--round", "2", "--kind", "half"], "did you mean half-point?"),
        (["player", "withdraw", "copa", "blai", "--game", "given-up"], "expected lost, played-out"),
    ],
)
def test_what_the_contract_does_not_know_is_told_with_what_it_knows(
    run_command: Said, words: list[str], problem: str
) -> None:
    made, told = run_command(*words, code=2)
    assert made is None
    assert problem in " ".join(told.split())


def test_every_answer_is_a_sentence_with_names(run_command: Said) -> None:
    answer: Message = pairing.WithdrawPlayerResponse(position=63, round=2, game_id="copa-r1-t3", round_to_pair_again=2)
    _, told = run_command("player", "withdraw", "copa", "anna", "--game", "lost", answer=answer)
    assert told == (
        "Anna Puig (Valls) has withdrawn, from round 2 on. "
        "The game Anna Puig (Valls) – Blai Soler (round 1, table 3) is lost. "
        "Round 2 is already paired: pair it again before it starts.\n"
    )
    answer = pairing.PairRoundResponse(position=9, pairings=_copa().played[0].pairings, bye_player_id="p-1")
    _, told = run_command("round", "pair", "copa", answer=answer)
    assert told.splitlines() == [
        "Round 2 is paired: 2 games, bye: Blai Soler.",
        "       3  Anna Puig (Valls) – Blai Soler",
        "  Gran 4  Anna Puig (Reus) – Cesca, Riu",
    ]
    answer = pairing.PairRoundResponse(position=9, bye_player_id="p-1")
    answer.requested_byes.add(player_id="anna", kind=events.BYE_KIND_HALF_POINT)
    answer.requested_byes.add(player_id="p-2", kind=events.BYE_KIND_FULL_POINT)
    _, told = run_command("round", "pair", "copa", answer=answer)
    assert told.splitlines()[1:] == [
        "Anna Puig (Valls) sits out round 2: half a point.",
        "Cesca, Riu has no game in round 2 because the opponent is absent: a point.",
    ]
    described = ("tournament", "describe", "copa", "--contact", "a@example.org")
    _, told = run_command(*described, answer=pairing.DescribeTournamentResponse(position=9))
    assert told == "The settings of Copa are changed. Changed: contact.\n"
    answer = pairing.DescribeTournamentResponse(position=9, parts=[events.TOURNAMENT_PART_PLACE])
    _, told = run_command(*described, "--place", "Valls", "--arbiters", "Eva Soler", answer=answer)
    assert told == "The settings of Copa are changed. Changed: place, contact, arbiters.\n"
    answer = pairing.GiveForfeitResponse(scores=[game.FinalScore(player_id="anna", score=0)])
    _, told = run_command("result", "forfeit", "copa", "3", "--loser", "blai", answer=answer)
    assert told == (
        "A forfeit: Anna Puig (Valls) (round 1, table 3), Anna Puig (Valls) wins, Blai Soler did not arrive.\n"
    )
    _, told = run_command("tournament", "obstacles", "copa", answer=pairing.ListObstaclesResponse(round=2))
    assert told == "Round 2 can be paired.\n"
    answer = pairing.ExplainPairingResponse(text="anna and p-1 have met.", article="FISC I.1")
    _, told = run_command("round", "explain", "copa", "anna", answer=answer)
    assert told == "Anna Puig (Valls) and Blai Soler have met (FISC I.1).\n"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["forfeit", "--loser", "anna,blai"], "(round 1, table 3), no player arrived, and all lose."),
        (
            ["enter", "--score", "blai=120", "--abandoned-by", "blai"],
            "by Blai Soler: Anna Puig (Valls) wins.",
        ),
        (
            ["enter", "--score", "blai=120", "--abandoned-by", "blai,anna"],
            "Anna Puig (Valls) and Blai Soler: all lose.",
        ),
        (
            ["correct", "--unplayed", "--winner", "blai"],
            "forfeit: Blai Soler wins, Anna Puig (Valls) did not arrive.",
        ),
        (["correct", "--score", "blai=120", "--lost-by-all"], "(round 1, table 3), all lost."),
        (["correct", "--score", "blai=120", "--winner", "blai"], "Corrected: Blai Soler 120 (round 1, table 3)."),
    ],
)
def test_where_the_scores_do_not_say_who_lost_the_answer_does(
    run_command: Said, words: list[str], expected: str
) -> None:
    verb, *options = (word.replace("anna", "Anna Puig (Valls)") for word in words)
    _, told = run_command("result", verb, "copa", "3", *options)
    assert told.endswith(f"{expected}\n")


def test_an_entry_is_corrected_in_what_is_given_which_may_be_empty_and_the_answer_says_what(run_command: Said) -> None:
    answer = pairing.AmendPlayerResponse(parts=[events.ENTRY_PART_CLUB, events.ENTRY_PART_RATING])
    sent, told = run_command("player", "amend", "copa", "blai", "--club", "", "--rating", "1450", answer=answer)
    assert told == "The entry of Blai Soler is corrected: club, rating.\n"
    assert (sent.player_id, sent.HasField("club"), sent.club, sent.rating) == ("p-1", True, "", 1450)
    assert not any(sent.HasField(field) for field in ("name", "country", "category", "note"))


def test_who_comes_back_to_a_round_that_is_paired_is_told_how_to_play_in_it(run_command: Said) -> None:
    answer = pairing.ReinstatePlayerResponse(round=3, round_paired_without=2)
    _, told = run_command("player", "reinstate", "copa", "blai", answer=answer)
    assert told == (
        "Blai Soler is paired again from round 3 on. Round 2 is paired without Blai Soler: "
        "to include Blai Soler, unpair it and pair it again before it starts.\n"
    )
    _, told = run_command("player", "reinstate", "copa", "blai", answer=pairing.ReinstatePlayerResponse(round=3))
    assert told == "Blai Soler is paired again from round 3 on.\n"


def test_a_report_that_makes_a_result_disputed_says_so(run_command: Said) -> None:
    words = ["result", "report", "copa", "--table", "3", "--player", "blai", "--score", "anna=400,blai=350"]
    told = {
        effect: run_command(*words, answer=pairing.ReportResultResponse(position=9, effect=effect))[1]
        for effect in (pairing.REPORT_EFFECT_ENTERED, pairing.REPORT_EFFECT_DISPUTED)
    }
    assert "disputed" not in told[pairing.REPORT_EFFECT_ENTERED]
    assert "The result is disputed: another one was entered before." in told[pairing.REPORT_EFFECT_DISPUTED]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--kind", "points", "--points", "30", "--table", "3"], "is sanctioned. Points deducted: 30."),
        (["--kind", "rounds", "--rounds", "4,5"], "is sanctioned. Not paired in rounds: 4, 5."),
        (["--kind", "game", "--table", "3"], "The game Anna Puig (Valls) – Blai Soler (round 1, table 3) is lost."),
    ],
)
def test_a_sanction_is_answered_with_what_it_takes(run_command: Said, options: list[str], expected: str) -> None:
    _, told = run_command("player", "sanction", "copa", "blai", *options)
    assert told.startswith("Blai Soler is sanctioned. ")
    assert told.endswith(f"{expected}\n")


def test_a_tournament_has_the_players_whom_its_pages_count_and_says_who_is_there_where_that_was_noted(
    run_command: Said,
) -> None:
    answer = pairing.GetTournamentResponse(
        players=[
            pairing.Player(player_id="anna", entered_round=1),
            pairing.Player(player_id="p-1", entered_round=1, withdrawn_round=1),
            pairing.Player(player_id="p-2", entered_round=1, withdrawn_round=2),
        ]
    )
    assert "\nPlayers: 2.\n" in run_command("tournament", "show", "copa", answer=answer)[1]
    answer.players[0].checked_in = True
    assert "\nPlayers: 2, checked in: 1.\n" in run_command("tournament", "show", "copa", answer=answer)[1]


@pytest.mark.parametrize("method", CATALOGUE)
def test_no_answer_is_the_name_of_a_field(method: str, run_command: Said) -> None:
    of = CATALOGUE[method]
    texts = [of.said, *of.also.values()]
    assert any(texts) or READS_ONLY.match(method) or method in ("PairRound", "AddWebhook")
    assert all(" " in text for text in texts if text)


def test_programs_are_told_ids_and_names(run_command: Said) -> None:
    answer = pairing.PairRoundResponse(position=9, pairings=_copa().played[0].pairings, bye_player_id="p-1")
    _, told = run_command("round", "pair", "copa", "--json", answer=answer)
    found = json.loads(told)
    assert (found["tournament_id"], found["round"], found["position"]) == ("copa", 2, "9")
    assert (found["bye_player_id"], found["bye_player_name"]) == ("p-1", "Blai Soler")
    assert found["pairings"][0]["first_player_name"] == "Anna Puig (Valls)"


def test_the_history_has_the_choice_of_a_rating_system_in_its_place_and_no_version_to_undo_it_by() -> None:
    at = Timestamp(seconds=1_700_000_000)
    answer = pairing.ListActsResponse(
        acts=[
            pairing.Act(version=1, position=1, type="RoundStarted", round=1, recorded_at=at),
            pairing.Act(version=2, position=9, type="RoundPaired", round=2, recorded_at=at, undone_by="UnpairRound"),
        ],
        rating_choices=[
            pairing.Act(position=5, type="RatingSystemChosen", details=["system: naspa-1"], recorded_at=at)
        ],
    )
    assert list(history.format_history(answer, TournamentNames(_copa()))) == [
        "   1  2023-11-14 23:13:20+01:00  Round 1 is started.",
        "      2023-11-14 23:13:20+01:00  Rated by NASPA.",
        "   2  2023-11-14 23:13:20+01:00  Round 2 is paired. To undo it: `round unpair`.",
    ]


ANNA, BLAI = (
    pairing.ActPlayer(player_id=who, name=name) for who, name in (("anna", "Anna Puig"), ("p-1", "Blai Soler"))
)


@pytest.mark.parametrize(
    ("act", "language", "expected"),
    [
        (
            pairing.Act(
                type="ResultCorrected",
                game_id="copa-r1-t3",
                player_ids=["anna", "p-1"],
                players=[ANNA, BLAI],
                scores=[game.FinalScore(player_id="anna", score=410), game.FinalScore(player_id="p-1", score=402)],
                details=["winner-id: anna", "unplayed: no", "scores-before: anna 310, p-1 402"],
                actor="o-1",
                actor_name="Eva Soler",
                note="the sheets say so",
            ),
            "en",
            "Corrected: Anna Puig 410 – Blai Soler 402 (round 1, table 3). Before: Anna Puig 310 – Blai Soler 402. "
            "By Eva Soler. Note: the sheets say so",
        ),
        (
            pairing.Act(
                type="ResultRecorded",
                game_id="copa-r1-t3",
                scores=[game.FinalScore(player_id="anna", score=0), game.FinalScore(player_id="p-1", score=150)],
                details=["unplayed: yes", "winner-id: p-1"],
                actor="game-results",
                role="service",
            ),
            "en",
            "A forfeit: Anna Puig (Valls) 0 – Blai Soler 150 (round 1, table 3), "
            "Blai Soler wins, Anna Puig (Valls) did not arrive. By Faristol.",
        ),
        (
            pairing.Act(
                type="PlayerSanctioned",
                player_ids=["p-1"],
                players=[BLAI],
                details=[
                    "kind: rounds",
                    "rounds: 2, 3",
                    "article: FISE 49",
                    "arbiter-id: marta",
                    "decided-by: ona, anna",
                ],
                undone_by="LiftSanction",
            ),
            "en",
            "Blai Soler is sanctioned (FISE 49). Not paired in rounds: 2, 3. Arbiter: marta. "
            "Decided by: ona, Anna Puig (Valls). To undo it: `sanction lift`.",
        ),
        (
            pairing.Act(type="PrizesOffered", details=["prizes: high-game, bingos"]),
            "en",
            "Special prizes: Most bingos, Highest score of a game.",
        ),
        (pairing.Act(type="AppealDecided", details=["appeal: 1"]), "en", "Appeal 1 is dismissed: the decision stands."),
        (
            pairing.Act(type="LineUpSet", player_ids=["anna"], details=["team-id: t1"]),
            "en",
            "Torres has this line-up from round 1 on: Anna Puig (Valls).",
        ),
        (
            pairing.Act(type="ByeAwarded", round=1, player_ids=["p-1"], players=[BLAI]),
            "ca",
            "Blai Soler descansa a la ronda 1: un punt.",
        ),
        (pairing.Act(type="SomethingNew"), "ca", "SomethingNew"),
    ],
)
def test_an_act_is_told_in_a_sentence_of_the_readers_language_with_names(
    monkeypatch: pytest.MonkeyPatch, act: pairing.Act, language: str, expected: str
) -> None:
    monkeypatch.setenv("LC_ALL", language)
    line = next(history.format_history(pairing.ListActsResponse(acts=[act]), TournamentNames(_copa(teams=True))))
    assert line.removeprefix("      1970-01-01 01:00:00+01:00  ") == expected


@pytest.mark.parametrize(
    ("scores", "winner", "expected"),
    [
        ("anna 0, p-1 0", "p-1", "by forfeit: Blai Soler wins, Anna Puig did not arrive"),
        ("anna 0, p-1 0", "", "by forfeit: no player arrived, and all lose"),
        ("anna 0, p-1 9", "p-1", "Anna Puig 0 – Blai Soler 9, by forfeit: Blai Soler wins, Anna Puig did not arrive"),
    ],
)
def test_of_a_forfeit_that_was_corrected_the_history_says_who_had_won(scores: str, winner: str, expected: str) -> None:
    corrected = pairing.Act(
        type="ResultCorrected",
        game_id="copa-r1-t3",
        player_ids=["anna", "p-1"],
        players=[ANNA, BLAI],
        scores=[game.FinalScore(player_id="anna", score=410), game.FinalScore(player_id="p-1", score=402)],
        details=["unplayed: no", f"scores-before: {scores}", "unplayed-before: yes"],
    )
    if winner:
        corrected.details.append(f"winner-id-before: {winner}")
    acts = pairing.ListActsResponse(acts=[corrected])
    (entry,) = history_sentences.describe_history(acts, TournamentNames(_copa()), "en")
    assert entry.also["scores_before"] == f"Before: {expected}."


def test_a_tournament_without_a_lexicon_is_said_to_have_none() -> None:
    known = pairing.GetTournamentResponse(tournament_id="liga", name="Liga")
    created = pairing.Act(type="TournamentCreated", details=["name: Liga"])
    (entry,) = history_sentences.describe_history(
        pairing.ListActsResponse(acts=[created]), TournamentNames(known), "en"
    )
    assert entry.said == "Liga is created, without a lexicon."
    request = pairing.CreateTournamentRequest(tournament_id="liga", name="Liga", ruleset="fise", without_lexicon=True)
    answer = pairing.CreateTournamentResponse(tournament_id="liga")
    answer.ruleset.name = "fise"
    (line,) = format_answer("CreateTournament", request, answer, None)
    assert line == "Liga is created: liga, under fise, without a lexicon."


def test_there_is_a_sentence_for_every_event_of_a_tournament() -> None:
    assert {kind.DESCRIPTOR.name for kind in FOLDS} | {"RatingSystemChosen"} == {
        *history_sentences.EVENT_COMMANDS,
        *history_sentences.EVENT_SENTENCES,
    }
    assert not history_sentences.EVENT_COMMANDS.keys() & history_sentences.EVENT_SENTENCES


def test_there_is_a_sentence_for_every_event_of_entries_and_fees() -> None:
    kinds = events_of(registration_events, fee_events)
    assert {kind.DESCRIPTOR.name for kind in kinds} == history_sentences.OTHER_SENTENCES.keys()


def test_no_sentence_of_the_history_names_what_no_act_says() -> None:
    """As in the answer to a command that states when a postponed game will be played."""
    of_every_act = {"tournament", "ruleset", "lexicon", "round", "id", "name", "who", "player_ids", "scores"}
    for method in {*history_sentences.EVENT_COMMANDS.values(), "GiveForfeit"}:
        kinds = [
            kind.DESCRIPTOR for kind in FOLDS if history_sentences.EVENT_COMMANDS.get(kind.DESCRIPTOR.name) == method
        ]
        known = of_every_act | {"game", "at_table", "outcome"} | {field.name for kind in kinds for field in kind.fields}
        assert known.issuperset(re.findall(r"\{(\w+)", TOURNAMENT_COMMANDS[method].said)), method


def test_a_refusal_names_options_as_they_are_written() -> None:
    refused = (
        "p1 withdrew and gave copa-r1-t1 up: give abandoned_by with p1\narbiter_id: expected the id; no arbiter_ids"
    )
    told = "p1 withdrew and gave copa-r1-t1 up: give --abandoned-by with p1\n--arbiter: expected the id; no arbiter_ids"
    assert as_written(refused, "EnterResult") == told
    running = as_written("say with running_game whether", "WithdrawPlayer")
    assert running == "say with --game lost|played-out whether"
    assert as_written("rounds: is missing", "CreateTournament") == "--rounds: is missing"


def test_no_two_options_of_a_command_are_spelled_alike() -> None:
    for method, act in CATALOGUE.items():
        request = COMMAND_METHODS[method].input_type
        options = [
            option_of(act, field) for name, field in act.fields(request).items() if name not in act.positional(request)
        ]
        assert len(set(options)) == len(options), method
