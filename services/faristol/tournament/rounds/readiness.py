"""The conditions for pairing a round, and for starting it. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce

from google.protobuf.message import Message

from faristol.kernel.refusal import N_, Refusal
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.rules import Ruleset
from faristol.rules.standings.bracket import DecidedBy
from faristol.tournament.conditions import (
    build_not_started_refusal,
    build_player_refusal,
    build_round_refusal,
    check_given,
    check_open,
)
from faristol.tournament.rounds.knock_out import bracket_of
from faristol.tournament.rounds.systems import losers_by_absence, too_many_rounds
from faristol.tournament.state import Phase, RoundState, TournamentState, evolve
from faristol.tournament.teams.boards import against_line_ups, left_with_team
from faristol.tournament.teams.tournament import between, of_teams


def check_next(state: TournamentState, number: int) -> None:
    """Raise ``Refusal`` if a round is not the next to pair, ``Invalid`` if the number is missing."""
    check_open(state)
    check_given(number)
    paired = len(state.played)
    if 1 <= number <= paired:
        raise Refusal("ROUND_PAIRED", N_("Round {round} has already been paired."), {"round": number})
    if paired == state.rounds:
        raise Refusal(
            "NO_ROUND_LEFT",
            N_("There is no round {round}: all {rounds} rounds of the championship have been paired."),
            {"round": number, "rounds": state.rounds},
        )
    if number != paired + 1:
        raise Refusal(
            "ROUND_OUT_OF_ORDER",
            N_("Round {round} cannot be paired: {paired} of {rounds} rounds are paired, so the next is round {next}."),
            {"round": number, "paired": paired, "rounds": state.rounds, "next": paired + 1},
        )


def against_next(state: TournamentState, ruleset: Ruleset, number: int) -> list[Refusal]:
    """Return all reasons in the state of the tournament against pairing the next round, ``number``."""
    found = [*_open_round(state, ruleset, number)]
    if ruleset.championship.team_boards is None:
        return [*found, *_entries(state, state, ruleset, number)]
    teams = _entries(between(state, ruleset), state, ruleset, number)
    return [*found, *against_line_ups(state, ruleset, number), *map(of_teams, teams)]


def _open_round(state: TournamentState, ruleset: Ruleset, number: int) -> Iterator[Refusal]:
    """Yield the reasons why the round before is not closed."""
    current = state.open_round
    if current is None:
        return
    yield Refusal(
        "ROUND_OPEN",
        N_("Round {round} cannot be paired: round {open} is not closed, so the standings are not known."),
        {"round": number, "open": current.number},
        article=ruleset.article("championship.system"),
        subject=f"rounds/{current.number}",
    )
    if current.phase is Phase.PAIRED:
        yield build_not_started_refusal(current.number)
        return
    for table in current.missing:
        yield Refusal(
            "RESULT_MISSING",
            N_("The result of table {table} of round {round} is missing: {players}."),
            {"table": table.table, "round": current.number, "players": ", ".join(table.player_ids)},
            article=ruleset.law.signatures,
            subject=f"games/{table.game_id}",
        )


def _entries(state: TournamentState, of_players: TournamentState, ruleset: Ruleset, number: int) -> Iterator[Refusal]:
    """Yield refusals for too few players, too many rounds (FISC I.1), and players who are not checked in.

    ``state`` is the tournament of the entries to pair, ``of_players`` the one in which players are checked in.
    """
    to_pair = state.to_pair(number)
    article = ruleset.article("championship.system")
    if ruleset.game.mode == "duplicate":
        if not to_pair:
            yield Refusal(
                "TOO_FEW_PLAYERS",
                N_("No player who could play is entered."),
                article=ruleset.article("game.players_min"),
            )
            return
    elif len(to_pair) < 2:
        yield Refusal(
            "TOO_FEW_PLAYERS",
            N_("A round needs 2 players or more; {players} can be paired."),
            {"players": len(to_pair)},
            article=article,
        )
        return
    yield from _not_checked_in(of_players, number)
    if number > 1:
        return
    players = sum(player.takes_part(number) for player in state.players)
    if refusal := too_many_rounds(players, state.rounds, ruleset):
        yield refusal


def _not_checked_in(state: TournamentState, number: int) -> Iterator[Refusal]:
    """Yield a refusal for the players who are not checked in before the round of the check-in.

    That of round 1 is optional: it applies if any player is checked in. The players of a withdrawn team do not count:
    they have left with it.
    """
    if number != state.check_in_round:
        return
    if number == 1 and not any(player.checked_in for player in state.players):
        return
    left = left_with_team(state, number)
    waiting = [
        player.player_id for player in state.to_pair(number) if not player.checked_in and player.player_id not in left
    ]
    if len(waiting) == 1:
        yield build_player_refusal(
            "NOT_CHECKED_IN",
            "",
            N_("{player} is not checked in: check them in, have them sit out the round, or withdraw them."),
            waiting[0],
        )
    elif waiting:
        yield Refusal(
            "NOT_CHECKED_IN",
            N_(
                "{count} players are not checked in: {players}. Check them in, have them sit out the round, or "
                "withdraw them."
            ),
            {"count": len(waiting), "players": ", ".join(waiting)},
        )


PAIRED_AND_WITHDRAWN: Mapping[bool, str] = {
    False: N_("Round {round} cannot be started: {players} withdrew after it was paired; pair it again."),
    True: N_("Round {round} cannot be published: {players} withdrew after it was paired; pair it again."),
}
"""Texts by whether the round is published."""

ENTERED_AFTER_PAIRING: Mapping[bool, str] = {
    False: N_("Round {round} cannot be started: {players} entered after it was paired; pair it again."),
    True: N_("Round {round} cannot be published: {players} entered after it was paired; pair it again."),
}
"""Texts by whether the round is published."""


def check_all_there(
    state: TournamentState, ruleset: Ruleset, played: RoundState, *, is_published: bool = False
) -> None:
    """Raise ``Refusal`` if a paired round has a withdrawn player, or lacks a player who is in it now.

    Such a player entered after the pairing, or was kept out by a sanction lifted since. If absence loses the game, the
    pairing stands (PES ΣΤ). A duplicate game has no pairs: all players present at its start play.
    """
    if ruleset.game.mode == "duplicate":
        return
    lost = {
        player_id
        for table in played.pairings
        for player_id in losers_by_absence(state, ruleset, played.number, table.player_ids)
    }
    there = {player_id for table in played.pairings for player_id in table.player_ids} | {played.bye, *played.requested}
    teams = {team for match in played.matches for team in match.team_ids} | {played.team_bye, *played.team_byes}
    gone = [
        entry.player_id
        for entries, paired in ((state.players, there), ([team.entry for team in state.teams], teams))
        for entry in entries
        if entry.player_id in paired and not entry.takes_part(played.number)
        if entry.never_came or entry.player_id not in lost
    ]
    if gone:
        raise Refusal(
            "PAIRED_AND_WITHDRAWN",
            PAIRED_AND_WITHDRAWN[is_published],
            {"round": played.number, "players": ", ".join(gone)},
        )
    if ruleset.championship.system == "knock-out":
        _check_bracket(state, ruleset, played, is_published=is_published)
        return
    # In a team tournament, a player who entered after the pairing is a reserve; a reinstated player may have a board.
    left_out = [
        entry.player_id
        for entry in state.entries
        if entry.takes_part(played.number)
        and played.number not in entry.byes
        and entry.player_id not in (teams if state.teams else there)
    ]
    left_out += [
        player.player_id
        for player in state.players
        if player.let_back_into(played.number)
        and played.number not in player.byes
        and player.player_id not in there
        and (not state.teams or ((team := state.team_of(player.player_id)) and team.team_id in teams))
    ]
    _check_none_entered(played, left_out, is_published=is_published)


def _check_none_entered(played: RoundState, entered: Sequence[str], *, is_published: bool) -> None:
    """Raise ``Refusal`` for players who entered after the pairing."""
    if entered:
        text = ENTERED_AFTER_PAIRING[is_published]
        raise Refusal("ENTERED_AFTER_PAIRING", text, {"round": played.number, "players": ", ".join(entered)})


BRACKET_CHANGED: Mapping[bool, str] = {
    False: N_("Round {round} cannot be started: the bracket changed after it was paired; pair it again."),
    True: N_("Round {round} cannot be published: the bracket changed after it was paired; pair it again."),
}
"""Texts by whether the round is published."""


def _check_bracket(state: TournamentState, ruleset: Ruleset, played: RoundState, *, is_published: bool) -> None:
    """Raise ``Refusal`` if a round of a knock-out lacks an entry, or if its pairs are not those of the bracket.

    A correction of a result or a reinstatement changes the bracket. Players without a match are out of it, or wait.
    """
    seeds = state.seeds or played.seeds
    entered = [
        player.player_id
        for player in state.players
        if played.number == 1 and player.takes_part(1) and player.player_id not in seeds
    ]
    _check_none_entered(played, entered, is_published=is_published)
    pairs = {
        frozenset(match.players)
        for match in bracket_of(state, ruleset, seeds).matches
        if match.decided_by in {None, DecidedBy.WITHDRAWAL}  # such a pair stands if absence loses the game
    }
    if not pairs.issuperset(frozenset(table.player_ids) for table in played.pairings):
        raise build_round_refusal("BRACKET_CHANGED", "", BRACKET_CHANGED[is_published], played.number)


def round_to_pair_again(state: TournamentState, ruleset: Ruleset, new_events: Sequence[Message]) -> int:
    """Return the paired round that cannot be started after ``new_events``; 0 for none."""
    after = reduce(evolve, new_events, state)
    current = after.open_round
    if current is None or current.phase is not Phase.PAIRED:
        return 0
    try:
        check_all_there(after, ruleset, current)
    except Refusal:
        return current.number
    return 0


def round_paired_without(state: TournamentState, new_events: Sequence[Message]) -> int:
    """Return the paired round, not started, without a player reinstated by ``new_events``; 0 for none."""
    current = state.open_round
    if current is None or current.phase is not Phase.PAIRED:
        return 0
    back = [event for event in new_events if isinstance(event, events.PlayerReinstated | events.TeamReinstated)]
    return current.number if any(event.round > current.number for event in back) else 0
