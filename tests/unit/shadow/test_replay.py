"""The shadow of an event agrees with it, and finds each planted difference at its place."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

import pytest
from tests.unit.shadow.event import NAMES, NUM_ROUNDS, RULES, change, change_round, play_event, rank, write_folder

from faristol.rules.tournament_files import FileDivision, FilePlayer, FileRound, FileStanding, RoundKind, TournamentFile
from faristol.rules.tournament_files.files import ReadFile, read_file, read_folder
from faristol.rules.tournament_files.tsh import read_division
from faristol.rules.trf.writer import write_trf
from faristol.shadow.comparison import compare, list_closed
from faristol.shadow.difference import Difference, DifferenceKind
from faristol.shadow.replay import Plan
from faristol.shadow.sentences import describe_difference
from faristol.tournament.engines.dutch.generator import TournamentPlan, generate_tournament

REAL_DIVISION = Path(__file__).parents[4] / "shared" / "data" / "tsh" / "kingston-b.json"
REPORTS = Path(__file__).parents[4] / "shared" / "data" / "trf"
PLAN = Plan(RULES, "swiss")


@cache
def event(rounds: int = NUM_ROUNDS) -> FileDivision:
    return play_event(rounds)


def as_read(division: FileDivision) -> ReadFile:
    return ReadFile(TournamentFile("Open", "", (division,), NUM_ROUNDS, "tsh"))


def find(division: FileDivision, *, linked: bool = True) -> list[Difference]:
    here = TournamentFile("Open", "", (event(),), NUM_ROUNDS, "faristol") if linked else None
    return compare(as_read(division), with_bye_spread(PLAN), here, {})


def with_bye_spread(plan: Plan) -> Plan:
    law = replace(plan.ruleset.championship, bye_spread=1)
    return replace(plan, ruleset=replace(plan.ruleset, championship=law))


def places(found: list[Difference]) -> set[tuple[str, int, str]]:
    return {(each.kind.value, each.round, each.name) for each in found}


def test_the_shadow_of_an_event_of_tsh_has_no_difference_from_the_rules_and_from_the_record() -> None:
    order = {number: place for place, (number, _, _) in enumerate(event().rank(), 1)}
    ranks = [order[number] for number in range(1, len(NAMES) + 1)]
    read = read_folder(write_folder(event(), ranks=ranks))

    assert [player.standing.rank for player in read.tournament.divisions[0].players] == ranks
    here = TournamentFile("Open", "", (event(),), NUM_ROUNDS, "faristol")
    assert compare(read, with_bye_spread(PLAN), here, list_closed(event(3))) == []


@pytest.mark.parametrize("rounds", [0, 1, 3])
def test_the_shadow_of_a_running_event_has_no_difference(rounds: int) -> None:
    assert compare(as_read(event(rounds)), with_bye_spread(PLAN), None, {}) == []


@pytest.mark.parametrize("seed", range(6))
def test_the_shadow_of_a_trf_event_with_byes_absences_and_late_entries_has_no_difference(seed: int) -> None:
    document = generate_tournament(TournamentPlan(15, 6, late_entries=10.0, half_point_byes=5.0), seed)
    read = read_file("open.trf", write_trf(document).encode())

    assert compare(read, Plan(RULES, "dutch"), None, {}) == []


def test_a_pair_that_fide_does_not_allow_is_found_in_a_trf_event_with_the_article_that_forbids_it() -> None:
    document = generate_tournament(TournamentPlan(16, 5, late_entries=0.0, absences=0.0, half_point_byes=0.0), 4)
    cells = {player.number: player.cell(3) for player in document.players}
    one = next(number for number, cell in cells.items() if cell.opponent)
    two = next(number for number, cell in cells.items() if cell.opponent and number not in (one, cells[one].opponent))
    swapped = {
        one: replace(cells[two]),
        two: replace(cells[one]),
        cells[one].opponent: replace(cells[cells[one].opponent], opponent=two),
        cells[two].opponent: replace(cells[cells[two].opponent], opponent=one),
    }
    players = tuple(
        replace(player, points=None, rank=None, cells=(*player.cells[:2], swapped.get(player.number, player.cell(3))))
        for player in document.players
    )
    read = read_file("open.trf", write_trf(replace(document, players=players)).encode())

    found = compare(read, Plan(RULES, "dutch"), None, {})

    assert {(each.kind, each.round) for each in found} <= {(DifferenceKind.PAIRING, 3), (DifferenceKind.REMATCH, 3)}
    assert all("C.04" in each.article for each in found)
    assert all(each.reason for each in found if each.kind is DifferenceKind.PAIRING)


@pytest.mark.skipif(not REAL_DIVISION.exists(), reason="the real division is not beside the checkout")
@pytest.mark.parametrize("rounds", range(1, 12))
def test_a_real_division_of_tsh_has_its_own_ranks_after_each_round(rounds: int) -> None:
    known = json.loads(REAL_DIVISION.read_text())["players"][1:]
    text = "\n".join(
        f"Player{chr(64 + each['id'])}, X {each['rating']} {' '.join(map(str, each['pairings'][:rounds]))}; "
        f"{' '.join(map(str, each['scores'][:rounds]))}; p12 {' '.join(map(str, each['etc']['p12'][:rounds]))}; "
        f"rrank {' '.join(map(str, each['etc']['rrank']))}"
        for each in known
    )
    read = ReadFile(TournamentFile("Kingston", "", (read_division(text),), 11, "tsh"))

    found = compare(read, Plan(RULES), None, {})

    assert all(player.standing.rank for player in read.tournament.divisions[0].players)
    assert {each.kind for each in found} <= {DifferenceKind.REMATCH}


@pytest.mark.skipif(not REPORTS.exists(), reason="the reports of an endorsed engine are not beside the checkout")
@pytest.mark.parametrize("name", ["rtg_s10_p8_r5", "rtg_s1_p15_r6", "rtg_s3_p29_r8"])
def test_the_reports_of_an_endorsed_engine_have_no_other_pairing_and_no_other_points(name: str) -> None:
    read = read_file(f"{name}.trf", (REPORTS / f"{name}.trf").read_bytes())

    found = compare(read, Plan(RULES, "dutch"), None, {})

    assert {each.kind for each in found} <= {DifferenceKind.RANK}  # it ranks by other tie-breaks


def game_of(number: int, round_: int) -> int:
    """Return the opponent of a player."""
    return event().players[number - 1].round(round_).opponent


def bye_of(round_: int) -> int:
    """Return the number of the player with the bye."""
    return next(
        number for number, player in enumerate(event().players, 1) if player.round(round_).kind is RoundKind.BYE
    )


def set_score(division: FileDivision, number: int, round_: int, score: int) -> FileDivision:
    """Return a division with another score of a player, on both sides of the game."""
    division = change_round(division, number, round_, lambda cell: replace(cell, score=score))
    return change_round(division, game_of(number, round_), round_, lambda cell: replace(cell, against=score))


def swap_opponents(division: FileDivision, one: int, two: int, round_: int) -> FileDivision:
    """Return a division in which two players of a round have each other's opponents, tables and scores stay."""
    theirs, others = game_of(one, round_), game_of(two, round_)
    for number, opponent in ((one, others), (two, theirs), (theirs, two), (others, one)):
        against = division.players[opponent - 1].round(round_).score
        division = change_round(division, number, round_, partial(replace, opponent=opponent, against=against))
    return division


