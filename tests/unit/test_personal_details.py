"""Each personal detail of the contract goes in by list, form and command line, and comes out where it is public."""

from __future__ import annotations

import inspect
import re
import uuid
from typing import Any

import pytest
from google.protobuf.descriptor import Descriptor
from google.protobuf.message import Message
from hypothesis import given
from tests.support.details import PUBLIC_VALUE_SETS, example_of, examples, value_sets
from tests.support.halls import FISC, hall_of

from faristol.cli.contract import command_of as command_line_of
from faristol.cli.contract import request_of
from faristol.cli.players.entries import format_entries as list_entries
from faristol.cli.tournament.ratings import rating_list
from faristol.gateway.api.comma_separated import format_csv
from faristol.gateway.consoles.director.commands import command_of as convert_form
from faristol.gateway.pages.templating import environment
from faristol.kernel.details import (
    DETAILS,
    PUBLIC_DETAILS,
    Detail,
    Person,
    format_details,
    normalize_details,
    read_details,
)
from faristol.kernel.errors import Invalid
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.pb.pairing.v1 import registration_pb2 as registration
from faristol.pb.people.v1 import details_pb2 as people
from faristol.pb.results.v1 import results_pb2 as results
from faristol.presentation.tournament_commands import TOURNAMENT_COMMANDS
from faristol.read_models.api.answers import player as answer_player
from faristol.read_models.storage.rows import Player as PlayerRow
from faristol.tournament.players.amendment import DETAIL_PARTS, amend
from faristol.tournament.situation import Situation, Words
from faristol.typed_input.player_list import DETAIL_COLUMNS, PUBLIC_COLUMNS, players_of

QUOTATION_MARKS = tuple("'‘’“”„«»")
COMMANDS = (pairing.RegisterPlayerRequest, pairing.AmendPlayerRequest, pairing.AnswerDataRequestRequest)
LISTED = {name: detail for name, detail in DETAILS.items() if detail.options.column}
each_listed = pytest.mark.parametrize("detail", LISTED.values(), ids=LISTED)
each_detail = pytest.mark.parametrize("detail", DETAILS.values(), ids=DETAILS)


def _carriers(module: Any) -> list[Descriptor]:
    """Return the messages of a contract that have personal details: those with a club and a country."""
    messages = module.DESCRIPTOR.message_types_by_name.values()
    return [message for message in messages if {"club", "country"} <= {*message.fields_by_name}]


@pytest.mark.parametrize(
    "message", [*_carriers(pairing), *_carriers(registration), *_carriers(results)], ids=lambda message: message.name
)
def test_messages_for_officials_have_every_detail_and_messages_for_readers_the_public_ones(message: Descriptor) -> None:
    is_public = message.file is results.DESCRIPTOR or message is registration.Entrant.DESCRIPTOR
    fields = {field.name: field for field in message.fields if field.name in DETAILS}
    assert fields.keys() == (PUBLIC_DETAILS if is_public else DETAILS).keys()
    for name, field in fields.items():
        assert field.type == people.PersonalDetails.DESCRIPTOR.fields_by_name[name].type
        assert is_public or field.GetOptions().debug_redact, "values are not written to logs"


@each_detail
def test_a_detail_has_the_properties_that_its_readers_need(detail: Detail) -> None:
    options = detail.options
    assert options.label
    assert bool(options.column) != options.restricted, "lists have no restricted detail"
    assert not (options.restricted and options.public)
    assert options.longest > 0
    assert bool(options.pattern) == bool(options.invalid)
    assert options.pattern or not detail.is_number, "a number needs a pattern"
    assert len(DETAIL_COLUMNS) == len(LISTED)


@given(values=value_sets())
def test_a_valid_value_is_its_own_stored_form_and_a_longer_one_is_refused(values: dict[str, Any]) -> None:
    for name, value in values.items():
        detail = DETAILS[name]
        assert detail.parse(f"  {detail.format(value)} ") == detail.check(value) == value
        assert detail.is_stored_form(value)
        assert not detail.is_stored_form(f" {value}")
        with pytest.raises(Invalid, match=f"^{name}: "):
            detail.parse(detail.format(value).ljust(detail.options.longest + 1, "9"))
    request = pairing.RegisterPlayerRequest(**values)
    normalize_details(request)
    assert read_details(request) == values


@given(values=value_sets(LISTED))
def test_a_detail_goes_in_by_a_list(values: dict[str, Any]) -> None:
    # A list takes quotation marks of every kind at the beginning of a cell as those of CSV.
    values = {name: f"x{value}" if str(value).startswith(QUOTATION_MARKS) else value for name, value in values.items()}
    columns = [*DETAIL_COLUMNS, "id"]  # a name with an id is not reordered
    cells = [detail.format(values.get(detail.name, detail.empty)) for detail in DETAIL_COLUMNS.values()]
    found = players_of(format_csv(columns, [[*cells, "anna"]]))
    assert found.errors == []
    assert read_details(found.rows[0].request) == values


