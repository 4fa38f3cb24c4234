from __future__ import annotations

import datetime
import itertools
import random
from collections import Counter
from collections.abc import Callable, Iterator

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from tests.support.examples import scale_examples

from faristol.rules.board import BOARD_SIZE, PREMIUMS, Board, Placement, Square, Tile
from faristol.rules.tiles import BLANK, TileSet, load_tile_set
from faristol.words import About, WordGraph, build
from faristol.words import plays as module
from faristol.words.plays import Candidate, Grid, best, generate

MakeGraph = Callable[..., WordGraph]
ABOUT = About("proves", "first", "CC0-1.0", "hypothesis", datetime.date(2024, 2, 29))
Squares = dict[tuple[int, int], tuple[str, bool]]
Word = tuple[str, ...]


def build_placement(row: int, col: int, face: str, *, blank: bool = False) -> Placement:
    return Placement(Square(row, col), Tile(face, blank))


class Naive:
    """Tries every word on every place in every way, slowly and without the optimisations of the generator."""

    def __init__(self, tile_set: TileSet, words: set[Word], squares: Squares, rack: Word) -> None:
        self.tile_set, self.words, self.squares, self.rack = tile_set, words, squares, Counter(rack)

    def plays(self) -> list[Candidate]:
        found = [play for across in (True, False) for play in self._plays(across=across)]
        index = self.tile_set.index
        return sorted(
            found,
            key=lambda play: (
                -play.score,
                play.row,
                play.col,
                not play.across,
                [(index[tile.face], tile.blank) for _, tile in play.placements],
            ),
        )

    def _plays(self, *, across: bool) -> Iterator[Candidate]:
        for row, col, word in itertools.product(range(BOARD_SIZE), range(BOARD_SIZE), self.words):
            where = [(row, col + step) if across else (row + step, col) for step in range(len(word))]
            before = (row, col - 1) if across else (row - 1, col)
            after = (row, col + len(word)) if across else (row + len(word), col)
            if not self._on_board(where[-1]) or before in self.squares or after in self.squares:
                continue
            if any(at in self.squares and self.squares[at][0] != face for at, face in zip(where, word, strict=True)):
                continue
            free = [(at, face) for at, face in zip(where, word, strict=True) if at not in self.squares]
            if not free or len(free) > self.rack.total() or not self._touches([at for at, _ in free]):
                continue
            crossing = [self._crossing(at, face, across=across) for at, face in free]
            if any(len(word) > 1 and tuple(face for _, face in word) not in self.words for word in crossing):
                continue
            if len(free) == 1 and len(crossing[0]) > 1 and len(word) < len(crossing[0]) + (not across):
                continue
            for blanks in itertools.product((False, True), repeat=len(free)):
                laid = tuple(
                    build_placement(*at, face, blank=blank) for (at, face), blank in zip(free, blanks, strict=True)
                )
                if Counter(tile.in_rack for _, tile in laid) <= self.rack:
                    yield Candidate(row, col, across, laid, self._score(where, crossing, laid), word)

    @staticmethod
    def _on_board(at: tuple[int, int]) -> bool:
        return at[0] < BOARD_SIZE and at[1] < BOARD_SIZE

    def _touches(self, free: list[tuple[int, int]]) -> bool:
        if not self.squares:
            return (7, 7) in free and len(free) > 1
        return any(
            (row + dr, col + dc) in self.squares for row, col in free for dr, dc in ((0, 1), (1, 0), (0, -1), (-1, 0))
        )

    def _crossing(self, at: tuple[int, int], face: str, *, across: bool) -> list[tuple[tuple[int, int], str]]:
        dr, dc = (1, 0) if across else (0, 1)
        row, col = at
        while (row - dr, col - dc) in self.squares:
            row, col = row - dr, col - dc
        word = []
        while (row, col) == at or (row, col) in self.squares:
            word.append(((row, col), face if (row, col) == at else self.squares[row, col][0]))
            row, col = row + dr, col + dc
        return word

    def _score(
        self,
        where: list[tuple[int, int]],
        crossing: list[list[tuple[tuple[int, int], str]]],
        laid: tuple[Placement, ...],
    ) -> int:
        new = dict[tuple[int, int], Tile](laid)
        words = [where, *([at for at, _ in word] for word in crossing if len(word) > 1)]
        total = 50 if len(laid) == 7 else 0
        for word in words:
            points, factor = 0, 1
            for at in word:
                face, blank = new[at] if at in new else self.squares[at]
                value = 0 if blank else self.tile_set.values[face]
                premium = PREMIUMS[Square(*at)]
                points += value * (premium.letter if at in new else 1)
                factor *= premium.word if at in new else 1
            total += points * factor
        return total


