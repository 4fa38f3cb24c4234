"""The answers of the duplicate service. Slips, tops and scores of a turn are hidden until it is scored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from google.protobuf.message import Message

from faristol.duplicate_game.decide.hall_turns import find_callable_turn, find_startable_turn
from faristol.duplicate_game.decide.masters import find_finished_turn, sealed_master
from faristol.duplicate_game.draws import END_REASONS
from faristol.duplicate_game.game import Timer, Turn, rejected_rack, written_play
from faristol.duplicate_game.hall import Claim, Hall, HallTurn, IsSame, SlipEntry, written_slip
from faristol.duplicate_game.preparation import Prepared
from faristol.duplicate_game.sealed import document_of
from faristol.duplicate_game.situation import Situation, StreamEvent, same_play_in
from faristol.duplicate_game.standings import scores_of_groups
from faristol.duplicate_game.standings import totals as summed
from faristol.kernel.errors import NotFound
from faristol.kernel.likeness import like
from faristol.kernel.pins import Pin
from faristol.kernel.times import NANOSECONDS_PER_MS, timestamp
from faristol.pb.game.v1 import duplicate_events_pb2 as events
from faristol.pb.game.v1 import duplicate_pb2 as pb
from faristol.rules import Ruleset
from faristol.rules.board import ROW_NAMES
from faristol.rules.duplicate_game.call_names import load_call_names, with_names
from faristol.rules.duplicate_game.finish import unofficial
from faristol.rules.duplicate_game.ranking import RankingLine, rank
from faristol.rules.tiles import BLANK

M = TypeVar("M", bound=Message)


def answer(response: type[M], position: int, situation: Situation, new_events: Sequence[StreamEvent]) -> M:
    """Build the answer to a command from its events."""
    answered: Any = response()
    answered.position = position
    after = situation.after(new_events)
    for _, event in new_events:
        match event:
            case events.RackCalled():
                answered.turn, answered.leftover = event.turn, event.leftover
                answered.faces.extend(event.faces)
            case events.DuplicateEnded() if response is pb.CallRackResponse:
                answered.end = event.end
            case events.DuplicateEnded():
                answered.turns = event.turns
            case events.SlipsTaken():
                answered.taken = len(event.slips)
                answered.waits = _wait(after, new_events, event)
            case events.SlipCorrected():
                answered.score.CopyFrom(event.score)
                if response is pb.AmendSlipResponse:
                    answered.points_before = event.points_before
            case events.MasterPlayChosen() if response is pb.ChooseMasterResponse:
                answered.play.CopyFrom(event.play)
                answered.top = event.top
            case events.TurnScored():
                answered.scored += len(event.scores)
            case events.HallRackCalled():
                answered.turn = event.turn
                answered.faces.extend(event.faces)
            case events.HallTurnStarted():
                ends_at = event.occurred_at.ToNanoseconds() + event.milliseconds * NANOSECONDS_PER_MS
                answered.ends_at.CopyFrom(timestamp(ends_at))
            case events.ClaimRaised():
                answered.claim_id = event.claim_id
            case events.ClaimDecided():
                answered.accepted = event.accepted
    if isinstance(answered, pb.ScoreTurnResponse):
        _add_master_play(answered, after, new_events)
    return answered  # type: ignore[no-any-return] # as ``response`` says


def _add_master_play(answered: pb.ScoreTurnResponse, after: Situation, new_events: Sequence[StreamEvent]) -> None:
    number = next(event.turn for _, event in new_events if isinstance(event, events.TurnScored | events.TurnCompleted))
    turn = after.turn(number)
    if turn.master is not None:
        answered.master.CopyFrom(written_play(turn.master))
        answered.top = turn.top
    answered.open_halls.extend(
        hall.number for hall in after.halls.values() if hall.seats and not hall.turn(number).scores
    )


def _wait(after: Situation, new_events: Sequence[StreamEvent], taken: events.SlipsTaken) -> bool:
    """Check whether an arbiter must rule on one of the received slips."""
    ((number, _), *_) = new_events
    hall, turn = after.halls[number], after.turn(taken.turn)
    return any(after.counting(hall, turn, slip.player_id).waits is not None for slip in taken.slips)


def build_duplicate_response(situation: Situation) -> pb.GetDuplicateResponse:
    """Build the public state of a game."""
    game, ruleset = situation.game, situation.ruleset
    answered = pb.GetDuplicateResponse(
        game_id=game.game_id,
        tournament_id=game.tournament_id,
        round=game.round,
        ruleset=game.ruleset.message(),
        commitment=game.commitment,
        seed=game.seed if game.end else b"",
        halls=game.halls,
        turns=[_turn(turn) for turn in game.turns],
        bag_left=len(game.bag(ruleset.game.tile_set)),
        end=game.end,
        validated=game.validated,
        unofficial=unofficial(game.players, END_REASONS.get(game.end), ruleset),
        now=timestamp(situation.at),
    )
    _add_preparation(answered, situation)
    if (table := _call_table(situation)) is not None:
        answered.call_table.CopyFrom(table)
    for square, tile in game.board.items():
        answered.board.add(row=square.row, column=square.col, face=tile.face, blank=tile.blank)
    return answered


def build_embargoed_response(situation: Situation) -> pb.GetDuplicateResponse:
    """Build the public state of a game under embargo, without its turns."""
    game = situation.game
    assert game.embargo is not None
    return pb.GetDuplicateResponse(
        game_id=game.game_id,
        tournament_id=game.tournament_id,
        round=game.round,
        ruleset=game.ruleset.message(),
        commitment=game.commitment,
        halls=game.halls,
        now=timestamp(situation.at),
        embargoed_with=game.embargo.game_ids,
        together=game.embargo.together,
        embargoed=True,
    )


def _add_preparation(answered: pb.GetDuplicateResponse, situation: Situation) -> None:
    """Add the sealed game and the embargo, if there are any."""
    game = situation.game
    if game.embargo is not None:
        answered.embargoed_with.extend(game.embargo.game_ids)
        answered.together = game.embargo.together
    if game.seal is None:
        return
    answered.seal.CopyFrom(
        pb.ShownSeal(
            digest=game.seal.envelope.digest,
            commitment=game.seal.commitment,
            rerun_of=game.seal.rerun_of,
            void_from_turn=game.seal.void_from,
            cause=game.seal.cause,
        )
    )
    if game.end and situation.sealed is not None:
        answered.seal.content = document_of(situation.sealed.game)


def bundle(situation: Situation, name: str, key: bytes) -> pb.GetBundleResponse:
    """Build the data with which a hall can continue a game offline after it has begun."""
    game, hall = situation.game, situation.hall(name)
    answered = _bundle(game.game_id, (game.ruleset, game.lexicon), situation.ruleset)
    answered.hall.CopyFrom(_hall(hall))
    answered.key = key
    for player, number in sorted(hall.seats.items(), key=lambda seat: seat[1]):
        answered.seats.add(player_id=player, number=number)
    if game.seal is not None:
        answered.seal.CopyFrom(
            events.Seal(envelope=game.seal.envelope, commitment=game.seal.commitment, rerun_of=game.seal.rerun_of)
        )
    return answered


def early_bundle(game_id: str, prepared: Prepared, ruleset: Ruleset) -> pb.GetBundleResponse:
    """Build the bundle before the game has begun: the sealed game without its key."""
    answered = _bundle(game_id, (prepared.ruleset, prepared.lexicon), ruleset)
    assert prepared.seal is not None
    answered.seal.CopyFrom(prepared.seal)
    return answered


def _bundle(game_id: str, pins: tuple[Pin, Pin], ruleset: Ruleset) -> pb.GetBundleResponse:
    turns = ruleset.turns
    rules, lexicon = pins
    warnings = sorted(filter(None, (turns.may_warn_seconds, turns.must_warn_seconds)), reverse=True)
    return pb.GetBundleResponse(
        game_id=game_id,
        ruleset=rules.message(),
        lexicon=lexicon.message(),
        seconds=turns.seconds,
        warnings=warnings,
        tile_set=ruleset.game.tile_set,
    )


def _call_table(situation: Situation) -> pb.CallTable | None:
    """Return the names for calling tiles, or None if the language of the tiles has none."""
    game, tile_set = situation.game, situation.ruleset.tile_set
    try:
        table = with_names(load_call_names(tile_set.language), game.call_names, tile_set, game.call_numbers)
    except LookupError:
        return None
    faces = (*dict.fromkeys((*tile_set.faces, *ROW_NAMES)), BLANK)
    names = [events.CallName(face=face, name=table.tile(face)) for face in faces]
    return pb.CallTable(names=names, numbers=table.numbers)


def _turn(turn: Turn) -> pb.DuplicateTurn:
    shown = pb.DuplicateTurn(
        turn=turn.number,
        faces=turn.rack,
        leftover=turn.leftover,
        rejected=turn.rejected,
        draw=turn.draw,
        by_hand=turn.by_hand,
        sealed=turn.sealed,
        rejected_racks=map(rejected_rack, turn.went_back),
    )
    if turn.timer is not None:
        shown.started_at.CopyFrom(timestamp(turn.timer.first_at))
        if turn.timer.ends_at is None:
            shown.stopped_with = turn.timer.left_ms
        else:
            shown.ends_at.CopyFrom(timestamp(turn.timer.ends_at))
    shown.scored = turn.completed
    if turn.completed and turn.master is not None:
        shown.top = turn.top
        shown.master.CopyFrom(written_play(turn.master))
    return shown


def _hall(hall: Hall) -> events.DuplicateHall:
    return events.DuplicateHall(number=hall.number, name=hall.name, players=len(hall.seats))


def tops(situation: Situation, number: int) -> pb.ListTopsResponse:
    """Build the list of a finished turn's tops, the proposed one first: that of a valid sealed game."""
    turn = find_finished_turn(situation, number)
    found = list(situation.words.tops(turn.board, turn.rack))
    sealed = sealed_master(situation, turn)
    if sealed is not None:
        found = [sealed, *(play for play in found if not play.lays_as(sealed))]
    chosen = written_play(turn.master) if turn.master is not None else None
    return pb.ListTopsResponse(plays=map(written_play, found), chosen=chosen)


