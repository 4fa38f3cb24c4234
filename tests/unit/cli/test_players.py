from __future__ import annotations

from operator import attrgetter
from pathlib import Path

import grpc
import pytest
from grpc.aio import AioRpcError, Metadata

from faristol.cli import client, contract
from faristol.cli.players import players
from faristol.cli.players.players import _registered_before, stands_already
from faristol.host import StartError
from faristol.host.rpc.errors import status_of
from faristol.kernel.refusal import Refusal
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.pb.register.v1 import register_pb2 as register
from faristol.table_terminal.shared.names import TournamentNames
from faristol.typed_input.player_list import Reading, list_columns, players_pasted, read_players
from faristol.typed_input.team_list import teams_of

both = attrgetter("rows", "errors")


def read_list(tmp_path: Path, text: str) -> tuple[list[tuple[int, str, str, int | None, str, str]], list[str]]:
    file = tmp_path / "players.csv"
    file.write_text(text, encoding="utf-8")
    rows, errors = both(read_players(file))
    found = [
        (
            row.line,
            request.name,
            request.club,
            request.rating if request.HasField("rating") else None,
            request.player_id,
            request.country,
        )
        for row in rows
        for request in (row.request,)
    ]
    return found, [str(error) for error in errors]


def test_players_are_read_by_the_names_of_their_columns(tmp_path: Path) -> None:
    text = '\ufeffRating,Name,Club,Country,id\n1730,"Puig, Anna",Tarragona,AND,anna\n,Biel  Soler,,,\n'

    assert read_list(tmp_path, text) == (
        [(2, "Puig, Anna", "Tarragona", 1730, "anna", "AND"), (3, "Biel Soler", "", None, "", "")],
        [],
    )


def test_two_lines_of_one_id_are_an_error_before_anybody_enters(tmp_path: Path) -> None:
    text = "name,id\nAnna,anna\nBiel,\nCarme,\nGalo,anna\n"

    assert read_list(tmp_path, text)[1] == ["5: the id 'anna' is already in line 2"]


def test_a_list_may_have_two_of_one_name_with_different_clubs_or_ids(tmp_path: Path) -> None:
    text = (
        "name,club,id\nAnna,Valls,\nAnna,Reus,\nBiel,,b1\nBiel,,b2\nCarme,Valls,\nCarme,valls,\nDolors,,d1\nDolors,,\n"
    )

    found, errors = read_list(tmp_path, text)
    assert [row[0] for row in found[:4]] == [2, 3, 4, 5]
    assert errors == ["7: the name 'Carme' is already in line 6", "9: the name 'Dolors' is already in line 8"]


def test_a_category_and_a_note_are_read_from_a_list(tmp_path: Path) -> None:
    file = tmp_path / "players.csv"
    file.write_text(f"name,category,note\nAnna,U18,needs a ramp\nBiel,{'x' * 21},\nCarme,,{'x' * 501}\n")
    rows, errors = both(read_players(file))
    assert [(row.request.category, row.request.note) for row in rows] == [("U18", "needs a ramp")]
    assert [str(error) for error in errors] == [
        "3: the category has 21 characters; expected at most 20",
        "4: the note has 501 characters; expected at most 500",
    ]


def test_every_line_that_is_wrong_is_named(tmp_path: Path) -> None:
    text = "name,rating,country\nAnna,high,\n,1500,\nBiel,1200,,x\nCarme,1300,\ncarme,1400,\nDolors,,Spain\nEloi,,and\n"

    assert read_list(tmp_path, text)[1] == [
        "2: the rating is 'high'; expected 0 to 9999, or an empty field for an unrated player",
        "3: the name is missing",
        "4: there is no column for 'x': it is neither a rating nor a country, or there are two of the same kind",
        "6: the name 'carme' is already in line 5",
        "7: Country: 'Spain' is not a country: expected a code of three capital letters, such as ESP, GRE or AND, "
        "or an empty field",
        "8: Country: 'and' is not a country: expected a code of three capital letters, such as ESP, GRE or AND, "
        "or an empty field",
    ]


@pytest.mark.parametrize(
    ("header", "error"),
    [
        (
            "",
            f"2: expected a line of column names, with `name` among {', '.join(list_columns('en'))}",
        ),
        (
            "name,prize",
            f"1: there is no column 'prize'; expected {', '.join(list_columns('en'))}",
        ),
        ("name,name", "1: the column 'name' occurs twice"),
    ],
)
def test_columns_that_nobody_knows_are_told(tmp_path: Path, header: str, error: str) -> None:
    assert error in read_list(tmp_path, f"{header}\nAnna,1\n")[1]


