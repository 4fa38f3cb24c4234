from __future__ import annotations

from dataclasses import replace

import pytest

from faristol.rules import commitment, full_bag, load_ruleset, without
from faristol.rules.duplicate_game.racks import draw_rack
from faristol.rules.duplicate_game.verification import CalledRack, HeldSeed, PlayedTurn, check_racks

FISC = load_ruleset("fisc-2023-duplicate")
SEED = bytes(32)
COMMITTED = commitment(SEED, "cup-r1")


def game(turns: int = 12) -> list[PlayedTurn]:
    """Return a game in which every master play takes the first three or four tiles."""
    bag, leftover, counter = full_bag(FISC.tile_set), tuple[str, ...](), 0
    found = []
    for number in range(1, turns + 1):
        drawn = draw_rack(number, leftover, bag, SEED, counter, FISC)
        assert drawn is not None
        racks = [CalledRack(each.rack, len(each.leftover), each.counter) for each in drawn.attempts]
        used = drawn.rack[: 3 + number % 2]
        found.append(PlayedTurn(racks[-1], tuple(racks[:-1]), by_hand=False, used=used))
        bag, leftover, counter = drawn.bag, without(drawn.rack, used), drawn.next_counter
    assert any(turn.went_back for turn in found)
    return found


def wrong(turns: list[PlayedTurn], committed: bytes = COMMITTED) -> list[str]:
    return list(check_racks(turns, game_id="cup-r1", held=HeldSeed(SEED, committed), ruleset=FISC))


def test_a_game_as_the_seed_gives_it_has_nothing_wrong() -> None:
    assert wrong(game()) == []


@pytest.mark.parametrize("number", range(12))
@pytest.mark.parametrize("place", [-1, -2])
def test_one_changed_tile_is_found(number: int, place: int) -> None:
    turns = game()
    rack = turns[number].rack
    faces = list(rack.faces)
    faces[place] = next(face for face in ("A", "E", "S", "T") if face != faces[place])
    turns[number] = replace(turns[number], rack=rack._replace(faces=tuple(faces)))
    assert any(said.startswith(f"turn {number + 1}: ") for said in wrong(turns))


def test_a_rack_that_was_kept_back_is_found() -> None:
    turns = game()
    place = next(place for place, turn in enumerate(turns) if turn.went_back)
    turns[place] = replace(turns[place], went_back=())
    assert any("stands where draw" in said for said in wrong(turns))


def test_another_seed_than_the_committed_one_is_found() -> None:
    assert wrong(game(), bytes(range(32)))[0].endswith(f"is not the one that {bytes(range(32)).hex()} commits to")


def test_racks_taken_by_hand_are_checked_by_the_bag_alone() -> None:
    by_hand = PlayedTurn(CalledRack(tuple("CASERNA"), 0, 0), (), by_hand=True, used=tuple("CASA"))
    assert wrong([by_hand]) == []
    again = replace(by_hand, rack=CalledRack(("Z", "Z", "A", "E", "R", "N", "E"), 3, 0), used=())
    assert wrong([by_hand, again]) == ["turn 2: Z was not left"]
    assert wrong([replace(by_hand, used=("Z",))]) == ["turn 1: the master play has Z, which the rack does not hold"]


def test_racks_of_a_sealed_game_follow_from_its_own_seed_and_count() -> None:
    turns = [replace(turn, sealed=True) for turn in game(3)]
    held = HeldSeed(bytes(range(32)), commitment(bytes(range(32)), "cup-r1"))
    sealed = HeldSeed(SEED, COMMITTED)
    assert list(check_racks(turns, game_id="cup-r1", held=held, ruleset=FISC, sealed=sealed)) == []
    assert list(check_racks(turns, game_id="cup-r1", held=held, ruleset=FISC)) == [], "its seed is not public yet"
    assert list(check_racks(game(3), game_id="cup-r1", held=None, ruleset=FISC, sealed=sealed)) == []
    swapped = list(check_racks(turns, game_id="cup-r1", held=sealed, ruleset=FISC, sealed=held))
    assert swapped
    assert all("gives" in said for said in swapped)
    wrong_seed = list(check_racks([], game_id="cup-r1", held=None, ruleset=FISC, sealed=HeldSeed(SEED, bytes(32))))
    assert len(wrong_seed) == 1


def test_the_leftover_is_called_first_and_only_where_one_is() -> None:
    turns = game()
    place = next(place for place, turn in enumerate(turns) if place and turn.rack.leftover)
    rack = turns[place].rack
    other = next(face for face in ("A", "E", "S", "T", "R") if face not in rack.faces[: rack.leftover])
    turns[place] = replace(turns[place], rack=rack._replace(faces=(other, *rack.faces[1:])))
    assert any("is called first" in said for said in wrong(turns))
    none = replace(game()[0], rack=game()[0].rack._replace(leftover=1))
    assert any("is called first" in said for said in wrong([none]))


def test_a_rack_taken_by_hand_counts_no_draw() -> None:
    by_hand = PlayedTurn(CalledRack(tuple("CASERNA"), 0, 0), (), by_hand=True, used=tuple("CASA"))
    drawn = draw_rack(2, tuple("ERN"), without(full_bag(FISC.tile_set), tuple("CASERNA")), SEED, 0, FISC)
    assert drawn is not None
    racks = [CalledRack(each.rack, len(each.leftover), each.counter) for each in drawn.attempts]
    assert wrong([by_hand, PlayedTurn(racks[-1], tuple(racks[:-1]), by_hand=False, used=())]) == []


def test_a_rack_taken_by_hand_that_went_back_before_one_was_drawn_counts_no_draw() -> None:
    first, *rest = game()
    back = CalledRack(tuple("MOIENTL"), 0, 0, by_hand=True)
    assert wrong([replace(first, went_back=(back, *first.went_back)), *rest]) == []
    drawn = replace(first, went_back=(back._replace(by_hand=False), *first.went_back))
    assert any("was drawn" in said for said in wrong([drawn, *rest]))
