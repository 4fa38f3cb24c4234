"""Every command of directors and arbiters has a form on one of their pages, or a reason."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from google.protobuf.message import Message
from jinja2 import nodes

from faristol import gateway
from faristol.access_control.roles import ARBITER, DIRECTOR
from faristol.gateway.auth.sign_in import common_time_zone
from faristol.gateway.consoles.arbiter.acts import BY_METHOD
from faristol.gateway.consoles.attendance.day import OwnDay
from faristol.gateway.consoles.director import option_names
from faristol.gateway.consoles.director.commands import command_of
from faristol.gateway.consoles.director.page import ids_in
from faristol.gateway.consoles.duplicate_game import judge
from faristol.gateway.consoles.forms import fill
from faristol.gateway.consoles.frame import Typed
from faristol.gateway.consoles.navigation import callers
from faristol.gateway.consoles.own_table import (
    describe_game,
    describe_sanctions,
    describe_state,
    may_hide_arguments,
)
from faristol.gateway.pages.spectators.seats import PlayerPlace, outcome_for
from faristol.gateway.pages.templating import LIVE, environment, render
from faristol.gateway.rpc.calls import METHODS_BY_REQUEST, Method
from faristol.kernel.errors import Invalid
from faristol.kernel.times import to_datetime
from faristol.pb.comments import COMMENTS
from faristol.pb.game.v1 import game_pb2
from faristol.pb.pairing.v1 import events_pb2 as pairing_events
from faristol.pb.pairing.v1 import fees_pb2
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.pb.results.v1 import results_pb2, webhooks_pb2
from faristol.presentation.labels import DATA_REQUEST_STATES, DATA_REQUESTS
from faristol.presentation.names import Roster, fold_name
from faristol.presentation.table_commands import TABLE_COMMANDS
from faristol.rules.ruleset.file import load_ruleset, ruleset_names

TEMPLATES = Path(str(gateway.__file__)).parent / "templates"

ELSEWHERE: Mapping[str, str] = {
    "CreateTournament": "director/new.html",
    "RegisterPlayers": "director/player_list.html",
    "EnterResult": "results/round.html",
    "EnterResults": "results/round.html",
    "EnterSignedSheet": "results/round.html",
    "CorrectOwnResult": "results/round.html",
    "ConfirmResult": "results/parts.html",
    "ConfirmResults": "results/round.html",
    "ReportResult": "results/parts.html",
    "DecideDispute": "results/parts.html",
    "ClaimCase": "judge_case.html",
    "ReleaseCase": "judge_case.html",
    "RuleCase": "judge_case.html",
    "GrantCredential": "credentials.html",
    "RevokeCredential": "credentials.html",
    "SignOut": "account.html",
    "AnswerDataRequest": "data_requests.html",
    "LodgeDataRequest": "own_data.html",
    "AddPicture": "director/screens.html",
    **dict.fromkeys(("SetFees", "AdjustFee", "RecordPayment", "CancelPayment", "CorrectPayment"), "fees.html"),
    "RefundPayment": "fees.html",
    "SendMessage": "message_forms.html",
    "WithdrawMessage": "message_forms.html",
    **dict.fromkeys(("PointSlot", "RemoveSlot", "ClaimTable", "ReleaseClaim", "SetBroadcastDelay"), "slots.html"),
    "ConfirmPresence": "here.html",
    "LodgePlayerRequest": "own_day.html",
    "TakeBackPlayerRequest": "own_day.html",
}
"""The templates of forms whose pages build their commands."""

OF_DUPLICATE = {act.request.DESCRIPTOR.name.removesuffix("Request") for act in judge.JUDGE_COMMANDS.values()}
OF_DUPLICATE |= {"SubmitSlips", "CloseHall", "CallHallRack", "StartHallTurn"}
"""The commands of the judge's page and the collector's page of a duplicate game."""

BY_CLAIM = {
    "RaiseClaim": "a player claims; for one without a phone `faristol duplicate claim` does",
    "PrepareGame": "a game is prepared before its round, at a terminal: `faristol duplicate prepare`",
    "SetEmbargo": "it is set with what is prepared: `faristol duplicate embargo`",
    "LiftEmbargo": "it ends by itself with the last group; before, `faristol duplicate lift` does",
    "AmendSlip": "on pages a slip is put right by deciding a claim",
}
"""Why a command of a duplicate game has no form."""

OF_TERMINAL = {
    "ImportRounds": "the page of the takeover sends it after the tournament and its players",
    "ReportShadow": "a program compares the tournament with another one: `faristol shadow`",
}
"""Why a command of a tournament has no form."""

REASONS = {
    webhooks_pb2.DESCRIPTOR.name: "a programmer sets webhooks up, at the terminal or by the API: `faristol webhook`",
}
"""Why the commands of a contract have no form, by its file."""


def without(method: Method) -> str:
    """Return the reason that a command has no form; empty if it needs one."""
    of_name = {**BY_CLAIM, **OF_TERMINAL}
    return of_name.get(method.name) or REASONS.get(method.request.DESCRIPTOR.file.name, "")


def commands() -> Iterator[Method]:
    """Yield every command that a director or an arbiter may give."""
    for method in METHODS_BY_REQUEST.values():
        if "command_id" in method.request.DESCRIPTOR.fields_by_name and callers(method) & {DIRECTOR, ARBITER}:
            yield method


def in_templates() -> frozenset[str]:
    """Return the commands of which the director's templates have a form."""
    calls = re.compile(r"console\.command\(([^,)]*)")
    texts = [path.read_text(encoding="utf-8") for path in (TEMPLATES / "director").glob("*.html")]
    return frozenset(
        name for text in texts for call in calls.findall(text) for name in re.findall(r'"([A-Z]\w+)"', call)
    )


