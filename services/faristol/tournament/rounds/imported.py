"""Rounds that were played under another program, taken over as they were. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from typing import Any

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.kernel.errors import Invalid
from faristol.kernel.pairings import REQUESTED_BYES
from faristol.kernel.refusal import N_, Refusal
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.rules import Ruleset, derive_seed
from faristol.rules.championship import SYSTEMS_BY_RESULTS
from faristol.tournament.conditions import check_open, check_registered
from faristol.tournament.results.entry import MAX_BATCH_RESULTS, enter_imported
from faristol.tournament.results.results import MOST_POINTS
from faristol.tournament.rounds.tables import hall_of_table
from faristol.tournament.situation import PairingCommand, Situation
from faristol.tournament.state import Pairing, Phase, TournamentState, evolve, game_id

_PROGRAM_PATTERN = re.compile(r"[a-z0-9-]{1,20}")


def import_rounds(situation: Situation, request: pb.ImportRoundsRequest) -> list[Message]:
    """Import rounds from the next one on, each with its pairings, byes and results.

    A round with all results is closed. The last one is only paired if it has none, and started if it has some. Raises
    ``Refusal`` if the last round here is not closed, for a system with a table of rounds, and for teams. Raises it too
    for players who are not registered, and for a round that leaves one out. Raises ``Invalid`` for malformed rounds.
    """
    state, ruleset = situation.state, situation.ruleset
    check_open(state)
    _check_possible(state, ruleset)
    if not _PROGRAM_PATTERN.fullmatch(request.program):
        raise Invalid("program", N_("expected 1 to 20 of a-z, 0-9 and -"))
    games = sum(len(each.games) for each in request.rounds)
    if not request.rounds or games > MAX_BATCH_RESULTS:
        problem = N_("have {count} games; expected at least one round, and at most {most} games together")
        raise Invalid("rounds", problem, {"count": games, "most": MAX_BATCH_RESULTS})
    new_events: list[Message] = []
    for place, each in enumerate(request.rounds, 1):
        is_last = place == len(request.rounds)
        of_round = list(_build_round(state, ruleset, each, request.program, situation.occurred_at, is_last=is_last))
        state = reduce(evolve, of_round, state)
        new_events += of_round
    return new_events


def _check_possible(state: TournamentState, ruleset: Ruleset) -> None:
    """Raise ``Refusal`` if no round can be imported."""
    system = ruleset.championship.system
    if system not in SYSTEMS_BY_RESULTS or ruleset.championship.team_boards is not None:
        raise Refusal(
            "NOT_IMPORTED",
            N_("Rounds are imported only for players paired by {known}; the rules have {system}."),
            {"known": ", ".join(sorted(SYSTEMS_BY_RESULTS)), "system": system},
            article=ruleset.article("championship.system"),
        )
    if state.open_round is not None or state.draft is not None:
        number = state.open_round.number if state.open_round else len(state.played) + 1
        raise Refusal(
            "ROUND_OPEN", N_("Round {round} is not closed: no further round can be imported."), {"round": number}
        )


def _build_round(
    state: TournamentState,
    ruleset: Ruleset,
    given: pb.ImportedRound,
    program: str,
    at: Timestamp,
    *,
    is_last: bool,
) -> Iterator[Message]:
    """Yield the events of a round."""
    number = given.round
    _check_round(state, given, is_last=is_last)
    _check_players(state, given)
    tables = _tables(given)
    pairings = [
        Pairing(
            table,
            game_id(state.tournament_id, number, table, players, state.unpaired),
            players,
            hall_of_table(state, table),
        )
        for table, players in ((table, (game.first_player_id, game.second_player_id)) for table, game in tables)
    ]
    paired = events.RoundPaired(
        round=number,
        pairings=[pairing.message() for pairing in pairings],
        algorithm=f"import-{program}",
        seed=derive_seed(state.seed, f"pairing round {number}"),
        requested_byes=[events.RequestedBye(player_id=bye.player_id, kind=bye.kind) for bye in given.byes],
        occurred_at=at,
    )
    yield paired
    state = evolve(state, paired)
    if given.bye_player_id:
        awarded = events.ByeAwarded(round=number, player_id=given.bye_player_id)
        yield awarded
        state = evolve(state, awarded)
    results = [game for _, game in tables if _has_result(game)]
    if not results and tables:
        return
    started = events.RoundStarted(round=number, occurred_at=at)
    yield started
    state = evolve(state, started)
    for pairing, (_, game) in zip(pairings, tables, strict=True):
        if _has_result(game):
            scores = tuple(zip(pairing.player_ids, (game.first_score, game.second_score), strict=True))
            entered = enter_imported(state, ruleset, pairing, scores, game.forfeited_by, at)
            yield from entered
            state = reduce(evolve, entered, state)
    if len(results) == len(tables):
        yield events.RoundClosed(round=number, occurred_at=at)


def _has_result(game: pb.ImportedGame) -> bool:
    return bool(game.forfeited_by) or game.HasField("first_score")


def _check_round(state: TournamentState, given: pb.ImportedRound, *, is_last: bool) -> None:
    """Raise ``Invalid`` for a round out of order, and for results that are malformed or missing."""
    number = given.round
    if number != len(state.played) + 1 or number > state.rounds:
        params = {"found": number, "next": len(state.played) + 1, "most": state.rounds}
        raise Invalid("rounds", N_("have round {found}; expected round {next}, and {most} at most"), params)
    for game in given.games:
        of_game = {game.first_player_id, game.second_player_id}
        players = f"{game.first_player_id} – {game.second_player_id}"
        has_both = game.HasField("first_score") and game.HasField("second_score")
        has_one = game.HasField("first_score") or game.HasField("second_score")
        if has_one != has_both or (has_one and game.forfeited_by) or not of_game.issuperset(game.forfeited_by):
            problem = N_("round {round}, {players}: expected two scores, or losers by absence")
            raise Invalid("rounds", problem, {"round": number, "players": players})
        if abs(game.first_score) > MOST_POINTS or abs(game.second_score) > MOST_POINTS:
            raise Invalid("rounds", N_("expected at most {most} points"), {"most": MOST_POINTS})
    missing = sum(not _has_result(game) for game in given.games)
    if missing and not is_last:
        raise Invalid(
            "rounds", N_("round {round} has {missing} games without a result"), {"round": number, "missing": missing}
        )


def _check_players(state: TournamentState, given: pb.ImportedRound) -> None:
    """Raise ``Refusal`` for unknown players, ``Invalid`` unless each player has exactly one place in the round."""
    seated = [player for game in given.games for player in (game.first_player_id, game.second_player_id)]
    seated += [*filter(None, [given.bye_player_id]), *(bye.player_id for bye in given.byes)]
    check_registered(state, *seated)
    for bye in given.byes:
        if bye.kind not in REQUESTED_BYES:
            raise Invalid("rounds", N_("expected a kind for each bye"))
    twice = sorted(player for player, count in Counter(seated).items() if count > 1)
    left_out = [
        player.player_id
        for player in state.players
        if player.takes_part(given.round) and player.player_id not in seated
    ]
    if twice or left_out:
        problem = N_("round {round}: expected one game or bye for each of {players}")
        raise Invalid("rounds", problem, {"round": given.round, "players": ", ".join([*twice, *left_out])})


def _tables(given: pb.ImportedRound) -> list[tuple[int, pb.ImportedGame]]:
    """Return the games in the order of their tables. Raises ``Invalid`` if only some have a table, or share one."""
    numbers = [game.table for game in given.games]
    if not any(numbers):
        return list(enumerate(given.games, 1))
    if min(numbers) < 1 or max(Counter(numbers).values()) > 1:
        raise Invalid("rounds", N_("round {round}: expected a table of its own for each game"), {"round": given.round})
    return sorted(zip(numbers, given.games, strict=True), key=lambda each: each[0])


def _count_closed(situation: Situation, request: Any, new_events: Sequence[Message]) -> Mapping[str, Any]:
    """Return the number of closed rounds of the answer."""
    closed = sum(played.phase is Phase.CLOSED for played in situation.state.played)
    return {"closed": closed + sum(isinstance(event, events.RoundClosed) for event in new_events)}


COMMANDS: Mapping[type[Message], PairingCommand] = {
    pb.ImportRoundsRequest: PairingCommand(import_rounds, of_tables=True, more=_count_closed),
}
