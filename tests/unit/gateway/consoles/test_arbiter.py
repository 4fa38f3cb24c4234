"""The arbiter's pages: their tables, offers and forms."""

from __future__ import annotations

import gzip
import re
import uuid
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.timestamp_pb2 import Timestamp

from faristol import gateway
from faristol.gateway.consoles.arbiter import acts, situation
from faristol.gateway.consoles.arbiter.acts import ARBITER_COMMANDS, BY_METHOD
from faristol.gateway.consoles.arbiter.hall import FILTERS, Urgency, count_by_filter, rows
from faristol.gateway.consoles.arbiter.pages import Dispute
from faristol.gateway.consoles.arbiter.words import COMMANDS_DONE, DEADLINES, TABLE_PHASES, WAIT_REASONS
from faristol.gateway.consoles.forms import list_fields
from faristol.gateway.consoles.results_entry.entry import SEATS
from faristol.gateway.pages.templating import render
from faristol.gateway.rpc.calls import METHODS_BY_REQUEST
from faristol.kernel.errors import Invalid
from faristol.pb.clock.v1 import clock_pb2
from faristol.pb.clock.v1 import events_pb2 as clock
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.game.v1 import game_pb2
from faristol.pb.pairing.v1 import pairing_pb2
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.presentation.table_commands import CHOICES, GROUPS, TABLE_COMMANDS
from faristol.typed_input.fields import Kind

NOW_MS = 10_000_000
"""Milliseconds since 1970."""

NAMED = {"command_id": "id", "game_id": "cup-r1-t1", "tournament_id": "cup", "arbiter_id": "eva"}


