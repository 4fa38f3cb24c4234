"""Lists of players as spreadsheets, phones and messages give them."""

from __future__ import annotations

import codecs
import dataclasses
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.examples import scale_examples
from typer.testing import CliRunner

from faristol.cli.duplicate_game.slip_list import read_slips
from faristol.cli.main import app
from faristol.host import StartError
from faristol.rules import load_ruleset
from faristol.rules.board import Board
from faristol.rules.duplicate_game.slips import TurnData, WrittenSlip, find_form_fault, is_same_play
from faristol.rules.trf import decode_trf, read_trf
from faristol.typed_input.lists import decode_list, lines_of, rows_of
from faristol.typed_input.people_list import PEOPLE_COLUMNS
from faristol.typed_input.player_list import (
    MAX_LINE_CHARACTERS,
    MAX_LIST_LINES,
    MAX_LIST_ROWS,
    Answers,
    Comma,
    PlayerList,
    Reading,
    Zero,
    players_of,
    players_pasted,
    read_players,
)

NAMES = ["Núria Muñoz", "Blai Soler", "Àngel Çelik"]
GREEK = ["Γιώργος Παπαδόπουλος", "Ελένη Ωνάση"]


def to_rows(listed: PlayerList) -> list[tuple[int, str, str, int | None]]:
    return [
        (row.line, row.request.name, row.request.club, row.request.rating if row.request.HasField("rating") else None)
        for row in listed.rows
    ]


def names(listed: PlayerList) -> list[str]:
    return [row.request.name for row in listed.rows]


@pytest.mark.parametrize(
    ("encoding", "mark", "called", "guessed"),
    [
        ("utf-8", b"", "UTF-8", False),
        ("utf-8", codecs.BOM_UTF8, "UTF-8", False),
        ("utf-16-le", codecs.BOM_UTF16_LE, "UTF-16", False),
        ("utf-16-be", codecs.BOM_UTF16_BE, "UTF-16", False),
        ("utf-16-le", b"", "UTF-16", False),
        ("utf-32-le", codecs.BOM_UTF32_LE, "UTF-32", False),
        ("utf-32-be", codecs.BOM_UTF32_BE, "UTF-32", False),
        ("cp1252", b"", "Windows-1252", True),
        ("mac-roman", b"", "Mac Roman", True),
    ],
)
def test_a_list_is_read_in_the_encoding_that_it_is_in(encoding: str, mark: bytes, called: str, guessed: bool) -> None:
    text = "name;club\r\n" + "".join(f"{name};València\r\n" for name in NAMES)
    decoded = decode_list(mark + text.encode(encoding))
    assert (decoded.text, decoded.encoding, decoded.guessed) == (text, called, guessed)


@pytest.mark.parametrize("encoding", ["cp1253", "iso8859-7", "cp737"])
def test_greek_is_read_in_the_encodings_of_its_spreadsheets(encoding: str) -> None:
    text = "name;club\n" + "".join(f"{name};Αθήνα\n" for name in GREEK)
    decoded = decode_list(text.encode(encoding))
    assert (decoded.text, decoded.guessed) == (text, True)
    assert decode_list(text.encode(encoding), encoding).text == text
    assert decode_list(text.encode("cp1253"), "Windows 1253").encoding == "Windows-1253"


@pytest.mark.parametrize("encoding", ["cp1252", "iso8859-15", "mac-roman"])
@pytest.mark.parametrize(
    "name",
    [
        "Núria Muñoz",
        "José García",
        "Àngel Çelik",
        "Lluís Peña",
        "Jürgen Müller",
        "Zoë Brontë",
        "Òscar Güell",
        "Raül Coll",
    ],
)
def test_one_name_is_enough_to_guess_the_encoding_of_a_western_list(name: str, encoding: str) -> None:
    text = f"name;rating\n{name};1650\n"
    decoded = decode_list(text.encode(encoding))
    assert (decoded.text, decoded.guessed) == (text, True)


@pytest.mark.parametrize("encoding", ["cp1253", "iso8859-7", "mac-greek", "cp737"])
@pytest.mark.parametrize("name", ["Νίκος Ψαρράς", "Άννα Ιωάννου", "ΚΩΝΣΤΑΝΤΙΝΟΣ ΧΑΤΖΗΣ", "Ελένη Ωνάση"])
def test_one_name_is_enough_to_guess_the_encoding_of_a_greek_list(name: str, encoding: str) -> None:
    text = f"name;club\n{name};Σ.Θ.\n"
    assert decode_list(text.encode(encoding)).text == text


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_greek_in_utf_16_is_read_without_a_mark(encoding: str) -> None:
    text = "όνομα;σύλλογος\n" + "".join(f"{name};Αθήνα\n" for name in GREEK)
    decoded = decode_list(text.encode(encoding))
    assert (decoded.text, decoded.encoding, decoded.guessed) == (text, "UTF-16", False)