def forfeit(division: FileDivision, winner: int, round_: int) -> FileDivision:
    """Return a division in which the opponent of a player lost by absence."""
    loser = game_of(winner, round_)
    division = change_round(division, winner, round_, lambda cell: FileRound(RoundKind.FORFEIT_WIN, loser))
    return change_round(division, loser, round_, lambda cell: FileRound(RoundKind.FORFEIT_LOSS, winner))


def swap_starts(division: FileDivision, number: int, round_: int) -> FileDivision:
    for each in (number, game_of(number, round_)):
        division = change_round(division, each, round_, lambda cell: replace(cell, starts=not cell.starts))
    return division


def without_result(division: FileDivision, number: int, round_: int) -> FileDivision:
    for each in (number, game_of(number, round_)):
        division = change_round(division, each, round_, lambda cell: replace(cell, score=None, against=None))
    return division


def exchange_byes(division: FileDivision, round_: int) -> FileDivision:
    """Return a division in which the first player has the bye, and its holder the game of the first player."""
    holder, other = bye_of(round_), game_of(1, round_)
    mine = division.players[0].round(round_)
    division = change_round(division, holder, round_, lambda cell: mine)
    division = change_round(division, 1, round_, lambda cell: FileRound(RoundKind.BYE, score=1))
    return change_round(division, other, round_, lambda cell: replace(cell, opponent=holder))


