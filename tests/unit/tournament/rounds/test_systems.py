"""A tournament is paired by the system of its rules or of its organiser, and every pairing can be reproduced."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from itertools import combinations

import pytest
from tests.support.halls import FISC, NOON, Hall, decide_command

from faristol.kernel.refusal import Refusal
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.rules import Ruleset, load_ruleset, ruleset_names
from faristol.rules.ruleset.with_options import with_options
from faristol.rules.trf import Document, TrfCell, TrfPlayer
from faristol.tournament.engines.dutch.digest import digest
from faristol.tournament.engines.dutch.history import round_to_pair
from faristol.tournament.engines.dutch.pairing import pair_round
from faristol.tournament.rounds.ranking import initial_ranking
from faristol.tournament.rounds.systems import (
    PAIRING_FUNCTIONS,
    SINGLE_ROUND_SYSTEMS,
    dutch_round,
    propose,
)
from faristol.tournament.state import TournamentState

DUTCH = with_options(FISC, {"pairing": "dutch"})
FISE = load_ruleset("fise")
DUTCH_WITH_STARTS = with_options(FISE, {"pairing": "dutch", "start": "system"})


def test_rounds_are_paired_by_every_system_that_a_rule_book_has_or_offers() -> None:
    books = [load_ruleset(name) for name in ruleset_names("classic", "multi")]
    choices = [chosen for book in books for option in book.options for chosen in option.choices.values()]
    offered = {chosen["championship.system"] for chosen in choices if "championship.system" in chosen}
    assert len(offered) > 3
    assert {book.championship.system for book in books} | offered | {*SINGLE_ROUND_SYSTEMS} <= {*PAIRING_FUNCTIONS}


def test_the_standings_are_asked_for_where_a_system_goes_by_them() -> None:
    hall = Hall(players(6))
    play(hall, 1)
    asked = []

    def standing() -> tuple[str, ...]:
        asked.append("standings")
        return initial_ranking(hall.state)

    for system in ("swiss", "dutch"):
        propose(hall.state, FISC, 2, bytes(32), system, standing=standing)
    assert asked == []
    for system in ("king-of-the-hill", "classification"):
        propose(hall.state, FISC, 2, bytes(32), system, standing=standing)
    assert asked == ["standings"] * 2


def players(count: int) -> dict[str, int | None]:
    return {f"p{place:02}": 2000 - 10 * place for place in range(1, count + 1)}


def play(hall: Hall, number: int) -> events.RoundPaired:
    """Return a round in which every third game is drawn and every second one won by the first player."""
    paired, *_ = hall.pair(number)
    assert isinstance(paired, events.RoundPaired)
    hall.start(number)
    for table, pairing in enumerate(paired.pairings):
        first, second = ((400, 400), (400, 300), (300, 400), (350, 340))[(table + number) % 4]
        hall.report(pairing.game_id, first, second)
    hall.close(number)
    return paired


def report(state: TournamentState, rounds: int) -> Document:
    """Return the tournament in the form of a TRF file, from the tables only."""
    initial = initial_ranking(state)
    lines = []
    for number, player_id in enumerate(initial, 1):
        cells = []
        for played in state.played:
            found = next((table for table in played.pairings if player_id in table.player_ids), None)
            if found is None:
                cells.append(TrfCell(result="U" if played.bye == player_id else "H"))
                continue
            place = found.player_ids.index(player_id)
            mine, theirs = (played.results[found.game_id][seat] for seat in (place, 1 - place))
            result = "1" if mine > theirs else "0" if mine < theirs else "="
            opponent = initial.index(found.player_ids[1 - place]) + 1
            cells.append(TrfCell(opponent, "b" if place else "w", result))
        lines.append(TrfPlayer(number, cells=tuple(cells)))
    return Document(tuple(lines), rounds=rounds)


@pytest.mark.parametrize("ruleset", [DUTCH, DUTCH_WITH_STARTS], ids=["start-drawn", "start-by-system"])
@pytest.mark.parametrize("count", [9, 12])
def test_a_dutch_tournament_is_paired_as_its_report_would_be(ruleset: Ruleset, count: int) -> None:
    hall = Hall(players(count), ruleset=ruleset)
    met: Counter[frozenset[str]] = Counter()
    for number in range(1, 6):
        expected = dutch_round(hall.state, ruleset, number)
        if number > 1:
            told = round_to_pair(report(hall.state, 5), number, colours=expected.colours)
            assert told.ranking() == expected.ranking()
        paired = play(hall, number)
        assert paired.algorithm == "fide-dutch-2026-2"
        assert paired.inputs_digest == digest(expected)
        met.update(frozenset((table.first_player_id, table.second_player_id)) for table in paired.pairings)
    assert set(met.values()) == {1}
    assert len({played.bye for played in hall.state.played if played.bye}) == (5 if count % 2 else 0)


def test_starts_are_shared_out_where_the_system_says_who_starts() -> None:
    hall = Hall(players(12), ruleset=DUTCH_WITH_STARTS)
    starts: Counter[str] = Counter()
    for number in range(1, 6):
        starts.update(table.first_player_id for table in play(hall, number).pairings)
    assert {starts[player] for player in players(12)} <= {2, 3}


def test_who_sits_out_the_first_round_has_no_number_until_they_come() -> None:
    """FIDE C.04.2: the numbers of the others are those that they would have without them (C.04.3 5.2.5)."""
    hall = Hall(players(12), ruleset=DUTCH_WITH_STARTS)
    for player_id, rounds in {"p02": (1,), "p05": (1, 2), "p06": (1,), "p09": (1,)}.items():
        for number in rounds:
            kind = events.BYE_KIND_HALF_POINT
            hall.carry_out(pb.GrantByeRequest(player_id=player_id, round=number, kind=kind))
    rounds_paired = [play(hall, number) for number in range(1, 6)]
    white = {table.first_player_id for table in rounds_paired[0].pairings}
    upper = [player_id in white for player_id in ("p01", "p03", "p04", "p07")]
    assert upper in ([True, False, True, False], [False, True, False, True])
    place = {player_id: rank for rank, player_id in enumerate(initial_ranking(hall.state), 1)}
    for number, paired in enumerate(rounds_paired, 1):
        again = pair_round(round_to_pair(report(hall.state, 5), number))
        assert {(board.white, board.black) for board in again.boards} == {
            (place[table.first_player_id], place[table.second_player_id]) for table in paired.pairings
        }, f"round {number}"


def test_the_same_record_gives_the_same_pairing_again() -> None:
    hall = Hall(players(10), ruleset=DUTCH)
    play(hall, 1)
    again = [
        decide_command(hall.state, pb.PairRoundRequest(round=2), rules=DUTCH, at=NOON.replace(hour=20))
        for _ in range(2)
    ]
    assert again[0] == again[1]


def test_the_rules_of_the_book_stay_as_they_were() -> None:
    assert FISC.championship.system == "classification"
    assert with_options(FISC, {"pairing": "classification"}).digest == FISC.digest
    (paired,) = Hall(players(8)).pair(1)
    assert isinstance(paired, events.RoundPaired)
    assert (paired.algorithm, len(paired.inputs_digest)) == ("swiss-classification-1", 64)
    (paired,) = Hall(players(8), ruleset=with_options(FISC, {"pairing": "swiss"})).pair(1)
    assert isinstance(paired, events.RoundPaired)
    assert (paired.algorithm, paired.inputs_digest) == ("swiss-distance-1", "")


@pytest.mark.parametrize(("system", "count", "rounds"), [("round-robin", 6, 5), ("double-round-robin", 3, 6)])
def test_all_against_all_meet_as_often_as_the_system_says(system: str, count: int, rounds: int) -> None:
    ruleset = with_options(FISE, {"pairing": system})
    hall = Hall(players(count), rounds=rounds, ruleset=ruleset)
    met: Counter[frozenset[str]] = Counter()
    for number in range(1, rounds + 1):
        paired = play(hall, number)
        assert (paired.algorithm, len(paired.inputs_digest)) == ("berger-1", 64)
        met.update(frozenset((table.first_player_id, table.second_player_id)) for table in paired.pairings)
    assert met == {frozenset(pair): rounds // (count - 1 + count % 2) for pair in combinations(players(count), 2)}


def test_all_against_all_takes_as_many_rounds_as_it_takes() -> None:
    hall = Hall(players(8), rounds=5, ruleset=with_options(FISE, {"pairing": "round-robin"}))
    with pytest.raises(Refusal) as refusal:
        hall.pair(1)
    assert refusal.value.reason == "WRONG_ROUNDS"
    assert "of 8 players takes 7 rounds; the championship has 5" in str(refusal.value)


def test_a_dutch_round_that_cannot_be_paired_is_refused_with_its_article() -> None:
    """Six players whose fifth round has only pairs that have met."""
    hall = Hall(players(4), rounds=3, ruleset=with_options(FISE, {"pairing": "dutch"}))
    for number in (1, 2, 3):
        try:
            play(hall, number)
        except Refusal as refusal:
            assert refusal.article.startswith("FIDE C.04.3")  # noqa: PT017
            return
    assert len(hall.state.played) == 3


def test_the_service_starts_without_the_compiler() -> None:
    code = "import sys, faristol.tournament.service; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