def test_lines_behind_the_one_that_says_the_separator_keep_their_numbers() -> None:
    listed = players_of("\n\nsep=;\nname;rating\nAnna;1\nBlai;y\n")
    assert to_rows(listed) == [(5, "Anna", "", 1)]
    assert [(error.line, error.text) for error in listed.errors] == [(6, "Blai;y")]


def test_an_encoding_that_is_none_or_not_of_the_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "players.csv"
    file.write_bytes("name\nNúria\n".encode("cp1252"))
    with pytest.raises(StartError, match="there is no encoding 'latin'; expected one of UTF-8, UTF-16"):
        read_players(file, encoding="latin")
    with pytest.raises(StartError, match="byte 7 is not valid UTF-8"):
        read_players(file, encoding="utf8")
    file.write_bytes(b"PK\x03\x04\x14\x00")
    with pytest.raises(StartError, match="it is a spreadsheet file; save the sheet as CSV"):
        read_players(file)


@settings(max_examples=scale_examples(40))
@given(
    st.sampled_from(",;\t|"),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.permutations(["name", "club", "rating", ""]),
    st.sampled_from(["", "sep", "title", "blank"]),
    st.integers(0, 3),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
)
def test_every_writing_of_a_list_is_the_same_list(
    separator: str, end: str, order: list[str], before: str, spare: int, encoding: str
) -> None:
    cells = [
        {"name": "Núria Muñoz", "club": f"Reus{separator} Club", "rating": "1650,0", "": ""},
        {"name": "Blai\u2028Soler", "club": "", "rating": "1500", "": ""},
        {},
        {"name": "Àngel\nÇelik", "club": "Valls", "rating": "", "": ""},
    ]

    def join_row(values: list[str]) -> str:
        quoted = (f'"{value}"' if {separator, "\n"} & set(value) or "," in value else value for value in values)
        return separator.join(quoted) + separator * spare

    rows = [join_row(order), *(join_row([row.get(column, "") for column in order]) for row in cells)]
    head = {"sep": [f"sep={separator}"], "title": [join_row(["Copa 2026"]), join_row([])], "blank": ["", join_row([])]}
    text = end.join([*head.get(before, []), *rows, ""])
    listed = players_of(decode_list(text.encode(encoding)).text)
    assert listed.errors == []
    assert [found[1:] for found in to_rows(listed)] == [
        ("Núria Muñoz", f"Reus{separator} Club".replace("\t", ""), 1650),
        ("Blai Soler", "", 1500),
        ("Àngel Çelik", "Valls", None),
    ]
    assert listed.title == (("Copa 2026",) if before == "title" else ())


def test_a_break_of_line_that_no_row_ends_with_is_a_space() -> None:
    assert lines_of("a\u2028b\nc\x85d") == ["a b", "c d"]
    assert lines_of("a\u2028b\u2028c") == ["a", "b", "c"]
    assert list(rows_of('name,club\n"Anna\nPuig",Valls\nBlai,\n')) == [
        (1, ["name", "club"]),
        (2, ["Anna Puig", "Valls"]),
        (4, ["Blai"]),
    ]


def test_one_bad_row_keeps_one_row_out_and_says_so_with_the_row() -> None:
    listed = players_of(
        "name,rating\nAnna Puig,1650\nBlai Soler,many\n,1500\nAnna Puig,1400\nCesca Riu,1650.5\nDídac,1\n"
    )
    assert names(listed) == ["Anna Puig", "Dídac"]
    assert not listed.whole
    assert [(error.line, error.text) for error in listed.errors] == [
        (3, "Blai Soler,many"),
        (4, ",1500"),
        (5, "Anna Puig,1400"),
        (6, "Cesca Riu,1650.5"),
    ]


def test_a_cell_below_no_name_of_a_column_keeps_its_row_out() -> None:
    listed = players_of("name,,rating\nAnna Puig,,1650\nBlai Soler,Reus,1500\n")
    assert names(listed) == ["Anna Puig"]
    assert "there is no column for 'Reus'" in listed.errors[0].problem


@pytest.mark.parametrize(
    "name",
    [
        *("????? ?????", "N\ufffdria Puig", "NÃºria Puig", "JosÃ© MuÃ±oz", "ÎœÎ±Ï\x81Î¯Î±", "ΞœΞ±ΟΞ―Ξ±"),
        *("N&uacute;ria", "---", "Anna (Valls"),
    ],
)
def test_a_name_that_lost_letters_on_the_way_is_not_registered(name: str) -> None:
    for read in (players_of, players_pasted):
        listed = read(f"name,club\nBlai Soler,Reus\n{name},Valls\n")
        assert names(listed) == ["Blai Soler"]
        assert [error.line for error in listed.errors] == [3]


def test_a_name_with_letters_that_a_wrong_decoding_gives_too_is_registered() -> None:
    listed = players_of("name\nÀngela Ñíguez\nΟ’Νηλ Ξένια\nÎle Ïa\nJoão Ãlvares\n")
    assert names(listed) == ["Àngela Ñíguez", "Ο’Νηλ Ξένια", "Île Ïa", "João Ãlvares"]


