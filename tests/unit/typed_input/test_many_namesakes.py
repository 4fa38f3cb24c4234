"""Lists in which many players have the same name: which rows are one player, and in what time."""

from __future__ import annotations

import time
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from faristol.gateway.consoles.director.players import _find_warnings
from faristol.kernel.names import list_distinct_names, same_affiliation, same_name
from faristol.typed_input.player_list import players_of, players_pasted
from faristol.typed_input.resembling import Resemblances

MAX_SECONDS = 5.0
"""Processor time of a list of 1,000 namesakes on a slow machine. Comparing each two of them took half a minute."""

NAMES = st.sampled_from(["Anna Puig", "anna puig", "Puig Anna", "Ànna Puig", "Blai Soler"])
CLUBS = st.sampled_from(["", "Valls", "VALLS", "Reus", "--"])
IDS = st.sampled_from(["", "p-1", "p-2", "p-3", "p-4"])


def are_one(first: tuple[str, str, str], other: tuple[str, str, str]) -> bool:
    (name, club, player_id), (other_name, other_club, other_id) = first, other
    if not same_name(name, other_name) or (player_id and other_id):
        return False
    return not (club and other_club) or same_affiliation(club, other_club)


@given(st.lists(st.tuples(NAMES, CLUBS, IDS), min_size=1, max_size=12))
def test_a_row_is_a_duplicate_of_the_first_one_that_neither_clubs_nor_ids_tell_apart(
    given_rows: list[tuple[str, str, str]],
) -> None:
    kept: dict[int, tuple[str, str, str]] = {}
    duplicates: dict[int, int] = {}
    for line, row in enumerate(given_rows, 2):
        if known := next((other for other, each in kept.items() if are_one(each, row)), 0):
            duplicates[line] = known
        elif not row[2] or row[2] not in {each[2] for each in kept.values()}:
            kept[line] = row

    found = players_of("name;club;id\n" + "\n".join(";".join(row) for row in given_rows))

    assert [row.line for row in found.rows] == list(kept)
    told = {error.line: error.problem for error in found.errors}
    assert {line: known for line, known in duplicates.items() if told[line].endswith(f"already in line {known}")} == (
        duplicates
    )


def test_a_list_of_namesakes_takes_no_longer_than_another() -> None:
    clubs = ("".join(letters) for letters in product("abcdefghij", repeat=3))
    began = time.process_time()
    found = players_pasted("\n".join(f"Anna Puig; Club {club}" for club in clubs))
    marks = _find_warnings(found.rows, [])
    assert time.process_time() - began < MAX_SECONDS
    assert len(found.rows) == 1_000
    assert {mark.resembles for mark in marks.values()} == {""}


def test_the_first_similar_name_of_another_spelling_is_found_among_equal_ones() -> None:
    known = Resemblances(["Anna Puig", "anna puig", "Ànna Puig", "Puig Anna"])
    assert known.of("Anna  Puig") == "Ànna Puig"
    assert known.of("Puig Anna") == "Anna Puig"
    assert known.of("Blai Soler") == ""


def test_display_names_of_many_namesakes_are_found_at_once() -> None:
    namesakes = [(f"p-{number}", "Anna Puig", f"Club {number}") for number in range(20_000)]
    began = time.process_time()
    shown = list_distinct_names([*namesakes, ("q-1", "Anna Puig", "Reus"), ("q-2", "anna puig", "reus")])
    assert time.process_time() - began < MAX_SECONDS
    assert shown["p-7"] == "Anna Puig (Club 7)"
    assert (shown["q-1"], shown["q-2"]) == ("Anna Puig (q-1)", "anna puig (q-2)")