def test_every_command_of_a_director_or_arbiter_has_a_form_or_a_reason_why_not() -> None:
    forms = in_templates() | set(BY_METHOD) | set(TABLE_COMMANDS) | set(ELSEWHERE) | OF_DUPLICATE
    missing = {method.name for method in commands() if method.name not in forms and not without(method)}
    assert missing == set()
    assert all((TEMPLATES / where).exists() for where in ELSEWHERE.values())


def test_every_form_of_the_directors_console_is_carried_out_by_a_page_of_it() -> None:
    forms = in_templates() - set(ELSEWHERE)
    assert forms
    assert {name for name in forms if build_command(name) is None} == set()
    assert {name for name in ("GetTournament", "PlacePlay", "GrantCredential", "") if build_command(name)} == set()


BESIDE_CONTRACT: Mapping[str, frozenset[str]] = {
    "RegisterPlayer": frozenset({"comma", "others"}),
    "AmendPlayer": frozenset({"others"}),
    "AcceptEntry": frozenset({"known_id"}),
    "CorrectResult": frozenset({"outcome"}),
    "LodgeAppeal": frozenset({"appealed", "country", "affiliation", "person"}),
    "AppointTribunal": frozenset({"country", "affiliation", "person"}),
    "CreateStage": frozenset({"plan"}),
    "SetPrizeList": frozenset({"digits", "money", "prizes_in_kind"}),
}
"""Fields of forms that no request has: the module of the page converts them."""


def list_forms() -> Iterator[tuple[str, set[str]]]:
    """Return each form of the director’s templates: its command, and the names of its fields up to a dot."""
    for path in (TEMPLATES / "director").glob("*.html"):
        for form in re.findall(r"<form.*?</form>", path.read_text(encoding="utf-8"), re.DOTALL):
            command = re.search(r'console\.command\("(\w+)"', form)
            if command:
                named = re.findall(r' name="(\w+)|(?:field|people|which_time)\("(\w+)', form)
                yield command[1], {first or second for first, second in named}


def test_the_fields_of_a_form_are_those_of_its_command() -> None:
    found = dict(list_forms())
    assert len(found) > 40
    for name, fields in list_forms():
        if name not in ELSEWHERE:
            command = build_command(name)
            assert command is not None
            known = {*command.DESCRIPTOR.fields_by_name, *BESIDE_CONTRACT.get(name, ())}
            assert fields <= known, name
    assert "halls" in found["SetHalls"]


