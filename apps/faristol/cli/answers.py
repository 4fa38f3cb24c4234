"""Answers to a director: sentences with names in the language of the terminal, or JSON with ids."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC
from inspect import signature
from typing import Any
from zoneinfo import ZoneInfo

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.cli.access import access
from faristol.cli.commands import format_command
from faristol.cli.duplicate_game import play
from faristol.cli.duplicate_game.play import format_play
from faristol.cli.hall import cells
from faristol.cli.judge import case_file
from faristol.cli.judge.case_file import NO_LAYERS
from faristol.cli.players import entries, requests
from faristol.cli.season import rating_lists, register, seasons
from faristol.cli.tournament import ratings, stages, webhooks
from faristol.kernel.divisions import format_title
from faristol.kernel.event_types import find_handlers
from faristol.kernel.pairings import seats_of
from faristol.kernel.refusal import N_
from faristol.kernel.spellings import labels_of, name_of, sentences_of
from faristol.pb.game.v1 import duplicate_events_pb2 as duplicate
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.presentation import labels
from faristol.presentation.catalogue import CATALOGUE
from faristol.presentation.history import game_params, round_time
from faristol.presentation.names import withdrew_before_start
from faristol.presentation.sentences import (
    DESCRIBED_WITH_NAMES,
    GAME_LOST,
    NO_HALLS,
    NO_PRIZES,
    NO_TIMES,
    POINTS_OFF,
    RATED_BY,
    RATING_SYSTEMS,
    ROUNDS_OUT,
    select_sentence,
)
from faristol.presentation.tournament_commands import PROPOSED
from faristol.presentation.unplayed_results import by_forfeit, has_points, outcome
from faristol.table_terminal.shared.common import as_json, format_number, localize
from faristol.table_terminal.shared.names import TournamentNames
from faristol.text import translations, with_article
from faristol.text.terminal import language_of_terminal

Params = Mapping[str, str | int]
Paired = pairing.PairRoundResponse | pairing.ProposedRound

MADE_DISPUTED = N_(
    "The result is disputed: another one was entered before. An arbiter decides, and until then that one counts."
)
ROUND_PAIRED = N_("Round {round} is paired: {games}.")
ROUND_DRAFTED = N_("Round {round} is paired as a draft: {games}. Publish it with `round publish`.")
DRAFTED_BYE = N_("Round {round} is paired as a draft: {games}, bye: {bye}. Publish it with `round publish`.")
NO_DRAFT = N_("No round is paired as a draft.")
DRAFT = N_("Draft of round {round}: {games}.")
DRAFT_BYE = N_("Draft of round {round}: {games}, bye: {bye}.")
PREVIEW = N_("Round {round} would be paired so: {games}.")
PREVIEW_BYE = N_("Round {round} would be paired so: {games}, bye: {bye}.")
PUBLISHED_AT = N_("It is published at {publish_at}.")
CHANGED_BY_HAND = N_("It was changed by hand.")
PAIRED_BYE = N_("Round {round} is paired: {games}, bye: {bye}.")
MATCH = N_("Match {match}: {players}")
PAIRABLE = N_("Round {round} can be paired.")
UNPAIRABLE = N_("Round {round} cannot be paired:")
NO_ROUND_LEFT = N_("All rounds are paired.")

TOURNAMENT = (
    N_("Rules: {ruleset}. Words: {lexicon}. Time zone: {time_zone}."),
    N_("Rounds: {rounds}. Paired so far: {played}."),
)
OVER = N_("The final standings are published.")
REGISTERED_PLAYERS = N_("Players: {players}.")
CHECKED_IN = N_("Players: {players}, checked in: {checked_in}.")
WITHDRAWN_PLAYERS = N_("Withdrawn: {players}.")
REGISTERED_TEAMS = N_("Teams: {teams}.")
HALLS = N_("Halls: {halls}.")
OWN_TABLE = N_("{who} sits at table {table}.")
BYE_TO_COME = N_("{who} sits out round {round}: {kind}.")
OPPONENT_GONE = N_("{who} has no game in round {round} because the opponent is absent: {kind}.")
DIVISIONS = N_("Divisions: {divisions}.")
TRIBUNAL = N_("Tribunal of appeals: {members}.")
APPEAL = N_("Appeal {appeal} of {player}, against command {version}: {phase}. Members of the tribunal: {members}.")


def format_answer(method: str, request: Message, answer: Message, known: TournamentNames | None) -> Iterator[str]:
    """Yield the lines of an answer."""
    if method in _METHOD_FORMATTERS:
        formatter = _METHOD_FORMATTERS[method]
        given = {"request": request, "answer": answer, "known": known, "language": language_of_terminal()}
        yield from formatter(**{name: given[name] for name in signature(formatter).parameters})
        return
    of = CATALOGUE[method]
    params = _params(method, request, answer, known)
    if getattr(answer, "proposal", 0) and method != "AnswerProposal":
        yield localize(PROPOSED, **params)
        return
    texts = [select_sentence(of.said, params)]
    if isinstance(request, pairing.SanctionPlayerRequest):
        params = {**params, "points_off": params["points"], "rounds_out": params["rounds"]}
        loses = request.game_id and not (request.points or request.rounds)
        texts += [
            POINTS_OFF if request.points else "",
            ROUNDS_OUT if request.rounds else "",
            GAME_LOST if loses else "",
        ]
    if isinstance(answer, pairing.ReportResultResponse) and answer.effect == pairing.REPORT_EFFECT_DISPUTED:
        texts.append(MADE_DISPUTED)
    texts += [text for field, text in of.further.items() if _is_told(field, request, answer, params)]
    yield " ".join(localize(text, **params) for text in filter(None, texts))


def answer_to_json(method: str, request: Message, answer: Message, known: TournamentNames | None) -> dict[str, Any]:
    """Return an answer as JSON: with the main fields of its request, and a name beside each id."""
    given, echoed = as_json(request), CATALOGUE[method].echoed
    about = {
        field.name: name_of(field.enum_type, value) if field.enum_type else given[field.name]
        for field, value in request.ListFields()
        if field.name in echoed
        or (field.name.endswith(("_id", "round")) and field.name != "command_id" and not field.is_repeated)
    }
    content = {**about, **as_json(answer)}
    return dict(_with_names(content, known)) if known else content


def _with_names(content: Mapping[str, Any], known: TournamentNames) -> Iterator[tuple[str, Any]]:
    """Yield the members of an answer, with names after ids: ``player_name`` after ``player_id``, also in lists."""
    for key, value in content.items():
        if isinstance(value, list):
            value = [dict(_with_names(part, known)) if isinstance(part, Mapping) else part for part in value]
        elif isinstance(value, Mapping):
            value = dict(_with_names(value, known))
        yield key, value
        if not key.endswith(("player_id", "team_id", "player_ids", "team_ids", "loser_ids", "winner_id")):
            continue
        beside = f"{key.removesuffix('s').removesuffix('_id')}_name"
        if isinstance(value, list):
            yield f"{beside}s", [known.name(who) for who in value]
        elif beside not in content and "name" not in content:
            yield beside, known.name(value) if value else ""


def _value(field: str, request: Message, answer: Message) -> Any:
    """Return the value of a field from the answer if set, else from the command; None for an absent message."""
    found: Any = None
    for message in (request, answer):
        known = message.DESCRIPTOR.fields_by_name.get(field)
        if known is None or (known.message_type and not known.is_repeated and not message.HasField(field)):
            continue
        value = getattr(message, field)
        found = value if value or found is None else found
    return found


def _is_told(field: str, request: Message, answer: Message, params: Params) -> bool:
    """Check whether a further sentence is said: its field is set, or with ``not`` before it, is not."""
    name = field.removeprefix("not ")
    value = params["parts"] if name == "parts" else _value(name, request, answer)
    return bool(value) is (name == field)


def _params(method: str, request: Message, answer: Message, known: TournamentNames | None) -> Params:
    """Return the parameters for a sentence: the fields of command and answer, with names for ids."""
    of: Any = request
    name = format_title(known.tournament) if known else getattr(of, "tournament_id", "")
    params: dict[str, str | int] = {"tournament": name}
    for field in (*request.DESCRIPTOR.fields, *answer.DESCRIPTOR.fields):
        params.setdefault(field.name, "")
        value = _value(field.name, request, answer)
        params[field.name] = _format_value(field, value, known)
        for part in value.DESCRIPTOR.fields if isinstance(value, Message) else ():
            if not part.message_type:
                params.setdefault(part.name, _format_value(part, getattr(value, part.name), known))
    if getattr(request, "unplayed", isinstance(request, pairing.GiveForfeitRequest)):
        scores = _value("scores", request, answer) or ()
        if not has_points((entry.score for entry in scores), unplayed=True):
            params["scores"] = " – ".join(known.name(each.player_id) if known else each.player_id for each in scores)
    if isinstance(request, pairing.DescribeTournamentRequest):
        given = [localize(text) for field, text in DESCRIBED_WITH_NAMES.items() if of.HasField(field)]
        params["parts"] = ", ".join(filter(None, (str(params["parts"]), *given)))
    who = [str(params.get(name, "")) for name in ("player_id", "team_id", "player_ids", "team_ids")]
    params["who"] = " – ".join(filter(None, who)).replace(", ", " – ")
    new = CATALOGUE[method].new
    params["id"] = str(_value(new, request, answer) or "") if new else ""
    params["fictitious"] = format_number((_value("fictitious_half_points", request, answer) or 0) / 2)
    game_id = str(_value("game_id", request, answer) or "")
    if known is None:
        return params | {"game": game_id, "at_table": game_id, "outcome": ""}
    decided = _outcome(game_id, request, known)
    return params | game_params(game_id, known, language_of_terminal()) | {"outcome": decided}


def _outcome(game_id: str, request: Message, known: TournamentNames) -> str:
    """Describe how a command decides a game without its scores, after a comma; empty for other commands."""
    seated = known.at_table(game_id)
    corrections = pairing.CorrectResultRequest | pairing.CorrectOwnResultRequest
    entries = pairing.EnterResultRequest | pairing.EnterSignedSheetRequest
    if seated is None or not isinstance(request, pairing.GiveForfeitRequest | entries | corrections):
        return ""
    players = seats_of(seated[1])
    winner, unplayed, lost_by_all = "", False, False
    left: Sequence[str] = ()
    if isinstance(request, pairing.GiveForfeitRequest):
        came = [player for player in players if player not in request.loser_ids]
        winner, unplayed = came[0] if len(came) == 1 else "", True
    elif isinstance(request, corrections):
        unplayed, lost_by_all = request.unplayed, request.lost_by_all
        winner = request.winner_id if unplayed else ""
    else:
        left = request.abandoned_by
    decided = outcome(
        [known.name(player) for player in players],
        language_of_terminal(),
        winner=known.name(winner) if winner else "",
        unplayed=unplayed,
        left=[known.name(player) for player in left],
        lost_by_all=lost_by_all,
    )
    if isinstance(request, corrections) and unplayed:
        decided = by_forfeit(decided, language_of_terminal())
    return f", {decided}" if decided else ""


def _format_value(field: Any, value: Any, known: TournamentNames | None) -> str | int:
    """Format the value of a field for people."""
    if field.is_repeated:
        shown = [str(_one_shown(field, entry, known)) for entry in value or ()]
        if not shown:
            empty = {"halls": NO_HALLS, "times": NO_TIMES, "prizes": NO_PRIZES, "layers": NO_LAYERS}.get(field.name)
            return localize(empty) if empty else ""
        return (" – " if field.name == "scores" else ", ").join(shown)
    return _one_shown(field, value, known)


def _one_shown(field: Any, value: Any, known: TournamentNames | None) -> str | int:
    if isinstance(value, Timestamp):
        zone = ZoneInfo((known.tournament.time_zone if known else "") or "UTC")
        return value.ToDatetime(ZoneInfo("UTC")).astimezone(zone).strftime("%Y-%m-%d %H:%M")
    if isinstance(value, game.FinalScore):
        return f"{known.name(value.player_id) if known else value.player_id} {value.score}"
    if isinstance(value, game.Pin):
        return value.name
    if isinstance(value, duplicate.DuplicatePlay):
        return format_play(value)
    if isinstance(value, events.Hall):
        return f"{value.name} {value.first_table}–{value.last_table}"
    if isinstance(value, events.RoundTime):
        zone_name = known.tournament.time_zone if known else ""
        return round_time(value.round, value.starts_at.ToDatetime(UTC), zone_name, language_of_terminal())
    if isinstance(value, pairing.Appointment | events.TribunalMember):
        return _member(value, known)
    if field.enum_type is not None:
        if texts := labels_of(field.enum_type):
            return localize(texts[value]) if value in texts else ""
        return name_of(field.enum_type, value)
    if field.name == "undone_by":
        return format_command(value)
    if field.name.endswith(("_id", "_ids", "abandoned_by", "decided_by")) and known:
        return known.name(value) if isinstance(value, str) else ""
    if isinstance(value, bytes):
        return value.hex()
    return value if isinstance(value, int | str) else ""


def _member(member: pairing.Appointment | events.TribunalMember, known: TournamentNames | None) -> str:
    given = member.name if isinstance(member, pairing.Appointment) else ""
    name = given or (known.name(member.person_id) if known else member.person_id)
    role = labels_of(events.TribunalRole.DESCRIPTOR).get(member.role)
    return f"{name} ({localize(role)})" if role else name


def _format_round(
    request: pairing.PairRoundRequest, answer: pairing.PairRoundResponse, known: TournamentNames
) -> Iterator[str]:
    headlines = (ROUND_DRAFTED, DRAFTED_BYE) if answer.drafted else (ROUND_PAIRED, PAIRED_BYE)
    yield from _format_paired(answer, request.round, headlines, known)


def _format_draft(answer: pairing.GetDraftResponse, known: TournamentNames) -> Iterator[str]:
    """Yield the draft with the time of its publication, its obstacles and its checks."""
    if not answer.draft.round:
        yield localize(NO_DRAFT)
        return
    yield from _format_paired(answer.draft, answer.draft.round, (DRAFT, DRAFT_BYE), known)
    if answer.changed_by_hand:
        yield localize(CHANGED_BY_HAND)
    if answer.HasField("publish_at"):
        at = answer.publish_at.ToDatetime(UTC).astimezone(ZoneInfo(known.tournament.time_zone or "UTC"))
        yield localize(PUBLISHED_AT, publish_at=at.strftime("%Y-%m-%d %H:%M"))
    yield from (f"! {known.named_in(each.text)}" for each in answer.obstacles)
    yield from _checks(answer.draft, known)


def _format_preview(answer: pairing.PreviewRoundResponse, known: TournamentNames) -> Iterator[str]:
    yield from _format_paired(answer.preview, answer.preview.round, (PREVIEW, PREVIEW_BYE), known)
    yield from _checks(answer.preview, known)


def _format_paired(paired: Paired, number: int, headlines: tuple[str, str], known: TournamentNames) -> Iterator[str]:
    """Yield the number of games, the byes with their reasons, and the tables.

    ``headlines`` are those without a bye of the pairing and with one.
    """
    games = sum(bool(seat.table) for seat in paired.pairings)
    counted = translations(language_of_terminal()).ngettext("%(num)s game", "%(num)s games", games) % {"num": games}
    bye = known.name(paired.bye_team_id or paired.bye_player_id)
    yield localize(headlines[bool(bye)], round=number, games=counted, bye=bye)
    yield from _sitting_out(paired, known, number)
    yield from pairing_lines(paired.pairings, paired.matches, known)


def _checks(proposed: pairing.ProposedRound, known: TournamentNames) -> Iterator[str]:
    yield from (f"? {known.named_in(each.text)}" for each in proposed.checks)


def _sitting_out(answer: Paired, known: TournamentNames, number: int) -> Iterator[str]:
    """Yield the byes that are not part of the pairing; a team is listed once for all its players."""
    granted = {
        who
        for who, byes in (
            *((player.player_id, player.byes) for player in known.tournament.players),
            *((team.team_id, team.byes) for team in known.tournament.teams),
        )
        if any(bye.round == number for bye in byes)
    }
    teams = {bye.team_id for bye in answer.team_byes} | {answer.bye_team_id} - {""}
    alone = [bye for bye in answer.requested_byes if bye.team_id not in teams]
    for who, kind in (
        *((bye.team_id, bye.kind) for bye in answer.team_byes),
        *((bye.player_id, bye.kind) for bye in alone),
    ):
        yield localize(
            BYE_TO_COME if who in granted else OPPONENT_GONE,
            who=known.name(who),
            round=number,
            kind=localize(labels.BYES[kind]),
        )


def pairing_lines(
    pairings: Sequence[events.Pairing], matches: Iterable[events.TeamMatch], known: TournamentNames
) -> Iterator[str]:
    """Yield the tables of a round, each after the match that it is a board of."""
    teams = {match.match: match for match in matches}
    before = 0
    at = [f"{seat.hall} {seat.table}" if seat.hall else str(seat.table or "–") for seat in pairings]
    width = max(map(len, at), default=0)
    for table, seat in zip(at, pairings, strict=True):
        if seat.match != before and (match := teams.get(seat.match)):
            players = f"{known.name(match.first_team_id)} – {known.name(match.second_team_id)}"
            yield localize(MATCH, match=match.match, players=players)
        before = seat.match
        yield f"  {table:>{width}}  {known.players_at(seat)}"


def _format_obstacles(answer: pairing.ListObstaclesResponse, known: TournamentNames) -> Iterator[str]:
    """Yield the obstacles to pairing the next round and the remedies, or a sentence that it can be paired."""
    if not answer.round and not answer.obstacles:
        yield localize(NO_ROUND_LEFT)
        return
    yield localize(UNPAIRABLE if answer.obstacles else PAIRABLE, round=answer.round)
    for obstacle in answer.obstacles:
        yield f"  {with_article(known.named_in(obstacle.text), obstacle.article, language_of_terminal())}"
    yield from (f"  {known.named_in(way.text)}" for way in answer.ways_out)


def _format_explanation(answer: pairing.ExplainPairingResponse, known: TournamentNames) -> Iterator[str]:
    yield with_article(known.named_in(answer.text), answer.article, language_of_terminal())


def _format_tournament(answer: pairing.GetTournamentResponse, known: TournamentNames) -> Iterator[str]:
    """Yield the lines on the state of a tournament."""
    name = f"{answer.name}, {answer.division}" if answer.division else answer.name
    yield f"{name} ({answer.tournament_id})"
    params: Params = {
        "ruleset": answer.ruleset.name,
        "lexicon": answer.lexicon.name,
        "time_zone": answer.time_zone,
        "rounds": answer.rounds,
        "played": len(answer.played),
    }
    yield from (localize(select_sentence(text, params), **params) for text in TOURNAMENT)
    for paired in answer.played[-1:]:
        finished, tables = len(paired.finished_game_ids), len(paired.pairings)
        text = sentences_of(pairing.RoundPhase.DESCRIPTOR)[paired.phase]
        yield localize(text, round=paired.round, finished=finished, tables=tables)
    if answer.over:
        yield localize(OVER)
    there = sum(player.checked_in for player in answer.players)
    part = sum(not withdrew_before_start(player) for player in answer.players)
    yield localize(CHECKED_IN if there else REGISTERED_PLAYERS, players=part, checked_in=there)
    left = [known.name(player.player_id) for player in answer.players if player.withdrawn_round]
    lists = (
        (WITHDRAWN_PLAYERS, "players", left),
        (REGISTERED_TEAMS, "teams", [team.name for team in answer.teams]),
        (HALLS, "halls", [f"{hall.name} {hall.first_table}–{hall.last_table}" for hall in answer.halls]),
        (DIVISIONS, "divisions", [f"{division.name} ({division.tournament_id})" for division in answer.divisions]),
        (TRIBUNAL, "members", [_member(member, known) for member in answer.tribunal]),
    )
    yield from (localize(text, **{what: ", ".join(names)}) for text, what, names in lists if names)
    for player in answer.players:
        if player.table:
            yield localize(OWN_TABLE, who=known.name(player.player_id), table=player.table)
    byes = [(known.name(player.player_id), player.byes) for player in answer.players]
    for who, granted in [*byes, *((team.name, team.byes) for team in answer.teams)]:
        for bye in granted:
            kind = localize(labels.BYES[bye.kind])
            yield localize(BYE_TO_COME, who=who, round=bye.round, kind=kind)
    for appeal in answer.appeals:
        members = ", ".join(_member(member, known) for member in appeal.members)
        params = {
            "appeal": appeal.appeal,
            "player": known.name(appeal.player_id),
            "version": appeal.version,
            "phase": localize(labels_of(pairing.AppealPhase.DESCRIPTOR)[appeal.phase]),
            "members": members,
        }
        yield localize(APPEAL, **params)
    if answer.rating_system:
        yield localize(RATED_BY, system=RATING_SYSTEMS.get(answer.rating_system, answer.rating_system))


_MODULES = (access, play, cells, case_file, entries, requests, rating_lists, register, seasons)

_METHOD_FORMATTERS: Mapping[str, Callable[..., Iterator[str]]] = {
    answer.DESCRIPTOR.name.removesuffix("Response"): formatter
    for prefix, module in (
        ("_format_", globals()),
        *(("format_", vars(module)) for module in (*_MODULES, ratings, stages, webhooks)),
    )
    for answer, formatter in find_handlers(module, "answer", prefix).items()
}
"""Answers of more than one sentence, by their methods."""
