"""Errors of a body are reported by field, in the language of the caller."""

from __future__ import annotations

from typing import Any

import pytest
from google.protobuf.json_format import ParseDict, ParseError

from faristol.gateway.http.bodies import MAX_MISTAKES_COUNT, MORE_MISTAKES, list_mistakes, mistakes_in
from faristol.gateway.rpc.calls import NAMED
from faristol.host.rpc.interceptor import MAX_VALUE_COUNT, TOO_MANY_VALUES
from faristol.text import LANGUAGES, say, translations

DESCRIPTOR: Any = NAMED["pairing", "RegisterPlayers"].request.DESCRIPTOR
CREATE: Any = NAMED["pairing", "CreateTournament"].request.DESCRIPTOR
SANCTION: Any = NAMED["pairing", "SanctionPlayer"].request.DESCRIPTOR


def say_mistakes(descriptor: Any, given: dict[str, Any], language: str = "en") -> dict[str, str]:
    return {field: say(text, params, language) for field, text, params in mistakes_in(descriptor, given)}


@pytest.mark.parametrize(
    ("descriptor", "given", "expected"),
    [
        (DESCRIPTOR, {"tournamentid": "x"}, {"tournamentid": "unknown field; did you mean tournament_id?"}),
        (DESCRIPTOR, {"tournament_id": 7}, {"tournament_id": "expected text, got 7"}),
        (DESCRIPTOR, {"players": {}}, {"players": "expected a list, got {}"}),
        (DESCRIPTOR, {"players": [{}, {"name": []}]}, {"players[1].name": "expected text, got []"}),
        (
            DESCRIPTOR,
            {"players": [3]},
            {"players[0]": "expected an object with the fields of RegisterPlayerRequest, got 3"},
        ),
        (DESCRIPTOR, {"players": [{"rating": "1_0"}]}, {"players[0].rating": "expected a whole number, got '1_0'"}),
        (
            DESCRIPTOR,
            {"players": [{"rating": 2**31}]},
            {"players[0].rating": "expected a whole number, got 2147483648"},
        ),
        (DESCRIPTOR, {"tournament_id": "a", "tournamentId": "b"}, {"tournamentId": "is specified more than once"}),
        (
            DESCRIPTOR,
            {"occurred_at": "yesterday"},
            {"occurred_at": "expected a time with its offset, such as 2026-03-07T11:30:00Z, got 'yesterday'"},
        ),
        (
            DESCRIPTOR,
            {"occurred_at": "2026-13-07T11Z"},
            {"occurred_at": "expected a time with its offset, such as 2026-03-07T11:30:00Z, got '2026-13-07T11Z'"},
        ),
        (DESCRIPTOR, {"tournament_id": "a\ud800"}, {"tournament_id": r"expected text, got 'a\ud800'"}),
        (
            SANCTION,
            {"kind": "WORSE"},
            {"kind": "expected one of SANCTION_KIND_POINTS, SANCTION_KIND_GAME, SANCTION_KIND_ROUNDS, got 'WORSE'"},
        ),
    ],
)
def test_what_is_wrong_is_said_by_its_field(descriptor: Any, given: dict[str, Any], expected: dict[str, str]) -> None:
    assert say_mistakes(descriptor, given) == expected
    for language in LANGUAGES:
        assert say_mistakes(descriptor, given, language).keys() == expected.keys()
    for _, text, _ in mistakes_in(descriptor, given):
        assert all(translations(language).gettext(text) != text for language in LANGUAGES if language != "en"), text


def test_whatever_protobuf_takes_is_taken() -> None:
    good = {
        "tournamentId": "open",
        "occurred_at": "2026-03-07T11:30:00+01:00",
        "players": [{"name": "Anna", "rating": "1200"}, {"player_id": "biel", "rating": None}],
    }
    assert say_mistakes(DESCRIPTOR, good) == {}
    ParseDict(good, NAMED["pairing", "RegisterPlayers"].request())


@pytest.mark.parametrize("wrong", [{"players": [{"rating": 1.5}]}, {"players": "x"}, {"tournament_id": True}])
def test_whatever_protobuf_refuses_is_said(wrong: dict[str, Any]) -> None:
    with pytest.raises(ParseError):
        ParseDict(wrong, NAMED["pairing", "RegisterPlayers"].request())
    assert say_mistakes(DESCRIPTOR, wrong)


def test_a_name_that_no_utf_8_is_of_can_be_repeated_in_an_answer() -> None:
    ((field, _, _),) = mistakes_in(DESCRIPTOR, {"\ud800": 1})
    assert field.encode() == rb"\ud800"


@pytest.mark.parametrize(
    "given",
    [
        {"players": [1] * (MAX_VALUE_COUNT // 2)},
        {f"name{number}": 1 for number in range(1_000)},
        {"players": [{"nmae": 1}] * 1_000},
    ],
)
def test_a_body_full_of_errors_gets_an_answer_of_limited_size(given: dict[str, Any]) -> None:
    found = list_mistakes(DESCRIPTOR, given)
    assert len(found) == MAX_MISTAKES_COUNT + 1
    assert found[-1] == ("body", MORE_MISTAKES, {})


@pytest.mark.parametrize(
    "given",
    [{"players": [{}] * MAX_VALUE_COUNT}, {"players": [[1] * MAX_VALUE_COUNT]}, {"x": [[[]]] * (MAX_VALUE_COUNT // 2)}],
)
def test_a_body_with_too_many_values_is_refused_unread(given: dict[str, Any]) -> None:
    ((field, text, _),) = list_mistakes(DESCRIPTOR, given)
    assert (field, text) == ("body", TOO_MANY_VALUES)


@pytest.mark.parametrize("given", [{"n" * 1_000_000: 1}, {"tournament_id": [["x" * 1_000_000]] * 9}])
def test_long_values_and_names_are_repeated_in_part(given: dict[str, Any]) -> None:
    for field, text, params in list_mistakes(DESCRIPTOR, given):
        assert len(field) + len(say(text, params, "en")) < 600
