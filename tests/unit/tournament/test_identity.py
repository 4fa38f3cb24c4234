from __future__ import annotations

import uuid
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faristol.kernel.details import Person, check_country
from faristol.kernel.errors import Invalid
from faristol.kernel.names import check_id, check_name, generate_player_id, same_name
from faristol.personal_data.people import load_distinct_names
from faristol.tournament.command_handling.identity import (
    checked_tournament_id,
    ids_of,
)

COMMAND = "0190b2f0-7b2e-7c3a-9f10-2b6c3d4e5f60"


@pytest.mark.parametrize("value", ["a", "7", "open-2024", "a" * 40, "a--b"])
def test_ids_of_the_contract_are_taken(value: str) -> None:
    assert check_id("player_id", value) == value


@pytest.mark.parametrize("value", ["", "A", "a b", "ç", "a" * 41, "a.b", "a>", "a\n", "-a"])
def test_a_malformed_id_says_what_was_expected(value: str) -> None:
    with pytest.raises(Invalid, match=r"player_id: .* expected 1 to 40 of a-z, 0-9 and -"):
        check_id("player_id", value)


@pytest.mark.parametrize("value", ["cup-r2", "cup-r1-t12", "cup-r2-r3"])
def test_a_tournament_is_not_called_as_a_game_of_another_one_is(value: str) -> None:
    with pytest.raises(Invalid, match=r"tournament_id: .* looks like the id of a game"):
        checked_tournament_id("tournament_id", value)
    for taken in ("cup", "cup-r", "cup-r2-b", "r2", "cup-t2"):
        assert checked_tournament_id("tournament_id", taken) == taken


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Trofeu de Valls", "trofeu-de-valls"),
        ("  Òmnium — Il·lusió 2024! ", "omnium-illusio-2024"),
        ("A" * 60, "a" * 40),
    ],
)
def test_an_id_is_made_of_the_name(name: str, expected: str) -> None:
    assert next(ids_of(name, COMMAND, "championship")) == expected


def test_a_name_that_is_taken_gets_a_number() -> None:
    assert list(islice(ids_of("Open", COMMAND, "championship"), 3)) == ["open", "open-2", "open-3"]


@given(name=st.text(min_size=1), taken=st.integers(0, 12))
def test_every_id_that_is_made_is_an_id(name: str, taken: int) -> None:
    made = next(islice(ids_of(name, COMMAND, "championship"), taken, None))

    assert check_id("tournament_id", made) == made


def test_a_name_in_another_alphabet_still_gives_an_id() -> None:
    assert next(ids_of("選手権", COMMAND, "championship")).startswith("championship-")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Κύπελλο Αθηνών 2026", "kypello-athinon-2026"),
        ("ΠΡΩΤΑΘΛΗΜΑ", "protathlima"),
        ("Ευάγγελος Παπαδόπουλος", "evangelos-papadopoulos"),
        ("Αύγουστος", "avgoustos"),
        ("Ναύπλιο", "nafplio"),
        ("Ελευθέριος", "eleftherios"),
        ("Μπάμπης Γκίκας", "bampis-gkikas"),
        ("Μαΐου", "maiou"),
        ("Θράκη και Ψαρά", "thraki-kai-psara"),
        ("Τριφύλλι Χανίων", "trifylli-chanion"),
        ("Øystein Łódź Straße", "oystein-lodz-strasse"),
        ("Lliga d’Escrabel de l’Alt Camp i Col·lectiu Ñandú", "lliga-descrabel-de-lalt-camp-i-collectiu"),
    ],
)
def test_greek_is_transliterated_by_elot_743_and_letters_keep_without_their_accents(name: str, expected: str) -> None:
    assert next(ids_of(name, COMMAND, "championship")) == expected


def test_the_id_of_a_player_comes_from_the_command_and_not_from_the_name() -> None:
    assert generate_player_id(COMMAND) == generate_player_id(COMMAND.upper())
    assert generate_player_id(COMMAND) != generate_player_id(str(uuid.UUID(int=uuid.UUID(COMMAND).int + 1)))
    assert check_id("player_id", generate_player_id(COMMAND))


def test_a_command_id_that_is_no_uuid_is_named() -> None:
    with pytest.raises(Invalid, match="command_id: expected a UUID"):
        generate_player_id("seven")


def test_names_lose_the_space_around_and_doubled() -> None:
    assert check_name("name", "  Núria   Bonet ") == "Núria Bonet"
    assert check_name("club", "", empty=True) == ""


@pytest.mark.parametrize("country", ["", "AND", "ESP", "GRE", "ENG"])
def test_a_country_is_three_capital_letters_or_not_known(country: str) -> None:
    assert check_country("country", country) == country


@pytest.mark.parametrize("country", ["and", "ES", "SPAIN", "E5P", "ESP ", "ÀND", "AND\n"])
def test_a_country_that_is_none_is_told_what_was_expected(country: str) -> None:
    with pytest.raises(Invalid, match=r"^country: .* is not a country: expected a code of three capital letters"):
        check_country("country", country)


@pytest.mark.parametrize("name", ["", "   ", "x" * 201, "a\x00b", "a\u202eb"])
def test_names_that_cannot_be_shown_are_refused(name: str) -> None:
    with pytest.raises(Invalid, match=r"^name: "):
        check_name("name", name)


def test_a_letter_has_as_many_marks_as_a_script_needs_and_no_more() -> None:
    assert check_name("name", "Nguye\u0302\u0303n A\u0308\u0304\u0301") == "Nguyễn Ǟ\u0301"
    with pytest.raises(Invalid, match="name: has a letter with more than 3 marks above or below it"):
        check_name("name", "Anna" + "\u0308\u0304\u0301\u0300" + "x" + "\u0336" * 40)
    with pytest.raises(Invalid, match="more than 3 marks"):
        check_name("club", "Club" + "\u20dd" * 4)


def test_case_and_space_do_not_part_names() -> None:
    assert same_name("NÚRIA  Bonet", "núria bonet")
    assert same_name("Nu\u0301ria", "Núria")
    assert not same_name("Nuria", "Núria")


def test_two_names_that_readers_take_for_one_are_told_apart_however_their_accents_are_written() -> None:
    persons = [Person("a", "Núria Bonet", "Valls"), Person("b", "Nu\u0301ria  bonet", "Reus")]
    assert same_name(persons[0].name, persons[1].name)
    assert load_distinct_names(persons) == {"a": "Núria Bonet (Valls)", "b": "Nu\u0301ria  bonet (Reus)"}