@pytest.mark.parametrize("heading", ["Name;ELO", "Nom i cognoms;Elo", "Ονοματεπώνυμο;Έλο", "Όνομα;ΕΛΟ", "Nombre;elo"])
def test_usual_headings_of_other_lists_are_read(heading: str) -> None:
    (row,) = players_pasted(f"{heading}\nAnna Puig;1650\n").rows
    assert (row.request.name, row.request.rating) == ("Anna Puig", 1650)


@pytest.mark.parametrize(
    ("language", "names"),
    [("ca", "nom, club, ràting"), ("es", "nombre, club, rating"), ("el", "όνομα, σύλλογος, αξιολόγηση")],
)
def test_columns_are_named_in_the_language_of_the_reader(language: str, names: str) -> None:
    (error,) = players_pasted("name;prize\nAnna;1\n", Reading(language=language)).errors
    assert names in error.problem


DIVISIONS = [events.Division(tournament_id="copa", name="A"), events.Division(tournament_id="copa-b", name="Juvenil")]


def test_every_line_goes_to_its_division_and_to_the_tournament_where_it_says_none(tmp_path: Path) -> None:
    file = tmp_path / "players.csv"
    file.write_text("name,division\nAnna,A\nBiel, juvenil\nCesca,\n", encoding="utf-8")
    rows, errors = both(read_players(file, Reading("copa-b", DIVISIONS)))
    assert errors == []
    assert [(row.request.name, row.request.tournament_id) for row in rows] == [
        ("Anna", "copa"),
        ("Biel", "copa-b"),
        ("Cesca", "copa-b"),
    ]


@pytest.mark.parametrize(
    ("divisions", "told"),
    [
        (DIVISIONS, "3: the division is 'C'; expected A, Juvenil, or an empty field"),
        ([], "3: the division is 'C'; there are no divisions"),
    ],
)
def test_a_division_that_is_not_there_is_told_with_its_line(
    tmp_path: Path, divisions: list[events.Division], told: str
) -> None:
    file = tmp_path / "players.csv"
    file.write_text("name,division\nAnna,\nBiel,C\n", encoding="utf-8")
    assert [str(error) for error in read_players(file, Reading("copa", divisions)).errors] == [told]


def test_a_list_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(StartError, match=r"cannot be read: No such file or directory$"):
        read_players(tmp_path / "none.csv")


TOURNAMENTS = {
    "copa": pairing.GetTournamentResponse(tournament_id="copa"),
    "copa-b": pairing.GetTournamentResponse(
        tournament_id="copa-b", teams=[pairing.Team(team_id="cavalls", name="Els Cavalls", player_ids=["zoe", "biel"])]
    ),
}


def test_teams_come_in_the_order_of_first_mention_with_the_players_who_are_registered(tmp_path: Path) -> None:
    file = tmp_path / "players.csv"
    file.write_text(
        "name,team,division\nAnna,Torres,\nBiel,Els  cavalls,\nCesca,torres,\nDan,,\nEva,Torres,\nFina,Torres,A\n"
        "Gal,els cavalls,\n",
        encoding="utf-8",
    )
    rows, errors = both(read_players(file, Reading("copa-b", DIVISIONS)))
    assert errors == []
    ids = {row.line: row.request.name.lower() for row in rows if row.request.name != "Eva"}
    found = teams_of(rows, ids, TOURNAMENTS)
    assert [(row.line, row.tournament_id, row.name, row.coming, row.refused) for row in found] == [
        (2, "copa-b", "Torres", ["anna", "cesca"], [6]),
        (3, "copa-b", "Els Cavalls", ["gal"], []),
        (7, "copa", "Torres", ["fina"], []),
    ]
    made, changed, _ = (row.request() for row in found)
    assert isinstance(made, pairing.RegisterTeamRequest)
    assert isinstance(changed, pairing.SetLineUpRequest)
    assert (changed.team_id, list(changed.player_ids)) == ("cavalls", ["zoe", "biel", "gal"])


GONE = pairing.Team(team_id="torres", name="Torres", player_ids=["zoe"], entered_round=1, withdrawn_round=1)
HERE = pairing.Team(team_id="torres-2", name="Torres", player_ids=["biel"], entered_round=1)
LEFT = pairing.Team(team_id="torres", name="Torres", player_ids=["zoe"], entered_round=1, withdrawn_round=2)


@pytest.mark.parametrize(
    ("teams", "team_id"), [([GONE], ""), ([GONE, HERE], "torres-2"), ([HERE, GONE], "torres-2"), ([LEFT], "torres")]
)
def test_a_team_that_left_before_its_first_round_gets_nobody_and_its_name_is_free(
    tmp_path: Path, teams: list[pairing.Team], team_id: str
) -> None:
    file = tmp_path / "players.csv"
    file.write_text("name,team\nAnna,Torres\n", encoding="utf-8")
    rows, _ = both(read_players(file, Reading("copa")))
    (found,) = teams_of(rows, {2: "anna"}, {"copa": pairing.GetTournamentResponse(tournament_id="copa", teams=teams)})
    assert found.team_id == team_id
    request = found.request()
    if isinstance(request, pairing.SetLineUpRequest):
        (before,) = (team for team in teams if team.team_id == team_id)
        assert list(request.player_ids) == [*before.player_ids, "anna"]
    else:
        assert list(request.player_ids) == ["anna"]


