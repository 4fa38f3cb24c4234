from __future__ import annotations

from operator import attrgetter
from pathlib import Path

import pytest

from faristol.cli.tournament.ratings import rating_list, title
from faristol.pb.rating.v1 import rating_pb2 as rating
from faristol.pb.results.v1 import results_pb2 as results
from faristol.typed_input.player_list import read_players

both = attrgetter("rows", "errors")


def test_a_list_is_imported_as_it_was_exported_and_no_name_in_it_is_a_formula(tmp_path: Path) -> None:
    players = [
        results.Player(player_id="anna", name="=1+1", club="-", new_rating=1500),
        results.Player(
            player_id="biel", name="Puig, Biel", club="'s-Hertogenbosch", country="NED", new_rating=1600, category="U18"
        ),
        results.Player(player_id="erased", new_rating=1700),
    ]
    text = rating_list(players)
    assert text.splitlines() == [
        "name,club,rating,id,country,category,note",
        '"Puig, Biel",\'s-Hertogenbosch,1600,biel,NED,U18,',
        "'=1+1,'-,1500,anna,,,",
    ]
    file = tmp_path / "ratings.csv"
    file.write_text(text, encoding="utf-8")
    rows, errors = both(read_players(file))
    assert errors == []
    read = [row.request for row in rows]
    assert [(row.name, row.club, row.rating, row.player_id, row.country, row.category) for row in read] == [
        ("Puig, Biel", "'s-Hertogenbosch", 1600, "biel", "NED", "U18"),
        ("=1+1", "-", 1500, "anna", "", ""),
    ]


def test_who_entered_after_the_list_was_made_is_exported_with_the_rating_that_they_have() -> None:
    players = [
        results.Player(player_id="new", name="Nou", unrated=True, rating=1000, entered_round=6),
        results.Player(player_id="zero", name="Zoe", new_rating=0, rating=12),
        results.Player(player_id="late", name="Lena", rating=1900, entered_round=6),
        results.Player(player_id="gone", name="Gil", rating=1800, entered_round=1, withdrawn_round=1),
    ]
    assert rating_list(players).splitlines()[1:] == ["Lena,,1900,late,,,", "Zoe,,0,zero,,,", "Nou,,,new,,,"]


def test_ratings_say_in_the_readers_language_whether_they_are_an_estimate_or_a_revision(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LC_ALL", "ca")
    found = rating.EstimateRatingsResponse(system="elo-1")
    assert title(found) == "elo-1, una estimació dels resultats fins ara"
    found.published, found.revision = True, 2
    found.revised_at.FromSeconds(1_700_000_000)
    assert title(found) == "elo-1, revisada 2023-11-14 22:13 UTC (revisió 2)"
    found.revision = 0
    assert title(found) == "elo-1"