@pytest.mark.parametrize(
    "head", ["Cognoms;Nom;Ràting", "Apellidos;Nombre;Elo", "Επώνυμο;Όνομα;Έλο", "Surname;First name;Rating"]
)
def test_a_surname_in_a_column_of_its_own_stands_behind_the_given_name(head: str) -> None:
    listed = players_of(f"{head}\nPuig i Mas;Anna;1650\nSoler;Blai;\n")
    assert to_rows(listed) == [(2, "Anna Puig i Mas", "", 1650), (3, "Blai Soler", "", None)]


@pytest.mark.parametrize("head", ["#", "Núm.", "Nº", "No.", "Α/Α"])
def test_the_numbers_of_rows_are_left_out(head: str) -> None:
    listed = players_of(f"{head};Nom;Club\n1;Anna Puig;Valls\n2.;Blai Soler;\nx;Cesca Riu;\n")
    assert names(listed) == ["Anna Puig", "Blai Soler"]
    assert [error.line for error in listed.errors] == [4]


@pytest.mark.parametrize(
    ("written", "rating"),
    [
        *((text, 1650) for text in ("1.650", "1,650", "1 650", "1\u00a0650", "1'650", "1.650,0", "1650,00")),
        *((text, 1000) for text in ("1.000", "1,000", "1000.0")),
        ("1650.", 1650),
        *((text, None) for text in ("-", "–", "n/a", "NR")),
    ],
)
def test_a_rating_is_read_as_spreadsheets_group_its_digits(written: str, rating: int | None) -> None:
    expected = [(2, "Anna Puig", "", rating)]
    assert to_rows(players_of(f"name;rating\nAnna Puig;{written}\n")) == expected
    if rating:
        assert to_rows(players_pasted(f"\nAnna Puig;{written}\n")) == expected


@pytest.mark.parametrize("written", ["(1650)", "[1650]", "1650*", "'1650", "’1650", "(1.650)*", "１６５０", "01650"])
def test_a_rating_is_read_with_the_marks_around_it(written: str) -> None:
    assert to_rows(players_of(f"name;rating\nAnna Puig;{written}\n")) == [(2, "Anna Puig", "", 1650)]


@pytest.mark.parametrize("written", ["(1650)", "[1650]", "1650*", "(1.650)*", "１６５０"])
def test_a_pasted_rating_is_read_with_the_marks_around_it(written: str) -> None:
    assert to_rows(players_pasted(f"\nAnna Puig;{written}\n")) == [(2, "Anna Puig", "", 1650)]
    assert to_rows(players_pasted(f"\nAnna Puig;Valls;{written}\n")) == [(2, "Anna Puig", "Valls", 1650)]


@pytest.mark.parametrize("written", ["#N/A", "#N/D", "none", "NULL", "s/e", "sense", "sin", "χωρίς"])
def test_a_text_for_no_rating_is_no_rating(written: str) -> None:
    assert to_rows(players_of(f"name;rating\nAnna Puig;{written}\n")) == [(2, "Anna Puig", "", None)]


@pytest.mark.parametrize(
    "written", ["1650 Elo", "+1650", "1650,5", "1,65E+03", "12345", "#REF!", "1650/1700", "?", "850[5]", "850²"]
)
def test_a_cell_that_is_no_rating_keeps_its_row_out(written: str) -> None:
    listed = players_of(f"name;rating\nAnna Puig;{written}\nBlai Soler;1500\n")
    assert (names(listed), [error.line for error in listed.errors]) == (["Blai Soler"], [2])


@pytest.mark.parametrize(
    "quoted", ["“Puig, Anna”", "„Puig, Anna“", "”Puig, Anna”", "«Puig, Anna»", "‘Puig, Anna’", "'Puig, Anna'"]
)
def test_quotation_marks_of_any_language_hold_a_cell_together(quoted: str) -> None:
    listed = players_of(f"name,club\n{quoted},Valls\nBlai Soler,Reus\n")
    assert [row[1:3] for row in to_rows(listed)] == [("Anna Puig", "Valls"), ("Blai Soler", "Reus")]
    assert listed.asks_comma == "Puig, Anna"
    assert [row[1:3] for row in to_rows(players_pasted(f"{quoted}; Valls\nBlai Soler; Reus\n"))] == [
        ("Anna Puig", "Valls"),
        ("Blai Soler", "Reus"),
    ]


def test_apostrophes_and_quotation_marks_within_a_cell_are_kept() -> None:
    listed = players_of("name,club\nNúria d'Or,L'Hospitalet\n'n Guch,Club “Vila”\n" + '"A ""B"" C","x, “A”, y"\n')
    assert [row[1:3] for row in to_rows(listed)] == [
        ("Núria d'Or", "L'Hospitalet"),
        ("'n Guch", "Club “Vila”"),
        ('A "B" C', "x, “A”, y"),
    ]