Notes = Mapping[int, str]
"""Notes on events of a hall, by their stream version."""


def waiting(situation: Situation, number: int, notes: Mapping[int, Notes]) -> pb.ListWaitingResponse:
    """Build the list of a judge's open decisions. ``notes`` are by hall number."""
    answered = pb.ListWaitingResponse()
    for hall in situation.halls.values():
        turn, of_turn = hall.apply_own_time(situation.turn(number)), hall.turn(number)
        for claim in hall.claims.values():
            if not claim.decided:
                words = notes.get(hall.number, {}).get(claim.raised_by, "")
                _add_claim(answered, situation, hall, claim, words)
        if turn.timer is None or of_turn.scores or not hall.seats:
            continue
        if not of_turn.is_closed(turn.timer):
            answered.open_halls.append(_hall(hall))
        for player in hall.seats:
            counting = situation.counting(hall, turn, player)
            if counting.waits is not None:
                slips = [entry.slip for entry in counting.entries]
                arrived = map(_to_arrived_slip, counting.entries)
                answered.slips.add(hall=_hall(hall), slips=slips, why=counting.waits, arrived=arrived)
            elif counting.written.handed == events.HANDED_NOT_AT_ALL:
                answered.without_slip.append(player)
    return answered


def _add_claim(answered: pb.ListWaitingResponse, situation: Situation, hall: Hall, claim: Claim, words: str) -> None:
    of_turn, turn = hall.turn(claim.turn), hall.apply_own_time(situation.turn(claim.turn))
    assert turn.timer is not None
    answered.claims.add(
        hall=_hall(hall),
        claim_id=claim.claim_id,
        turn=claim.turn,
        slip=situation.counting(hall, turn, claim.about).written,
        score=of_turn.scores[claim.about],
        words=words,
        player_id=claim.player_id,
        raised_at=timestamp(claim.raised_at),
        arrived=map(_to_arrived_slip, of_turn.of_attempt(claim.about, turn.timer)),
    )


