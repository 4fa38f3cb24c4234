"""A name, its beginning or an id is understood, or the possible persons are listed."""

from __future__ import annotations

import grpc
import pytest
from google.protobuf.any_pb2 import Any as Detail
from google.rpc import error_details_pb2, status_pb2
from grpc.aio import AioRpcError, Metadata

from faristol.kernel.details import Person
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.pb.results.v1 import results_pb2 as results
from faristol.personal_data.people import load_distinct_names
from faristol.presentation.names import Named, Roster, candidates, labels
from faristol.table_terminal.shared.names import TournamentNames, Unclear, find_named, played_round

PLAYERS = [
    Named("anna", "Anna Puig", "Valls"),
    Named("anna-2", "Anna Puig", "Reus"),
    Named("p-1", "Núria d'Or", ""),
    Named("p-2", "Κώστας Δήμος", "Αθήνα"),
    Named("p-3", "Blai Soler", "Valls"),
    Named("p-4", "Blanca Sol", ""),
]


@pytest.mark.parametrize(
    ("given", "who"),
    [
        ("anna", "anna"),  # an id comes before all names
        ("ANNA-2", "anna-2"),
        ("anna puig (valls)", "anna"),
        ("Anna Puig (anna-2)", "anna-2"),
        ("Anna Puig (Reus, anna-2)", "anna-2"),
        ("nuria", "p-1"),
        ("Núria d’Or", "p-1"),
        ("ΚΩΣΤ", "p-2"),
        ("κωστασ δημος", "p-2"),
        ("dimos", None),
        ("blai", "p-3"),
        ("sole", "p-3"),  # the beginning of the family name
        ("p-4", "p-4"),
    ],
)
def test_a_player_is_meant_by_id_name_or_a_beginning_whatever_case_and_accents(given: str, who: str | None) -> None:
    assert [named.id for named in candidates(given, PLAYERS)] == ([who] if who else [])


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("anna p", "'anna p' could be Anna Puig (Valls, anna); Anna Puig (Reus, anna-2): use the id"),
        ("bla", "'bla' could be Blai Soler (Valls, p-3); Blanca Sol (p-4): use the id"),
        ("Blaii Soler", "there is no 'Blaii Soler'; did you mean Blai Soler (Valls, p-3)?"),
        ("Xavier", "there is no 'Xavier' in Copa"),
        ("", "there is no '' in Copa"),
    ],
)
def test_who_is_not_clear_is_told_whom_it_could_be(given: str, said: str) -> None:
    with pytest.raises(Unclear) as problem:
        find_named(given, PLAYERS, tournament="Copa")
    assert str(problem.value).startswith(said)


def test_namesakes_are_told_apart_by_club_and_else_by_id() -> None:
    others = [Named("x", "Pau Riu", "Reus"), Named("y", "Pau Riu", "Reus"), Named("gone", "", "")]
    called = labels([*PLAYERS, *others])
    assert (called["anna"], called["anna-2"]) == ("Anna Puig (Valls)", "Anna Puig (Reus)")
    assert (called["x"], called["y"]) == ("Pau Riu (x)", "Pau Riu (y)")
    assert (called["p-3"], called["gone"]) == ("Blai Soler", "gone")
    assert all(candidates(name, [*PLAYERS, *others])[0].id == who for who, name in called.items())


def test_a_terminal_and_the_pages_call_everybody_the_same() -> None:
    third = Named("anna-3", "ANNA  Puig", "Valls")
    persons = [Person(named.id, named.name, named.detail) for named in (*PLAYERS, third)]
    assert labels([*PLAYERS, third]) == load_distinct_names(persons)
    assert labels([*PLAYERS, third])["anna-2"] == "Anna Puig (Reus)"


def _roll() -> TournamentNames:
    def build_round(number: int, *games: tuple[int, str, str]) -> pairing.Round:
        return pairing.Round(
            round=number,
            pairings=[
                events.Pairing(
                    table=table, game_id=f"copa-r{number}-t{table}", first_player_id=first, second_player_id=second
                )
                for table, first, second in games
            ],
        )

    return TournamentNames(
        pairing.GetTournamentResponse(
            tournament_id="copa",
            name="Copa",
            players=[pairing.Player(player_id=named.id, name=named.name, club=named.detail) for named in PLAYERS],
            teams=[pairing.Team(team_id="torres", name="Les Torres")],
            played=[
                build_round(1, (1, "anna", "p-1"), (2, "p-3", "p-4")),
                build_round(2, (1, "p-3", "anna"), (4, "p-1", "p-4")),
            ],
        )
    )


@pytest.mark.parametrize(
    ("given", "table", "number", "game"),
    [
        ("copa-r1-t2", 0, 0, "copa-r1-t2"),
        ("", 4, 0, "copa-r2-t4"),
        ("4", 0, 0, "copa-r2-t4"),
        ("", 2, 1, "copa-r1-t2"),
    ],
)
def test_a_game_is_meant_by_its_id_or_its_table_in_a_round(given: str, table: int, number: int, game: str) -> None:
    assert _roll().game(given, table=table, number=number) == game


