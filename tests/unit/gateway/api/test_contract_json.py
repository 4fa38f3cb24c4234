"""The JSON of results is that of the contract: units, words, null, and what no field holds."""

from __future__ import annotations

from typing import Any

import jsonschema_rs
import pytest
from google.protobuf.descriptor import Descriptor
from google.protobuf.message_factory import GetMessageClass

from faristol.gateway.api.contract_json import to_json
from faristol.gateway.api.openapi.commands import commands_document
from faristol.gateway.api.openapi.document import ANSWER_MESSAGES
from faristol.gateway.api.openapi.schemas import CommandSchemas, ResultSchemas
from faristol.gateway.app import PUBLIC
from faristol.kernel.names import OFFICIAL
from faristol.pb.api.v1 import answers_pb2 as api
from faristol.pb.game.v1 import duplicate_events_pb2 as duplicate
from faristol.pb.game.v1 import duplicate_pb2
from faristol.pb.lexicon.v1.adjudication_pb2 import PublicRuling
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.pb.results.v1 import results_pb2 as pb


def schemas_of(*messages: Any) -> dict[str, Any]:
    made = ResultSchemas()
    for message in messages:
        made.add(message.DESCRIPTOR)
    return made.schemas


def test_points_are_numbers_and_their_units_are_not_named() -> None:
    line = to_json(pb.Standing(half_points=3, tie_breaks=[pb.TieBreak(name="cusca", quarters=9, divisor=3)]))
    assert (line["points"], line["tie_breaks"], line["arithmetic"]) == (1.5, {"cusca": 0.75}, None)
    assert "half_points" not in line
    described = schemas_of(pb.Standing)["Standing"]["properties"]
    assert described["points"]["type"] == "number"
    assert described["points"]["description"].endswith("1 for a bye.")
    assert "`points`" in described["wins"]["description"]


def test_the_computation_of_a_value_is_by_the_name_of_the_value() -> None:
    line = pb.Standing(tie_breaks=[pb.TieBreak(name="berger", arithmetic=pb.Arithmetic(text="b", divisor=1))])
    line.point_arithmetic.terms.add(round=2, quarters=2, basis=pb.TERM_BASIS_REQUESTED_BYE)
    found = to_json(line)["arithmetic"]
    assert list(found) == ["points", "berger"]
    (term,) = found["points"]["terms"]
    assert (term["value"], term["basis"], term["left_out"]) == (0.5, "requested_bye", None)
    assert "Term" in schemas_of(pb.Standing)


def test_the_document_names_every_word_that_the_contract_has_for_something() -> None:
    described = schemas_of(pb.Term)
    words = ["game", "forfeit", "bye", "requested_bye", "absence", "adjustment", "sanction", "carried"]
    assert described["TermBasis"] == {"title": "TermBasis", "type": "string", "enum": words}
    outcome = described["Term"]["properties"]["outcome"]["anyOf"]
    assert outcome == [{"$ref": "#/components/schemas/Outcome"}, {"type": "null"}]


@pytest.mark.parametrize(("scores", "shown"), [((0, 0), [None, None]), ((0, 60), [0, 60])])
def test_a_forfeit_has_no_scores_unless_the_rules_award_points(
    scores: tuple[int, int], shown: list[int | None]
) -> None:
    seats = [pb.Seat(player_id=name, score=score) for name, score in zip("ab", scores, strict=True)]
    for kind in (pb.Table, pb.GetGameResponse):
        assert [seat["score"] for seat in to_json(kind(seats=seats, unplayed=True))["seats"]] == shown
        assert [seat["score"] for seat in to_json(kind(seats=seats))["seats"]] == list(scores)
    cell = to_json(pb.CrosstableCell(basis=pb.TERM_BASIS_FORFEIT, score=scores[0], against=scores[1]))
    assert [cell["score"], cell["against"]] == shown


def test_adjustments_are_summed_by_player() -> None:
    table = pb.Table()
    for player_id, points, sanction in (("a", 5, False), ("a", -9, True), ("b", 1, False)):
        table.spread_adjustments.add(player_id=player_id, points=points, sanction=sanction)
    found = to_json(table)
    assert (found["spread_adjustments"], found["total_adjustments"]) == ({"a": -4, "b": 1}, {"a": -9})


def test_the_id_of_an_erased_arbiter_is_not_shown() -> None:
    erased = to_json(pb.Table(entered_by=f"{OFFICIAL}0123456789ab", corrected_by="eleni"))
    assert (erased["entered_by"], erased["corrected_by"]) == ("", "eleni")


def test_links_are_addresses_with_the_ids_of_a_message() -> None:
    table = pb.Table(game_id="a b-r1-t1", seats=[pb.Seat(player_id="à")])
    assert to_json(table)["links"] == {
        "self": "/api/v1/games/a%20b-r1-t1",
        "page": "/games/a%20b-r1-t1",
        "players": ["/api/v1/players/%C3%A0"],
    }
    pairings = to_json(pb.GetPairingsResponse(tournament_id="lliga", round=2))["links"]
    assert pairings == {
        "self": "/api/v1/tournaments/lliga/rounds/2/pairings",
        "page": "/tournaments/lliga/round/2",
        "tournament": "/api/v1/tournaments/lliga",
    }