def _to_arrived_slip(entry: SlipEntry) -> pb.ArrivedSlip:
    return like(pb.ArrivedSlip, entry, slip=entry.slip)


def handed_in(situation: Situation, name: str, number: int, collector: str = "") -> pb.ListSlipsResponse:
    """Build the list of a hall's slips of a turn. If ``number`` is 0, it is the last turn whose time has begun.

    The texts of others are withheld from ``collector`` until the slip is agreed, ruled on or scored; from an empty one
    no text is withheld.
    """
    hall = situation.hall(name)
    begun = [turn for turn in map(hall.apply_own_time, situation.game.turns) if turn.timer is not None]
    answered = pb.ListSlipsResponse(
        hall=_hall(hall),
        unscored_turns=[turn.number for turn in begun if not hall.turn(turn.number).scores],
        cell_hall=hall.owner_hall,
    )
    turn = hall.apply_own_time(situation.turn(number)) if number else (begun[-1] if begun else None)
    if turn is not None and turn.timer is not None:
        of_turn = hall.turn(turn.number)
        answered.turn, answered.closed = turn.number, of_turn.is_closed(turn.timer)
        answered.scored = bool(of_turn.scores)
    answered.callable_turn = find_callable_turn(situation, hall)
    answered.startable_turn = find_startable_turn(situation, hall)
    for player, seat in sorted(hall.seats.items(), key=lambda each: each[1]):
        line = answered.players.add(player_id=player, number=seat)
        if turn is not None and turn.timer is not None:
            _add_handed_in(line, hall.turn(turn.number), turn.timer, collector, same_play_in(turn, situation.ruleset))
    return answered


