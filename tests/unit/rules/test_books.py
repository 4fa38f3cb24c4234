"""What the six rule books say, as their files have it."""

from __future__ import annotations

import pytest

from faristol.rules import load_ruleset, ruleset_names, unsettled

BOOKS = ("uf-2007", "fisc-2023", "festa-major", "fise", "pes-2024", "box")

SAID: dict[str, tuple[object, ...]] = {
    # key: UF, FISC, Festa Major, FISE, PES, box
    "game.mode": ("classic", "classic", "multi", "classic", "classic", "multi"),
    "game.players_max": (2, 2, 4, 2, 2, 4),
    "game.tile_set": ("ca-100", "ca-100", "ca-100", "es-100", "el-104", "en-100"),
    "game.turn_direction": ("alternate", "alternate", "right", "alternate", "alternate", "left"),
    "start.method": ("draw", "draw", "lot", "draw", "draw", "draw"),
    "first_move.direction": ("any", "any", "across", "any", "any", "any"),
    "first_move.centre": ("mandatory",) * 3 + ("opponent-decides", "mandatory", "mandatory"),
    "touch.rule": ("strict", "strict", "until-announced", "strict", "free-until-clock", "until-announced"),
    "exchange.limit": ("full-rack-in-bag", "bag", "full-rack-in-bag", "bag", "leave-full-rack", "full-rack-in-bag"),
    "exchange.illegal": ("none",) * 4 + ("reveal-and-choose", "none"),
    "exchange.stops_clock": (False, False, False, False, True, False),
    "free_exchange.allowed": (True, False, True, False, False, False),
    "free_exchange.bag_min": (1, 0, 7, 0, 0, 0),
    "free_exchange.unfounded": ("none", "none", "turn-lost", "none", "none", "none"),
    "passing.allowed": ("always", "always", "full-rack-in-bag", "always", "always", "always"),
    "overdraw.unracked": ("random-of-new",) * 4 + ("two-more-of-new", "random-of-new"),
    "overdraw.racked": (
        *("random-of-rack", "two-more-of-rack", "random-of-rack", "two-more-of-rack", "two-more-of-rack"),
        "random-of-rack",
    ),
    "overdraw.late": ("as-racked", "arbiter", "as-racked", "choose-and-lose-turn", "as-racked", "as-racked"),
    "underdraw.racked": ("complete", "arbiter", "complete", "complete-and-show", "arbiter", "complete"),
    "clock.model": ("chess", "chess", "per-turn", "chess", "chess", "none"),
    "clock.minutes": (None, 25, None, 30, 30, None),
    "clock.stopped_by_mover": (False, False, False, False, True, False),
    "clock.resumed_on": ("ruled", "written", "ruled", "ruled", "ruled", "ruled"),
    "clock.overtime_points": (10, 10, 0, 10, 10, 0),
    "clock.overtime_cap_minutes": (None, 10, None, None, None, None),
    "clock.reminders": ("forbidden", "allowed", "allowed", "forbidden", "players-and-arbiter", "allowed"),
    "clock.forgotten_heard": (False, False, True, False, True, True),
    "clock.last_play_stops_on": ("written", "written", "placed", "written", "placed", "written"),
    "lateness.clock_starts_after_minutes": (None, 0, None, 0, 10, None),
    "lateness.loses_after_minutes": (None, 15, None, None, 20, None),
    "forfeit.winner_points": (0, 0, 0, 0, 150, 0),
    "abandon.rule": ("stands", "stands-or-behind", "stands", "stands", "forfeit", "stands"),
    "challenge.closes_on": ("press", "refill", "next-turn", "challenger-writes", "both-write", "next-turn"),
    "challenge.seconds_max": (None, None, None, None, 15, None),
    "challenge.ruling": ("word", "play", "play", "play", "word", "play"),
    "challenge.free_invalid": (None, None, None, None, 3, None),
    "challenge.penalty": (0, 0, 0, 0, 10, 0),
    "challenge.appeal_by": ("none", "challenger", "none", "mover", "none", "none"),
    "challenge.corrected_later": ("none", "none", "none", "none", "spread", "none"),
    "end.lost_turns": (2, 3, 2, 2, None, 2),
    "end.scoreless_turns": (3, 6, None, 6, 3, None),
    "end.scoreless_unit": ("no-tile", "no-tile", "no-tile", "no-tile", "zero-score", "zero-score"),
    "end.exempt_at_zero": ("none", "both", "none", "scoreless", "none", "none"),
    "round_time.rule": ("scores-stand", "hand-and-one-more", "none", "equal-turns", "none", "none"),
    "scoresheet.plays_until": ("completed", "completed", "final", "final", "final", "final"),
    "scoresheet.final_on": ("both-signed", "handed-over", "handed-over", "both-signed", "both-signed", "written"),
    "scoresheet.reopen_by": ("nobody", "nobody", "nobody", "both-players", "nobody", "nobody"),
    "arbiter.required": (False, False, False, False, True, False),
    "arbiter.sanction_points_min": (None, None, None, 25, None, None),
    "arbiter.sanction_points_from": ("spread", "spread", "spread", "score", "spread", "spread"),
    "lexicon.frozen_on": ("created", "created", "created", "created", "first-game", "created"),
}


def test_the_five_books_and_the_box_are_here() -> None:
    assert set(ruleset_names()) == set(BOOKS)


@pytest.mark.parametrize("key", SAID)
def test_each_book_says_what_it_says(key: str) -> None:
    section, name = key.split(".")
    assert tuple(getattr(load_ruleset(book).sections[section], name) for book in BOOKS) == SAID[key]


@pytest.mark.parametrize("book", BOOKS)
def test_a_book_cites_itself(book: str) -> None:
    ruleset = load_ruleset(book)
    mark = {"uf-2007": "UF ", "fisc-2023": "FISC I.", "festa-major": "FM ", "fise": "FISE ", "pes-2024": "PES "}
    law = ruleset.sections["law"]
    cited = [*ruleset.articles.values(), *(getattr(law, name) for name in law.__slots__)]
    cited += [option.article for option in ruleset.options]
    assert {one for one in cited if one and not one.startswith(("FIDE ", mark.get(book, "Box: ")))} == set()


def test_only_ufs_minutes_are_not_settled_by_the_book() -> None:
    found = {book: [option.name for option in unsettled(load_ruleset(book))] for book in BOOKS}
    assert {book: names for book, names in found.items() if names} == {"uf-2007": ["minutes"]}