def name_taken(**known: str) -> StartError:
    """Return the command line's version of the refusal of a name that another player has."""
    refused = status_of(Refusal("NAME_TAKEN", "{player} is registered", known), "en")
    assert refused is not None
    told = Metadata(("grpc-status-details-bin", refused.SerializeToString()))
    problem = StartError(refused.message)
    problem.__cause__ = AioRpcError(grpc.StatusCode.FAILED_PRECONDITION, Metadata(), told, refused.message, "")
    return problem


@pytest.mark.parametrize(
    ("line", "known", "found"),
    [
        ({}, {"player": "p-1", "club": "Valls"}, "p-1"),
        ({"club": "VALLS"}, {"player": "p-1", "club": "Valls"}, "p-1"),
        ({"club": "Club d\u2019Òdena"}, {"player": "p-1", "club": "Club d'Odena"}, "p-1"),
        ({"club": "Reus"}, {"player": "p-1", "club": "Valls"}, ""),
        ({"club": "Reus"}, {"player": "p-1", "club": ""}, ""),
        ({"player_id": "anna"}, {"player": "p-1", "club": "Valls"}, ""),
        ({}, {"player": "p-1", "division": "A"}, ""),
    ],
)
def test_who_has_the_name_of_a_line_is_another_person_where_the_line_has_an_id_or_another_club(
    line: dict[str, str], known: dict[str, str], found: str
) -> None:
    wanted = pairing.RegisterPlayerRequest(name="Anna Puig", **line)  # type: ignore[arg-type] # only texts are given
    assert _registered_before(name_taken(**known), wanted) == found


@pytest.mark.parametrize(
    ("line", "before", "told"),
    [
        (
            {"club": "VALLS"},
            "p-1",
            "Anna Puig (Valls) is already registered; if this is a different person with the same name and",
        ),
        (
            {},
            "p-1",
            "Anna Puig (Valls) is already registered; if this is a different person with the same name, give each a",
        ),
        (
            {"club": "Valls"},
            "p-2",
            "Blai Soler is already registered; if this is a different person with the same name, give",
        ),
        ({"player_id": "p-1"}, "p-1", "Anna Puig (Valls) is already registered"),
        ({}, "p-9", "anna puig is already registered; if this is a different person"),
    ],
)
def test_who_was_registered_before_is_told_by_name_and_club_with_what_the_line_lacks(
    line: dict[str, str], before: str, told: str
) -> None:
    players = [
        pairing.Player(player_id="p-1", name="Anna Puig", club="Valls"),
        pairing.Player(player_id="p-2", name="Blai Soler"),
    ]
    known = TournamentNames(pairing.GetTournamentResponse(tournament_id="copa", players=players))
    wanted = pairing.RegisterPlayerRequest(name="anna puig", **line)  # type: ignore[arg-type] # only texts are given
    said = stands_already(before, wanted, known)
    assert said.startswith(told)
    assert len(said) == len(told) or "player_id" not in line


@pytest.mark.parametrize(("language", "told"), [("ca", "falta el nom"), ("es", "falta el nombre")])
def test_what_is_wrong_with_a_line_is_told_in_the_language_of_the_terminal(
    tmp_path: Path, language: str, told: str
) -> None:
    file = tmp_path / "players.csv"
    file.write_text("name,club\n,Valls\n", encoding="utf-8")
    assert [str(error) for error in read_players(file, Reading("copa", language=language)).errors] == [f"2: {told}"]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("name,club\n" + "A" * 200_000 + "\n", "2: the line has 200,000 characters; the limit is 2,000"),
        ('"name,club\n', "1: the line has an unclosed quotation mark"),
        ("name,name\nAnna,Anna\n", "1: the column 'name' occurs twice"),
    ],
)
def test_a_list_that_is_no_csv_is_told_with_the_line_on_which_it_goes_wrong(
    tmp_path: Path, content: str, problem: str
) -> None:
    file = tmp_path / "players.csv"
    file.write_text(content, encoding="utf-8")
    _, (error,) = both(read_players(file))
    assert str(error).startswith(problem)


def test_a_list_with_many_wrong_columns_is_told_in_ten_lines(tmp_path: Path) -> None:
    file = tmp_path / "players.csv"
    file.write_text(",".join(["name", *(f"c{number}" for number in range(300))]) + "\n", encoding="utf-8")
    _, errors = both(read_players(file))
    assert len(errors) == 10