def build_command(name: str, /, **fields: str) -> Message | None:
    """Return the command of a form of the director’s console, in a tournament in Athens."""
    return command_of(name, {"command_id": "0e8dd1b5-7dd5-4b9e-9b5c-1ad0bd3f3c0a", **fields}, "cup", "Europe/Athens")


def test_times_of_a_form_are_those_of_the_halls() -> None:
    command = build_command(
        "PostponeGame", game_id="g", scheduled_at="2026-03-07T10:00", postponed_to="2026-07-07T10:30"
    )
    assert isinstance(command, pairing.PostponeGameRequest)
    assert command.scheduled_at.ToJsonString() == "2026-03-07T08:00:00Z"
    assert command.postponed_to.ToJsonString() == "2026-07-07T07:30:00Z"
    empty = build_command("PostponeGame", game_id="g", scheduled_at="")
    assert isinstance(empty, pairing.PostponeGameRequest)
    assert not empty.HasField("scheduled_at")


@pytest.mark.parametrize("text", ["tomorrow", "2026-13-01T10:00", "0001-01-01T00:00"])
def test_what_is_no_time_is_told_beside_its_field(text: str) -> None:
    with pytest.raises(Invalid) as wrong:
        build_command("PostponeGame", scheduled_at=text)
    assert wrong.value.field == "scheduled_at"


def test_a_line_up_keeps_the_order_of_its_boards_behind_the_ninth() -> None:
    typed = {f"player_ids.{place}": f"p{place}" for place in range(1, 13)}
    command = build_command("SetLineUp", team_id="t", **typed)
    assert isinstance(command, pairing.SetLineUpRequest)
    assert list(command.player_ids) == [f"p{place}" for place in range(1, 13)]


def test_what_was_left_as_the_form_had_it_is_no_part_of_an_amendment() -> None:
    stands = {"name": "Ona Vidal", "club": "Vic", "country": "", "rating": "1500", "category": "U18", "note": "late"}
    before = {f"{field}.before": text for field, text in stands.items()}
    changed = stands | {"name": "Ona Vidal i Mas", "club": " ", "rating": ""}
    command = build_command("AmendPlayer", player_id="ona", **before, **changed)
    assert isinstance(command, pairing.AmendPlayerRequest)
    fields = {field.name for field, _ in command.ListFields()} - {"command_id", "tournament_id", "player_id"}
    assert fields == {"name", "club", "unrated"}
    assert (command.name, command.club) == ("Ona Vidal i Mas", "")
    same = build_command("AmendPlayer", player_id="ona", **before, **stands | {"rating": "1510"})
    assert isinstance(same, pairing.AmendPlayerRequest)
    assert [(field.name, value) for field, value in same.ListFields()][3:] == [("rating", 1510)]


@pytest.mark.parametrize(
    ("name", "field", "before", "empty"),
    [
        ("DescribeTournament", "country", "AND", ""),
        ("DescribeTournament", "place", "Vic", ""),
        ("AmendPlayer", "country", "AND", ""),
        ("AmendPlayer", "birth_year", "1990", 0),
    ],
)
def test_a_field_that_the_user_emptied_is_removed(name: str, field: str, before: str, empty: object) -> None:
    emptied: Any = build_command(name, **{field: " ", f"{field}.before": before})
    assert emptied.HasField(field)
    assert getattr(emptied, field) == empty
    same: Any = build_command(name, **{field: before, f"{field}.before": before})
    assert not same.HasField(field)


