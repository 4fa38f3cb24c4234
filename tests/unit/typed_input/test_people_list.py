"""Lists of persons of federations in each format."""

from __future__ import annotations

import pytest

from faristol.pb.register.v1 import register_pb2 as pb
from faristol.typed_input.people_list import MAX_PEOPLE_ROWS, PEOPLE_COLUMNS, read_people

FIDE_HEADINGS = (
    "ID Number      Name                                                         Fed Sex Tit  WTit OTit           FOA "
    "SRtng SGm SK RRtng RGm Rk BRtng BGm BK B-day Flag"
)


def in_columns(*cells: tuple[int, str]) -> str:
    """Return a line with texts at places, from 0."""
    line = [" "] * 170
    for at, text in cells:
        line[at : at + len(text)] = text
    return "".join(line).rstrip()


def fide_line(number: str, name: str, federation: str, rating: str, born: str) -> str:
    return in_columns((0, number), (15, name), (76, federation), (80, "M"), (113, f"{rating:>5}"), (152, born))


def test_a_csv_has_the_columns_of_an_export() -> None:
    header = ",".join(PEOPLE_COLUMNS)
    listed = read_people(
        f"{header}\nanna,Anna Puig,CE Valls,ESP,IES Mar,1987,17,1500,competition,901,2026-09-01,2027-08-31\n"
    )
    assert (listed.format, listed.errors) == ("csv", [])
    assert listed.rows == [
        pb.ListedPerson(
            line=2,
            person_id="anna",
            name="Anna Puig",
            club="CE Valls",
            country="ESP",
            school="IES Mar",
            birth_year=1987,
            federation_id="17",
            rating=1500,
            has_licence=True,
            licence_kind="competition",
            licence_number="901",
            licence_from="2026-09-01",
            licence_to="2027-08-31",
        )
    ]


def test_a_csv_needs_only_names_and_skips_a_category() -> None:
    listed = read_people("name;category\nAnna Puig;U18\n")
    assert listed.rows == [pb.ListedPerson(line=2, name="Anna Puig")]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (";;", ""),
        (";1500;", "the name is missing"),
        ("Anna;high;", "the rating is 'high'"),
        ("Anna;1500;31.12.2026", "is not a date"),
        ("Anna;1500;2026-12-31;more", "more fields than there are columns"),
    ],
)
def test_a_wrong_line_is_reported_and_left_out(line: str, problem: str) -> None:
    listed = read_people(f"name;rating;licence_to\n{line}\nBiel;1400;\n")
    assert [row.name for row in listed.rows] == ["Biel"]
    assert [problem in error.problem and error.line == 2 for error in listed.errors] == ([True] if problem else [])


@pytest.mark.parametrize("text", ["", "Anna Puig\n", "rating\n1500\n", "name;name\nA;B\n", "name;shoe size\nA;43\n"])
def test_a_list_without_usable_columns_is_refused(text: str) -> None:
    listed = read_people(text)
    assert not listed.rows
    assert len(listed.errors) == 1


def test_a_list_of_fide_is_read_by_the_places_of_its_headings() -> None:
    listed = read_people(
        "\r\n".join(
            (
                FIDE_HEADINGS,
                fide_line("1503014", "Carlsen, Magnus", "NOR", "2839", "1990"),
                fide_line("99", "Solo", "ESP", "0", "0000"),
            )
        )
    )
    assert (listed.format, listed.errors) == ("fide", [])
    assert listed.rows == [
        pb.ListedPerson(
            line=2, name="Magnus Carlsen", country="NOR", birth_year=1990, federation_id="1503014", rating=2839
        ),
        pb.ListedPerson(line=3, name="Solo", country="ESP", federation_id="99"),
    ]


def test_the_players_of_a_trf_are_read() -> None:
    line = in_columns(
        (0, "001"),
        (4, "   1"),
        (9, "w"),
        (14, "Puig, Anna"),
        (48, "1950"),
        (53, "ESP"),
        (57, "    2200001"),
        (69, "1987/11/30"),
        (80, " 0.0"),
    )
    listed = read_people(f"012 Open\n{line}\n")
    assert (listed.format, listed.errors) == ("trf", [])
    assert listed.rows == [
        pb.ListedPerson(line=2, name="Anna Puig", country="ESP", birth_year=1987, federation_id="2200001", rating=1950)
    ]


def test_a_list_of_wespa_cuts_long_names() -> None:
    listed = read_people(
        "Nick Cty Name                 Games Rating Last      Dev\n"
        "NRIC NZL Nigel Richards        3211   2295 20241124  50 GM **\n"
        "JMPU ESP Josep Maria Puigdell    21   1295 20231124  80 -- --\n"
    )
    assert (listed.format, listed.errors) == ("wespa", [])
    assert listed.rows == [
        pb.ListedPerson(line=2, name="Nigel Richards", country="NZL", rating=2295),
        pb.ListedPerson(line=3, name="Josep Maria Puigdell", country="ESP", rating=1295, is_cut=True),
    ]


def test_a_membership_in_a_list_of_naspa_is_a_licence() -> None:
    listed = read_people("ADAM, LOGAN\t1988\t9\t20270430\t1234\nO'NEIL, JO ANN\t700\t999\t2026-12-31\n")
    assert (listed.format, listed.errors) == ("naspa", [])
    assert [(row.name, row.rating, row.licence_kind, row.licence_to) for row in listed.rows] == [
        ("Logan Adam", 1988, "membership", "2027-04-30"),
        ("Jo Ann O'Neil", 700, "membership", "2026-12-31"),
    ]


@pytest.mark.parametrize("line", ["name\n" + "A\n" * (MAX_PEOPLE_ROWS + 1), "ADAM, LOGAN\t1\t9\t20270430\n" * 10_001])
def test_a_list_of_too_many_persons_is_cut_with_an_error(line: str) -> None:
    listed = read_people(line)
    assert len(listed.rows) == MAX_PEOPLE_ROWS
    assert "divide it" in listed.errors[-1].problem