@pytest.mark.parametrize(
    "wrong",
    [
        '"Nina" Puig,Valls',
        '"Anna Puig,Valls',
        'Anna "Puig,Valls',
        'Anna,"Valls" x',
        'Anna,"Valls',
        '"Anna \\"N\\" P",Valls',
    ],
)
def test_a_line_with_a_wrong_quotation_mark_keeps_one_row_out(wrong: str) -> None:
    rows = "".join(f"Soler {letter},Reus\n" for letter in "abc")
    listed = players_of(f"name,club\nBlai Soler,Reus\n{wrong}\n{rows}")
    assert names(listed) == ["Blai Soler", "Soler a", "Soler b", "Soler c"]
    assert ([error.line for error in listed.errors], listed.whole) == ([3], False)


def test_a_pasted_line_with_an_unclosed_quotation_mark_keeps_one_row_out() -> None:
    listed = players_pasted('"Anna Puig; Valls\nBlai Soler; Reus\nCesca Riu; "Reus\n')
    assert (names(listed), [error.line for error in listed.errors]) == (["Blai Soler"], [1, 3])


def test_many_wrong_quotation_marks_take_no_longer_than_many_rows() -> None:
    began = time.process_time()
    listed = players_of("name,club\n" + '"Anna Puig,Valls\n' * (MAX_LIST_ROWS - 1))
    assert not listed.rows
    assert time.process_time() - began < 10


@pytest.mark.parametrize("sign", ["\u200e", "\u200b", "\u2068", "\ufeff", "\u00ad"])
def test_characters_without_a_shape_are_removed(sign: str) -> None:
    text = f"{sign}name{sign};club\n{sign}Anna{sign} Puig;Valls{sign}\n"
    assert to_rows(players_of(text)) == [(2, "Anna Puig", "Valls", None)]
    assert names(players_pasted(f"{sign}Anna Puig{sign}\nBlai{sign} Soler\n")) == ["Anna Puig", "Blai Soler"]


@pytest.mark.parametrize("end", ["\x1a", "\0\0", "\n\x1a"])
def test_the_signs_with_which_old_programs_end_a_file_are_no_row(end: str) -> None:
    listed = players_of(f"name;club\nAnna Puig;Valls{end}")
    assert (names(listed), listed.errors) == (["Anna Puig"], [])


def test_a_mark_before_the_line_that_says_the_separator_is_no_title() -> None:
    listed = players_of("\ufeffsep=;\nname;club\nAnna Puig;Valls\n")
    assert (to_rows(listed), listed.title) == ([(3, "Anna Puig", "Valls", None)], ())


def test_columns_of_a_form_that_no_tournament_needs_are_left_out() -> None:
    listed = players_of(
        "Marca de temps;Adreça electrònica;Jugador/a;Entitat;Rating (Elo);Telèfon;Mòbil\n"
        "2026/11/01 10:00:00;a@b.cat;Anna Puig;Valls;1650;600 000 000;\n"
    )
    assert (to_rows(listed), listed.errors) == ([(2, "Anna Puig", "Valls", 1650)], [])
    assert players_of("name;raiting\nAnna;1\n").whole


def test_an_export_of_the_register_is_a_list_without_its_licences() -> None:
    rows = "anna,Anna Puig,CE Valls,,,1987,17,1510,competition,901,2026-09-01,2027-08-31\neva,Eva Roca,,,,,,,,,,\n"
    found = players_of(f"{','.join(PEOPLE_COLUMNS)}\n{rows}")
    assert not found.errors
    assert [(row.request.player_id, row.request.rating) for row in found.rows] == [("anna", 1510), ("eva", 0)]


def test_a_comma_in_a_name_moves_no_club_into_a_column_that_is_left_out() -> None:
    listed = players_of("name,club,phone\nPuig, Anna,Valls,\nSoler, Blai,Reus,600 000 000\nCesca Riu,Reus,–\n")
    assert (names(listed), [error.line for error in listed.errors]) == (["Cesca Riu"], [2, 3])


def test_a_list_with_teams_is_registered_whole_or_not_at_all() -> None:
    assert players_of("name,team\nAnna,Reus\n,Reus\n").whole
    assert not players_of("name,club\nAnna,Reus\n,Reus\n").whole


def test_a_rating_of_0_is_asked_about() -> None:
    text = 'name,rating\nAnna Puig,1650\nCesca Riu,0\nBlai Soler,"0,0"\n'
    listed = players_of(text)
    assert (listed.asks_zero, [row[3] for row in to_rows(listed)]) == (2, [1650, None, None])
    assert [players_of(f"name;rating\nAnna;{zero}\n").asks_zero for zero in ("00", "0000", "0.", "０")] == [1, 1, 1, 1]
    assert [row[3] for row in to_rows(players_of(text, Reading(answers=Answers(zero=Zero.RATING))))] == [1650, 0, 0]
    assert [row[3] for row in to_rows(players_of(text, Reading(answers=Answers(zero=Zero.UNRATED))))] == [
        1650,
        None,
        None,
    ]


