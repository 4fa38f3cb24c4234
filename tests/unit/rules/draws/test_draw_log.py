from __future__ import annotations

from dataclasses import replace

import pytest

from faristol.rules import commitment, draw, full_bag, load_ruleset, without
from faristol.rules.draws.draw_log import Draw, Source, check_draws

SET = load_ruleset("fisc-2023").tile_set
SEED, GAME = b"s" * 32, "cup-r1-t1"


def log() -> list[Draw]:
    """Return a draw for the start, two first racks, a refill after an exchange of two tiles."""
    bag = tuple(sorted(full_bag(SET)))
    made = [Draw(0, "anna", Source.START, bag, draw(bag, 1, SEED, 0))]
    for number, player in enumerate(("anna", "biel"), start=1):
        made.append(Draw(number, player, Source.BAG, bag, draw(bag, 7, SEED, number)))
        bag = without(bag, made[-1].faces)
    made.append(Draw(3, "anna", Source.BAG, bag, draw(bag, 2, SEED, 3)))
    back = tuple(sorted((*without(bag, made[-1].faces), *made[1].faces[:2])))
    made.append(Draw(4, "biel", Source.BAG, back, draw(back, 3, SEED, 4)))
    return made


def wrong(made: list[Draw], seed: bytes = SEED, committed: bytes = b"") -> list[str]:
    committed = committed or commitment(SEED, GAME)
    return list(check_draws(made, game_id=GAME, seed=seed, committed=committed, tile_set=SET))


def test_draws_that_followed_from_the_seed_are_right() -> None:
    assert wrong(log()) == []


def test_a_commitment_is_of_one_seed_and_one_game() -> None:
    assert commitment(SEED, GAME) != commitment(SEED, "cup-r1-t2")
    assert commitment(SEED, GAME) != commitment(b"t" * 32, GAME)
    # printf faristol.commitment.v1ssssssssssssssssssssssssssssssss''cup-r1-t1 | sha256sum
    assert commitment(SEED, GAME).hex() == "6922357919c06dc51c9c6de45a52da59e6bd85382730841076c74a70dddb4952"


def test_another_seed_is_seen() -> None:
    (told, *_) = wrong(log(), seed=b"t" * 32)
    assert told.startswith(f"the seed {(b't' * 32).hex()} is not the one")


def test_a_tile_that_was_exchanged_for_another_is_seen() -> None:
    made = log()
    faces = made[2].faces
    other = next(face for face in made[2].among if face not in faces)
    made[2] = replace(made[2], faces=(other, *faces[1:]))
    assert any(told.startswith("draw 2 gives ") for told in wrong(made))


@pytest.mark.parametrize("gone", [0, 1, 3])
def test_a_draw_that_was_left_out_is_seen(gone: int) -> None:
    made = log()
    del made[gone]
    assert wrong(made) == [f"draw {gone + 1} stands where draw {gone} should"]


def test_a_tile_that_vanished_from_the_bag_or_came_from_nowhere_is_seen() -> None:
    made = log()
    less = made[3].among[1:]
    made[3] = replace(made[3], among=less, faces=draw(less, 2, SEED, 3))
    assert any(told.startswith(f"before draw 3 the bag had lost {made[2].among[0]}") for told in wrong(made))
    made = log()
    more = (*made[1].among, "Z")
    made[1] = replace(made[1], among=more, faces=draw(more, 7, SEED, 1))
    assert any(told.startswith("before draw 1 the bag had gained Z") for told in wrong(made))


def test_a_draw_of_more_than_there_was_is_told() -> None:
    made = log()
    made[4] = replace(made[4], among=made[4].faces[:2])
    assert any(told.startswith("draw 4 cannot have been made") for told in wrong(made))


def test_what_was_drawn_may_come_back_into_the_bag_each_time_it_was_drawn_and_no_more() -> None:
    bag = tuple(sorted(full_bag(SET)))
    first = draw(bag, 7, SEED, 0)
    left = without(bag, first)
    second = draw(left, 3, SEED, 1)
    returned = tuple(sorted((*without(left, second), *first[:3])))
    third = draw(returned, 3, SEED, 2)
    again = tuple(sorted((*without(returned, third), *first[3:6])))
    made = [
        Draw(0, "anna", Source.BAG, bag, first),
        Draw(1, "anna", Source.BAG, left, second),
        Draw(2, "anna", Source.BAG, returned, third),
        Draw(3, "anna", Source.BAG, again, draw(again, 1, SEED, 3)),
    ]
    assert wrong(made) == []
    twice = tuple(sorted((*again, *["Z"] * 9)))
    made[3] = replace(made[3], among=twice, faces=draw(twice, 1, SEED, 3))
    (told,) = wrong(made)
    assert told.startswith("before draw 3 the bag had gained Z")


def test_after_an_exchange_of_too_many_as_many_tiles_may_have_left_the_bag_and_no_more() -> None:
    bag = tuple(sorted(full_bag(SET)))
    rack = tuple("AEIOSTR")
    for taken, problems in ((2, 0), (3, 1)):
        left = bag[taken:]
        made = [
            Draw(0, "anna", Source.RACK, rack, draw(rack, 2, SEED, 0)),
            Draw(1, "anna", Source.BAG, left, draw(left, 1, SEED, 1)),
        ]
        assert len(wrong(made)) == problems
        rest = without(left, made[1].faces)[1:]
        made.append(Draw(2, "anna", Source.BAG, rest, draw(rest, 1, SEED, 2)))
        assert len(wrong(made)) == problems + 1, "what was chosen once is not chosen again"
