"""Answers of the contract, built from rows: one function for each message. Pure.

Only lists contain names of people here. Other names are stored beside the record and filled in when the answer is made.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from google.protobuf.message import Message

from faristol.duplicate_game.preparation import duplicate_id
from faristol.kernel.details import Person
from faristol.kernel.likeness import like
from faristol.kernel.pins import Pin
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.pb.results.v1 import results_pb2 as results
from faristol.personal_data.people import load_distinct_names
from faristol.read_models.api.page import page
from faristol.read_models.computed.mode import mode_of
from faristol.read_models.computed.standings import explain, rank, tie_breaks_of
from faristol.read_models.projections.championship import Championship
from faristol.read_models.projections.model import table_of
from faristol.read_models.projections.scoresheet import board, turns_taken
from faristol.read_models.storage import rows
from faristol.read_models.storage.rows import ByeKind, decode_many_tuples, decode_tuples

MINUTE_NS = 60_000_000_000
"""Of times in the rows."""


def tournament(
    of: rows.Tournament, rounds: Iterable[rows.Round], divisions: Sequence[rows.Division]
) -> results.Tournament:
    """Return the summary of a tournament, with the ``divisions`` of its championship."""
    mode, played = mode_of(of), sorted(rounds, key=lambda each: each.round)
    games = played if mode == results.TOURNAMENT_MODE_DUPLICATE else ()
    answer = like(
        results.Tournament,
        of,
        ruleset=Pin(of.ruleset, of.ruleset_digest, of.ruleset_options).message(),
        divisions=[like(pairing.Division, each) for each in divisions],
        halls=[like(pairing.Hall, each) for each in of.halls],
        announced=[like(results.AnnouncedRound, each) for each in of.announced],
        hall_cells=[like(results.HallCell, each) for each in of.hall_cells],
        halls_behind=[like(results.HallBehind, each) for each in of.halls_behind],
        kept_results=[
            results.KeptResult(table=kept.table, game_id=kept.game_id, scores=kept.scores)
            for kept in {each.game_id: each for each in of.kept}.values()
            if not of.broadcast_delay_minutes
        ],
        mode=mode,
        played=[like(results.Round, each) for each in played],
        state=_tournament_state(of, played),
        duplicate_games=[
            like(results.DuplicateRound, each, game_id=duplicate_id(of.tournament_id, each.round)) for each in games
        ],
    )
    if of.form_open:
        answer.entry_form.SetInParent()
        if of.form_opens_at is not None:
            answer.entry_form.opens_at.FromNanoseconds(of.form_opens_at)
        if of.form_closes_at is not None:
            answer.entry_form.closes_at.FromNanoseconds(of.form_closes_at)
    if of.lexicon:
        answer.lexicon.CopyFrom(Pin(of.lexicon, of.lexicon_digest).message())
    return answer


def _tournament_state(of: rows.Tournament, played: Sequence[rows.Round]) -> results.TournamentState.ValueType:
    if of.over:
        return results.TOURNAMENT_STATE_OVER
    return results.TOURNAMENT_STATE_PLAYING if played else results.TOURNAMENT_STATE_ANNOUNCED


def players(
    of: Championship, people: Mapping[str, Person], size: int = 0, token: str = ""
) -> results.ListPlayersResponse:
    """Return the players, highest rating first, and the teams in the order of registration.

    ``size`` and ``token`` select a page as in ``page.page``.
    """
    names = load_distinct_names(people.values())
    listed, following = page(by_rating(of.players.values()), size, token)
    return like(
        results.ListPlayersResponse,
        of.tournament,
        players=[player(each, people[each.player_id], names[each.player_id]) for each in listed],
        teams=teams(of),
        next_page_token=following,
        total=len(of.players),
    )


def player(of: rows.Player, person: Person, shown_name: str) -> results.Player:
    """Return a player of a tournament with the public details of ``person``."""
    return like(results.Player, of, **person.public, shown_name=shown_name)


def teams(of: Championship) -> list[results.Team]:
    """Return the teams in the order of registration."""
    return [
        like(results.Team, team, line_up=[results.TeamPlayer(player_id=player_id) for player_id in team.line_up])
        for team in of.teams_in_order()
    ]


def by_rating(listed: Iterable[rows.Player]) -> list[rows.Player]:
    """Sort players by rating, highest first."""
    return sorted(
        listed,
        key=lambda player: (
            -(player.rating if player.new_rating is None else player.new_rating),
            player.player_id,
        ),
    )


# --- rounds --------------------------------------------------------------------------------------------------------


def pairings(round_: rows.Round, registered: Mapping[str, rows.Team]) -> results.GetPairingsResponse:
    """Return the tables of a round with their current scores, and matches between teams without results."""
    answer = like(
        results.GetPairingsResponse,
        round_,
        tables=[table(game, round_.phase) for game in round_.games],
        requested_byes=[
            like(
                results.RequestedBye,
                bye,
                seat=results.Seat(player_id=bye.player_id, team_id=bye.team_id),
                kind=bye.worth,
            )
            for bye in round_.byes_of(ByeKind.REQUESTED)
        ],
        matches=[
            results.Match(
                match=match.match,
                first_team=results.TeamSide(team_id=match.first_team_id, name=registered[match.first_team_id].name),
                second_team=results.TeamSide(team_id=match.second_team_id, name=registered[match.second_team_id].name),
            )
            for match in round_.matches
        ],
        team_byes=[
            like(results.TeamBye, bye, name=registered[bye.team_id].name, kind=bye.worth)
            for bye in round_.byes_of(ByeKind.TEAM)
        ],
    )
    for bye in round_.byes_of(ByeKind.ALLOCATED):
        answer.bye.player_id = bye.player_id
    if round_.algorithm.startswith("berger"):
        _mark_gone_opponents(answer)
    return answer


def _mark_gone_opponents(answer: results.GetPairingsResponse) -> None:
    """Mark the byes in a round robin that stem from an absent opponent: all with points but that of the odd player."""
    for team in answer.team_byes:
        team.opponent_gone = team.kind == pairing.BYE_KIND_FULL_POINT
    gone = {"", *(team.team_id for team in answer.team_byes if team.opponent_gone)}
    for bye in answer.requested_byes:
        bye.opponent_gone = bye.kind == pairing.BYE_KIND_FULL_POINT and not bye.match and bye.seat.team_id in gone


def table(game: rows.Game, phase: int) -> results.Table:
    """Return a table of a round at ``phase``."""
    return like(
        results.Table,
        game,
        state=state_of(game, phase),
        seats=[like(results.Seat, seat) for seat in game.seats],
        spread_adjustments=[like(results.SpreadAdjustment, each) for each in game.spread_adjustments],
        score_sanctions=[like(results.ScoreSanction, each) for each in game.score_sanctions],
    )


def to_watched_table(of: rows.Game) -> results.WatchedTable:
    """Return a table as officials watch it."""
    answer = like(
        results.WatchedTable,
        of,
        seats=[results.Seat(player_id=seat.player_id, score=seat.score) for seat in of.seats],
    )
    if (sheet := of.sheet) is None:
        return answer
    kept = like(
        results.WatchedTable,
        sheet,
        open=True,
        final=of.final,
        clocks=[_side(seat) for seat in of.seats] if sheet.clocked else [],
        waits=[like(results.Wait, each) for each in sheet.waits],
    )
    answer.MergeFrom(kept)
    return answer


# --- standings -----------------------------------------------------------------------------------------------------


def standings(
    of: Championship, counted: Sequence[rows.Round], *, arithmetic: bool, only: str = ""
) -> list[results.Standing]:
    """Return the standings after the rounds ``counted``, as stored; rank them here for ``arithmetic`` or if missing.

    With ``only``, return only the line of that player, ranked among all, or an empty list if the player has none.
    Raises ``Refusal`` if standings have to be ranked here and the tournament's rules are unavailable.
    """
    if of.standings and not arithmetic:
        kept = [each for each in of.standings if only in {"", each.player_id}]
        values = decode_many_tuples([each.tie_breaks for each in kept])
        return [
            standing(each, of.players[each.player_id], tie_breaks)
            for each, tie_breaks in zip(kept, values, strict=True)
        ]
    lines = []
    for each in rank(of.tournament, of.players.values(), counted, only):
        line = standing(each.standing, of.players[each.standing.player_id], tie_breaks_of(each.row))
        if arithmetic:
            explain(line, each.row)
        lines.append(line)
    return lines


def standing(of: rows.Standing, player: rows.Player, tie_breaks: Iterable[Sequence[Any]]) -> results.Standing:
    """Return a player's line in the standings, with the fields of each of its ``rows.TieBreak``s."""
    return like(
        results.Standing,
        of,
        tie_breaks=[
            results.TieBreak(name=name, quarters=quarters, divisor=divisor) for name, quarters, divisor in tie_breaks
        ],
        team_id=player.team_id,
        category=player.category,
        rating=player.rating,
        unrated=player.unrated,
    )