def test_links_of_a_tournament_of_duplicate_games_lead_to_what_there_is() -> None:
    classic = to_json(pb.Tournament(tournament_id="cup"))["links"]
    of_games = to_json(pb.Tournament(tournament_id="cup", mode=pb.TOURNAMENT_MODE_DUPLICATE))["links"]
    assert classic["crosstable"] == "/api/v1/tournaments/cup/crosstable"
    assert of_games["crosstable"] == of_games["standings"] == "/api/v1/tournaments/cup/duplicate-standings"
    assert of_games["rulings"] == of_games["games"] == of_games["self"]
    assert classic.keys() == of_games.keys()


def test_the_fields_of_an_inline_message_are_shown_in_place_of_it() -> None:
    row = pb.CrosstableRow(standing=pb.Standing(player_id="anna", rating=1), rating=2)
    found = to_json(row)
    assert (found["player_id"], found["rating"], found["links"]["page"]) == ("anna", 2, "/players/anna")
    total = api.DuplicateTotal(name="Anna")
    total.line.line.percent_hundredths = 9_150
    total.line.games.add(total=4)
    assert (to_json(total)["percent"], to_json(total)["games"]) == (91.5, [{"total": 4, "plays": False}])


def test_words_of_tiles_times_and_bytes() -> None:
    ruling = PublicRuling()
    ruling.words.add(faces=["L·L", "A"])
    ruling.ruled_at.FromSeconds(0)
    assert (to_json(ruling)["words"], to_json(ruling)["ruled_at"]) == ([["L·L", "A"]], "1970-01-01T00:00:00Z")
    assert to_json(pb.Seal(root=b"\x01\xff"))["root"] == "01ff"
    consumer = pb.Consumer()
    assert to_json(consumer)["stopped_since"] is None
    consumer.stopped.since.FromSeconds(1)
    assert to_json(consumer)["stopped_since"] == "1970-01-01T00:00:01Z"
    slip = api.ScoredSlip(turn=1, slip=duplicate.Slip(score="12"))
    assert (to_json(slip)["handed"], to_json(slip)["score"]) == ("in_time", "12")
    play = to_json(duplicate.DuplicatePlay(row=7, column=7, across=True))
    assert play["coordinates"] == "H8"


def test_details_of_parked_events_and_of_seals_of_games_are_not_shown() -> None:
    parked = to_json(pb.ParkedKey(key="game-x", error="boom", event_id="1", stream="s", type="t"))
    assert parked.keys() == {"tournament_id", "position", "since", "attempts"}
    assert not to_json(duplicate_pb2.GetDuplicateResponse()).keys() & {"seal", "now", "embargoed_with"}
    news = to_json(pb.FollowResponse(case_id="c", fingerprint="f"))
    assert news.keys() == {"position", "type", "tournament_id", "game_id", "round", "table", "recorded_at"}


def test_every_answer_is_as_its_schema_says_and_describes_all_that_it_has() -> None:
    assert PUBLIC, "its routes name the answers"
    assert len(ANSWER_MESSAGES) > 20
    made = ResultSchemas()
    for message in ANSWER_MESSAGES:
        made.add(message)
    made.schemas["EventType"] = {"type": "string"}
    for message in ANSWER_MESSAGES:
        validator = jsonschema_rs.validator_for({**made.add(message), "components": {"schemas": made.schemas}})
        filled = fill(message)
        assert [str(each) for each in validator.iter_errors(to_json(filled))] == [], message.full_name
    undescribed = [
        (name, member)
        for name, schema in made.schemas.items()
        for member, described in schema.get("properties", {}).items()
        if "description" not in described and not name.endswith("Links") and member not in ("links", "type")
    ]
    assert undescribed == []
    units = ("In halves", "In quarters", "In hundredths", "half_points", "_quarters")
    assert [unit for unit in units if unit in str(made.schemas)] == []


def fill(of: Descriptor) -> Any:
    """Return a message with a value in each field, so that every list has a line and every enumeration a word."""
    made: Any = GetMessageClass(of)()
    for field in of.fields:
        if field.message_type is not None:
            inner = fill(field.message_type)
            getattr(made, field.name).append(inner) if field.is_repeated else getattr(made, field.name).CopyFrom(inner)
            continue
        value: Any = 1
        if field.enum_type is not None:
            value = field.enum_type.values[-1].number
        elif field.type in (field.TYPE_STRING, field.TYPE_BYTES):
            value = "a" if field.type == field.TYPE_STRING else b"a"
        getattr(made, field.name).append(value) if field.is_repeated else setattr(made, field.name, value)
    return made


def test_two_messages_of_one_name_are_refused() -> None:
    made = ResultSchemas()
    made.add(pb.TeamBye.DESCRIPTOR)
    with pytest.raises(ValueError, match="TeamBye"):
        made.add(pairing.TeamBye.DESCRIPTOR)
    both = CommandSchemas()
    both.add(pb.TeamBye.DESCRIPTOR)
    both.add(pairing.TeamBye.DESCRIPTOR)
    assert {"results.TeamBye", "pairing.TeamBye"} <= both.schemas.keys()


def test_methods_of_one_name_have_the_descriptions_of_their_services() -> None:
    paths = commands_document()["paths"]
    (said, other) = (paths[f"/api/v1/{service}/GetGame"]["post"]["description"] for service in ("game", "results"))
    assert said.startswith("Get the current state of a table")
    assert other.startswith("Get a game: board and scoresheet.")