def _add_handed_in(line: pb.HandedIn, of_turn: HallTurn, timer: Timer, collector: str, is_same: IsSame) -> None:
    entries = of_turn.of_attempt(line.player_id, timer)
    typed = {each.collector_id: each.slip for each in entries if each.source == events.SLIP_SOURCE_PAPER}
    line.on_phone = any(each.source == events.SLIP_SOURCE_PHONE for each in entries)
    line.ruled = of_turn.ruling(line.player_id, timer) is not None
    own, is_open = typed.get(collector), not collector or line.ruled or bool(of_turn.scores)
    for typist, slip in typed.items():
        is_agreed = own is not None and is_same(written_slip(own), written_slip(slip))
        if is_open or is_agreed or typist == collector:
            line.typed.add(slip=slip, collector_id=typist)
        else:
            line.typed.add(slip=events.Slip(player_id=slip.player_id), collector_id=typist, withheld=True)


def sheet(situation: Situation, name: str, player_id: str = "", *, hidden: bool = False) -> pb.GetHallSheetResponse:
    """Build the sheet of a hall's scored turns for all players, or for one player of any hall.

    ``hidden`` leaves out the turns, under embargo or if only seat numbers are requested. Raises ``NotFound`` for an
    unknown hall, and if the player is in no hall.
    """
    if not player_id and situation.game.hall_named(name) is None:
        raise NotFound("hall", name)
    hall = _hall_of(situation, player_id) if player_id else situation.hall(name)
    answered = pb.GetHallSheetResponse(hall=_hall(hall), cell_hall=hall.owner_hall)
    scored = [turn for turn in situation.game.turns if turn.completed and hall.turn(turn.number).scores]
    if hidden:
        scored = []
    for player, number in sorted(hall.seats.items(), key=lambda seat: seat[1]):
        if player_id not in ("", player):
            continue
        line = answered.players.add(player_id=player, number=number)
        for turn in scored:
            line.turns.append(turn.number)
            line.scores.append(hall.turn(turn.number).scores[player])
            line.slips.append(situation.counting(hall, turn, player).written)
    return answered