def set_standing(division: FileDivision, number: int, **changed: int) -> FileDivision:
    return change(division, number, standing=replace(division.players[number - 1].standing, **changed))


def swap_ranks(division: FileDivision, place: int) -> FileDivision:
    """Return a division in which two neighbours of the standings are exchanged."""
    one, two = (number for number, _, _ in division.rank()[place - 1 : place + 1])
    return set_standing(set_standing(division, one, rank=place + 1), two, rank=place)


def enter_late(division: FileDivision) -> FileDivision:
    """Return a division with a further player, who has a bye in the third round."""
    cells = (FileRound(RoundKind.ABSENCE), FileRound(RoundKind.ABSENCE), FileRound(RoundKind.HALF_BYE))
    late = FilePlayer("Quima Bosch", 1500, (*cells, *[FileRound(RoundKind.ABSENCE)] * (NUM_ROUNDS - 3)))
    return replace(division, players=(*division.players, late))


def add_round(division: FileDivision) -> FileDivision:
    players = tuple(
        replace(player, rounds=(*player.rounds, FileRound(RoundKind.HALF_BYE))) for player in division.players
    )
    return replace(division, players=players)


def is_same_name(division: FileDivision, one: int, two: int) -> FileDivision:
    return change(division, one, name=division.players[two - 1].name)


def name(number: int) -> str:
    return NAMES[number - 1]


