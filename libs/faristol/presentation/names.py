"""Names of the players, teams and games of a tournament, and the resolution of typed names. Pure.

Case, accents and signs are ignored. Matches are tried in this order: an id, a whole name, the beginning of a name, the
beginning of a later word such as the family name, the beginnings of words in any order, also with look-alike letters.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import grpc

from faristol.client.problems import info_of
from faristol.kernel.names import OFFICIAL, begins, list_distinct_names, words_of
from faristol.kernel.pairings import seats_of
from faristol.kernel.refusal import N_
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.rules.look_alikes import load_classes
from faristol.text import SOURCE, join_list, say

if TYPE_CHECKING:
    from faristol.pb.results.v1 import results_pb2 as results  # slow to import, not needed for completion

ROUND_AND_TABLE = N_("round {round}, table {table}")


@dataclass(frozen=True, slots=True)
class Named:
    """Entity with an id and a name."""

    id: str
    name: str
    detail: str = ""
    """Distinction from others of the same name, such as the club of a player."""

    def __str__(self) -> str:
        """Return the name with its distinctions: ``Anna Puig (Valls, anna)``."""
        beside = ", ".join(part for part in (self.detail, self.id) if part and part != self.name)
        return f"{self.name or self.id} ({beside})" if beside and self.name else self.name or self.id


@cache
def load_shapes() -> Mapping[str, str]:
    """Load one representative for each group of look-alike letters, by letter; small letters are not included."""
    shapes: dict[str, str] = {}
    for members in load_classes():
        capitals = [char for char in members if char.isupper()]
        shapes |= dict.fromkeys(capitals, capitals[0] if capitals else "")
    return shapes


def search_words(text: str) -> tuple[str, ...]:
    """Return the words of a text for searching: as ``words_of``, with one capital for look-alike letters.

    So a name in Greek letters is found if some of them were typed on a Latin keyboard.
    """
    shapes = load_shapes()
    return tuple("".join(shapes.get(sign, sign) for sign in word.upper()) for word in words_of(text))


def fold_name(text: str) -> str:
    """Return a name without case, accents and signs, with single spaces: ``Núria d'Or`` is ``nuria dor``."""
    letters = unicodedata.normalize("NFKD", text.casefold())
    letters = "".join("-" if unicodedata.category(sign) == "Pd" else sign for sign in letters)
    return " ".join("".join(sign for sign in letters if sign.isalnum() or sign.isspace() or sign == "-").split())


def candidates(given: str, known: Sequence[Named]) -> list[Named]:
    """Return every match of a typed name: one if it is unambiguous, an empty list if none matches."""
    written = fold_name(given)
    if not written:
        return []
    words = search_words(given)
    heads = [(named, fold_name(named.name)) for named in known]
    ways = (
        [named for named in known if named.id == given.strip().lower()],
        [named for named, name in heads if name == written],
        [named for named in known if written in _with_detail(named)],
        [named for named, name in heads if name.startswith(written)],
        [named for named, name in heads if f" {written}" in name],
        [named for named in known if named.id.startswith(given.strip().lower())],
        [named for named in known if words and begins(words, search_words(named.name))],
    )
    return next((found for found in ways if found), [])


def _with_detail(named: Named) -> tuple[str, ...]:
    """Return the folded forms that distinguish namesakes: ``Anna Puig (Valls)``, ``Anna Puig (anna-2)``, or both."""
    return tuple(
        fold_name(f"{named.name} {beside}")
        for beside in (named.detail, named.id, f"{named.detail} {named.id}")
        if beside.strip()
    )


def labels(known: Sequence[Named]) -> Mapping[str, str]:
    """Return the labels of pages and files, by id. An entity without a name is labelled by its id."""
    return {
        who: name or who
        for who, name in list_distinct_names((named.id, named.name, named.detail) for named in known).items()
    }


_LETTER = re.compile(r"[^\W\d_]")
_ID = re.compile(r"(?<![\w-])[a-z0-9][a-z0-9-]*(?![\w-])")


_NUMBER_PATTERN = re.compile(r"[-−]?\d+")

_NO_PLACES = frozenset({"message", "article", "field"})
"""Metadata of an error answer for programs; the sentence has no placeholder for it."""


def withdrew_before_start(entrant: pairing.Player | pairing.Team | results.Player) -> bool:
    """Check whether an entrant withdrew before any round."""
    return 0 < entrant.withdrawn_round <= entrant.entered_round


_SLUG = re.compile(r"[a-z]+(?:-[a-z]+)+")


def name_in_id(person_id: str) -> str:
    """Restore a name from the id that was made of it: ``Ona Rius`` for ``ona-rius``; another id is unchanged.

    Accents cannot be restored.
    """
    is_of_name = _SLUG.fullmatch(person_id) is not None and not person_id.startswith(OFFICIAL)
    return " ".join(map(str.capitalize, person_id.split("-"))) if is_of_name else person_id


