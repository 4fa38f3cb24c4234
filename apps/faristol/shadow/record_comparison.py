"""The tournament of a file against the same tournament on the record: players, pairings, byes, results. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product

from faristol.kernel.names import name_key
from faristol.kernel.refusal import N_, Param
from faristol.rules import Ruleset
from faristol.rules.tournament_files import FileDivision, FileRound, RoundKind
from faristol.rules.tournament_files.form import WITHOUT_OPPONENT
from faristol.rules.tournament_files.tou import TOU_NAME_CHARACTERS
from faristol.shadow.difference import Difference, DifferenceKind, Sentence, SideRound, cite_rule

NOT_HERE = N_("{name} is in the file, from round {first} on, and not registered here.")
NOT_THERE = N_("{name} is registered here, and not in the file.")
RATING_DIFFERS = N_("{name}: the rating is {there} there, {here} here.")
LEFT_THERE = N_("{name} has left the tournament there, not here.")
LEFT_HERE = N_("{name} has left the tournament here, not there.")
PAIRED_THERE = N_("Round {round} is paired there, not here.")
PAIRED_HERE = N_("Round {round} is paired here, not there.")
CELL_DIFFERS = N_("Round {round}, {name}: {there} there, {here} here.")
START_DIFFERS = N_("Round {round}: {name} starts against {other} there; here {other} starts.")

_FORFEIT_KINDS = frozenset({RoundKind.FORFEIT_WIN, RoundKind.FORFEIT_LOSS})


def compare_with_record(
    there: FileDivision, here: FileDivision, ruleset: Ruleset, program: str = ""
) -> Iterator[Difference]:
    """Yield the differences of a division from the tournament here, players first, then round by round.

    Players are matched by name; a ``.tou`` file has the first 20 characters of it.
    """
    key_of = _choose_key(program)
    number_here = {key_of(player.name): number for number, player in enumerate(here.players, 1)}
    names_there = [key_of(player.name) for player in there.players]
    yield from _compare_players(there, here, number_here, names_there, ruleset, has_ratings=program != "tou")
    yield from _compare_rounds(there, here, number_here, names_there, ruleset)


def _choose_key(program: str) -> Callable[[str], str]:
    """Return the function that gives equal keys to the two names of one player."""
    if program == "tou":
        return lambda name: name_key(name[:TOU_NAME_CHARACTERS].strip())
    return name_key


def _compare_players(
    there: FileDivision,
    here: FileDivision,
    number_here: Mapping[str, int],
    names_there: Sequence[str],
    ruleset: Ruleset,
    *,
    has_ratings: bool,
) -> Iterator[Difference]:
    for key, player in zip(names_there, there.players, strict=True):
        if key not in number_here:
            first = player.first_round
            sentence = Sentence(NOT_HERE, {"name": player.name, "first": first})
            article = cite_rule(ruleset, "championship.late_entry") if first > 1 else ""
            yield Difference(DifferenceKind.PLAYER, sentence, article, first if first > 1 else 0, player.name)
            continue
        own = here.players[number_here[key] - 1]
        if has_ratings and (player.rating or 0) != (own.rating or 0):
            ratings = {"name": player.name, "there": player.rating or "–", "here": own.rating or "–"}
            article = cite_rule(ruleset, "championship.system")  # the ratings make the initial ranking
            yield Difference(DifferenceKind.RATING, Sentence(RATING_DIFFERS, ratings), article, name=player.name)
        if player.left != own.left and has_ratings:
            sentence = Sentence(LEFT_THERE if player.left else LEFT_HERE, {"name": player.name})
            yield Difference(
                DifferenceKind.WITHDRAWAL, sentence, cite_rule(ruleset, "championship.left_early"), name=player.name
            )
    for key, number in number_here.items():
        if key not in names_there:
            name = here.name_of(number)
            yield Difference(DifferenceKind.PLAYER, Sentence(NOT_THERE, {"name": name}), name=name)


def _compare_rounds(
    there: FileDivision,
    here: FileDivision,
    number_here: Mapping[str, int],
    names_there: Sequence[str],
    ruleset: Ruleset,
) -> Iterator[Difference]:
    both = min(there.rounds, here.rounds)
    for number, (place, key) in product(range(1, both + 1), enumerate(names_there)):
        if key in number_here:
            player, own = there.players[place], here.players[number_here[key] - 1]
            side, side_here = _side_of(there, player.round(number)), _side_of(here, own.round(number))
            is_same = _is_same_opponent(side, names_there, side_here, number_here)
            found = _compare_cells(number, player.name, side, side_here, ruleset, is_same_opponent=is_same)
            if found is not None:
                yield found
    for number in range(both + 1, max(there.rounds, here.rounds) + 1):
        message = PAIRED_THERE if there.rounds > both else PAIRED_HERE
        yield Difference(DifferenceKind.ROUND, Sentence(message, {"round": number}), round=number)


def _side_of(division: FileDivision, cell: FileRound) -> SideRound:
    return SideRound(cell, division.name_of(cell.opponent))


def _is_same_opponent(
    side: SideRound, names_there: Sequence[str], side_here: SideRound, number_here: Mapping[str, int]
) -> bool:
    """Check whether the opponent is the same person; also for two cells without an opponent."""
    opponent = side.cell.opponent
    key = names_there[opponent - 1] if 0 < opponent <= len(names_there) else ""
    return number_here.get(key, 0) == side_here.cell.opponent


def _compare_cells(
    number: int, name: str, there: SideRound, here: SideRound, ruleset: Ruleset, *, is_same_opponent: bool
) -> Difference | None:
    """Return the difference between two rounds of a player, the most important one; None if they are equal."""
    sentence = Sentence(CELL_DIFFERS, {"round": number, "name": name})
    kind, article = _name_difference(there.cell, here.cell, ruleset, is_same_opponent=is_same_opponent)
    if kind is DifferenceKind.START:
        params: dict[str, Param] = {"round": number, "name": name, "other": there.opponent}
        return Difference(kind, Sentence(START_DIFFERS, params), article, number, name)
    return None if kind is None else Difference(kind, sentence, article, number, name, there, here)


def _name_difference(
    there: FileRound, here: FileRound, ruleset: Ruleset, *, is_same_opponent: bool
) -> tuple[DifferenceKind | None, str]:
    """Return the kind of the difference of two rounds, with its article; None without one."""
    kinds = {there.kind, here.kind}
    if kinds & _FORFEIT_KINDS and kinds & WITHOUT_OPPONENT and there.half_points == here.half_points:
        return None, ""  # tsh and .tou have a forfeit without its opponent
    if there.kind in WITHOUT_OPPONENT or here.kind in WITHOUT_OPPONENT:
        is_equal = there.kind is here.kind and (there.score is None or there.spread == here.spread)
        return (None, "") if is_equal else (DifferenceKind.BYE, cite_rule(ruleset, "championship.bye"))
    if not is_same_opponent:
        return DifferenceKind.PAIRING, cite_rule(ruleset, "championship.system")
    if there.kind is not here.kind:
        return DifferenceKind.FORFEIT, cite_rule(ruleset, "championship.not_there")
    if there.kind is RoundKind.GAME and (there.score, there.against) != (here.score, here.against):
        return DifferenceKind.RESULT, ruleset.law.signatures
    if there.starts is True and here.starts is False:
        return DifferenceKind.START, ruleset.article("start.method")
    return None, ""