def test_a_surname_before_a_comma_is_asked_about() -> None:
    text = "Puig, Anna\nSoler, Blai\nRiu, Cesca\n"
    listed = players_pasted(text)
    assert (listed.asks_comma, names(listed)) == ("Puig, Anna", ["Anna Puig", "Blai Soler", "Cesca Riu"])
    assert [row.given_name for row in listed.rows] == ["Puig, Anna", "Soler, Blai", "Riu, Cesca"]
    clubs = players_pasted(text, Reading(answers=Answers(comma=Comma.CLUB)))
    assert [found[1:3] for found in to_rows(clubs)] == [("Puig", "Anna"), ("Soler", "Blai"), ("Riu", "Cesca")]
    longer = players_pasted("Anna Puig, Valls\nBlai Soler, Reus\n")
    assert (longer.asks_comma, to_rows(longer)[0][1:3]) == ("Anna Puig, Valls", ("Anna Puig", "Valls"))
    assert names(players_pasted("Puig Mas, Anna\n", Reading(answers=Answers(comma=Comma.NAME)))) == ["Anna Puig Mas"]
    columns = players_of('name;club\n"Puig, Anna";Valls\n')
    assert (columns.asks_comma, to_rows(columns)[0][1:3]) == ("Puig, Anna", ("Anna Puig", "Valls"))
    assert names(players_of('name;club\n"Puig, Anna";Valls\n', Reading(answers=Answers(comma=Comma.CLUB)))) == [
        "Puig, Anna"
    ]
    assert names(players_of('name;id\n"Puig, Anna";anna\n')) == ["Puig, Anna"]


@pytest.mark.parametrize(
    ("text", "asked", "read"),
    [
        (
            "Puig, Anna, Valls, 1730\nMas Riu, Núria, Reus, ESP\n",
            "",
            [("Anna Puig", "Valls"), ("Núria Mas Riu", "Reus")],
        ),
        ("Puig, Anna, Valls, 1730\nNúria Mas\n", "", [("Anna Puig", "Valls"), ("Núria Mas", "")]),
        ("Puig, Anna, Valls\nSoler, Blai, 1500\n", "Soler, Blai", [("Anna Puig", "Valls"), ("Blai Soler", "")]),
        (
            "Anna Puig, Club Escacs, Valls\nBlai Soler\n",
            "Anna Puig, Club Escacs",
            [("Club Escacs Anna Puig", "Valls"), ("Blai Soler", "")],
        ),
        ("Puig, Anna, 1730\nSoler, Blai, 1500\n", "Puig, Anna", [("Anna Puig", ""), ("Blai Soler", "")]),
        ("Anna Puig, Valls, 1730\nBlai Soler, Reus, 1500\n", "", [("Anna Puig", "Valls"), ("Blai Soler", "Reus")]),
        (
            "name,club,rating\nPuig, Anna, Valls, 1730\nSoler, Blai, Reus,\n",
            "",
            [("Anna Puig", "Valls"), ("Blai Soler", "Reus")],
        ),
        (
            "name,club,rating\nPuig Mas, Anna, Valls, 1730\nBlai Soler,Reus,1500\n",
            "Puig Mas, Anna",
            [("Anna Puig Mas", "Valls"), ("Blai Soler", "Reus")],
        ),
        ("name,club,rating\nAnna Puig,Valls,1730,\n", "", [("Anna Puig", "Valls")]),
    ],
)
def test_a_surname_before_a_comma_without_quotation_marks_is_read_by_the_number_of_cells(
    text: str, asked: str, read: list[tuple[str, str]]
) -> None:
    listed = players_pasted(text)
    assert (listed.asks_comma, [found[1:3] for found in to_rows(listed)], listed.errors) == (asked, read, [])
    of_comma = [row for row in listed.rows if row.given_name]
    assert all(row.given_name.replace(",", "").split() for row in of_comma)