# --- games ---------------------------------------------------------------------------------------------------------


def game(of: rows.Game) -> results.GetGameResponse:
    """Return a game as stored at its table, which is open."""
    sheet = of.sheet
    assert sheet is not None, f"the table of {of.game_id} was never opened"
    return like(
        results.GetGameResponse,
        sheet,
        tournament_id=of.tournament_id,
        round=of.round,
        table=of.table,
        seats=[results.Seat(player_id=seat.player_id, score=seat.table_score) for seat in of.seats],
        board=_tiles(board(of)),
        entries=[_entry(line) for line in of.lines],
        clocks=[_side(seat) for seat in of.seats] if sheet.clocked else [],
        ruleset=Pin(sheet.ruleset, sheet.ruleset_digest, sheet.ruleset_options).message(),
        lexicon=Pin(sheet.lexicon, sheet.lexicon_digest).optional_message(),
        laid=_tiles(sheet.laid),
        incidents=[like(results.Incident, each, count=each.number) for each in sheet.incidents],
        cell_hall=of.cell_hall,
    )


def game_by_itself(events: Iterable[Message]) -> results.GetGameResponse | None:
    """Return a game from only the events of its table and its clock; None before it is opened."""
    found = table_of(events)
    if found is None:
        return None
    answer = game(found)
    answer.state = results.GAME_STATE_FINAL if answer.final else results.GAME_STATE_PLAYING
    return answer