def test_entries_of_a_list_are_made_of_the_parts_that_a_form_has() -> None:
    halls = {f"halls.{place}.{part}": "" for place in range(11) for part in ("name", "first_table", "last_table")}
    halls |= {"halls.10.name": "B", "halls.10.first_table": "10", "halls.2.name": "A", "halls.3.last_table": "9"}
    command = build_command("SetHalls", **halls)
    assert isinstance(command, pairing.SetHallsRequest)
    assert [(hall.name, hall.first_table, hall.last_table) for hall in command.halls] == [
        ("A", 0, 0),
        ("", 0, 9),
        ("B", 10, 0),
    ]
    with pytest.raises(Invalid) as wrong:
        build_command("SetHalls", **{"halls.1.last_table": "nine"})
    assert wrong.value.field == "halls.1.last_table"
    times = {"times.10": "2026-10-25T03:30", "times.10.which": "second", "times.2": "2026-03-07T10:00", "times.3": ""}
    announced = build_command("AnnounceRounds", **times)
    assert isinstance(announced, pairing.AnnounceRoundsRequest)
    assert [(each.round, each.starts_at.ToJsonString()) for each in announced.times] == [
        (2, "2026-03-07T08:00:00Z"),
        (10, "2026-10-25T01:30:00Z"),
    ]
    scores = build_command("ConfirmResult", game_id="g", disputed="1", **{"scores.anna": "−5", "scores.biel": "400"})
    assert isinstance(scores, pairing.ConfirmResultRequest)
    assert {each.player_id: each.score for each in scores.scores} == {"anna": -5, "biel": 400}
    chosen = build_command("ChangeOptions", **{"options.minutes": "25", "options.teams": " "})
    assert isinstance(chosen, pairing.ChangeOptionsRequest)
    assert [(each.name, each.value) for each in chosen.options] == [("minutes", "25")]


def test_a_message_of_two_parts_has_a_field_for_each_or_one_with_its_first_part_as_the_name() -> None:
    by_parts = {"categories.1.category": "U18", "categories.1.amount": "1000", "categories.2.category": ""}
    fees = fees_pb2.SetFeesRequest()
    fill(fees, by_parts)
    assert [(each.category, each.amount) for each in fees.categories] == [("U18", 1_000)]
    result = pairing.EnterResultRequest()
    fill(result, {"scores.anna": "400", "scores.biel": ""})
    assert [(each.player_id, each.score) for each in result.scores] == [("anna", 400)]


def test_an_appeal_tells_the_countries_and_clubs_of_everybody_who_is_named() -> None:
    typed = {
        "appealed": "12 anna",
        "country.appellant": "and",
        "player_ids.1": "biel",
        "country.player_ids.1": "ESP",
        "affiliation.player_ids.1": "Valls",
        "country.player_ids.2": "FRA",  # of no player
        "person.1": "ona",
        "country.person.1": "por",
    }
    command = build_command("LodgeAppeal", **typed)
    assert isinstance(command, pairing.LodgeAppealRequest)
    assert (command.version, command.player_id, list(command.player_ids)) == (12, "anna", ["biel"])
    assert {each.person_id: each.country for each in command.countries} == {"anna": "AND", "biel": "ESP", "ona": "POR"}
    assert {each.person_id: each.affiliation for each in command.affiliations} == {"biel": "Valls"}


SAYS_ALL = frozenset({"0-0", "50-0", "150-0"})
"""Choices that are the same in every language."""


def test_every_option_of_every_rule_book_and_what_may_be_chosen_has_a_name() -> None:
    options = [option for name in ruleset_names() for option in load_ruleset(name).options]
    assert {option.name for option in options} == set(option_names.OPTION_LABELS)
    chosen = {(option.name, value) for option in options for value in (*option.choices, *option.some_of)}
    named = set(option_names.VALUES)
    assert {value for name, value in chosen if not {value, f"{name}.{value}"} & named} == SAYS_ALL
    for option in options:
        names = [option_names.value_name(option.name, value) for value in option.choices]
        assert len(set(names)) == len(names), option.name
    keys = {value for _, value in chosen} | {f"{name}.{value}" for name, value in chosen}
    assert named <= keys


@pytest.mark.parametrize(
    ("typed", "ids"),
    [
        ("Anna Puig", ["anna"]),
        ("Puig, Blai", ["blai"]),
        ("Puig, Blai, Anna Puig", ["blai", "anna"]),
        ("anna puig,  PUIG, BLAI", ["anna", "blai"]),
        ("o-1f2e, Eva Mas Roca", ["o-1f2e", "eva-mas-roca"]),
        (" , ", []),
    ],
)
def test_people_are_named_with_commas_between_and_with_commas_of_their_own(typed: str, ids: list[str]) -> None:
    assert ids_in(typed, {fold_name("Anna Puig"): "anna", fold_name("Puig, Blai"): "blai"}) == ids