def own_sheet(
    situation: Situation, name: str, player_id: str, number: int, notes: Notes, *, with_saved: bool
) -> pb.GetOwnSheetResponse:
    """Build a player's own page: the slips saved for a turn and the claims, without any score.

    If ``number`` is 0, it is the last turn whose time has begun. Raises ``NotFound`` if the player is not in the hall.
    """
    hall = situation.hall(name)
    if player_id not in hall.seats:
        raise NotFound("player", player_id)
    answered = pb.GetOwnSheetResponse(hall=_hall(hall), number=hall.seats[player_id], now=timestamp(situation.at))
    begun = [turn for turn in map(hall.apply_own_time, situation.game.turns) if turn.timer is not None]
    turn = hall.apply_own_time(situation.turn(number)) if number else (begun[-1] if begun else None)
    if turn is not None and turn.timer is not None:
        answered.turn = turn.number
        of_turn = hall.turn(turn.number)
        own = [entry for entry in of_turn.of_attempt(player_id, turn.timer) if entry.is_own and with_saved]
        answered.saved.extend(map(_to_arrived_slip, sorted(own, key=lambda entry: entry.written_at)))
        if not of_turn.scores:
            answered.waits = situation.counting(hall, turn, player_id).waits is not None
    for claim in hall.claims.values():
        if claim.player_id == player_id:
            answered.claims.append(_own_claim(claim, notes))
    return answered


def _own_claim(claim: Claim, notes: Notes) -> pb.OwnClaim:
    words = notes.get(claim.raised_by, "")
    shown = pb.OwnClaim(claim_id=claim.claim_id, turn=claim.turn, words=words, raised_at=timestamp(claim.raised_at))
    if claim.about != claim.player_id:
        shown.about_player_id = claim.about
    if claim.decided:
        shown.decided, shown.accepted, shown.reason = True, claim.accepted, notes.get(claim.decided_by, "")
        shown.decided_at.CopyFrom(timestamp(claim.decided_at))
    return shown


def _hall_of(situation: Situation, player_id: str) -> Hall:
    for hall in situation.halls.values():
        if player_id in hall.seats:
            return hall
    raise NotFound("player", player_id)


def standings(groups: Sequence[Situation]) -> pb.GetDuplicateStandingsResponse:
    """Build the standings of a game, or of several groups in one classification. Lines of groups name their game."""
    situation, *others = groups
    found = scores_of_groups([(each.game, list(each.halls.values())) for each in groups])
    lines = rank(found.games, list(found.players), situation.ruleset)
    turns = [turn for game in found.games for turn in game.turns]
    answered = pb.GetDuplicateStandingsResponse(
        turns=len(turns),
        masters=sum(turn.master for turn in turns),
        validated=all(each.game.validated for each in groups),
        without_halls=_list_missing_halls(groups),
    )
    for line in lines:
        game_id, player_id = found.players[line.player]
        answered.lines.append(_line(line, player_id, game_id if others else ""))
    return answered


def _list_missing_halls(situations: Sequence[Situation]) -> list[str]:
    """Return the names of halls with players and without the scores of a scored turn, each once."""
    missing: dict[str, None] = {}
    for situation in situations:
        completed = [turn.number for turn in situation.game.turns if turn.completed]
        for hall in situation.game.halls:
            of_hall = situation.halls[hall.number]
            if hall.name and hall.players and not all(of_hall.turn(number).scores for number in completed):
                missing[hall.name] = None
    return list(missing)


def _line(line: RankingLine, player_id: str, game_id: str = "") -> pb.DuplicateLine:
    """Build a line of the standings, with the game of its group if there are several."""
    percent = round(line.percent * 100)
    return like(pb.DuplicateLine, line, player_id=player_id, percent_hundredths=percent, game_id=game_id)


def totals(situations: Sequence[Situation]) -> pb.GetDuplicateTotalsResponse:
    """Build the totals of a tournament's games, by the rules of the last one."""
    if not situations:
        return pb.GetDuplicateTotalsResponse()
    games = [(situation.game, list(situation.halls.values())) for situation in situations]
    lines, shares = summed(games, situations[-1].ruleset)
    answered = pb.GetDuplicateTotalsResponse(without_halls=_list_missing_halls(situations))
    for game, _ in games:
        scored = [turn.master.score for turn in game.turns if turn.completed and turn.master is not None]
        answered.games.add(
            game_id=game.game_id,
            round=game.round,
            turns=len(scored),
            masters=sum(scored),
            end=game.end,
            validated=game.validated,
        )
    for line in lines:
        of_games = [pb.GameShare(total=share.get(line.player, 0), plays=line.player in share) for share in shares]
        answered.lines.add(line=_line(line, line.player), games=of_games)
    return answered