class Roster:
    """Players, teams and games of a tournament, by id."""

    def __init__(
        self,
        tournament: pairing.GetTournamentResponse,
        language: str = SOURCE,
        officials: Mapping[str, str] | None = None,
    ) -> None:
        """Index a tournament. ``language`` is that of the sentences; ``officials`` maps ids to names."""
        self.tournament, self.language = tournament, language
        self.players = [Named(player.player_id, player.name, player.club) for player in tournament.players]
        self.teams = [Named(team.team_id, team.name) for team in tournament.teams]
        sitting = (member for each in tournament.appeals for member in each.members)
        tribunal = {each.person_id: name_in_id(each.person_id) for each in (*tournament.tribunal, *sitting)}
        self.persons = [Named(each.player_id, each.name) for each in tournament.persons]
        persons = {each.id: each.name for each in self.persons}
        self._called = {**tribunal, **persons, **(officials or {}), **labels(self.teams), **labels(self.players)}

    @property
    def tournament_id(self) -> str:
        """Id of the tournament."""
        return self.tournament.tournament_id

    def add_players(self, players: Sequence[Named]) -> None:
        """Add the names of players that a command has registered."""
        self._called.update(labels(players))

    def name(self, player_or_team: str) -> str:
        """Return the name of a player or a team; the id itself if it is unknown."""
        return self._called.get(player_or_team, player_or_team)

    def name_of_person(self, person_id: str) -> str:
        """Return the name of a person, registered or not; for an unknown one the name restored from the id."""
        name = self.name(person_id)
        return name if name != person_id else name_in_id(person_id)

    def describe_id(self, known_id: str) -> str:
        """Return the name of a player or team, or the players and table of a game; the id itself if unknown."""
        if seated := self.at_table(known_id):
            number, seat = seated
            where = say(ROUND_AND_TABLE, {"round": number, "table": seat.table}, self.language)
            return f"{self.players_at(seat)} ({where})"
        return self.name(known_id)

    def players_at(self, seat: events.Pairing) -> str:
        """Return the names of the players at a table."""
        return " – ".join(map(self.name, seats_of(seat)))

    def named_in(self, text: str) -> str:
        """Replace ids of players, teams and games in a sentence of a service by names."""
        return _ID.sub(lambda found: self.describe_id(found[0]) if _LETTER.search(found[0]) else found[0], text)

    def named_in_refusal(self, refusal: str, problem: grpc.aio.AioRpcError) -> str:
        """Replace ids of players, teams and games in the refusal of a service by names.

        Only the first reason has its parameters; in the sentences of the others an id needs a digit or a hyphen. A
        number is never an id: it may be that of a table, a round or an article.
        """
        places = info_of(problem).metadata
        filled = {value for place, value in places.items() if place not in _NO_PLACES}
        names = {value: self._named_in_place(value) for value in filled if _LETTER.search(value)}
        if self.tournament_id and places.get("tournament") == self.tournament_id:
            names[self.tournament_id] = self.tournament.name or self.tournament_id
        for value in [value for value, named in names.items() if named == value]:
            del names[value]
        whole = "|".join(re.escape(value) for value in sorted(names, key=len, reverse=True))

        def name(found: re.Match[str]) -> str:
            text = found[0]
            if text in names:
                return names[text]
            in_brackets = refusal[max(0, found.start() - 1) : found.end() + 1] == f"({text})"
            if in_brackets and (seated := self.at_table(text)):
                return self.players_at(seated[1])  # the sentence names the table before the bracket
            return self.describe_id(text) if _LETTER.search(text) and re.search("[-0-9]", text) else text

        # One pass, so that a name put in for an id is not replaced in turn.
        wholes = rf"(?<![\w-])(?:{whole})(?![\w-])|" if whole else ""
        return re.sub(f"{wholes}{_ID.pattern}", name, refusal)

    def _named_in_place(self, value: str) -> str:
        """Replace the ids of a parameter by names, if each entry is an id or an id with a score."""
        parts = [part.partition(" ") for part in value.replace("'", "").split(", ")]
        if any(score and not _NUMBER_PATTERN.fullmatch(score) for _, _, score in parts):
            return value
        named = [(self.describe_id(known_id), known_id, f"{blank}{score}") for known_id, blank, score in parts]
        if all(name == known_id for name, known_id, _ in named):
            return value
        return join_list([f"{name}{score}" for name, _, score in named], self.language)

    def at_table(self, game_id: str) -> tuple[int, events.Pairing] | None:
        """Return the round and the pairing of a game; None if no paired round has it."""
        return next(
            (
                (played.round, seat)
                for played in self.tournament.played
                for seat in played.pairings
                if seat.game_id == game_id
            ),
            None,
        )