def test_a_file_without_end_is_no_list_of_players() -> None:
    with pytest.raises(StartError, match="/dev/zero is larger than 4 MB"):
        read_players(Path("/dev/zero"))


def test_a_list_that_a_spreadsheet_parted_by_semicolons_is_read(tmp_path: Path) -> None:
    file = tmp_path / "players.csv"
    file.write_text("name;club;rating\nAnna Puig;Valls, secció Scrabble;1700\n", encoding="utf-8")
    ((row,), errors) = both(read_players(file))
    assert (row.request.name, row.request.club, row.request.rating, errors) == (
        "Anna Puig",
        "Valls, secció Scrabble",
        1700,
        [],
    )


def test_players_are_listed_with_their_rating_and_all_that_is_to_be_said_of_them(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    anna = pairing.Player(
        player_id="anna", name="Anna Puig", club="Valls", rating=1834, category="U18", checked_in=True
    )
    anna.byes.add(round=3, kind=events.BYE_KIND_HALF_POINT)
    anna.note = "needs a table near the door"
    blai = pairing.Player(player_id="blai", name="Blai Soler", rating=1000, unrated=True, withdrawn_round=2)

    async def build_names(_given: str, _address: str | None) -> TournamentNames:
        return TournamentNames(pairing.GetTournamentResponse(tournament_id="copa", players=[anna, blai]))

    monkeypatch.setenv("LC_ALL", "en")
    monkeypatch.setattr(client, "load_names", build_names)
    players.list_players(client.Client(), "copa")
    assert capsys.readouterr().out.splitlines() == [
        "Anna Puig   anna  Valls  1834  "
        "U18, checked in, sits out round 3: half a point, Note: needs a table near the door",
        "Blai Soler  blai         –     withdrawn from round 2 on",
    ]


def read_pasted(text: str) -> list[tuple[int, str, str, int, str]]:
    rows, errors = both(players_pasted(text))
    assert errors == []
    return [(row.line, row.request.name, row.request.club, row.request.rating, row.request.country) for row in rows]


def test_what_is_pasted_needs_no_names_of_columns_and_tells_its_fields_by_what_they_look_like() -> None:
    text = "Anna Puig; Valls; 1450\n\nBlai Soler\tESP\t1300\tReus\nNúria Mas"
    assert read_pasted(text) == [
        (1, "Anna Puig", "Valls", 1450, ""),
        (3, "Blai Soler", "Reus", 1300, "ESP"),
        (4, "Núria Mas", "", 0, ""),
    ]
    assert read_pasted("name\tclub\nAnna Puig\tValls") == [(2, "Anna Puig", "Valls", 0, "")]


@pytest.mark.parametrize(
    "head",
    ["Nom;Club;Ràting;País", "nombre;club;rating;país", "Όνομα;Σύλλογος;Αξιολόγηση;Χώρα", "NOM;CLUB;RATING;PAIS"],
)
def test_the_names_of_columns_may_be_in_every_language_as_the_pages_have_them(head: str) -> None:
    assert read_pasted(f"{head}\nAnna Puig;Valls;1450;ESP") == [(2, "Anna Puig", "Valls", 1450, "ESP")]


def test_what_cannot_be_read_of_a_pasted_list_is_told_by_its_line() -> None:
    rows, errors = both(players_pasted("Anna Puig\n; Reus\nBlai; Vic; 1; 2; 3\nAnna Puig"))
    assert [row.line for row in rows] == [1]
    assert [(error.line, error.text) for error in errors] == [
        (2, "; Reus"),
        (3, "Blai; Vic; 1; 2; 3"),
        (4, "Anna Puig"),
    ]


def test_lines_of_a_list_with_a_person_of_the_register_get_its_rating_and_category(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[pairing.RegisterPlayersRequest] = []
    person = register.FoundPerson(person_id="p-1", name="Anna Puig", rating=1500, category="U18", federation_id="17")

    def call(_client: client.ServiceClient, _method: str, request: pairing.RegisterPlayersRequest) -> object:
        sent.append(request)
        found = [pairing.Registration(player_id=each.player_id or each.name) for each in request.players]
        return pairing.RegisterPlayersResponse(registrations=found)

    monkeypatch.setattr(players, "call", call)
    monkeypatch.setattr(contract, "call", lambda *_: register.SearchRegisterResponse(persons=[person]))
    file = tmp_path / "players.csv"
    file.write_text("name,id,federation_id,rating\nAnna Puig,,17,\nBiel Mas,,,1400\nCarme Roca,,17,\n")

    _, registered, filled = players._register(client.Client(), read_players(file).rows, {}, players._Complaints(file))

    assert (registered, filled) == (3, 1)
    assert [(each.player_id, each.rating, each.category) for each in sent[0].players] == [
        ("p-1", 1500, "U18"),
        ("", 1400, ""),
        ("", 0, ""),
    ]
