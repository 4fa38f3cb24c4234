"""`faristol tournament history`: what was done in a tournament, in sentences."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from zoneinfo import ZoneInfo

from faristol.cli.acts import ACTS
from faristol.cli.answers import GAME_LOST, NO_HALLS, NO_PRIZES, NOTE, POINTS_OFF, RATED_BY, ROUNDS_OUT, game_params
from faristol.cli.commands import spelled
from faristol.cli.contract import call
from faristol.cli.options import Address, AsJson, Tournament
from faristol.gateway import labels
from faristol.kernel.facts import events_of, meaning
from faristol.kernel.refusal import N_
from faristol.kernel.times import to_datetime
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.referee.forms import names_of
from faristol.terminal.common import run, tell
from faristol.terminal.names import Roll, roll
from faristol.terminal.outcomes import by_forfeit, outcome
from faristol.text import say, translations, with_article
from faristol.text.terminal import language_of_terminal

METHODS = {kind.DESCRIPTOR.name: command for kind in events_of(events) if (command := meaning(kind).command)}
"""The command whose answer is the sentence of an event."""

TOLD: Mapping[str, str] = {
    "DivisionAdded": N_("The championship has another division."),
    "RulesetPinned": N_("Rules: {ruleset}."),
    "LexiconPinned": N_("Words: {lexicon}."),
    "RoundPaired": N_("Round {round} is paired."),
    "ResultRecorded": N_("Result: {scores} ({at_table})."),
    "PointsAdjusted": N_("Points on the spread and the total of {who}: {points} ({at_table})."),
    "GamePostponed": N_("{game} is postponed."),
    "TribunalAppointed": N_("The tribunal of appeals is appointed."),
    "AppealLodged": N_("Appeal {appeal} of {player_id} is lodged, against act {version}."),
    "RatingSystemChosen": RATED_BY,
}
"""Facts that have a sentence of their own."""

ALSO: Mapping[str, str] = {
    "scores_before": N_("Before: {scores_before}."),
    "points_off": POINTS_OFF,
    "rounds_out": ROUNDS_OUT,
    "game_lost": GAME_LOST,
    "arbiter_id": N_("Arbiter: {arbiter_id}."),
    "decided_by": N_("Decided by: {decided_by}."),
    "by": N_("Done by {by}."),
    "undo": N_("To undo it: `{undo}`."),
    "note": NOTE,
}
"""Sentences behind the first one, by the parameter that has to be set for them."""

ITSELF = "Faristol"
"""The name of services that act by themselves."""


def history(tournament: Tournament, address: Address = None, json_output: AsJson = False) -> None:
    """Show everything that was done in a tournament: when, what, by whom, and what would undo it."""
    known = run(roll(tournament, address))
    answer = pairing.ListActsResponse(more=True)
    while answer.more:
        after = answer.acts[-1].version if answer.acts else 0
        request = pairing.ListActsRequest(tournament_id=known.tournament_id, after_version=after)
        page = call(address, "ListActs", request)
        assert isinstance(page, pairing.ListActsResponse)
        answer.ClearField("more")
        answer.MergeFrom(page)
    tell(answer, told(answer, known, language_of_terminal()), json_output=json_output)


def told(answer: pairing.ListActsResponse, known: Roll, language: str) -> Iterator[str]:
    """The lines of a history, in the order of the record: number, time by the clocks of the halls, what was done."""
    zone = ZoneInfo(known.tournament.time_zone or "UTC")
    paired = 0
    for act in sorted((*answer.acts, *answer.rating_choices), key=lambda act: act.position):
        if act.type == "RoundPaired":
            paired = act.round
        elif act.type == "RoundUnpaired":
            paired = act.round - 1
        at = to_datetime(act.recorded_at).astimezone(zone).isoformat(" ", "seconds")
        yield f"{act.version or '':>4}  {at}  {' '.join(_sentences(act, known, paired + 1, language))}"


def _sentences(act: pairing.Act, known: Roll, to_come: int, language: str) -> Iterator[str]:
    """The sentences of an act. An event type that this version does not know is printed as its name."""
    params = _params(act, known, to_come, language)
    method = METHODS.get(act.type)
    if params["unplayed"] and act.type == "ResultRecorded":
        method = "GiveForfeit"
    texts = [ACTS[method].said if method else TOLD.get(act.type, act.type)]
    texts += [text for field, text in (ACTS[method].sentences if method else {}).items() if params[field]]
    said = " ".join(say(text, params, language) for text in filter(None, texts))
    yield with_article(said, params["article"])
    yield from (say(text, params, language) for field, text in ALSO.items() if params[field])


def _params(act: pairing.Act, known: Roll, to_come: int, language: str) -> dict[str, str]:
    """Everything that a sentence may name; empty where the act does not say it."""
    named = {player.player_id: player.name for player in act.players if player.name}

    def name(who: str) -> str:
        return named.get(who) or known.name(who)

    params: dict[str, str] = defaultdict(str)
    for detail in act.details:
        field, _, value = detail.partition(": ")
        params[field.replace("-", "_")] = "" if value == "no" else value
    params |= game_params(act.game_id, known, language)
    players = [name(who) for who in act.player_ids]
    teams = [name(who) for field in ("team_id", "team_ids") for who in _list(params, field)]
    before = [entry.rpartition(" ") for entry in _list(params, "scores_before")]
    params |= {
        "tournament": known.tournament.name,
        "ruleset": known.tournament.ruleset.name,
        "lexicon": known.tournament.lexicon.name,
        "round": str(act.round or to_come),
        "id": params["team_id"] or next(iter(act.player_ids), known.tournament_id),
        "name": params["name"] or next(iter(players), known.tournament.name),
        "who": " – ".join(teams or players),
        "player_id": next(iter(players), ""),
        "player_ids": ", ".join(players),
        "team_id": next(iter(teams), ""),
        "scores": " – ".join(f"{name(entry.player_id)} {entry.score}" for entry in act.scores),
        "scores_before": " – ".join(f"{name(who)} {score}" for who, _, score in before),
        "arbiter_id": name(params["arbiter_id"]),
        "decided_by": ", ".join(map(name, _list(params, "decided_by"))),
        "fictitious": f"{int(params['fictitious_half_points'] or 0) / 2:g}",
        "by": ITSELF if act.role == "service" else act.actor_name or act.actor,
        "undo": spelled(act.undone_by),
        "note": act.note,
    }
    params |= _by_type(act, params, language)
    if decided := _decided(act, params, name, language):
        params["outcome"] = f", {decided}"
    return params


def _decided(act: pairing.Act, said: Mapping[str, str], name: Callable[[str], str], language: str) -> str:
    """How a result came about that its scores do not decide; empty for others."""
    if act.type not in ("ResultRecorded", "ResultCorrected") or not (said["unplayed"] or said["lost_by_all"]):
        return ""
    winner = said["winner_id"]
    decided = outcome(
        [name(entry.player_id) for entry in act.scores],
        language,
        winner=name(winner) if winner else "",
        unplayed=bool(said["unplayed"]),
        lost_by_all=bool(said["lost_by_all"]),
    )
    return by_forfeit(decided, language) if said["unplayed"] and act.type == "ResultCorrected" else decided


def _by_type(act: pairing.Act, said: Mapping[str, str], language: str) -> dict[str, str]:
    """Parameters of a sentence that depend on the type of the event."""
    read = translations(language).gettext
    match act.type:
        case "ByeGranted" | "ByeAwarded":
            kind = names_of(events.ByeKind.DESCRIPTOR).get(said["kind"], events.BYE_KIND_FULL_POINT)
            return {"kind": read(labels.BYES[events.ByeKind.ValueType(kind)])}
        case "PrizesOffered":
            kinds = names_of(events.PrizeKind.DESCRIPTOR)
            offered = [
                read(text) for kind, text in labels.PRIZES.items() if kind in map(kinds.get, _list(said, "prizes"))
            ]
            return {"prizes": ", ".join(offered) or read(NO_PRIZES)}
        case "HallsSet" if said["halls"] == "none":
            return {"halls": read(NO_HALLS)}
        case "PlayerSanctioned":
            lost = said["game"] if said["kind"] == "game" else ""
            return {"points_off": said["points"], "rounds_out": said["rounds"], "game_lost": lost}
        case "AppealDecided":
            return {"dismissed": "" if said["upheld"] else "yes"}
        case _:
            return {}


def _list(said: Mapping[str, str], field: str) -> list[str]:
    """The entries of a detail that is a list."""
    return [entry for entry in said[field].split(", ") if entry]
