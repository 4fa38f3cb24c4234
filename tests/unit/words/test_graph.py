from __future__ import annotations

import datetime
import hashlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from faristol.rules.tiles import TileKind, TileSet, load_tile_set
from faristol.words import About, LexiconError, WordGraph, build
from faristol.words.header import read_header

MakeGraph = Callable[..., WordGraph]
CATALAN = load_tile_set("ca-100")
ABOUT = About("altres", "second", "CC0-1.0", "hypothesis", datetime.date(2024, 3, 1))
WORDS = st.sets(st.lists(st.sampled_from(CATALAN.faces), min_size=1, max_size=15).map(tuple))


def test_digraphs_are_one_tile_and_two_tiles_are_not_the_digraph(make_graph: MakeGraph) -> None:
    graph = make_graph([("C", "O", "L·L", "A"), "any", "quina"])
    assert graph.contains(("C", "O", "L·L", "A"))
    assert not graph.contains(("C", "O", "L", "L", "A"))
    assert graph.contains(("A", "NY"))
    assert not graph.contains(("A", "N", "Y"))
    assert graph.contains(("QU", "I", "N", "A"))


def test_beginnings_of_words_blanks_and_nothing_are_no_words(make_graph: MakeGraph) -> None:
    graph = make_graph(["casa"])
    for tiles in [(), ("C",), ("C", "A", "S"), ("C", "A", "S", "?"), ("C", "A", "S", "A", "S")]:
        assert not graph.contains(tiles)


@given(words=WORDS)
def test_a_lexicon_gives_back_the_words_it_was_built_from(words: set[tuple[str, ...]]) -> None:
    graph = WordGraph(build(words, tile_set=CATALAN, about=ABOUT))
    listed = list(graph)
    assert set(listed) == words
    assert len(graph) == len(listed) == len(words)
    assert listed == sorted(listed, key=lambda word: [CATALAN.index[face] for face in word])
    assert all(graph.contains(word) and word in graph for word in words)


def test_a_text_is_read_in_every_way_that_is_a_word(make_graph: MakeGraph) -> None:
    graph = make_graph([("C", "A", "LL", "E"), ("C", "A", "L", "L", "E"), ("C", "A", "LL")], "es-100")
    assert list(graph.spellings("calle")) == [("C", "A", "LL", "E"), ("C", "A", "L", "L", "E")]
    assert next(graph.spellings("Cállé")) == ("C", "A", "LL", "E")
    assert list(graph.spellings("call")) == [("C", "A", "LL")]
    for text in ("", "cal", "kiwi", "calle?", "l" * 10_000):
        assert list(graph.spellings(text)) == []


def test_a_build_depends_on_words_and_about_alone(about: About) -> None:
    words = [("S", "O", "L"), ("S", "A", "L"), ("S", "O", "L")]
    assert build(words, tile_set=CATALAN, about=about) == build(reversed(words), tile_set=CATALAN, about=about)


def test_another_word_or_another_edition_is_another_digest(about: About) -> None:
    digests = {
        WordGraph(build([("S", "O", "L")], tile_set=CATALAN, about=about)).digest,
        WordGraph(build([("S", "A", "L")], tile_set=CATALAN, about=about)).digest,
        WordGraph(build([("S", "O", "L")], tile_set=CATALAN, about=ABOUT)).digest,
    }
    assert len(digests) == 3


def test_anyone_can_recheck_the_digest_of_a_file(tmp_path: Path, about: About) -> None:
    path = tmp_path / "proves.graph"
    path.write_bytes(build([("S", "O", "L")], tile_set=CATALAN, about=about))
    assert WordGraph.open(path).digest == hashlib.sha256(path.read_bytes()[:-32]).hexdigest()


def test_a_file_says_what_it_is(tmp_path: Path, about: About) -> None:
    path = tmp_path / "proves.graph"
    path.write_bytes(build([("S", "O", "L"), ("S", "A", "L")], tile_set=CATALAN, about=about))
    assert WordGraph.open(path).about == about
    header = read_header(path)
    assert (header.about, header.tile_set, header.words) == (about, "ca-100", 2)


def test_an_open_lexicon_cannot_be_changed(make_graph: MakeGraph) -> None:
    with pytest.raises(ValueError, match="read-only"):
        make_graph(["sol"]).marks[0] = np.int64(0)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([()], "a word has no tiles"),
        ([("S", "W")], "tile set ca-100 has no tile 'W'"),
        ([("S", "?")], "tile set ca-100 has no tile '?'"),
    ],
)
def test_what_is_not_a_word_of_the_set_is_refused(words: list[tuple[str, ...]], message: str, about: About) -> None:
    with pytest.raises(ValueError, match="tile") as refused:
        build(words, tile_set=CATALAN, about=about)
    assert message in str(refused.value)


def test_a_set_with_more_faces_than_fit_is_refused(about: About) -> None:
    kinds = tuple(TileKind(chr(0x4E00 + number), 1, 1) for number in range(63))
    with pytest.raises(ValueError, match="63 faces, at most 62"):
        build([], tile_set=TileSet("han", "zh", kinds, {}), about=about)


class TestAFileThatIsNotASoundLexicon:
    """A damaged file is refused with its path and the reason."""

    @pytest.fixture
    def path(self, tmp_path: Path, about: About) -> Path:
        path = tmp_path / "proves.graph"
        path.write_bytes(build([("S", "O", "L"), ("S", "A", "L")], tile_set=CATALAN, about=about))
        return path

    def refusal(self, path: Path) -> str:
        with pytest.raises(LexiconError) as refused:
            WordGraph.open(path)
        assert str(path) in str(refused.value)
        assert refused.value.path == path
        return refused.value.reason

    def test_missing(self, tmp_path: Path) -> None:
        assert "No such file" in self.refusal(tmp_path / "none.graph")

    def test_empty(self, path: Path) -> None:
        path.write_bytes(b"")
        assert self.refusal(path) == "is empty, not a lexicon"

    @pytest.mark.parametrize("content", [b"x", b"PK\x03\x04 something else altogether, and long enough"])
    def test_foreign(self, path: Path, content: bytes) -> None:
        path.write_bytes(content)
        assert self.refusal(path) == "is not a lexicon"

    def test_of_a_later_format(self, path: Path) -> None:
        path.write_bytes(path.read_bytes()[:8] + b"\x02" + path.read_bytes()[9:])
        assert self.refusal(path) == "is a lexicon of format 2, this program reads format 1"

    def test_cut_short_anywhere(self, path: Path) -> None:
        whole = path.read_bytes()
        for length in range(1, len(whole)):
            path.write_bytes(whole[:length])
            assert self.refusal(path)

    def test_one_bit_turned_anywhere(self, path: Path) -> None:
        whole = path.read_bytes()
        for place in range(len(whole)):
            path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
            assert self.refusal(path)

    def test_made_for_tiles_in_another_order(self, path: Path, about: About) -> None:
        turned = TileSet("ca-100", "ca", tuple(reversed(CATALAN.kinds)), {})
        path.write_bytes(build([("S", "O", "L")], tile_set=turned, about=about))
        assert "other tiles than those of ca-100" in self.refusal(path)

    def test_made_for_a_set_that_is_not_there(self, path: Path, about: About) -> None:
        path.write_bytes(build([], tile_set=TileSet("xx-1", "xx", CATALAN.kinds, {}), about=about))
        assert "there is no tile set 'xx-1'" in self.refusal(path)