@st.composite
def games(draw: st.DrawFn) -> tuple[TileSet, set[Word], list[Word], list[int]]:
    """Return a tile set, a small lexicon of few faces (so that words cross), racks, and the choice of each turn."""
    tile_set = load_tile_set(draw(st.sampled_from(["ca-100", "es-100", "el-104", "en-100"])))
    digraphs = [face for face in tile_set.faces if len(face) > 1]
    faces = draw(st.lists(st.sampled_from(tile_set.faces), min_size=3, max_size=5, unique=True)) + digraphs[:2]
    seed = random.Random(draw(st.integers(0, 2**32)))
    words = {tuple(seed.choices(faces, k=seed.choice([2, 2, 3, 3, 4, 5, 7, 8]))) for _ in range(30)}
    racks = [tuple(seed.choices([*faces, BLANK], k=seed.choice([1, 3, 5, 7]))) for _ in range(5)]
    racks = [tuple(face for place, face in enumerate(rack) if face != BLANK or place < 3) for rack in racks]
    return tile_set, words, racks, [seed.randrange(1_000_000) for _ in racks]


@settings(max_examples=20, deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(games())
def test_the_same_plays_scores_and_order_as_trying_everything(
    game: tuple[TileSet, set[Word], list[Word], list[int]],
) -> None:
    tile_set, words, racks, choices = game
    graph = WordGraph(build(words, tile_set=tile_set, about=ABOUT))
    squares: Squares = {}
    for rack, choice in zip(racks, choices, strict=True):
        expected = Naive(tile_set, words, squares, rack).plays()
        grid = Grid.of(tile_set, squares)
        assert list(generate(graph, grid, rack)) == expected
        for count in (1, 2, 7):
            least = expected[min(count, len(expected)) - 1].score if expected else 0
            assert list(best(graph, grid, rack, count)) == [play for play in expected if play.score >= least]
        if expected:
            # Half of the time a high one, so that the board fills with long words too.
            chosen = expected[choice % (len(expected) if choice % 2 else min(5, len(expected)))]
            squares.update(chosen.placements)


def test_the_first_play_covers_the_centre_with_two_tiles_or_more(make_graph: MakeGraph) -> None:
    plays = generate(make_graph(["sol", "so", ("S",)]), Grid.of(load_tile_set("ca-100"), {}), ["S", "O", "L"])
    assert len(plays) == 2 * (3 + 2)
    assert all(any(square == (7, 7) for square, _ in play.placements) for play in plays)
    assert plays[0] == Candidate(
        5,
        7,
        across=False,
        placements=(build_placement(5, 7, "S"), build_placement(6, 7, "O"), build_placement(7, 7, "L")),
        score=6,
        word=("S", "O", "L"),
    )


def test_a_board_of_the_rules_is_a_grid_and_a_play_is_placements_for_it(make_graph: MakeGraph) -> None:
    graph = make_graph(["any", "anys"])
    board = Board({Square(7, 7): Tile("A"), Square(7, 8): Tile("NY", blank=True)})
    play = generate(graph, Grid.of(graph.tile_set, board), ["S"])[0]
    assert (play.word, play.score, play.placements) == (("A", "NY", "S"), 2, (build_placement(7, 9, "S"),))
    assert board.place(play.placements)[Square(7, 9)] == Tile("S")


def test_seven_tiles_earn_fifty_points_and_six_do_not(make_graph: MakeGraph) -> None:
    graph = make_graph(["solemna", "solemn"])
    plays = generate(graph, Grid.of(graph.tile_set, {}), tuple("SOLEMNA"))
    best = {len(play.placements): play.score for play in reversed(plays)}
    assert best == {7: (8 + 2) * 2 + 50, 6: (7 + 2) * 2}


@pytest.mark.parametrize(
    ("board", "expected"),
    [
        ({(7, 6): ("A", False), (8, 7): ("O", False), (8, 6): ("L", False)}, (7, 6, True, ("A", "S"))),
        ({(7, 6): ("A", False), (8, 7): ("O", False), (9, 7): ("L", False)}, (7, 7, False, ("S", "O", "L"))),
    ],
)
def test_one_tile_that_makes_a_word_both_ways_is_one_play_and_its_main_word_the_longer(
    board: Squares, expected: tuple[int, int, bool, Word], make_graph: MakeGraph
) -> None:
    graph = make_graph(["as", "so", "sol"])
    plays = [
        play for play in generate(graph, Grid.of(graph.tile_set, board), ["S"]) if play.placements[0].square == (7, 7)
    ]
    assert [(play.row, play.col, play.across, play.word) for play in plays] == [expected]


def test_no_play_is_an_empty_list_that_says_so(make_graph: MakeGraph) -> None:
    plays = generate(make_graph(["sol"]), Grid.of(load_tile_set("ca-100"), {}), ["X"])
    assert not plays
    assert list(plays) == []
    assert repr(plays) == "<Candidates: 0 plays>"


def test_a_hand_of_nothing_has_no_play(make_graph: MakeGraph) -> None:
    grid = Grid.of(load_tile_set("ca-100"), {(7, 7): ("S", False)})
    assert not generate(make_graph(["sol"]), grid, [])
    assert not best(make_graph(["sol"]), grid, [])


def test_the_best_plays_are_all_that_tie(make_graph: MakeGraph) -> None:
    """On the empty board each play is possible down as well as across, and on all squares with equal scores."""
    graph, grid = make_graph(["sol", "los"]), Grid.of(load_tile_set("ca-100"), {})
    tops = best(graph, grid, ["S", "O", "L"])
    assert len(tops) == 2 * 2 * 3
    assert {play.score for play in tops} == {6}


@settings(max_examples=scale_examples(40), deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(games(), st.integers(0, 2))
def test_the_best_plays_are_the_first_of_all_plays(
    game: tuple[TileSet, set[Word], list[Word], list[int]], blanks: int
) -> None:
    """With up to two blanks for any face of the set, on boards that racks without blanks have filled."""
    tile_set, words, racks, choices = game
    graph = WordGraph(build(words, tile_set=tile_set, about=ABOUT))
    squares: Squares = {}
    for rack, choice in zip(racks, choices, strict=True):
        grid = Grid.of(tile_set, squares)
        for hand in (rack, (*rack[: 7 - blanks], *[BLANK] * blanks)):
            every = list(generate(graph, grid, hand))
            for count in (1, 3):
                least = every[min(count, len(every)) - 1].score if every else 0
                assert list(best(graph, grid, hand, count)) == [play for play in every if play.score >= least]
        if plays := generate(graph, grid, rack):
            squares.update(plays[choice % len(plays)].placements)


def test_plays_can_be_counted_sliced_and_taken_from_the_end(make_graph: MakeGraph) -> None:
    plays = generate(make_graph(["sol", "los"]), Grid.of(load_tile_set("ca-100"), {}), ["S", "O", "L"])
    assert [*plays] == plays[:]
    assert plays[-1] == plays[len(plays) - 1]
    with pytest.raises(IndexError):
        plays[len(plays)]


def test_plays_that_find_no_room_are_found_again(make_graph: MakeGraph, monkeypatch: pytest.MonkeyPatch) -> None:
    graph, grid = make_graph(["sol", "los"]), Grid.of(load_tile_set("ca-100"), {})
    plenty = list(generate(graph, grid, ["S", "O", "L"]))
    for room in (1, len(plenty), len(plenty) + 1):
        monkeypatch.setattr(module, "_PLAY_CAPACITY", room)
        assert list(generate(graph, grid, ["S", "O", "L"])) == plenty
    tops = list(best(graph, grid, ["S", "O", "L"]))
    for room in (1, len(tops), len(tops) + 1):
        monkeypatch.setattr(module, "_BEST_PLAY_CAPACITY", room)
        assert list(best(graph, grid, ["S", "O", "L"])) == tops


@pytest.mark.parametrize(
    ("rack", "message"),
    [
        (tuple("AAAAAAAA"), "at most 7 tiles, got 8"),
        (("A", "K"), "tile set ca-100 has no tile 'K'"),
    ],
)
def test_a_rack_that_cannot_be_is_refused(rack: Word, message: str, make_graph: MakeGraph) -> None:
    with pytest.raises(ValueError, match="rack") as refused:
        generate(make_graph(["sol"]), Grid.of(load_tile_set("ca-100"), {}), rack)
    assert message in str(refused.value)


def test_a_grid_of_other_tiles_is_refused(make_graph: MakeGraph) -> None:
    with pytest.raises(ValueError, match="tiles of es-100, the lexicon words of ca-100"):
        generate(make_graph(["sol"]), Grid.of(load_tile_set("es-100"), {}), ["S"])


@pytest.mark.parametrize(
    ("squares", "message"),
    [
        ({(0, 15): ("A", False)}, "not on the board"),
        ({(-1, 0): ("A", False)}, "not on the board"),
        ({(0, 0): ("W", False)}, "no tile 'W'"),
    ],
)
def test_a_grid_that_cannot_be_is_refused(squares: Squares, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Grid.of(load_tile_set("ca-100"), squares)
