"""Typed results, implausible ones, and files of results."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from tests.component.blind_typist import OWN_TABLE, slips_for
from typer.testing import CliRunner, Result

from faristol.cli.main import app
from faristol.cli.tournament import results_entry as entry_command
from faristol.client.places import ranges
from faristol.host import StartError
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.rules import load_ruleset
from faristol.rules.scoring import UsualScores, usual_scores
from faristol.table_terminal.results_entry.calls import ResultsClient
from faristol.table_terminal.results_entry.prompt import Prompt
from faristol.typed_input.results import lines
from faristol.typed_input.results.doubts import as_typed, doubts
from faristol.typed_input.results.lines import InvalidLine, ParsedResult, Score, TableLookup, read
from faristol.typed_input.results.sheet import read_sheet
from faristol.typed_input.results.tables import Tables

USUAL = usual_scores(load_ruleset("fisc-2023"), 2)
NAMES = ("Anna Puig", "Blai Soler")
NONE, LOST, LEFT = Score(None), Score(None, forfeit=True), Score(120, left=True)


def seats(table: int) -> int:
    return {1: 2, 11: 2, 12: 2, 40: 3}.get(table, 0)


def scores(*points: int) -> tuple[Score, ...]:
    return tuple(map(Score, points))


@pytest.mark.parametrize(
    ("line", "asked", "expected"),
    [
        ("11 412 378", 1, ParsedResult(11, scores(412, 378))),
        ("412 378", 11, ParsedResult(11, scores(412, 378))),
        ("412-378", 11, ParsedResult(11, scores(412, 378))),
        ("11: 412–378", 0, ParsedResult(11, scores(412, 378))),
        ("11: 412 - 378", 0, ParsedResult(11, scores(412, 378))),
        ("412 — 378.", 11, ParsedResult(11, scores(412, 378))),
        ("11,412,378", 0, ParsedResult(11, scores(412, 378))),
        ("11 412 -5", 0, ParsedResult(11, scores(412, -5))),
        ("11 412 378 anna-2", 0, ParsedResult(11, scores(412, 378), "anna-2")),
        ("412 378 Anna Puig", 11, ParsedResult(11, scores(412, 378), "Anna Puig")),
        ("11 ff -", 0, ParsedResult(11, (LOST, NONE))),
        ("FF FF", 11, ParsedResult(11, (LOST, LOST))),
        ("11,ff,-", 0, ParsedResult(11, (LOST, NONE))),
        ("11,ff,", 0, ParsedResult(11, (LOST, NONE))),
        ("11,-,ff", 0, ParsedResult(11, (NONE, LOST))),
        ("11,,FF", 0, ParsedResult(11, (NONE, LOST))),
        ("11; ; ff", 0, ParsedResult(11, (NONE, LOST))),
        (",ff", 11, ParsedResult(11, (NONE, LOST))),
        ("11,ff,ff", 0, ParsedResult(11, (LOST, LOST))),
        ("11 120a 100", 0, ParsedResult(11, (LEFT, Score(100)))),
        ("120a-100", 11, ParsedResult(11, (LEFT, Score(100)))),
        ("11 φφ -", 0, ParsedResult(11, (LOST, NONE))),
        ("11,Φφ,", 0, ParsedResult(11, (LOST, NONE))),
        ("- фф", 11, ParsedResult(11, (NONE, LOST))),
        ("11 аа -", 0, ParsedResult(11, (LOST, NONE))),
        ("11 120α 100", 0, ParsedResult(11, (LEFT, Score(100)))),
        ("120Ά-100", 11, ParsedResult(11, (LEFT, Score(100)))),
        ("11 120а 100", 0, ParsedResult(11, (LEFT, Score(100)))),
        ("11 １２０ａ １００", 0, ParsedResult(11, (LEFT, Score(100)))),
        ("40 300 290 280", 11, ParsedResult(40, scores(300, 290, 280))),
        ("11 412 378", 40, ParsedResult(40, scores(11, 412, 378))),
        ("12", 11, TableLookup(12)),
    ],
)
def test_a_result_is_typed_in_the_keys_that_a_scorer_expects(
    line: str, asked: int, expected: ParsedResult | TableLookup
) -> None:
    assert read(line, seats, asked) == expected


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("13 412 378", "there is no table 13 in this round"),
        ("11 412", "expected 2 scores for table 11, found 1"),
        ("11 412 37O", "'37O' is not a result"),
        ("anna 412", "'anna 412' is not a result"),
        ("11 ff 378", "the rules define the scores of a forfeit: write ff - at table 11"),
        ("11 - 378", "the rules define the scores of a forfeit: write ff - at table 11"),
        ("11 1234567 3", "is not a result"),
        ("11,ff", "expected 2 scores for table 11, found 1"),
        ("11,,", "is not a result|expected 2 scores"),
        ("11 412β 378", "is not a result"),
    ],
)
def test_what_is_no_result_is_told(line: str, said: str) -> None:
    with pytest.raises(InvalidLine, match=said):
        read(line, seats)


@pytest.mark.parametrize(
    ("given", "winner", "said"),
    [
        (scores(412, 378), None, []),
        (scores(412, 378), 0, []),
        (scores(4120, 37), None, ["4120 is unusually high", "37 is unusually low", "4083 points apart"]),
        (scores(378, 378), None, ["it is a draw"]),
        (scores(378, 412), 0, ["these scores do not make Anna Puig the winner"]),
        (scores(390, 360), None, ["table 9 has the same scores"]),
        (scores(600, 200), None, ["400 points apart"]),
        ((LEFT, Score(20)), None, []),
        ((LOST, NONE), None, []),
    ],
)
def test_a_slip_of_the_pen_is_asked_about_and_a_usual_result_is_not(
    given: tuple[Score, ...], winner: int | None, said: list[str]
) -> None:
    found = doubts(ParsedResult(11, given), USUAL, {9: (390, 360), 11: (412, 378)}, NAMES, winner)
    told = [doubt.text.format_map(doubt.params) for doubt in found]
    assert len(told) == len(said)
    assert all(part in whole for part, whole in zip(said, told, strict=True))


def test_what_is_usual_comes_from_the_tiles_of_the_rules_and_the_players_of_a_table() -> None:
    assert UsualScores(150, 760, 380) == USUAL
    assert usual_scores(load_ruleset("pes-2024"), 2).highest > USUAL.highest, "the Greek tiles are worth more"
    assert usual_scores(load_ruleset("box"), 4).highest < USUAL.highest, "four share what there is"


def round_of(*tables: pairing.TableResult) -> Tables:
    usual = pairing.UsualScores(lowest=150, highest=760, largest_difference=380)
    listed = pairing.ListResultsResponse(tournament="Cup", round=3, tables=tables, usual=usual, time_zone="UTC")
    return Tables(listed, "en")


def table(number: int, *points: int, by: str = "") -> pairing.TableResult:
    names = (f"Anna {number}", f"Blai {number}")
    made = pairing.TableResult(
        table=number,
        game_id=f"cup-r3-t{number}",
        players=[pairing.SeatedPlayer(player_id=name.lower().replace(" ", "-"), name=name) for name in names],
        entered=bool(by),
        winner_id=f"anna-{number}" if points and points[0] > points[1] else "",
        actor_name=by,
    )
    made.scores.extend(
        game.FinalScore(player_id=player.player_id, score=score)
        for player, score in zip(made.players, points, strict=False)
    )
    return made


ROUND = round_of(table(1), table(2, 400, 350, by="Eva"), table(3), table(4))


def test_every_line_of_a_file_that_is_wrong_is_told_at_once() -> None:
    text = "round,table,first_name,second_name,first_score,second_score,winner\n" + "\n".join(
        [
            "3,1,Anna 1,Blai 1,412,378,anna",
            "3,2,,,401,350,",
            "3,9,,,400,300,",
            "2,3,,,400,300,",
            "3,3,Blai 3,Anna 3,400,300,",
            "3,3,,,400,,",
            "3,3,,,410,300,Carme",
            "3,4,,,,,",
            "3,1,,,412,378,",
            "3,,,,400,300,",
        ]
    )
    new, standing, errors = read_sheet(text, ROUND, "en")
    assert ([entry.line for entry in new], standing) == ([2], [])
    assert [(error.line, error.problem.split(":")[0]) for error in errors] == [
        (3, "2 · Anna 2 400 – Blai 2 350, entered by Eva at 00"),
        (4, "there is no table 9 in this round"),
        (5, "is for round 2, but the results are being entered for round 3"),
        (6, "table 3 has Anna 3 – Blai 3, in this order; the line has Blai 3 – Anna 3"),
        (7, "expected 2 scores for table 3, found 1"),
        (8, "'Carme' does not play at table 3"),
        (10, "the result of table 1 is already in line 2"),
        (11, "the table is missing"),
    ]


def test_a_line_whose_names_a_spreadsheet_garbled_is_taken_by_its_ids_and_table() -> None:
    head = "sep=;\nround;table;first_player_id;first_name;second_player_id;second_name;first_score;second_score\n"
    new, _, errors = read_sheet(f"{head}3;3;anna-3;?nn? 3;blai-3;BlaÃ¯ 3;400;300\n", ROUND, "en")
    assert ([entry.given for entry in new], errors) == ([ParsedResult(3, scores(400, 300))], [])
    _, _, errors = read_sheet(f"{head}3;3;blai-3;Anna 3;anna-3;Blai 3;400;300\n", ROUND, "en")
    assert errors[0].problem.startswith("table 3 has")
    _, _, errors = read_sheet(f"{head}3;3;;?nn? 3;;Blai 3;400;300\n", ROUND, "en")
    assert errors[0].problem.startswith("table 3 has")


ASKED = "; if it is correct, write `yes` in a column `sure`, or use --sure for the whole file"


def test_who_is_sure_of_a_line_is_asked_about_every_other_one() -> None:
    text = "table,first_score,second_score,Sure\n1,900,500,Sí\n3,901,500,\n4,902,500,no\n"
    new, _, errors = read_sheet(text, ROUND, "en")
    assert (new[0].given, new[0].sure) == (ParsedResult(1, scores(900, 500)), True)
    assert {error.line for error in errors} == {3, 4}
    _, _, errors = read_sheet("table,first_score,second_score,sure\n1,400,300,perhaps\n", ROUND, "en")
    assert [error.problem for error in errors] == [
        "the column `sure` is 'perhaps'; expected `yes`, `no` or an empty field"
    ]


def test_what_stands_already_is_passed_over_and_who_is_sure_may_enter_what_is_implausible() -> None:
    text = "2 400 350\n1 900 100\n"
    new, standing, errors = read_sheet(text, ROUND, "en")
    assert [entry.given.table for entry in standing] == [2]
    assert [error.problem for error in errors] == [
        "table 1: 900 is unusually high (more than 760)" + ASKED,
        "table 1: 100 is unusually low (less than 150)" + ASKED,
        "table 1: the scores are 800 points apart (usually at most 380)" + ASKED,
    ]
    new, _, errors = read_sheet(text, ROUND, "en", sure=True)
    assert ([entry.given for entry in new], errors) == ([ParsedResult(1, scores(900, 100))], [])


def test_equal_scores_of_two_tables_of_a_file_are_a_question_and_no_error() -> None:
    new, _, errors = read_sheet("1 401 350\n3 401 350\n", ROUND, "en")
    assert errors == []
    assert [entry.question for entry in new] == ["", "table 3: table 1 has the same scores; compare it with its slip."]
    new, _, _ = read_sheet("1 401 350\n3 401 350\n", ROUND, "en", sure=True)
    assert not any(entry.question for entry in new)


def test_a_file_given_again_is_passed_over_also_where_the_book_made_other_scores_of_an_abandoned_game() -> None:
    abandoned = table(1, 250, 300, by="Eva")
    abandoned.winner_id = "blai-1"
    abandoned.abandoned_by.append("anna-1")
    abandoned.scores_given.extend(
        game.FinalScore(player_id=player_id, score=score) for player_id, score in (("anna-1", 450), ("blai-1", 300))
    )
    for line in ("1,450a,300", "1,250a,300", "1,450a,300,Blai"):
        new, standing, errors = read_sheet(line, round_of(abandoned), "en")
        assert ([entry.given.table for entry in standing], new, errors) == ([1], [], [])
    for line in ("1,450,300", "1,250,300", "1,450,300a", "1,440a,300"):
        _, standing, errors = read_sheet(line, round_of(abandoned), "en")
        assert (standing, len(errors)) == ([], 1), line


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("2,400,350,Blai 2", "these scores do not make Blai 2 the winner: they may be swapped"),
        ("2,400,350,Nobody", "'Nobody' does not play at table 2: Anna 2 – Blai 2"),
        ("2,400,350a", "2 · Anna 2 400 – Blai 2 350, entered by Eva at 00:00:00 is already recorded"),
        ("2,400a,350", "2 · Anna 2 400 – Blai 2 350, entered by Eva at 00:00:00 is already recorded"),
    ],
)
def test_the_scores_on_the_record_with_another_winner_or_a_player_who_left_do_not_stand_already(
    line: str, said: str
) -> None:
    for sure in (False, True):
        new, standing, errors = read_sheet(line, ROUND, "en", sure=sure)
        assert (new, standing) == ([], [])
        assert [error.problem.startswith(said) for error in errors] == [True], errors
    assert [entry.given.table for entry in read_sheet("2,400,350,Anna 2", ROUND, "en")[1]] == [2]


@pytest.mark.parametrize("cells", ["ff,-", "ff,", "FF,"])
def test_in_a_file_with_columns_the_cell_of_who_came_may_be_empty(cells: str) -> None:
    text = f"table,first_score,second_score,third_score\n1,{cells},\n3,{','.join(reversed(cells.split(',')))},\n"
    new, _, errors = read_sheet(text, ROUND, "en")
    assert ([entry.given.scores for entry in new], errors) == ([(LOST, NONE), (NONE, LOST)], [])


def test_a_spreadsheet_may_add_zero_decimals_to_the_numbers() -> None:
    text = f"round;table;first_score;second_score\n{ROUND.listed.round},0;1,00;412,0;378.0\n"
    new, _, errors = read_sheet(text, ROUND, "en")
    assert ([entry.given for entry in new], errors) == ([ParsedResult(1, scores(412, 378))], [])


def test_a_semicolon_and_a_byte_order_mark_are_what_spreadsheets_write() -> None:
    new, _, errors = read_sheet("\ufefftable;first_score;second_score\n1;412;378\n", ROUND, "en")
    assert ([entry.given for entry in new], errors) == ([ParsedResult(1, scores(412, 378))], [])


def test_a_file_without_a_column_of_scores_is_told_what_is_missing() -> None:
    _, _, errors = read_sheet("table,score\n1,412\n", ROUND, "en")
    assert [str(error.problem) for error in errors] == ["expected a column first_score; there are: table, score"]


@pytest.mark.parametrize(
    "text",
    [
        "{0} 400 300",
        "1 400 {0}",
        "1 400 300 {0}",
        "{0}",
        "table,first_score,second_score,{0}\n{0},400,300",
        "table,first_score,second_score\n1,{0},300",
        "table,{0}\n1,400",
        "round,table,first_score,second_score\n{0},1,400,300",
        "table,first_score,second_score,winner\n1,400,300,{0}",
        "table,first_score,second_score,first_name\n1,400,300,{0}",
    ],
)
def test_of_a_value_that_is_far_too_long_no_more_than_its_beginning_is_told(text: str) -> None:
    for value in ("x" * 5_000, "7" * 5_000, "x" * 200_000):
        new, _, errors = read_sheet(text.format(value), ROUND, "en")
        assert new == []
        assert [len(error.problem) < 300 for error in errors] == [True], errors[0].problem[:300]


@pytest.mark.parametrize(
    "text", ["", "\n \n", "\ufeff", "table,first_score,second_score\n", "1\n", "table,first_score,second_score\n1,,\n"]
)
def test_a_file_without_a_result_is_refused(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = entered_by_command("cup", given=text, monkeypatch=monkeypatch)
    assert found.exit_code not in {0, None}
    assert "the file stdin has no result" in str(found.exception)


def test_of_very_many_wrong_lines_the_first_are_told_and_how_many_more(monkeypatch: pytest.MonkeyPatch) -> None:
    found = entered_by_command("cup", given="99 400 300\n" * 5_000, monkeypatch=monkeypatch)
    told = found.output.splitlines()
    assert (found.exit_code, len(told)) == (2, 52)
    assert told[49:] == ["stdin:50: there is no table 99 in this round", "and 4950 more", "No result was entered."]


def test_a_result_is_told_to_the_service_by_the_ids_of_its_game() -> None:
    made = ROUND.result(ParsedResult(1, (LEFT, Score(100)), "blai"))
    assert (made.game_id, list(made.abandoned_by), made.winner_id) == ("cup-r3-t1", ["anna-1"], "blai-1")
    assert list(ROUND.result(ParsedResult(1, (LOST, NONE))).forfeited_by) == ["anna-1"]


def test_tables_that_are_left_are_told_in_runs() -> None:
    assert (ranges([12, 3, 7, 8, 9]), ROUND.left) == ("3, 7–9, 12", [1, 3, 4])


class Fake(ResultsClient):
    """The results of a round without a service; stores entries."""

    def __init__(self, tables: Tables) -> None:
        self.shown = tables
        self.tournament = "cup"
        self.entered: list[pairing.GameResult] = []
        self.corrected: list[pairing.GameResult] = []
        self.rounds_after: list[int] = []
        self.confirmed: list[str] = []
        self.disputed: list[str] = []

    async def tables(self) -> Tables:
        return self.shown

    async def enter(self, results: Sequence[pairing.GameResult]) -> None:
        self.entered += results
        for result in results:
            next(t for t in self.shown.listed.tables if t.game_id == result.game_id).scores.extend(result.scores)

    async def confirm_result(self, table: pairing.TableResult) -> None:
        self.confirmed.append(table.game_id)

    async def dispute_result(self, table: pairing.TableResult, note: str) -> None:
        self.disputed.append(f"{table.game_id}: {note}")

    async def correct(self, table: pairing.TableResult, result: pairing.GameResult) -> Sequence[int]:
        self.corrected.append(result)
        return self.rounds_after


async def at_prompt(
    *typed: str, tables: Tables = ROUND, rounds_after: Sequence[int] = ()
) -> tuple[Fake, list[str], list[str]]:
    """Return the entries, questions and output for typed lines that then end."""
    calls, typing = Fake(tables), iter(typed)
    calls.rounds_after = [*rounds_after]
    asked: list[str] = []
    told: list[str] = []

    async def ask(question: str) -> str:
        asked.append(question)
        try:
            return next(typing)
        except StopIteration:
            raise EOFError from None

    await Prompt(calls, ask, told.append, "en").run()
    return calls, asked, told


@pytest.mark.parametrize("answer", ["y", "YES", " s ", "si", "sí", "ν", "Ναι", "ΝΑΊ"])
async def test_yes_is_a_whole_word_of_any_of_the_languages(answer: str) -> None:
    tables = round_of(table(1), table(2))
    calls, _, _ = await at_prompt("1 380 380", answer, "q", tables=tables)
    assert [result.game_id for result in calls.entered] == ["cup-r3-t1"]


@pytest.mark.parametrize("answer", ["n", "No", "ο", "Όχι"])
async def test_no_enters_nothing(answer: str) -> None:
    calls, _, told = await at_prompt("1 380 380", answer, "l", "q")
    assert calls.entered == []
    assert told[-3:] == ["Discarded: 1 380 380", "left: 1, 3–4", "0 entered here; left: 1, 3–4."]


@pytest.mark.parametrize("line", ["stop", "salta", "yesterday", "", "3 411 377", "1", "νομίζω", "y 2", "12 400 301"])
async def test_what_was_asked_stays_open_whatever_is_typed_next(line: str) -> None:
    tables = round_of(table(1), table(2, 400, 350, by="Eva"), table(3), table(4))
    calls, _, told = await at_prompt("1 380 380", line, "q", tables=tables)
    assert [result.game_id for result in calls.entered if result.game_id == "cup-r3-t1"] == []
    assert "open, and not saved: 1 380 380 (it is a draw)" in told


@pytest.mark.parametrize("other", ["412 378", "2 412 378"])
async def test_the_next_numbers_are_of_the_next_table_and_never_of_the_one_that_was_asked_about(other: str) -> None:
    calls, _, _ = await at_prompt("1 380 380", other, "q", tables=round_of(table(1), table(2)))
    assert [(result.game_id, result.scores[0].score) for result in calls.entered] == [("cup-r3-t2", 412)]


async def test_other_scores_for_what_is_open_are_asked_about_and_close_it_once_they_are_right() -> None:
    tables = round_of(table(1), table(2))
    calls, _, told = await at_prompt("1 380 380", "1 412 378", "y", "q", tables=tables)
    assert "  ? table 1 was already typed as 1 380 380, which is still open" in told
    assert [[score.score for score in result.scores] for result in calls.entered] == [[412, 378]]
    assert not [line for line in told if line.startswith("open, and not saved")]


async def test_a_yes_that_does_not_say_of_which_table_is_about_what_was_just_asked_alone() -> None:
    calls, _, told = await at_prompt("1 380 380", "l", "y", "y 1", "q", tables=round_of(table(1), table(2)))
    assert (
        told.count(
            "There is no open question that y or n could answer. Specify the table, such as y 11; l lists the "
            "open entries."
        )
        == 1
    )
    assert [result.game_id for result in calls.entered] == ["cup-r3-t1"]


@pytest.mark.parametrize("with_numbers", [True, False])
async def test_a_typist_who_never_looks_saves_no_wrong_result_and_leaves_each_doubtful_one_open(
    with_numbers: bool,
) -> None:
    # without numbers a doubtful slip can only be of its own table, and the slips are in the order of the tables
    pile = slips_for(200) if with_numbers else slips_for(200, kinds=OWN_TABLE, is_in_order=True)
    tables = round_of(*(table(number) for number in range(1, 201)))
    typed = [" ".join(slip.words if with_numbers else slip.words[1:]) for slip in pile]
    calls, _, told = await at_prompt(*typed, tables=tables)
    entered = {result.game_id: [str(score.score) for score in result.scores] for result in calls.entered}
    assert entered == {f"cup-r3-t{slip.table}": list(slip.words[1:]) for slip in pile if not slip.is_doubtful}
    open_ = [line for line in told if line.startswith("open, and not saved")]
    expected = [
        line if with_numbers else f"{slip.table}: {line}"
        for line, slip in zip(typed, pile, strict=True)
        if slip.is_doubtful
    ]
    assert [line.removeprefix("open, and not saved: ").partition(" (")[0] for line in open_] == expected
    assert len(expected) == 20


def build_result(*points: int, winner: str, unplayed: bool = False, left: Sequence[str] = ()) -> pairing.TableResult:
    made = table(1, *points, by="Eva")
    made.winner_id, made.unplayed, made.lost_by_all = winner, unplayed, not winner
    made.abandoned_by.extend(left)
    return made


@pytest.mark.parametrize(
    ("standing", "said"),
    [
        (
            build_result(0, 0, winner="blai-1", unplayed=True),
            "1 · Anna 1 – Blai 1, by forfeit: Blai 1 wins, Anna 1 did not arrive, entered by",
        ),
        (build_result(150, 0, winner="anna-1", unplayed=True), "1 · Anna 1 150 – Blai 1 0, by forfeit: Anna 1 wins"),
        (
            build_result(0, 0, winner="", unplayed=True),
            "1 · Anna 1 – Blai 1, by forfeit: no player arrived, and all lose, entered by",
        ),
        (build_result(272, 322, winner="blai-1", left=["anna-1"]), ", abandoned by Anna 1: Blai 1 wins, entered by"),
        (
            build_result(0, 0, winner="", left=["anna-1", "blai-1"]),
            ", abandoned by Anna 1 and Blai 1: all lose, entered by",
        ),
    ],
)
def test_a_result_that_stands_says_who_won_and_who_did_not_come_or_left(
    standing: pairing.TableResult, said: str
) -> None:
    assert said in round_of(standing).standing(1)


def test_scores_that_the_book_has_changed_are_shown_as_they_were_entered_too() -> None:
    standing = build_result(272, 322, winner="blai-1", left=["anna-1"])
    standing.scores_given.extend([game.FinalScore(score=350), game.FinalScore(score=322)])
    assert "Anna 1 272 – Blai 1 322, abandoned by Anna 1: Blai 1 wins, entered as 350 – 322, " in round_of(
        standing
    ).standing(1)


async def test_a_forfeit_is_corrected_where_it_was_entered() -> None:
    standing = build_result(0, 0, winner="blai-1", unplayed=True)
    calls, _, told = await at_prompt("1 - ff", "y", "1 412 378", "y", "q", tables=round_of(standing, table(2)))
    assert "  ? the new result would be: by forfeit: Anna 1 wins, Blai 1 did not arrive" in told
    assert "  ? 412–378 would replace it" in told
    assert [(list(result.forfeited_by), [score.score for score in result.scores]) for result in calls.corrected] == [
        (["blai-1"], []),
        ([], [412, 378]),
    ]


async def test_a_correction_names_the_rounds_that_were_paired_with_the_earlier_result() -> None:
    tables = round_of(table(2, 400, 350, by="Eva"))
    _, _, told = await at_prompt("2 401 350", "y", "q", tables=tables, rounds_after=[4, 5])
    assert "Rounds paired with the earlier result: 4, 5." in told
    _, _, told = await at_prompt("2 402 350", "y", "q", tables=tables)
    assert not [line for line in told if line.startswith("Rounds paired")]


def blind_round(helper: str) -> Tables:
    """Return a round with a blind second entry, whose table 2 has a result of Eva, for a helper."""
    first = table(2, 412, 350, by="Eva")
    first.actor, first.check = "eva", pairing.RESULT_CHECK_PHASE_OPEN
    listed = round_of(first, table(3)).listed
    listed.blind = listed.second_person = True
    return Tables(listed, "en", helper)


async def test_a_blind_second_entry_at_a_terminal_shows_a_helper_no_first_result() -> None:
    calls, asked, told = await at_prompt("2", "2 411 350", "l", "q", tables=blind_round("ona"))
    assert calls.disputed == ["cup-r3-t2: 411 – 350"]
    assert (calls.entered, calls.corrected) == ([], [])
    assert "Table 2: the result is disputed, and an official is checking it." in told
    assert not [line for line in (*asked, *told) if "412" in line]
    calls, _, _ = await at_prompt("2 412 350", "q", tables=blind_round("ona"))
    assert (calls.confirmed, calls.disputed) == (["cup-r3-t2"], [])
    _, _, errors = read_sheet("2,411,350\n", blind_round("ona"), "en")
    assert ("entered by Eva" in errors[0].problem, "412" in errors[0].problem) == (True, False)


@pytest.mark.parametrize("helper", ["", "eva"])
async def test_the_author_of_a_result_and_an_arbiter_see_it_in_a_blind_entry_too(helper: str) -> None:
    _, _, told = await at_prompt("2", "q", tables=blind_round(helper))
    assert [line for line in told if "Anna 2 412 – Blai 2 350" in line]


async def test_who_would_correct_a_game_that_was_abandoned_is_given_the_whole_command() -> None:
    standing = build_result(272, 322, winner="blai-1", left=["anna-1"])
    calls, _, told = await at_prompt("1 300 322a", "q", tables=round_of(standing))
    assert calls.corrected == []
    assert told[3].endswith(
        "faristol result correct cup --table 1 --round 3 --score 'Anna 1=272' --score 'Blai 1=322' --winner 'Anna 1'"
    )


async def test_a_slip_and_what_a_prompt_says_may_have_the_plural_of_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "{found} {found:score|scores}"
    assert str(InvalidLine(text, found=2)) == "2 scores"
    monkeypatch.setattr(lines, "NO_SCORES", text)
    _, _, told = await at_prompt("3 400 350 300", "q")
    assert "  ? 3 scores" in told


def entered_by_command(
    *arguments: str,
    given: str = "1 400 300",
    who: Sequence[str] = ("--as", "Eva"),
    monkeypatch: pytest.MonkeyPatch | None = None,
) -> Result:
    """Return the effect of the command with a file; with a ``monkeypatch`` there is a round, but no service."""
    if monkeypatch:

        async def return_name(name: str, address: str | None = None) -> str:
            return name

        async def tables(self: ResultsClient) -> Tables:
            return ROUND

        monkeypatch.setattr(entry_command, "tournament_meant", return_name)
        monkeypatch.setattr(ResultsClient, "tables", tables)
        monkeypatch.setenv("LC_ALL", "en")
        arguments = (*arguments, "--address", "127.0.0.1:1")
    return CliRunner().invoke(app, ["enter", *arguments, *who, "--file", "-"], input=given)


def test_a_round_that_no_tournament_has_is_told_without_a_traceback() -> None:
    found = entered_by_command("copa", "99999999999")
    assert found.exit_code == 2
    assert "'[ROUND]': Input should be less than or equal to" in found.output
    assert isinstance(found.exception, SystemExit)


@pytest.mark.parametrize("token", ["", "eyJ.of.somebody"])
def test_a_holder_of_a_token_need_not_say_their_name(token: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FARISTOL_CLIENT_TOKEN", token)
    monkeypatch.delenv("FARISTOL_CLIENT_NAME", raising=False)
    found = entered_by_command("cup", given="9 400 300", who=(), monkeypatch=monkeypatch)
    assert ("specify the person who enters the results" in str(found.exception)) == (not token)
    assert ("there is no table 9" in found.output) == bool(token)


def test_a_tournament_is_meant_by_the_beginning_of_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    async def find_tournament(given: str, address: str | None = None) -> str:
        return {"Copa Pr": "copa-primavera"}[given]

    async def tables(self: ResultsClient) -> Tables:
        asked.append(self.tournament)
        raise StartError("enough")

    monkeypatch.setattr(entry_command, "tournament_meant", find_tournament, raising=False)
    monkeypatch.setattr(ResultsClient, "tables", tables)
    entered_by_command("Copa Pr", "--address", "127.0.0.1:1")
    assert asked == ["copa-primavera"]


async def test_after_a_table_that_was_typed_the_next_one_is_asked_and_the_first_ones_last() -> None:
    """two people enter a part of a round each: tables of the other are asked only when their own are complete"""
    tables = round_of(table(1), table(2), table(3), table(4))
    _, asked, _ = await at_prompt("3 400 351", "402 353", "404 355", "q", tables=tables)
    assert [question.split()[0] for question in asked] == ["1", "4", "1", "2"]


def test_a_refusal_says_what_is_typed_in_place_of_the_fields_of_the_service() -> None:
    told = as_typed("Anna gave copa up: give abandoned_by with Anna.", "en")
    assert told.startswith("Anna gave copa up: give `a` with Anna. Write `a` after the points")
    assert as_typed("give forfeited_by with Anna.", "en").startswith("give `ff` with Anna.")
    assert as_typed("The round is closed.", "en") == "The round is closed."