PLANTED: dict[str, tuple[Callable[[FileDivision], FileDivision], Callable[[], tuple[str, int, str]]]] = {
    "a wrong score on both sides": (
        lambda it: set_score(it, 1, 2, 777),
        lambda: ("result", 2, name(1)),
    ),
    "a wrong score on one side": (
        lambda it: change_round(it, 1, 2, lambda cell: replace(cell, score=777)),
        lambda: ("file", 2, name(min(1, game_of(1, 2)))),
    ),
    "two opponents exchanged": (
        lambda it: swap_opponents(it, 1, next(each for each in (2, 3, 4) if each != game_of(1, 1)), 1),
        lambda: ("pairing", 1, name(1)),
    ),
    "a bye that is missing": (
        lambda it: change_round(it, bye_of(4), 4, lambda cell: FileRound(RoundKind.ABSENCE)),
        lambda: ("bye", 4, name(bye_of(4))),
    ),
    "a bye of half a point": (
        lambda it: change_round(it, bye_of(3), 3, lambda cell: FileRound(RoundKind.HALF_BYE)),
        lambda: ("bye", 3, name(bye_of(3))),
    ),
    "a bye with another spread": (
        lambda it: change_round(it, bye_of(3), 3, lambda cell: replace(cell, score=50)),
        lambda: ("bye", 3, name(bye_of(3))),
    ),
    "the bye of another player": (lambda it: exchange_byes(it, 2), lambda: ("bye", 2, name(1))),
    "a second bye of one player": (
        lambda it: change_round(it, bye_of(1), 2, lambda cell: FileRound(RoundKind.BYE, score=1)),
        lambda: ("bye", 2, name(bye_of(1))),
    ),
    "a spread that is not that of the games": (
        lambda it: set_standing(it, 4, spread=999),
        lambda: ("spread", NUM_ROUNDS, name(4)),
    ),
    "points that are not those of the results": (
        lambda it: set_standing(it, 5, half_points=9),
        lambda: ("points", NUM_ROUNDS, name(5)),
    ),
    "an order against the tie-breaks": (
        lambda it: swap_ranks(it, 3),
        lambda: ("rank", NUM_ROUNDS, name(event().rank()[2][0])),
    ),
    "a late entry": (enter_late, lambda: ("player", 3, "Quima Bosch")),
    "a player who is missing": (
        lambda it: change(it, 8, name="Rosa Vila"),
        lambda: ("player", 0, name(8)),
    ),
    "a game that was lost by absence": (
        lambda it: forfeit(it, 1, 3),
        lambda: ("forfeit", 3, name(1)),
    ),
    "a player who has left": (lambda it: change(it, 6, left=True), lambda: ("withdrawal", 0, name(6))),
    "another rating": (lambda it: change(it, 7, rating=1999), lambda: ("rating", 0, name(7))),
    "the other player starts": (
        lambda it: swap_starts(it, 1, 4),
        lambda: (
            "start",
            4,
            name(1 if not event().players[0].round(4).starts else game_of(1, 4)),
        ),
    ),
    "a result that is missing": (
        lambda it: without_result(it, 1, 5),
        lambda: ("result", 5, name(1)),
    ),
    "a round more": (add_round, lambda: ("round", NUM_ROUNDS + 1, "")),
    "an opponent who names another": (
        lambda it: change_round(it, 1, 5, lambda cell: replace(cell, opponent=9 if cell.opponent != 9 else 8)),
        lambda: ("file", 5, name(1)),
    ),
    "two players of one name": (lambda it: is_same_name(it, 3, 2), lambda: ("file", 0, name(2))),
}


@pytest.mark.parametrize("what", PLANTED)
def test_a_planted_difference_is_found_at_its_place(what: str) -> None:
    plant, place = PLANTED[what]

    found = find(plant(event()))

    assert place() in places(found), [describe_difference(each, "en") for each in found]
    assert find(event()) == []


def test_a_difference_of_the_rules_needs_no_record_and_names_the_article() -> None:
    swapped = rank(swap_opponents(event(), 1, next(each for each in (2, 3, 4) if each != game_of(1, 1)), 1))

    found = [each for each in find(swapped, linked=False) if each.round == 1]

    assert {each.kind for each in found} == {DifferenceKind.PAIRING}
    text = describe_difference(found[0], "en")
    assert "by the rules Anna Puig meets" in text
    assert text.endswith("(FISE 4.2)")
    assert "top half meets the bottom half" in text


def test_a_closed_round_that_changes_is_named_with_both_scores() -> None:
    changed = rank(set_score(event(), 1, 2, 450))

    found = compare(as_read(changed), with_bye_spread(PLAN), None, list_closed(event(3)))

    assert (DifferenceKind.CHANGED, 2, name(1)) in {(each.kind, each.round, each.name) for each in found}
    texts = [describe_difference(each, "en") for each in found if each.kind is DifferenceKind.CHANGED]
    was = event().players[0].round(2)
    assert any(f"450–{was.against}" in text and f"{was.score}–{was.against}" in text for text in texts)


def test_a_tie_that_the_rules_leave_open_is_no_difference() -> None:
    scores = FileRound(RoundKind.GAME, 2, 400, 400, True), FileRound(RoundKind.GAME, 1, 400, 400, False)
    pair = [
        FilePlayer(name(number), 1500, (cell,), standing=FileStanding(3 - number))
        for number, cell in enumerate(scores, 1)
    ]

    assert compare(as_read(FileDivision("A", tuple(pair))), Plan(RULES), None, {}) == []