def table(number: int, *waits: pb.Wait, used_ms: int = 0, since_ms: int = 0, **more: Any) -> pb.WatchedTable:
    running: dict[str, Any] = (
        {"running": True, "running_since": Timestamp(seconds=since_ms // 1000)} if since_ms else {}
    )
    sides = [pb.ClockSide(player_id="anna", used_ms=used_ms, **running)]
    seats = [pb.Seat(player_id="anna", name="Anna"), pb.Seat(player_id="biel", name="Biel")]
    given: dict[str, Any] = {
        "game_id": f"cup-r1-t{number}",
        "seats": seats,
        "clocks": sides,
        "allowance_ms": 1_500_000,
        **more,
    }
    return pb.WatchedTable(table=number, open=True, waits=waits, **given)


def wait(kind: pb.WaitKind.ValueType, second: int = 1, **more: Any) -> pb.Wait:
    return pb.Wait(kind=kind, since=Timestamp(seconds=second), player_id="anna", **more)


def test_what_is_most_urgent_comes_first_and_of_two_calls_the_one_that_waits_longer() -> None:
    tables = [
        table(1),
        table(2, wait(pb.WAIT_KIND_CHALLENGE)),
        table(3, wait(pb.WAIT_KIND_ABSENT)),
        table(4, used_ms=1_500_001),
        table(5, wait(pb.WAIT_KIND_OVERDRAW)),
        table(6, wait(pb.WAIT_KIND_ARBITER, 50)),
        table(7, wait(pb.WAIT_KIND_CHALLENGE), wait(pb.WAIT_KIND_ARBITER, 20)),
        table(8, wait(pb.WAIT_KIND_OVERDRAW, 90, arbiter=True)),
        table(9, neutralised_for=clock.NEUTRALISATION_REASON_FORCE_MAJEURE),
    ]
    found = rows(tables, NOW_MS)
    assert [each.table.table for each in found] == [7, 6, 8, 5, 4, 3, 2, 9, 1]
    assert count_by_filter(found) == {"waiting": 8, "calls": 4, "overtime": 1, "absent": 1, "challenges": 2, "all": 9}


def test_a_clock_is_in_overtime_by_what_it_ran_since_and_not_where_its_times_were_entered_late() -> None:
    def is_over(**of: int) -> bool:
        (found,) = rows([table(1, **of)], NOW_MS)
        return found.urgency is Urgency.OVERTIME

    assert is_over(used_ms=1_400_000, since_ms=NOW_MS - 101_000)
    assert not is_over(used_ms=1_400_000, since_ms=NOW_MS - 90_000)
    assert not is_over(used_ms=1_400_000, since_ms=NOW_MS - 4_000_000)
    (over,) = rows([table(1, used_ms=1_600_000, final=True)], NOW_MS)
    assert over.urgency is Urgency.QUIET


def test_every_kind_of_wait_every_phase_and_every_filter_has_a_name() -> None:
    assert WAIT_REASONS.keys() == {*pb.WaitKind.values()} - {pb.WAIT_KIND_UNSPECIFIED}
    assert TABLE_PHASES.keys() == {*game_pb2.Phase.values()}
    for kind in WAIT_REASONS:
        (found,) = rows([table(1, wait(kind))], NOW_MS)  # type: ignore[arg-type] # of an enumeration
        assert found.urgency < Urgency.QUIET
    assert next(iter(FILTERS)) == "waiting"


def test_every_value_of_a_choice_has_a_name() -> None:
    for (method, field), names in CHOICES.items():
        known = BY_METHOD[method].request.DESCRIPTOR.fields_by_name[field]
        values = {value.number for value in known.enum_type.values} - {0} if known.enum_type else {0, 1}
        assert names.keys() == values, (method, field)


EXAMPLES = {
    "AssignArbiter": ({}, game_pb2.AssignArbiterRequest()),
    "RuleAppeal": ({"valid": "0"}, game_pb2.RuleAppealRequest(valid=False)),
    "SettleCount": ({"score": ""}, game_pb2.SettleCountRequest()),
    "ResolveOverdraw": ({"faces": "a l·l ?"}, game_pb2.ResolveOverdrawRequest(faces=["A", "L·L", "?"])),
    "ResolveUnderdraw": ({"show": "1"}, game_pb2.ResolveUnderdrawRequest(show=True)),
    "SettleBlank": ({"square": "112", "face": "e"}, game_pb2.SettleBlankRequest(row=7, column=7, face="E")),
    "CorrectClock": (
        {"player_id": "anna", "used_ms": "12:30", "reason": "1"},
        clock_pb2.CorrectClockRequest(player_id="anna", used_ms=750_000, reason=clock.CORRECTION_REASON_DEVICE),
    ),
    "ImposeSanction": (
        {"player_id": "anna", "kind": "2", "points": "25", "note": "x"},
        game_pb2.ImposeSanctionRequest(player_id="anna", kind=game.SANCTION_KIND_POINTS, points=25, note="x"),
    ),
    "RecordWordAsked": (
        {"player_id": "anna", "word": "a ny", "answerer_id": ""},
        game_pb2.RecordWordAskedRequest(player_id="anna", word=game.Word(faces=["A", "NY"])),
    ),
    "CorrectTotal": ({"player_id": "anna", "total": "−5"}, game_pb2.CorrectTotalRequest(player_id="anna", total=-5)),
    "ReopenGame": ({}, game_pb2.ReopenGameRequest(player_ids=["anna", "biel"])),
    "WarnPlayer": ({"player_id": "anna", "note": ""}, pairing_pb2.WarnPlayerRequest(player_id="anna")),
}


@pytest.mark.parametrize("method", EXAMPLES)
def test_a_form_becomes_the_request_of_the_contract(method: str) -> None:
    given, expected = EXAMPLES[method]
    known = expected.DESCRIPTOR.fields_by_name
    for name, value in NAMED.items():
        if name in known:
            setattr(expected, name, value)
    assert acts.request(BY_METHOD[method], given, ["anna", "biel"], **NAMED) == expected


def test_every_act_is_a_method_of_a_service_and_its_fields_have_labels() -> None:
    for act in ARBITER_COMMANDS:
        assert METHODS_BY_REQUEST[act.request].name == act.method
        assert all(field.label for field in act.fields), act.method
        assert act.group in GROUPS
        assert act.depends in {"", *situation.LABELS}


def test_the_scorers_page_can_draw_every_field_of_a_command_at_a_table() -> None:
    script = (Path(gateway.__file__).parent / "static" / "keep-acts.js").read_text(encoding="utf-8")
    kinds = set(re.findall(r"^  (\w+): \(\{ name", script, re.MULTILINE))
    of_table = [request for request, method in METHODS_BY_REQUEST.items() if method.name in TABLE_COMMANDS]
    assert len(of_table) == len(TABLE_COMMANDS)
    for request in of_table:
        for field in list_fields(request):
            assert field.label, (request.DESCRIPTOR.name, field.name)
            assert field.kind in {*kinds, Kind.PLAYER, Kind.PERSON, Kind.PARTS}, (request.DESCRIPTOR.name, field.name)
    asked = {name: field for name, field in CHOICES if field not in ("valid", "accept")}
    assert asked == {"Neutralise": "reason", "CorrectClock": "reason", "ImposeSanction": "kind"}


@pytest.mark.parametrize(
    ("method", "given", "field"),
    [
        ("CorrectClock", {"player_id": "anna", "used_ms": "12.30", "reason": "1"}, "used_ms"),
        ("CorrectClock", {"player_id": "anna", "used_ms": "12:75", "reason": "1"}, "used_ms"),
        ("CorrectTotal", {"player_id": "anna", "total": "many"}, "total"),
        ("CorrectTotal", {"player_id": "", "total": "3"}, "player_id"),
        ("SettleCount", {"score": "99999999999999999999"}, "score"),
    ],
)
def test_a_field_that_is_missing_or_malformed_is_named(method: str, given: dict[str, str], field: str) -> None:
    with pytest.raises(Invalid) as problem:
        acts.request(BY_METHOD[method], given, ["anna", "biel"], **NAMED)
    assert problem.value.field == field


def test_acts_are_offered_with_their_article_for_those_whom_they_can_be_about() -> None:
    offers = [
        game_pb2.Offer(method="ImposeSanction", player_id=player, by_arbiter=True, article="FISC I.7.2", choices=[1, 2])
        for player in ("anna", "biel")
    ]
    found = acts.list_offered([*offers, game_pb2.Offer(method="PlacePlay", player_id="anna")])
    (offered,) = found
    assert (offered.act.method, offered.article) == ("ImposeSanction", "FISC I.7.2")
    assert (offered.players, offered.choices) == (["anna", "biel"], [1, 2])


def test_what_has_changed_at_a_table_is_told_and_what_took_the_place_of_something_is_another() -> None:
    stood = game_pb2.GetGameResponse(
        turn=3, phase=game_pb2.PHASE_CHALLENGED, interruption=game_pb2.Interruption(count=game.CountDisputed(turn=3))
    )
    before = situation.of(stood, None)
    stands = game_pb2.GetGameResponse(turn=4, phase=game_pb2.PHASE_TURN)
    after = situation.of(stands, None)
    kept = situation.read(situation.encode_situation(before))
    assert kept == before
    assert {change.part for change in situation.changes(kept, after)} == {"turn", "phase", "question", "incident"}
    assert not situation.is_another("incident", kept, after)  # it is over: the service reports it
    stands.interruption.count.turn = 4
    assert situation.is_another("incident", kept, situation.of(stands, None))
    assert situation.changes({}, after) == []
    assert situation.read("turn=3&evil=1") == {"turn": "3"}


def test_the_list_of_five_hundred_tables_is_light_to_send() -> None:
    calls = [wait(pb.WAIT_KIND_ARBITER)]
    tables = [table(number, *(calls if number % 20 == 0 else ()), hall="Sala gran") for number in range(1, 501)]
    every = rows(tables, NOW_MS)
    assert [each.table.table for each in every[:3]] == [20, 40, 60]
    disputed = pairing_pb2.TableResult(table=7, disputed_by="Blai")
    for player, entered, claimed in (("anna", 420, 402), ("blai", 380, 380)):
        disputed.scores.add(player_id=player, score=entered)
        disputed.scores_claimed.add(player_id=player, score=claimed)
    values: dict[str, Any] = {
        "request": None,
        "part": "live",
        "session": None,
        "tournament": pb.Tournament(tournament_id="cup", name="Cup"),
        "console_links": [],
        "console_name": "arbiter",
        "news": "",
        "position": 1,
        "said": "",
        "refused": "",
        "new_id": lambda: str(uuid.uuid4()),
        "arbiter_id": "eva",
        "now_ms": NOW_MS,
        "waits": WAIT_REASONS,
        "by_itself": DEADLINES,
        "urgencies": Urgency,
        "listed": pb.ListTablesResponse(round=1, phase=pb.ROUND_PHASE_STARTED, tables=tables),
        "rows": every,
        "counts": count_by_filter(every),
        "filters": {name: text for name, (text, _) in FILTERS.items()},
        "show": "all",
        "hall": "",
        "deadlines": {},
        "help_page": "",
        "disputes": [Dispute(7, "7 · Anna 420 – Blai 380", "402, not 420", disputed)],
        "seats": SEATS,
        "own": "",
    }
    page = render("arbiter_hall.html", "en", "live", values)
    assert "402, not 420" in page
    assert "As entered: 420–380" in page
    assert "As Blai says: 402–380" in page
    assert 'href="/tournaments/cup/round/1/results/7"' in page
    assert page.count('class="watched-table"') == 500
    assert page.count("I am coming") == 25
    assert len(gzip.compress(page.encode())) < 60_000


def test_every_command_of_an_arbiter_and_of_a_judge_has_a_notice_that_it_is_done() -> None:
    assert set(COMMANDS_DONE) == set(BY_METHOD)