@pytest.mark.parametrize(
    "text",
    [
        "1. Anna Puig Mas (Valls) 1730\n2. Blai Soler (Reus)\n3. Núria Mas (Reus) 1540\n",
        "1) Anna Puig Mas, Valls, 1730\n2) Blai Soler, Reus\n3) Núria Mas, Reus, 1540\n",
        "• Anna Puig Mas; Valls - 1730\n• Blai Soler; Reus\n• Núria Mas; Reus - 1540\n",
        "Anna Puig Mas, Valls 1730\nBlai Soler, Reus\nNúria Mas, Reus (1540)\n",
        "✅ Anna Puig Mas (Valls) 1730\n✅ Blai Soler (Reus)\n☑️ Núria Mas (Reus) 1540\n",
        "1️⃣ Anna Puig Mas, Valls, 1730\n2️⃣ Blai Soler, Reus\n3️⃣ Núria Mas, Reus, 1540\n",
        "> Anna Puig Mas; Valls; 1730\n> Blai Soler; Reus\n> Núria Mas; Reus; 1540\n",
        "1 Anna Puig Mas; Valls; 1730\n2 Blai Soler; Reus\n3 Núria Mas; Reus; 1540\n",
        "1730 Anna Puig Mas; Valls\nBlai Soler; Reus\n1540 Núria Mas; Reus\n",
        "Anna Puig Mas (1730, Valls)\nBlai Soler (Reus)\nNúria Mas (Reus / 1540)\n",
        "28/11/26, 18:01 - P: Anna Puig Mas, Valls, 1730\n28/11/2026 18:02 - P: Blai Soler, Reus\n"
        "Núria Mas, Reus, 1540",
        "Anna Puig Mas - Valls - 1730\nBlai Soler - Reus\nNúria Mas - Reus - 1540\n",
        "Anna Puig Mas / Valls / 1730\nBlai Soler / Reus\nNúria Mas / Reus / 1540\n",
        "Anna Puig Mas – Valls – 1730\nBlai Soler – Reus\nNúria Mas – Reus – 1540\n",
        "Anna Puig Mas      Valls     1730\nBlai Soler         Reus\nNúria Mas          Reus      1540\n",
        "1;Anna Puig Mas;Valls;1730\n2;Blai Soler;Reus\n3;Núria Mas;Reus;1540\n",
        "a) Anna Puig Mas; Valls; 1730\nb) Blai Soler; Reus\nc) Núria Mas; Reus; 1540\n",
        "[x] Anna Puig Mas; Valls; 1730\n[ ] Blai Soler; Reus\n[x] Núria Mas; Reus; 1540\n",
        "*Anna Puig Mas*; Valls; 1730\n*Blai Soler*; Reus\n_Núria Mas_; Reus; 1540\n",
        "1/ Anna Puig Mas; Valls; 1730\n2/ Blai Soler; Reus\n3/ Núria Mas; Reus; 1540\n",
        "[28/11/26, 18:01] P: Anna Puig Mas, Valls, 1730\n[28/11/26, 18:02] P: Blai Soler, Reus\nNúria Mas, Reus, 1540",
    ],
)
def test_the_marks_and_ratings_of_a_message_are_no_part_of_the_names(text: str) -> None:
    listed = players_pasted(text)
    assert [found[1:] for found in to_rows(listed)] == [
        ("Anna Puig Mas", "Valls", 1730),
        ("Blai Soler", "Reus", None),
        ("Núria Mas", "Reus", 1540),
    ]
    assert not listed.errors


def test_what_a_message_says_around_its_numbered_list_is_left_out_and_shown() -> None:
    listed = players_pasted("Hola Eva!\n1. Puig Mas, Anna 1730\n2. Soler, Blai\nPetons!\n")
    assert listed.aside == ("Hola Eva!", "Petons!")
    assert (listed.asks_comma, names(listed)) == ("Puig Mas, Anna", ["Anna Puig Mas", "Blai Soler"])
    assert [(row.line, row.request.rating) for row in listed.rows] == [(2, 1730), (3, 0)]


def test_a_message_with_marks_at_some_lines_is_a_list_between_its_greetings() -> None:
    text = "Hello Eva! Here are the players:\n\n1) Anna Puig (Valls) 1730\n- Blai Soler\nGuillem Ribes; Valls; 1322\n"
    text += "Joan Mir\n* Fina Serra\nPau Costa\nNeus Camps\nOna Mas\n\nSee you on Saturday! Marta\n"
    listed = players_pasted(text)
    assert not listed.errors
    assert listed.aside == ("Hello Eva! Here are the players:", "See you on Saturday! Marta")
    expected = ["Blai Soler", "Guillem Ribes", "Joan Mir", "Fina Serra", "Pau Costa", "Neus Camps", "Ona Mas"]
    assert names(listed) == ["Anna Puig", *expected]
    assert to_rows(listed)[0][1:] == ("Anna Puig", "Valls", 1730)


@pytest.mark.parametrize(
    ("line", "row"),
    [
        ("Anna Puig (Valls) 1730", ("Anna Puig", "Valls", 1730)),
        ("Anna Puig - Club Sant Jordi - 1730", ("Anna Puig", "Club Sant Jordi", 1730)),
        ("Anna Puig 1730", ("Anna Puig", "", 1730)),
        ("Maria - Rosa Mas", ("Maria - Rosa Mas", "", None)),
        ("Anna Puig; Valls 1900", ("Anna Puig", "Valls 1900", None)),
    ],
)
def test_a_name_never_ends_in_a_rating_and_a_club_may(line: str, row: tuple[str, str, int | None]) -> None:
    listed = players_pasted(f"Blai Soler\nCesca Riu\n{line}\nDídac Pi\nEloi Font\nFina Mas\nGal·la Roca\n")
    assert to_rows(listed)[2][1:] == row


def test_a_sign_of_a_greeting_in_a_row_of_a_list_is_part_of_the_row() -> None:
    listed = players_pasted("Anna Puig; Valls!\nBlai Soler; Reus\nHa! Club Riu\nNúria Mas; Reus!\n")
    assert (len(listed.rows), listed.aside) == (4, ())