@each_listed
def test_a_list_may_use_the_heading_of_a_detail_and_is_told_of_a_wrong_value(detail: Detail) -> None:
    name = DETAILS["name"].options.label
    heading = {detail.options.label: detail.format(example_of(detail))}
    rows = {name: "Anna", **heading}
    found = players_of(format_csv([*rows], [[*rows.values()]]))
    assert read_details(found.rows[0].request).items() >= {detail.name: example_of(detail)}.items()
    rows = {name: "Anna", detail.options.label: "x" * (detail.options.longest + 1)}
    (error,) = players_of(format_csv([*rows], [[*rows.values()]])).errors
    assert error.problem.startswith(f"{detail.options.label}: ")


def _command_of(name: str, typed: dict[str, str]) -> Message:
    """Return the command of a form."""
    command = convert_form(name, typed, "cup", "UTC")
    assert command is not None
    return command


def _build_form(**fields: Any) -> dict[str, str]:
    return {"command_id": str(uuid.uuid4()), **fields}


@given(values=value_sets())
def test_a_detail_goes_in_by_a_form(values: dict[str, Any]) -> None:
    texts = {name: DETAILS[name].format(value) for name, value in values.items()}
    assert read_details(_command_of("RegisterPlayer", _build_form(**texts))) == values
    before = {f"{name}.before": "" for name in texts}
    assert read_details(_command_of("AmendPlayer", _build_form(player_id="anna", **texts, **before))) == values
    same = {f"{name}.before": text for name, text in texts.items()}
    assert read_details(_command_of("AmendPlayer", _build_form(player_id="anna", **texts, **same))) == {}
    emptied = {name: "" for name in texts if name != "name"}
    removed = _command_of("AmendPlayer", _build_form(player_id="anna", **same, **emptied))
    assert read_details(removed) == {name: DETAILS[name].empty for name in emptied}


@each_detail
def test_a_form_has_an_input_for_a_detail_and_shows_the_error_beside_it(detail: Detail) -> None:
    page = environment("en").from_string(
        '{% import "console_parts.html" as console with context %}'
        "{% for each in personal_details %}{{ console.detail(each, player) }}{% endfor %}"
    )
    shown = page.render(player=pairing.Player(**examples()))
    assert re.search(rf'name="{detail.name}" [^>]*value="{example_of(detail)}"', shown)
    assert f'name="{detail.name}.before" value="{example_of(detail)}"' in shown
    if detail.options.pattern:
        with pytest.raises(Invalid) as wrong:
            normalize_details(_command_of("AmendPlayer", _build_form(player_id="anna", **{detail.name: "?"})))
        assert wrong.value.field == detail.name


@pytest.mark.parametrize("method", ["RegisterPlayer", "AmendPlayer", "AnswerDataRequest"])
def test_a_detail_goes_in_by_the_command_line(method: str) -> None:
    assert inspect.signature(command_line_of(method)).parameters.keys() >= DETAILS.keys()
    (kind,) = (kind for kind in COMMANDS if kind.__name__ == f"{method}Request")
    request = request_of(TOURNAMENT_COMMANDS[method], kind, {"tournament_id": "cup", **examples()}, None, str)
    assert read_details(request) == examples()


@each_detail
def test_an_amendment_tells_which_part_changed_and_not_its_value(detail: Detail) -> None:
    hall = hall_of(7, 7)
    words = Words(Person("p1", **examples()))
    situation = Situation(hall.state, now=hall.now, rules=FISC, past_events=hall.events, words=words)
    changed = {detail.name: example_of(detail, 1)}
    (event,) = amend(situation, pairing.AmendPlayerRequest(player_id="p1", **{**examples(), **changed}))
    assert isinstance(event, events.PlayerAmended)
    assert list(event.parts) == [DETAIL_PARTS[detail.name]]
    assert str(example_of(detail, 1)) not in str(event)


@given(values=value_sets(), public=PUBLIC_VALUE_SETS)
def test_a_detail_is_in_public_answers_and_lists_exactly_if_it_is_public(
    values: dict[str, Any], public: dict[str, Any]
) -> None:
    person = Person("anna", **values)
    answered = answer_player(PlayerRow(tournament_id="cup", player_id="anna", rating=1500), person, "")
    assert read_details(answered) == {name: value for name, value in values.items() if name in PUBLIC_DETAILS}
    assert format_details(answered) == [PUBLIC_DETAILS[name].format(value) for name, value in person.public.items()][1:]
    assert set(PUBLIC_COLUMNS) & DETAIL_COLUMNS.keys() == {each.options.column for each in PUBLIC_DETAILS.values()}
    public = {name: f"x{value}" if str(value).startswith("'") else value for name, value in public.items()}
    listed = players_of(rating_list([results.Player(player_id="anna", new_rating=1500, **public)]))
    assert read_details(listed.rows[0].request) == public


def test_officials_read_every_detail_of_an_entry_at_a_terminal() -> None:
    details = people.PersonalDetails(**examples())
    entry = registration.Entry(entry=1, state=registration.ENTRY_STATE_RECEIVED, details=details)
    shown = [*list_entries(registration.ListEntriesResponse(entries=[entry]))]
    assert [name for name, value in examples().items() if not any(str(value) in line for line in shown)] == []
    assert all(str(examples()[name]) in shown[0] for name in PUBLIC_DETAILS)
