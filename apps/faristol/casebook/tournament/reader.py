"""Cases of tournaments read from files."""

from __future__ import annotations

from collections.abc import Mapping

from faristol.casebook.case import OFFICIALS, TournamentCase
from faristol.casebook.document import Errors, Value
from faristol.casebook.forms import fill
from faristol.casebook.headings import HEADING_KEYS, check_refusals, heading_of
from faristol.casebook.names import Names
from faristol.casebook.steps import read_steps, words_of
from faristol.casebook.tournament.actions import TOURNAMENT_KIND
from faristol.kernel.spellings import kebab, names_of
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.pairing.v1.pairing_pb2 import RegisterPlayerRequest
from faristol.rules import Board

SHARED_KEYS = frozenset({"ruleset", "rounds", "players", "others", "teams", "words"})
"""Keys that may apply to all cases of a file."""
CASE_KEYS = HEADING_KEYS | {"rounds", "players", "others", "teams", "keeping", "words"}
GIVEN_KEYS = frozenset({"by-hand", "results", "after-round"})
"""Keys of events of a step other than its action and the round of its expectations."""

ENTRY_KEYS = frozenset(map(kebab, RegisterPlayerRequest.DESCRIPTOR.fields_by_name)) - {
    *("command-id", "tournament-id", "player-id", "name", "occurred-at"),
}
"""Keys of a player: the fields of a registration, without those that the case determines."""
UNRATED = "unrated"
FIRST_RATING, NEXT_RATING = 2000, 10
"""The first rating of numbered players, and the difference to each next one."""
MAX_NUMBERED_PLAYERS = 100
"""Numbered players."""


def tournament_case(value: Value, shared: Mapping[str, Value], errors: Errors) -> TournamentCase:
    """Read a case of a tournament; ``shared`` are the keys of its file. ``errors`` collects recoverable errors.

    Raises ``CaseError`` if the rest of it cannot be read.
    """
    own = value.keys(CASE_KEYS, errors)
    keys = {**shared, **own}
    heading = heading_of(value, keys, errors)
    for needed in ("rounds", "players"):
        if needed not in keys:
            raise value.wrong(f"expected the key {needed!r} in every case of a tournament")
    rounds = 0
    with errors.gather():
        rounds = keys["rounds"].number()
    registered = _entries(keys["players"])
    others = _entries(keys["others"]) if "others" in keys else {}
    if twice := sorted(registered.keys() & others.keys()):
        raise keys["others"].wrong(f"{', '.join(twice)} is among the players already")
    entries = {**registered, **others}
    if set(OFFICIALS) & set(entries):
        raise keys["players"].wrong(f"expected players, none of them called {' or '.join(OFFICIALS)}")
    teams = _teams(keys["teams"], entries) if "teams" in keys else {}
    names = Names([*entries, *teams])
    if not names.distinct:
        raise keys["players"].wrong("expected names that differ in more than accents and punctuation")
    steps = read_steps(keys["steps"], entries, errors, TOURNAMENT_KIND.expectations, GIVEN_KEYS)
    check_refusals(steps, heading.ruleset, errors)
    return TournamentCase(
        **heading._asdict(),
        place=value,
        steps=steps,
        rounds=rounds,
        keeping=_keeping(keys["keeping"]) if "keeping" in keys else game_events.KEEPING_RECORDED,
        entries=entries,
        registered=tuple(registered),
        teams=teams,
        words=words_of(shared, own, errors, heading.ruleset.tile_set),
        layers=heading.ruleset.lexicon.layers,
        names=names,
    )


def _keeping(value: Value) -> game_events.Keeping.ValueType:
    known = names_of(game_events.Keeping.DESCRIPTOR)
    if not known.get(value.text()):
        raise value.no_such("keeping", value.text(), (name for name, number in known.items() if number))
    return game_events.Keeping.ValueType(known[value.text()])


def _entries(value: Value) -> dict[str, RegisterPlayerRequest]:
    """Read players by name, or a number of players named by their rank in ratings."""
    if value.is_text:
        count = value.number()
        if not 0 <= count <= MAX_NUMBERED_PLAYERS:
            raise value.wrong(f"expected 0 to {MAX_NUMBERED_PLAYERS} players, or their names")
        ratings = [FIRST_RATING - NEXT_RATING * place for place in range(count)]
        return {str(place): RegisterPlayerRequest(rating=rating) for place, rating in enumerate(ratings, 1)}
    return {name: _entry(entry) for name, entry in value.keys().items()}


def _teams(value: Value, entries: Mapping[str, RegisterPlayerRequest]) -> dict[str, tuple[str, ...]]:
    """Return the players of each team by its name, in the order of the boards. Raises ``CaseError``."""
    found = {name: tuple(player.text() for player in line_up.items()) for name, line_up in value.keys().items()}
    for name, line_up in found.items():
        if name in entries or name in OFFICIALS:
            raise value.wrong(f"{name!r} is not a valid name for a team: it is already in use")
        for player in line_up:
            if player not in entries:
                raise value.wrong(f"{player!r} of {name!r} is not one of the players")
    return found


def _entry(value: Value) -> RegisterPlayerRequest:
    keys = value.keys(ENTRY_KEYS) if value.is_mapping else {"rating": value}
    entry = RegisterPlayerRequest()
    fill(entry, {key: each for key, each in keys.items() if each.text() != UNRATED}, Board())
    return entry