def _own_table(
    method: str,
    word: str,
    totals: list[tuple[str, int]],
    place: PlayerPlace | None = None,
    *,
    book: str = "fisc-2023",
    typed: Typed | None = None,
) -> str:
    """Render the page of a player's table with the form of the offered commands."""
    table = place.table if place else None
    return (
        environment("en")
        .get_template("own_table.html")
        .render(
            part="live",
            tournament=results_pb2.Tournament(tournament_id="cup", name="Cup", rounds=5),
            place=place,
            round=results_pb2.Round(round=1) if place else None,
            outcome=outcome_for(table, "anna") if table else None,
            stands="",
            state="",
            moment=to_datetime,
            player_id="anna",
            messages=[],
            offers=[game_pb2.Offer(method=method, player_id="anna")],
            names={method: command.title for method, command in TABLE_COMMANDS.items()},
            said="",
            words=[word],
            totals=totals,
            seat_names={},
            new_id=lambda: "1",
            own={"sanctions": ()},
            day=OwnDay(pairing.ListPlayerRequestsResponse()),
            typed=typed or Typed(),
            may_hide_arguments=may_hide_arguments(load_ruleset(book)),
        )
    )


def test_a_player_may_hide_the_arguments_of_an_appeal_only_where_the_book_says_so() -> None:
    offered = {book: "arguments_hidden" in _own_table("Appeal", "", [], book=book) for book in ruleset_names()}
    assert {book for book, hidden in offered.items() if hidden} == {"fise"}


def test_the_arguments_of_a_refused_appeal_stay_in_its_form() -> None:
    page = _own_table("Appeal", "", [], typed=Typed(act="Appeal", arguments="It is not in the book."))
    assert ">It is not in the book.</textarea>" in page


def test_the_ticked_words_of_a_challenge_are_read_from_the_form_of_the_players_own_table() -> None:
    page = _own_table("Challenge", "C A S A", [])
    given = dict(re.findall(r'name="([^"]+)" value="([^"]*)"', page)) | {"words.3": "S O L"}
    request = game_pb2.ChallengeRequest()
    fill(request, given)
    assert [list(word.faces) for word in request.words] == [["C", "A", "S", "A"], ["S", "O", "L"]]


def test_a_player_reads_what_was_ruled_and_what_the_game_waits_for() -> None:
    table = results_pb2.Table(
        seats=[results_pb2.Seat(player_id="anna", name="Anna"), results_pb2.Seat(player_id="b", name="Blai")]
    )
    game = game_pb2.GetGameResponse(turn=3, phase=game_pb2.PHASE_CHALLENGED)
    assert describe_game(game, table, "anna", "en") == "Challenged: the ruling is awaited."
    game.appealed = True
    assert describe_game(game, table, "anna", "en") == "Appealed: the ruling on the appeal is awaited."
    game.phase, game.ruling.turn = game_pb2.PHASE_REFUSED, 3
    game.ruling.word.faces.extend(["C", "A", "NY", "A"])
    assert describe_game(game, table, "anna", "en") == "Ruling: CANYA does not stand."
    game.turn = 5  # the ruling is of an earlier turn
    assert describe_game(game, table, "anna", "en") == ""
    game.arbiter_called_by = "anna"
    assert describe_game(game, table, "anna", "en") == "The arbiter has been called."
    game.arbiter_id = "nil"
    assert describe_game(game, table, "anna", "en") == "The arbiter has been called."
    game.arbiter_called_by = ""
    game.phase = game_pb2.PHASE_ENDED
    game.sides.add(player_id="anna", signed=True)
    game.awaited_signer_ids.append("b")
    assert describe_game(game, table, "anna", "en") == "The game is over. You have signed. Signatures awaited: Blai."


def _sanctions(*imposed: pairing.Act) -> pairing.ListSanctionsResponse:
    answer = pairing.ListSanctionsResponse()
    for version, act in enumerate(imposed, start=1):
        act.version = act.position = version
        act.players.add(player_id="anna", name="Anna")
        answer.sanctions.add(act=act)
    return answer