def build_unopened_game(of: rows.Game, above: rows.Tournament) -> results.GetGameResponse:
    """Return a game whose table is not open: not yet, or never if the result was entered without it."""
    return results.GetGameResponse(
        game_id=of.game_id,
        tournament_id=of.tournament_id,
        round=of.round,
        table=of.table,
        seats=[results.Seat(player_id=seat.player_id, team_id=seat.team_id) for seat in of.seats],
        ruleset=Pin(above.ruleset, above.ruleset_digest, above.ruleset_options).message(),
        lexicon=Pin(above.lexicon, above.lexicon_digest).optional_message(),
    )


def state_of(of: rows.Game, phase: int) -> results.GameState.ValueType:
    """Return the state of a game in a round of this ``phase``."""
    if of.final:
        return results.GAME_STATE_FINAL
    if of.postponed_to is not None:
        return results.GAME_STATE_POSTPONED
    return results.GAME_STATE_PAIRED if phase == results.ROUND_PHASE_PAIRED else results.GAME_STATE_PLAYING


def add_tournament_fields(
    answer: results.GetGameResponse, of: rows.Game, above: rows.Tournament, phase: int
) -> results.GetGameResponse:
    """Add to ``answer`` the tournament's name and result; ``phase`` is that of the round."""
    answer.state = state_of(of, phase)
    answer.tournament_name, answer.division = above.name, above.division
    answer.entered_by, answer.unplayed = of.entered_by, of.unplayed
    answer.corrected, answer.corrected_by = of.corrected, of.corrected_by
    # Without a clock no player was waited for: the absent player had already lost (PES ΣΤ).
    by_book = of.unplayed and not answer.clocks
    if (of.entered_by or by_book) and of.final and not turns_taken(of):
        _take_over(answer, of)
    elif of.corrected or of.score_sanctions or _differs_from_table(of):
        answer.counted.extend(like(results.Seat, seat) for seat in of.seats)
    answer.score_sanctions.extend(like(results.ScoreSanction, each) for each in of.score_sanctions)
    return answer


def _differs_from_table(of: rows.Game) -> bool:
    """Check whether an official entered a result with other scores than those of the table, which was not closed.

    So it stays in a hall cell that lost the table: the events that close it are in the championship.
    """
    return bool(of.entered_by) and of.final and any(seat.score != seat.table_score for seat in of.seats)


def delay_clocks(answer: results.GetGameResponse, minutes: int) -> None:
    """Add the delay of a broadcast to the times since which clocks run.

    A caller who gets events late counts from them: a clock that counted from the real time would be short by the delay.
    """
    for side in answer.clocks:
        if side.HasField("running_since"):
            side.running_since.FromNanoseconds(side.running_since.ToNanoseconds() + minutes * MINUTE_NS)


_SHOWN_WHILE_PLAYED: Collection[str] = (
    "board",
    "entries",
    "laid",
    "bag_left",
    "turn_player_id",
    "clocks",
    "neutralised_for",
    "round_time_over",
    "last_turn",
)


def _take_over(answer: results.GetGameResponse, of: rows.Game) -> None:
    """Copy the tournament's result to a game that was not recorded at its table."""
    scores = {seat.player_id: seat.score for seat in of.seats}
    for seat in answer.seats:
        seat.score = scores[seat.player_id]
    answer.final, answer.winner_id, answer.lost_by_all = True, of.winner_id, of.lost_by_all
    answer.end_condition = game_events.EndCondition.ValueType(of.condition)
    answer.loser_ids[:] = of.loser_ids
    for field in _SHOWN_WHILE_PLAYED:
        answer.ClearField(field)  # type: ignore[arg-type] # all are fields of the message


def _side(seat: rows.Seat) -> results.ClockSide:
    return like(results.ClockSide, seat, running=seat.running_since is not None)


def _entry(line: rows.Line) -> results.Entry:
    return like(
        results.Entry,
        line,
        placements=_tiles(decode_tuples(rows.Placement, line.placements)),
        words=[
            like(game_events.ScoredWord, word, word=game_events.Word(faces=word.faces))
            for word in decode_tuples(rows.ScoredWord, line.words)
        ],
        written=[like(results.WrittenScore, each) for each in line.written],
        ruled_words=[
            like(game_events.RuledWord, word, word=game_events.Word(faces=word.faces)) for word in line.ruled_words
        ],
    )


def _tiles(placements: Iterable[rows.Placement]) -> list[game_events.Placement]:
    return [like(game_events.Placement, tile) for tile in placements]