@pytest.mark.parametrize(
    ("given", "table", "number", "said"),
    [
        ("copa-r9-t9", 0, 0, "there is no game 'copa-r9-t9': use its id, or the number of its table"),
        ("", 3, 2, "round 2 has no table 3; it has 1, 4"),
        ("", 3, 1, "round 1 has no table 3; it has 1–2"),
        ("", 1, 5, "round 5 of Copa is not paired"),
    ],
)
def test_a_game_that_there_is_not_is_told_with_those_that_there_are(
    given: str, table: int, number: int, said: str
) -> None:
    with pytest.raises(Unclear) as problem:
        _roll().game(given, table=table, number=number)
    assert str(problem.value).startswith(said)


def test_a_person_beside_the_players_keeps_the_id_that_is_given() -> None:
    roll = _roll()
    assert (roll.person("blai soler"), roll.person("bla"), roll.person("eva")) == ("p-3", "bla", "eva")
    assert (roll.person("Blai S"), roll.person("Eva Soler")) == ("p-3", "Eva Soler")  # no ids
    assert (roll.team("les t"), roll.name("torres"), roll.name("anna"), roll.name("eva")) == (
        "torres",
        "Les Torres",
        "Anna Puig (Valls)",
        "eva",
    )


def test_a_sentence_of_a_service_has_names_for_ids_and_keeps_its_words() -> None:
    told = _roll().named_in("p-1 meets p-3 at table 1; copa-r1-t2 is missing, and nobody knows p-99 or p-1x.")
    assert told.startswith(f"{_roll().name('p-1')} meets {_roll().name('p-3')} at table 1; ")
    assert "(round 1, table 2) is missing, and nobody knows p-99 or p-1x." in told


def test_a_round_that_is_not_paired_is_told_with_the_name_of_its_tournament(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "en")
    copa = results.Tournament(name="Copa", played=[results.Round(round=1)])
    with pytest.raises(Unclear, match="round 2 of Copa is not paired"):
        played_round(copa, 2)
    played_round(copa, 1)
    played_round(copa, 0)


def refusing(**places: str) -> AioRpcError:
    """Return a refusal with the parameters of its first reason."""
    return AioRpcError(
        grpc.StatusCode.FAILED_PRECONDITION,
        Metadata(),
        Metadata(
            (
                "grpc-status-details-bin",
                status_pb2.Status(
                    code=9,
                    message="no",
                    details=[_pack_detail(error_details_pb2.ErrorInfo(reason="NO", metadata=places))],
                ).SerializeToString(),
            )
        ),
        "no",
        "",
    )


def _pack_detail(info: error_details_pb2.ErrorInfo) -> Detail:
    detail = Detail()
    detail.Pack(info)
    return detail


def test_members_of_a_tribunal_who_are_not_registered_have_the_names_of_their_ids() -> None:
    member = events.TribunalMember(person_id="ona-rius")
    roster = Roster(pairing.GetTournamentResponse(tribunal=[member]))
    assert roster.name("ona-rius") == "Ona Rius"
    assert [roster.name_of_person(each) for each in ("pau-sala", "o-ab", "p-1")] == ["Pau Sala", "o-ab", "p-1"]


def test_neither_a_number_nor_a_name_that_was_put_in_is_taken_for_an_id(monkeypatch: pytest.MonkeyPatch) -> None:
    roll = _roll()
    monkeypatch.setitem(roll._called, "12", "Pau Riu")
    monkeypatch.setitem(roll._called, "anna-2", "Anna Puig (anna-2)")
    problem = refusing(table="12", player="anna-2")
    assert roll.named_in_refusal("Table 12 lacks anna-2 (FISC 12)", problem) == (
        "Table 12 lacks Anna Puig (anna-2) (FISC 12)"
    )


@pytest.mark.parametrize(
    ("told", "places", "expected"),
    [
        ("p-1 and p-3 sit here", {"players": "p-1, p-3"}, "Núria d'Or and Blai Soler sit here"),
        ("anna won by anna 388, p-3 400", {"winner": "anna", "scores": "anna 388, p-3 400"}, None),
        ("'anna' has gone", {"player": "'anna'"}, "Anna Puig (Valls) has gone"),
        ("anna lot of torres", {"message": "anna lot of torres"}, "anna lot of torres"),
        ("no\ntable 3 lacks p-1, anna-2", {"round": "4"}, "no\ntable 3 lacks Núria d'Or, Anna Puig (Reus)"),
        ("anna, eva judge", {"who": "anna, eva"}, "Anna Puig (Valls) and eva judge"),
        ("at table 1 (copa-r1-t1)", {"tables": "1 (copa-r1-t1)"}, "at table 1 (Anna Puig (Valls) – Núria d'Or)"),
        ("it is of anna long ago", {"of": "anna long ago"}, "it is of anna long ago"),
    ],
)
def test_whatever_place_of_a_refusal_an_id_fills_it_is_told_by_name(
    told: str, places: dict[str, str], expected: str | None
) -> None:
    said = _roll().named_in_refusal(told, refusing(**places))
    assert said == (expected or "Anna Puig (Valls) won by Anna Puig (Valls) 388 and Blai Soler 400")