def test_bold_text_within_a_line_stays_a_text_of_its_own() -> None:
    assert names(players_pasted("Anna *Puig* Mas\n_Blai_ Soler\n")) == ["Anna Puig Mas", "Blai Soler"]
    listed = players_pasted("Anna Puig\t*Valls*\nBlai Soler\tReus\n")
    assert [found[1:3] for found in to_rows(listed)] == [("Anna Puig", "Valls"), ("Blai Soler", "Reus")]
    assert names(players_pasted("~Anna Puig~\nBlai Soler\nCesca Riu\n"))[0] == "~Anna Puig~", "it is struck out"


def test_single_lines_with_two_spaces_or_a_dash_are_no_columns() -> None:
    listed = players_pasted("Anna  Puig\nBlai Soler\nMaria - Rosa Mas\nCesca Riu\nDídac Pi\n")
    assert names(listed) == ["Anna Puig", "Blai Soler", "Maria - Rosa Mas", "Cesca Riu", "Dídac Pi"]


def test_a_hyphen_in_a_name_without_a_mark_among_marked_lines_is_kept() -> None:
    listed = players_pasted("1. Anna Puig\nMaria-Rosa Soler\n3. Núria Mas\n")
    assert [each.request.name for each in listed.rows] == ["Anna Puig", "Maria-Rosa Soler", "Núria Mas"]


def test_a_number_in_the_name_of_one_club_is_no_rating() -> None:
    listed = players_pasted("Anna Puig; Valls 1909\nBlai Soler; Reus; 1650\nNúria Mas; Reus; 1540\n")
    assert [found[1:] for found in to_rows(listed)] == [
        ("Anna Puig", "Valls 1909", None),
        ("Blai Soler", "Reus", 1650),
        ("Núria Mas", "Reus", 1540),
    ]


@pytest.mark.parametrize("surname", ["Riu Coll", "Riu"])
def test_given_names_that_may_be_clubs_are_asked_about(surname: str) -> None:
    text = f"Puig Mas, Anna, 1730\n{surname}, Blai\nMas Vila, Cesca\n"
    assert players_pasted(text).asks_comma == "Puig Mas, Anna"
    clubs = players_pasted(text, Reading(answers=Answers(comma=Comma.CLUB)))
    assert to_rows(clubs)[0][1:3] == ("Puig Mas", "Anna")
    named = players_pasted(text, Reading(answers=Answers(comma=Comma.NAME)))
    assert names(named)[0] == "Anna Puig Mas"


def test_a_comma_of_which_it_is_said_that_it_is_no_name_stays_what_it_is() -> None:
    clubs = Reading(answers=Answers(comma=Comma.CLUB))
    listed = players_pasted("Puig, Anna, Valls\nSoler, Reus, 1500\n", clubs)
    assert [found[1:3] for found in to_rows(listed)] == [("Anna Puig", "Valls"), ("Soler", "Reus")]
    listed = players_of("name,club,rating\nPuig Mas, Anna, Valls, 1730\nBlai Soler,Reus,1500\n", clubs)
    assert (names(listed), [error.line for error in listed.errors]) == (["Blai Soler"], [2])


@pytest.mark.parametrize(
    "text",
    ["name\nNúria d’Or\nNúria d'Or\n", "name\nΓΙΩΡΓΟΣ ΠΑΠΑΣ\nΓιώργος Παπάς\n", "name\nPuigdel·lívol\nPuigdeŀlívol\n"],
)
def test_one_name_in_two_writings_is_one_player(text: str) -> None:
    listed = players_of(text)
    assert len(listed.rows) == 1
    assert "is already in line 2" in listed.errors[0].problem


FIELD = Path(__file__).parents[4] / "shared" / "data" / "field"

of_the_field = pytest.mark.skipif(not FIELD.is_dir(), reason="the files of the field are not beside the checkout")


@of_the_field
def test_the_lists_of_the_field_are_read() -> None:
    for file in sorted((FIELD / "csv").glob("players_*")):
        listed = read_players(file)
        twice = file.stem.endswith("_twice")
        assert (bool(listed.rows), len(listed.errors), listed.whole) == (True, int(twice), False), file.name


@of_the_field
def test_pasted_names_of_the_field_are_read_with_the_surname_first() -> None:
    listed = players_pasted((FIELD / "csv" / "pasted_surname_first_name.txt").read_text(encoding="utf-8"))
    assert (names(listed), listed.errors) == (["Anna Puig", "Blai Soler", "Cesca Riu"], [])


