from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st

from faristol.kernel.details import Person
from faristol.kernel.names import same_affiliation, same_name
from faristol.tournament.command_handling.namesakes import NamesakeIndex

MAX_SECONDS = 5.0
"""Processor time of 500 questions among 5,000 namesakes on a slow machine. Comparing with each took two minutes."""

PERSONS = st.builds(
    lambda number, name, club: Person(f"p-{number}", name, club),
    st.integers(1, 6),
    st.sampled_from(["Anna Puig", "anna  puig", "Blai Soler"]),
    st.sampled_from(["", "Valls", "VALLS", "Reus", "--"]),
)


@given(st.lists(PERSONS, max_size=8), PERSONS)
def test_persons_who_may_be_the_same_have_the_name_and_no_known_other_club(
    known: list[Person], entering: Person
) -> None:
    newest = {person.player_id: person for person in known}
    wanted = {
        player_id
        for player_id, person in newest.items()
        if player_id != entering.player_id
        and same_name(person.name, entering.name)
        and (not (person.club and entering.club) or same_affiliation(person.club, entering.club))
    }
    assert {person.player_id for person in NamesakeIndex(known).find(entering)} == wanted


def test_many_namesakes_of_other_clubs_take_no_time() -> None:
    index = NamesakeIndex(Person(f"p-{number}", "Anna Puig", f"Club {number}") for number in range(5_000))
    began = time.process_time()
    for number in range(500):
        [found] = index.find(Person("q", "Anna Puig", f"club {number}"))
        assert found.player_id == f"p-{number}"
    assert time.process_time() - began < MAX_SECONDS
