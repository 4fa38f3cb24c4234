"""An event of another program for tests: nine players, five rounds paired by the rules of FISE, one bye a round."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from tests.support.halls import Hall

from faristol.rules import load_ruleset, with_options
from faristol.rules.tournament_files import FileDivision, FilePlayer, FileRound, FileStanding, RoundKind, TournamentFile
from faristol.rules.tournament_files.tsh import encode_tsh, write_tsh

RULES = with_options(load_ruleset("fise"), {"tie_breaks": "spread"})
NUM_ROUNDS = 5
NAMES = (
    *("Anna Puig", "Biel Mas", "Carme Roca", "Dolors Vidal", "Eloi Serra"),
    *("Fina Soler", "Gil Pons", "Ona Riu", "Pau Ferrer"),
)


def play_event(rounds: int = NUM_ROUNDS) -> FileDivision:
    """Return the event after some rounds, with the ranks by points and spread as its program has them."""
    ids = [f"p{number}" for number in range(1, len(NAMES) + 1)]
    hall = Hall({player_id: 2000 - 50 * place for place, player_id in enumerate(ids)}, NUM_ROUNDS, RULES)
    cells: dict[str, list[FileRound]] = {player_id: [] for player_id in ids}
    for number in range(1, rounds + 1):
        hall.pair(number)
        hall.start(number)
        played = hall.state.played[number - 1]
        for place, table in enumerate(played.pairings, 1):
            one, other = table.player_ids
            scores = 331 + 41 * (place * 5 + number) % 173, 318 + 29 * (place + number * 7) % 191
            hall.report(table.game_id, *scores)
            ours, theirs = ids.index(one) + 1, ids.index(other) + 1
            cells[one].append(FileRound(RoundKind.GAME, theirs, scores[0], scores[1], True, place))
            cells[other].append(FileRound(RoundKind.GAME, ours, scores[1], scores[0], False, place))
        if played.bye:
            cells[played.bye].append(FileRound(RoundKind.BYE, score=1))
        hall.close(number)
    players = [
        FilePlayer(name, 2000 - 50 * place, tuple(cells[ids[place]]), ids[place]) for place, name in enumerate(NAMES)
    ]
    return rank(FileDivision("A", tuple(players)))


def rank(division: FileDivision) -> FileDivision:
    """Return a division with the standings that its program shows: points, then spread."""
    players = [*division.players]
    for place, (number, half_points, spread) in enumerate(division.rank(), 1):
        standing = FileStanding(place, half_points, spread)
        players[number - 1] = replace(players[number - 1], standing=standing)
    return replace(division, players=tuple(players))


def change(division: FileDivision, number: int, **changed: object) -> FileDivision:
    """Return a division with other data of a player."""
    players = [*division.players]
    players[number - 1] = replace(players[number - 1], **changed)  # type: ignore[arg-type]
    return replace(division, players=tuple(players))


def change_round(
    division: FileDivision, number: int, round_: int, to: Callable[[FileRound], FileRound]
) -> FileDivision:
    """Return a division with another round of a player, on this side only."""
    cells = [*division.players[number - 1].rounds]
    cells[round_ - 1] = to(cells[round_ - 1])
    return change(division, number, rounds=tuple(cells))


def write_folder(division: FileDivision, *, ranks: Sequence[int] = ()) -> dict[str, bytes]:
    """Return the files of tsh for a division; ``ranks`` are those after the last round."""
    files = write_tsh(TournamentFile("Open", "2026-03-07", (division,), NUM_ROUNDS, "tsh"))
    if ranks:
        unknown = " ".join(["0"] * division.rounds)
        lines = zip(files["a.t"].splitlines(), ranks, strict=True)
        files["a.t"] = "".join(f"{line}; rrank {unknown} {place}\n" for line, place in lines)
    return {name: encode_tsh(text) for name, text in files.items()}