@of_the_field
@pytest.mark.parametrize(
    ("file", "tile_set", "rack"),
    [("slips_greek_latin.csv", "el-104", "ΚΑΛΑΣΕΟ"), ("slips_spaced_coordinates.csv", "ca-100", "CASERNA")],
)
def test_slips_of_the_field_that_read_in_one_direction_are_one_play(file: str, tile_set: str, rack: str) -> None:
    duplicate = load_ruleset("fisc-2023-duplicate")
    rules = dataclasses.replace(duplicate, game=dataclasses.replace(duplicate.game, tile_set=tile_set))
    turn = TurnData(Board(), tuple(rack), rules, lambda _: True)
    slips = read_slips(FIELD / "csv" / file, {name: name for name in ("anna", "blai", "cesca")})
    written = [WrittenSlip(slip.coordinates, slip.word) for slip in slips]
    one, other = (slip for slip in written if not slip.coordinates[0].isdigit())  # 8-H reads down
    assert is_same_play(one, other, turn)
    assert [find_form_fault(slip, turn) for slip in written] == [None] * len(written)


@of_the_field
@pytest.mark.parametrize(
    ("file", "reasons"),
    [
        ("continuation.gcg", []),
        ("greek_final_sigma_blank.gcg", []),
        ("greek_latin_lookalikes.gcg", []),
        ("partial_rack.gcg", ["SCORE"]),  # scores of the file that are not those of its plays
        ("plus_minus_time.gcg", ["SCORE"]),
        ("spanish_digits.gcg", ["MALFORMED_RACK"]),  # read with --digraphs digits
    ],
)
def test_games_of_the_field_are_read(file: str, reasons: list[str]) -> None:
    ruleset = "pes-2024" if file.startswith("greek") else "fise" if file.startswith("spanish") else "box"
    done = CliRunner().invoke(app, ["gcg", "check", "--ruleset", ruleset, str(FIELD / "gcg" / file)])
    assert done.exit_code == bool(reasons), done.output
    assert [reason for reason in reasons if f": {reason}: " not in done.output] == []
    if reasons == ["MALFORMED_RACK"]:
        again = CliRunner().invoke(
            app, ["gcg", "check", "--ruleset", ruleset, "--digraphs", "digits", str(FIELD / "gcg" / file)]
        )
        assert again.exit_code == 0, again.output


@of_the_field
@pytest.mark.parametrize(
    ("file", "pairs"),
    [
        ("preassigned_pab.trf", "3\n3 1\n2 4\n5 0\n"),
        ("xxs_full.trf", "2\n3 1\n2 0\n"),
        ("xxs_pab_half.trf", "2\n3 1\n2 0\n"),
    ],
)
def test_tournaments_of_the_field_are_paired(file: str, pairs: str) -> None:
    done = CliRunner().invoke(app, ["trf", "pair", str(FIELD / file)])
    assert (done.exit_code, done.stdout) == (0, pairs)


@of_the_field
def test_a_tournament_of_the_field_in_a_western_encoding_is_read() -> None:
    document = read_trf(decode_trf((FIELD / "cp1252_apostrophe.trf").read_bytes()))
    assert [player.name for player in document.players] == ["D’Or Núria", "Muñoz José"]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("Anna Puig\n" + "x\n" * MAX_LIST_ROWS, MAX_LIST_ROWS + 1),
        ("name;club\n" + "Anna Puig;\n" * MAX_LIST_ROWS, MAX_LIST_ROWS + 1),
        ("\n" * MAX_LIST_LINES + "Anna Puig", MAX_LIST_LINES + 1),
        ("Anna Puig\nPau " + "9" * 200_000, 2),  # more than a field of CSV may have
        ('Anna Puig\n"' + '""' * 100_000, 2),
        ("Anna" + " " * MAX_LINE_CHARACTERS + "Puig", 1),
        ("name" + ";x" * MAX_LINE_CHARACTERS, 1),
    ],
)
def test_a_list_that_is_no_list_of_players_is_refused_unread(text: str, line: int) -> None:
    for listed in (players_pasted(text, Reading()), players_of(text, Reading())):
        assert listed.whole
        assert not listed.rows
        assert [error.line for error in listed.errors] == [line]
        assert "limit" in listed.errors[0].problem or "more than" in listed.errors[0].problem


def test_empty_rows_and_cells_behind_a_list_do_not_count() -> None:
    text = "name;club" + ";" * 16_000 + "\nAnna Puig;Valls" + ";" * 16_000 + "\n;;;" * MAX_LIST_ROWS
    assert to_rows(players_of(text, Reading())) == [(2, "Anna Puig", "Valls", None)]


@pytest.mark.parametrize(
    "line", ["a" * 1_900, "a " * 900 + "1730)x", "a(" * 900, "(" + "a " * 900, "Puig," + " " * 1_900 + "1"]
)
def test_no_line_takes_long_to_read(line: str) -> None:
    began = time.process_time()
    players_pasted(f"{line}\n" * 20, Reading())
    assert time.process_time() - began < 1


@pytest.mark.parametrize("sign", ['"', " ", "a", "\0"])
def test_what_separates_no_columns_is_not_read_as_a_separator(sign: str) -> None:
    assert list(rows_of(f"sep={sign}\nname;club\n", ["name"])) == [(2, ["name", "club"])]