def test_a_player_is_told_what_a_sanction_takes_in_which_game_and_what_for() -> None:
    points = pairing.Act(type="PlayerSanctioned", round=1, player_ids=["anna"], game_id="g", note="shouted")
    points.details.extend(["kind: points", "points: 25", "article: FISE 49"])
    game = pairing.Act(type="PlayerSanctioned", round=1, player_ids=["anna"], game_id="g")
    game.details.extend(["kind: game", "article: FISE 49"])
    rounds = pairing.Act(type="PlayerSanctioned", player_ids=["anna"], details=["kind: rounds", "rounds: 4, 5"])
    answer = _sanctions(points, game, rounds)
    answer.sanctions[0].appeal.phase = pairing.APPEAL_PHASE_UPHELD
    answer.sanctions[0].members.add(player_id="nuria", name="Núria Mas")
    answer.sanctions[0].members.add(player_id="o-1")
    known = pairing.GetTournamentResponse(tournament_id="cup")
    for player, name in (("anna", "Anna"), ("biel", "Biel")):
        known.players.add(player_id=player, name=name)
    known.played.add(round=1).pairings.add(table=2, game_id="g", player_ids=["anna", "biel"])
    own = describe_sanctions(answer, Roster(known), "en").sanctions
    where = "Anna – Biel (round 1, table 2)"
    assert [list(each.further) for each in own] == [
        ["Points deducted: 25.", f"In the game {where}.", "Reason: shouted"],
        [f"The game {where} is lost."],
        ["Not paired in rounds: 4, 5."],
    ]
    assert [each.phase for each in own] == ["The tribunal has upheld your appeal. The sanction is lifted.", "", ""]
    assert own[0].said == "Anna is sanctioned (FISE 49)."
    assert [list(each.members) for each in own] == [["Núria Mas", "o-1"], [], []]


@pytest.mark.parametrize(
    ("scores", "told", "expected"),
    [
        ((400, 300), {"winner_id": "anna"}, results_pb2.OUTCOME_WIN),
        ((400, 300), {"winner_id": "biel"}, results_pb2.OUTCOME_LOSS),
        ((300, 300), {}, results_pb2.OUTCOME_DRAW),
        ((0, 0), {"winner_id": "anna", "unplayed": True}, results_pb2.OUTCOME_WIN),
        ((0, 0), {"lost_by_all": True, "unplayed": True}, results_pb2.OUTCOME_LOSS),
        ((400, 300), {"loser_ids": ["anna"]}, results_pb2.OUTCOME_LOSS),
    ],
)
def test_a_player_is_told_what_their_game_came_to_and_no_zeros_of_a_forfeit(
    scores: tuple[int, int], told: dict[str, Any], expected: results_pb2.Outcome.ValueType
) -> None:
    table = results_pb2.Table(table=2, game_id="g", final=True, **told)
    for player, score in zip(("anna", "biel"), scores, strict=True):
        table.seats.add(player_id=player, name=player.title(), score=score)
    assert outcome_for(table, "anna") == expected
    page = _own_table("Challenge", "C A T", [], PlayerPlace("anna", "Anna", table))
    assert "This page shows your next table when it is paired." in page
    assert "Starting player" not in page
    assert ("0 – 0" in page, f"{scores[0]} – {scores[1]}" in page) == (False, not table.unplayed)


def test_a_result_that_waits_to_be_confirmed_is_not_called_corrected() -> None:
    corrected = results_pb2.Table(corrected=True)
    assert describe_state(corrected, pairing.RESULT_CHECK_PHASE_UNSPECIFIED) == "The result was corrected."
    assert describe_state(corrected, pairing.RESULT_CHECK_PHASE_OPEN) == "The result waits for confirmation."
    assert describe_state(results_pb2.Table(), pairing.RESULT_CHECK_PHASE_UNSPECIFIED) == ""


@pytest.mark.parametrize(
    ("zones", "expected"), [(["Europe/Madrid"] * 2, "Europe/Madrid"), (["UTC", "Asia/Tokyo"], ""), ([], "")]
)
def test_times_of_several_tournaments_are_in_the_zone_that_all_have(zones: list[str], expected: str) -> None:
    assert common_time_zone(results_pb2.Tournament(time_zone=zone) for zone in zones) == expected


def test_a_text_of_a_page_follows_its_language_and_escapes_its_parameters() -> None:
    appeal = '{{ _("Appeal %(number)s of %(name)s", number=1, name=name) }}'
    for name, expected in (("Iria", "d’Iria"), ("Blai", "de Blai"), ("<i>Ona", "d’&lt;i&gt;Ona")):
        assert environment("ca").from_string(appeal).render(name=name) == f"Apel·lació 1 {expected}"
    taken = (
        '{{ ngettext("A sanction deducted %(num)s point from the score of %(name)s (%(article)s).", '
        '"A sanction deducted %(num)s points from the score of %(name)s (%(article)s).", '
        '2, name="Ήρα", article="PES Ζ") }} {{ "PES Ζ"|article }}'
    )
    shown = environment("el").from_string(taken).render()
    assert ("(ΠΕΣ Ζ)" in shown, shown.endswith(" ΠΕΣ Ζ"), "PES" in shown) == (True, True, False)


def test_a_request_about_data_says_when_in_the_zone_of_its_tournament() -> None:
    asked = pairing.DataRequest(request=1, tournament_id="cup", tournament_name="Cup", player_id="anna", name="Anna")
    asked.kind = pairing_events.DATA_REQUEST_KIND_ERASURE
    asked.state = pairing.DATA_REQUEST_STATE_GRANTED
    asked.lodged_at.FromJsonString("2026-03-07T11:30:00Z")
    for zone, expected in (("Europe/Madrid", "12:30\u202fPM CET"), ("", "11:30\u202fAM UTC")):
        page = render(
            "data_requests.html",
            "en",
            LIVE,
            {
                "zones": {"cup": zone},
                "moment": to_datetime,
                "said": "",
                "waiting": [],
                "answered": [asked],
                "kinds": DATA_REQUESTS,
                "states": DATA_REQUEST_STATES,
                "erasure": asked.kind,
                "granted": asked.state,
            },
        )
        assert expected in page


@pytest.mark.parametrize("method", ["Challenge", "SignSheet"])
def test_the_form_of_a_player_is_another_for_another_play_and_for_other_totals(method: str) -> None:
    """elements with the same `data-keep` survive an update: words of an earlier play must not"""
    kept = [
        re.findall(r'data-keep="([^"]*)"', _own_table(method, word, [("anna", total)]))
        for word, total in (("C A T", 400), ("C A T", 400), ("D O G", 401))
    ]
    assert kept[0] == kept[1] != kept[2]


def test_the_hint_for_the_least_number_of_rounds_names_the_book_in_the_language() -> None:
    hint = '{% import "console_parts.html" as console with context %}{{ console.least_rounds(rules) }}'
    rules = SimpleNamespace(
        championship=SimpleNamespace(rounds_min=5), article={"championship.rounds_min": "PES Α"}.get
    )
    assert environment("el").from_string(hint).render(rules=rules).endswith("(ΠΕΣ Α)")


def test_every_article_in_a_template_is_written_in_the_language() -> None:
    made, templates = environment("en"), Path(gateway.__file__).parent / "templates"
    bare = [
        f"{name}:{node.lineno}"
        for name in made.list_templates(extensions=["html"])
        for output in made.parse(Path(templates / name).read_text()).find_all(nodes.Output)
        for node in output.nodes
        if isinstance(node, nodes.Getattr | nodes.Name)
        and "article" in (getattr(node, "attr", ""), getattr(node, "name", ""))
    ]
    assert bare == []


@pytest.mark.parametrize(
    "request_type",
    [pairing.WarnPlayerRequest, pairing.SanctionPlayerRequest, pairing.ExpelPlayerRequest],
)
def test_the_contract_and_the_command_line_say_that_a_player_reads_the_reason_of_a_sanction(
    request_type: type[Message],
) -> None:
    assert "The player sees it." in COMMENTS[f"{request_type.DESCRIPTOR.full_name}.note"]
