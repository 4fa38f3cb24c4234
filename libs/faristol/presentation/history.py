"""History of a tournament, in sentences. Pure."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from faristol.host.ruleset_store import ruleset_of
from faristol.kernel.event_types import events_of, meaning
from faristol.kernel.names import is_official
from faristol.kernel.refusal import N_, Param, Refusal
from faristol.kernel.spellings import labels_of, names_of
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import fee_events_pb2 as fee_events
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.presentation import labels
from faristol.presentation.catalogue import CATALOGUE
from faristol.presentation.names import ROUND_AND_TABLE, Roster, withdrew_before_start
from faristol.presentation.ruleset_lookup import is_of_duplicate_games
from faristol.presentation.sentences import (
    GAME_LOST,
    NO_HALLS,
    NO_PRIZES,
    NO_TIMES,
    NOTE,
    POINTS_DEDUCTED,
    POINTS_OFF,
    RATED_BY,
    RATING_SYSTEMS,
    ROUNDS_OUT,
    select_sentence,
)
from faristol.presentation.tournament_commands import FOLLOWS, TOURNAMENT_COMMANDS
from faristol.presentation.unplayed_results import by_forfeit, has_points, outcome
from faristol.rules.ruleset.file import load_ruleset, ruleset_names
from faristol.rules.standings import Bye, is_rest
from faristol.text import number, say, translations, when, with_article
from faristol.text.money import format_money

EVENT_COMMANDS = {kind.DESCRIPTOR.name: command for kind in events_of(events) if (command := meaning(kind).command)}
"""Command whose answer has the sentence of an event, by event type."""

_EVENT_FIELDS = {kind.DESCRIPTOR.name: kind.DESCRIPTOR.fields for kind in events_of(events, fee_events)}

WITHOUT_ID: Mapping[str, str] = {
    "CreateTournament": N_("{name} is created, with the words of {lexicon}."),
    "RegisterPlayer": N_("{name} is registered, from round {round} on."),
    "RegisterTeam": N_("{name} is registered, from round {round} on."),
}
"""Sentences without the new id, for commands whose answer names it. A history needs no ids."""

EVENT_SENTENCES: Mapping[str, str] = {
    "DivisionAdded": N_("A division is added to the championship."),
    "ContactSet": N_("The contact is changed."),
    "ArbitersNamed": N_("The list of arbiters is changed."),
    "RulesetPinned": N_("Rules: {ruleset}."),
    "LexiconPinned": N_("Words: {lexicon}."),
    "RoundPaired": N_("Round {round} is paired."),
    "RoundDrafted": N_("Round {round} is paired as a draft."),
    "ResultRecorded": N_("Result: {scores} ({at_table})."),
    "PointsAdjusted": N_("Points on the spread and the total of {who}: {points} ({at_table})."),
    "ResultDisputed": N_("Disputed: {scores} ({at_table})."),
    "GamePostponed": N_("{game} is postponed."),
    "TribunalAppointed": N_("The tribunal of appeals is appointed."),
    "TableSanctionNoted": N_("At the table: {sanction}, {who} ({at_table})."),
    "FinalCheckExcused": N_("Excused at the end: {check} ({open})."),
    "ShadowCompared": N_("Compared with {program}: {differences} {differences:difference|differences}."),
    "ChangeProposed": N_("Proposal {proposal}, for a second official to confirm: {changes}"),
    "AppealLodged": N_("Appeal {appeal} of {player_id} is lodged, against command {version}."),
    "RatingSystemChosen": RATED_BY,
    "UndoNoted": N_("The reason for the undo of command {version} is noted."),
}
"""Events that have a separate sentence."""

OTHER_SENTENCES: Mapping[str, str] = {
    "RegistrationSet": CATALOGUE["SetRegistration"].said,
    "EntryReceived": N_("Entry {entry} is received: {who}."),
    "EntryAsked": N_("A question on entry {entry} is asked: {who}."),
    "EntryAnswered": N_("The question on entry {entry} is answered: {who}."),
    "EntryAccepted": N_("Entry {entry} is accepted: {who}."),
    "EntryRejected": N_("Entry {entry} is rejected: {who}."),
    "EntryWithdrawn": N_("Entry {entry} is withdrawn: {who}."),
    "EntryReinstated": N_("Entry {entry} stands again: {who}."),
    "EntryMovedUp": N_("Entry {entry} has a place: {who}."),
    "EntrantCleared": N_("The personal details of entry {entry} are removed."),
    "FeesSet": CATALOGUE["SetFees"].said,
    "FeeAdjusted": N_("The fee of {who} is set: {money}."),
    "PaymentRecorded": N_("Payment {payment} of {who} is recorded: {money}, {method}, with receipt {document}."),
    "PaymentCancelled": N_("Payment {payment} of {who} is cancelled, by credit note {document}."),
    "PaymentRefunded": N_("Payment {payment} of {who} is paid back: {money}, {method}, by credit note {document}."),
}
"""Sentences of actions on entries and fees, by event type."""

OF_DUPLICATE_GAMES: Mapping[str, str] = {
    EVENT_SENTENCES["RoundPaired"]: N_("All players have a seat in game {round}."),
    TOURNAMENT_COMMANDS["OpenCheckIn"].said: N_("The check-in for game {round} is open."),
    TOURNAMENT_COMMANDS["StartRound"].said: N_("Game {round} is open."),
    TOURNAMENT_COMMANDS["UnpairRound"].said: N_("The seats of game {round} are cancelled: they can be assigned again."),
    TOURNAMENT_COMMANDS["CloseRound"].said: N_("Game {round} is closed."),
    TOURNAMENT_COMMANDS["ChangeRounds"].said: N_("{tournament} has {rounds} {rounds:game|games}."),
    WITHOUT_ID["RegisterPlayer"]: N_("{name} is registered, from game {round} on."),
    TOURNAMENT_COMMANDS["WithdrawPlayer"].said: N_("{who} has withdrawn, from game {round} on."),
    TOURNAMENT_COMMANDS["ReinstatePlayer"].said: N_("{who} plays again from game {round} on."),
    TOURNAMENT_COMMANDS["GrantBye"].said: N_("{who} sits out game {round}: {kind}."),
    TOURNAMENT_COMMANDS["RevokeBye"].said: N_("{who} no longer sits out game {round}."),
}
"""Sentences about a round in a tournament of duplicate games, by the usual one: a round is a turn there."""

ALSO: Mapping[str, str] = {
    "scores_before": N_("Before: {scores_before}."),
    "points_off": POINTS_OFF,
    "rounds_out": ROUNDS_OUT,
    "game_lost": GAME_LOST,
    "arbiter_id": N_("Arbiter: {arbiter_id}."),
    "decided_by": N_("Decided by: {decided_by}."),
    "by": N_("By {by}."),
    "undo": N_("To undo it: `{undo}`."),
    "undoes": N_("This undid command {undoes}."),
    "undone_in": N_("Undone by command {undone_in}."),
    "note": NOTE,
}
"""Further sentences, by the parameter that must be set for them."""

CONSEQUENCES = ("points_off", "rounds_out", "game_lost")
"""Sentences of ``ALSO`` that describe the loss of a player by an act."""

COUNTED: Mapping[str, str] = {
    "PlayerCheckedIn": N_("Checked in: {count} {count:player|players}."),
    "PlayerRegistered": N_("Registered: {count} {count:player|players}."),
    "PlayerWithdrawn": N_("Withdrawn: {count} {count:player|players} ({who})."),
    "ByeGranted": N_("Sitting out: {count} {count:player|players} ({who})."),
}
"""What is said of several acts of one type that one command did."""
ALIKE = N_("{first} There are {count} commands of this kind in all.")
PAIRED = N_("Round {round} is paired: {games} {games:game|games}.")
FOLLOWING = N_("Commands that follow from it: {count}.")
MOST_FOLLOWING_COUNT = 3
MOST_NAMED_COUNT = 5
"""Limit of the players that the notice of a command names."""

_GIVES_UP_TURNS = re.compile("turns-given-up: ").match

AS_COMPUTED = N_("as computed")
UNNAMED_OFFICIAL = N_("an official without a name")
ITSELF = "Faristol"
"""Name shown for events that a service writes by itself."""


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """Event of the history, in sentences."""

    act: pairing.Act
    said: str
    """Main sentence, with the article of its rule."""
    also: Mapping[str, str]
    """Further sentences, by their parameter: ``by``, ``undo``, ``note`` and others."""


EVENTS_OF_PAIRING = frozenset({"RoundPaired", "RoundUnpaired", "RoundUnpublished"})
"""Events that change the number of paired rounds."""


def describe_history(
    answer: pairing.ListActsResponse,
    known: Roster,
    language: str,
    spelled: Callable[[str], str] = lambda command: "",
) -> Iterator[HistoryEntry]:
    """Yield the history in sentences, in the order of the record.

    Sentences name the next round: an answer of some types of events must have those of ``EVENTS_OF_PAIRING``, too, and
    a window of the newest ones has the last paired round before it.

    ``spelled`` returns the command line of an undo command; if it returns an empty string, no undo is shown.
    """
    paired = answer.paired_before
    worded = OF_DUPLICATE_GAMES if is_of_duplicate_games(known.tournament) else {}
    for act in sorted((*answer.acts, *answer.rating_choices, *answer.other_acts), key=lambda act: act.position):
        if act.type == "RoundPaired":
            paired = act.round
        elif act.type in EVENTS_OF_PAIRING:
            paired = act.round - 1
        yield _in_sentences(act, known, paired + 1, language, spelled, worded)


def fold_entries(acts: Sequence[HistoryEntry]) -> list[HistoryEntry]:
    """Show an entered result and the recorded result of the same command as one line: the latter, with the note.

    The reason of an undo is shown with its first event. ``acts`` are in the order of the record. An entry that gives up
    recorded turns says so, and stays a line.
    """
    entered: dict[str, int] = {}
    folded: list[HistoryEntry | None] = []
    places: dict[int, int] = {}
    for each in acts:
        undo = places.get(each.act.first_version, -1) if each.act.type == "UndoNoted" else -1
        if undo >= 0 and (beginning := folded[undo]) is not None:
            folded[undo] = replace(beginning, also={**beginning.also, "note": each.also.get("note", "")})
            continue
        places[each.act.version] = len(folded)
        place = entered.pop(each.act.game_id, -1)
        first = folded[place] if place >= 0 else None
        if each.act.type == "ResultEntered" and not any(map(_GIVES_UP_TURNS, each.act.details)):
            entered[each.act.game_id] = len(folded)
        elif first and each.act.type == "ResultRecorded" and 0 < first.act.first_version == each.act.first_version:
            folded[place] = None
            folded.append(replace(each, also={**each.also, **first.also}))
            continue
        folded.append(each)
    return [each for each in folded if each]


def list_effective(acts: Sequence[HistoryEntry]) -> list[HistoryEntry]:
    """Return all but the acts that are undone, and those that undid them. An undo can be undone in turn."""
    undone: set[int] = set()
    for each in reversed(acts):
        if each.act.undoes and each.act.version not in undone:
            undone.add(each.act.undoes)
    return [
        each for each in acts if not each.act.undoes and each.act.version not in undone and each.act.type != "UndoNoted"
    ]


def describe_done(acts: Sequence[HistoryEntry], known: Roster, language: str) -> str:
    """Say what a command did, by the acts that were written with it in the order of the record; empty for none.

    The first is the requested act, with the number of its objects; the others follow from it.
    """
    if not acts:
        return ""
    first = acts[0]
    alike = [each for each in acts if each.act.type == first.act.type]
    sentences = [first.said]
    if len(alike) > 1:
        params: dict[str, Param] = {"count": len(alike), "first": first.said, "who": _names_of(alike, known)}
        sentences = [say(COUNTED.get(first.act.type, ALIKE), params, language)]
    elif first.act.type == "RoundPaired" and (games := _games_of(first.act.round, known)):
        sentences = [say(PAIRED, {"round": first.act.round, "games": games}, language)]
    sentences += [text for field, text in first.also.items() if field in CONSEQUENCES and len(alike) == 1]
    if later := _rounds_paired_after(acts, known):
        sentences.append(say_rounds_after(later, language))
    following = [each.said for each in acts if each.act.type != first.act.type]
    if len(following) > MOST_FOLLOWING_COUNT:
        following = [say(FOLLOWING, {"count": len(following)}, language)]
    return " ".join(dict.fromkeys([*sentences, *following]))


def _names_of(acts: Sequence[HistoryEntry], known: Roster) -> str:
    """List the players of acts by name, an ellipsis instead of those beyond ``MOST_NAMED_COUNT``."""
    names = [known.name(who) for each in acts for who in each.act.player_ids]
    return ", ".join([*names[:MOST_NAMED_COUNT], *(["…"] if len(names) > MOST_NAMED_COUNT else [])])


def say_rounds_after(rounds: Sequence[int], language: str) -> str:
    """Name the rounds that were paired with a result that was corrected after that."""
    return say(FOLLOWS["rounds_after"], {"rounds_after": ", ".join(map(str, rounds))}, language)


def _rounds_paired_after(acts: Sequence[HistoryEntry], known: Roster) -> list[int]:
    """Return the paired rounds after that of a corrected result; an empty list without a correction."""
    corrected = next((each.act.round for each in acts if each.act.type == "ResultCorrected"), 0)
    return [played.round for played in known.tournament.played if 0 < corrected < played.round]


def _games_of(number: int, known: Roster) -> int:
    """Count the tables of a round."""
    return sum(
        bool(seat.table) for played in known.tournament.played if played.round == number for seat in played.pairings
    )


def _in_sentences(
    act: pairing.Act,
    known: Roster,
    to_come: int,
    language: str,
    spelled: Callable[[str], str],
    worded: Mapping[str, str],
) -> HistoryEntry:
    """Return an event in sentences, those of ``worded`` in other words. An unknown event type is shown by its name."""
    params = _params(act, known, to_come, language)
    params["undo"] = spelled(act.undone_by) if act.undone_by else ""
    changes = [_in_sentences(each, known, to_come, language, spelled, worded).said for each in act.proposed]
    params["changes"] = " ".join(changes)
    method = EVENT_COMMANDS.get(act.type)
    if params["unplayed"] and act.type == "ResultRecorded":
        method = "GiveForfeit"
    texts = [EVENT_SENTENCES.get(act.type) or OTHER_SENTENCES.get(act.type, act.type)]
    if method:
        command = TOURNAMENT_COMMANDS[method]
        texts = [WITHOUT_ID.get(method, command.said)]
        texts += [text for field, text in command.further.items() if params[field]]
    texts = [select_sentence(worded.get(text, text), params) for text in filter(None, texts)]
    sentence = " ".join(say(text, params, language) for text in texts)
    also = {field: say(text, params, language) for field, text in ALSO.items() if params[field]}
    return HistoryEntry(act, with_article(sentence, params["article"], language), also)


def _params(act: pairing.Act, known: Roster, to_come: int, language: str) -> dict[str, str]:
    """Return every parameter of the sentences; empty if the event does not have it."""
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
    are_points = has_points((entry.score for entry in act.scores), unplayed=bool(params["unplayed"]))
    params |= {
        "tournament": known.tournament.name,
        "ruleset": _title(known.tournament.ruleset.name),
        "lexicon": known.tournament.lexicon.name,
        "round": str(act.round or to_come),
        "id": params["team_id"] or next(iter(act.player_ids), known.tournament_id),
        "name": params["name"] or next(iter(players), known.tournament.name),
        "who": " – ".join(teams or players),
        "player_id": next(iter(players), ""),
        "player_ids": ", ".join(players),
        "team_id": next(iter(teams), ""),
        "scores": " – ".join(
            f"{name(entry.player_id)} {entry.score}" if are_points else name(entry.player_id) for entry in act.scores
        ),
        "scores_before": _describe_before(params, name, language),
        "arbiter_id": name(params["arbiter_id"]),
        "proposer_id": named.get(params["proposer_id"]) or known.name_of_person(params["proposer_id"]),
        "decided_by": ", ".join(named.get(who) or known.name_of_person(who) for who in _list(params, "decided_by")),
        "fictitious": number(int(params["fictitious_half_points"] or 0) / 2, language),
        "by": _author(act, language),
        "note": act.note,
        "undoes": str(act.undoes or ""),
        "undone_in": str(act.undone_in or ""),
    }
    params["system"] = RATING_SYSTEMS.get(params["system"], params["system"])
    params |= _labels(act, params, language) | _by_type(act, params, players, known.tournament, language)
    if decided := _describe_decision(act, params, name, language):
        params["outcome"] = f", {decided}"
    return params


def _author(act: pairing.Act, language: str) -> str:
    """Return the name of the author of an event; for an official without a name no id, which a reader cannot use."""
    if act.role == "service":
        return ITSELF
    if not act.actor_name and is_official(act.actor):
        return say(UNNAMED_OFFICIAL, {}, language)
    return act.actor_name or act.actor


def _title(name: str) -> str:
    """Return the title of a rule book, or its name if the product does not include it."""
    return load_ruleset(name).title if name in ruleset_names() else name


def _describe_decision(act: pairing.Act, details: Mapping[str, str], name: Callable[[str], str], language: str) -> str:
    """Return how a result was decided if not by its scores; empty for any other event."""
    if act.type not in ("ResultRecorded", "ResultCorrected") or not (details["unplayed"] or details["lost_by_all"]):
        return ""
    winner = details["winner_id"]
    decided = outcome(
        [name(entry.player_id) for entry in act.scores],
        language,
        winner=name(winner) if winner else "",
        unplayed=bool(details["unplayed"]),
        lost_by_all=bool(details["lost_by_all"]),
    )
    return by_forfeit(decided, language) if details["unplayed"] and act.type == "ResultCorrected" else decided


def _describe_before(details: Mapping[str, str], name: Callable[[str], str], language: str) -> str:
    """Return the result that a correction replaces; that of a forfeit names the winner."""
    before = [entry.rpartition(" ") for entry in _list(details, "scores_before")]
    unplayed, winner = bool(details["unplayed_before"]), details["winner_id_before"]
    scores = " – ".join(f"{name(player)} {score}" for player, _, score in before)
    if not unplayed:
        return scores
    names = [name(player) for player, _, _ in before]
    decided = by_forfeit(outcome(names, language, winner=name(winner) if winner else "", unplayed=True), language)
    points = has_points((int(score) for _, _, score in before), unplayed=True)
    return ", ".join(filter(None, [scores if points else "", decided]))


def _times(details: Mapping[str, str], zone: str, language: str) -> str:
    """Return rounds with their times in a time zone; empty without times."""
    if details["times"] == "none":
        return ""
    found = (entry.partition(" ") for entry in _list(details, "times"))
    return ", ".join(round_time(int(number), datetime.fromisoformat(at), zone, language) for number, _, at in found)


def round_time(number: int, at: datetime, zone: str, language: str) -> str:
    """Format a round and its time in a time zone."""
    return f"{number} ({when(at, zone, language)})"


def bye_worth(tournament: pairing.GetTournamentResponse) -> events.ByeKind.ValueType:
    """Return the score of an allocated bye: no point for the odd player of a round robin, if its rules say so.

    A full point if the rules are unknown.
    """
    try:
        rules = ruleset_of(tournament.ruleset)
    except Refusal:
        return events.BYE_KIND_FULL_POINT
    entered_count = sum(not withdrew_before_start(player) for player in tournament.players)
    if is_rest(Bye.ALLOCATED, rules, entered_count) or not rules.championship.bye:
        return events.BYE_KIND_ZERO_POINT
    return (
        events.BYE_KIND_FULL_POINT if rules.championship.bye == rules.championship.win else events.BYE_KIND_HALF_POINT
    )


def _by_type(
    act: pairing.Act,
    details: Mapping[str, str],
    players: Sequence[str],
    tournament: pairing.GetTournamentResponse,
    language: str,
) -> dict[str, str]:
    """Return the parameters that depend on the event type. ``players`` are the names of those in the event."""
    read = translations(language).gettext
    zone = tournament.time_zone
    match act.type:
        case "ByeAwarded":
            return {"kind": read(labels.BYES[bye_worth(tournament)])}
        case "ByeGranted":
            return {"kind": _label(events.ByeKind.DESCRIPTOR, details["kind"] or "full-point", language)}
        case "PrizesOffered" if not details["prizes"]:
            return {"prizes": read(NO_PRIZES)}
        case "PlayerRequestAnswered":
            return {"refused": "" if details["granted"] or details["taken_back"] else "yes"}
        case "DraftPlayersSwapped":
            return {"who": " – ".join(players[:2])}  # the others are those of their tables
        case "PublicationScheduled":
            at = datetime.fromisoformat(details["publish_at"])
            return {"publish_at": when(at, zone, language)}
        case "BroadcastDelaySet":
            return {"minutes": details["minutes"] or "0"}
        case "HallsSet" if details["halls"] == "none":
            return {"halls": read(NO_HALLS)}
        case "RoundsAnnounced":
            return {"times": _times(details, zone, language) or read(NO_TIMES)}
        case "PlayerSanctioned":
            lost = details["game"] if details["kind"] == "game" else ""
            return {"points_off": details["points"], "rounds_out": details["rounds"], "game_lost": lost}
        case "TableSanctionNoted":
            if details["kind"] == "points":
                return {"sanction": say(POINTS_DEDUCTED, {"points": int(details["points"] or 0)}, language)}
            return {"sanction": _label(game.SanctionKind.DESCRIPTOR, details["kind"], language)}
        case "ResultCheckSet":
            return {"no_check": "" if details["second_person"] or details["players"] else "yes"}
        case "SecondOfficialSet":
            return {"not required": "" if details["required"] else "yes"}
        case "ProposalAnswered":
            return {details["answer"]: "yes"}
        case "LicenceRequirementSet":
            return {"not required": "" if details["required"] else "yes"}
        case "DataRequestAnswered":
            granted = "erased" if details["kind"] == "erasure" else "corrected"
            return {granted if details["granted"] else "refused": "yes"}
        case "FeeAdjusted" if details["computed"]:
            return {"money": read(AS_COMPUTED)}
        case "FeeAdjusted" | "PaymentRecorded" | "PaymentRefunded":
            return {"money": format_money(int(details["amount"] or 0), details["currency"], language)}
        case "ShadowCompared":
            return {"differences": details["differences"] or "0"}
        case "AppealDecided":
            return {"dismissed": "" if details["upheld"] else "yes"}
        case _:
            return {}


def _labels(act: pairing.Act, details: Mapping[str, str], language: str) -> dict[str, str]:
    """Return the labels of the details of an act that are values of enumerations, by field."""
    return {
        field.name: _label(field.enum_type, details[field.name], language)
        for field in _EVENT_FIELDS.get(act.type, ())
        if field.enum_type is not None and labels_of(field.enum_type)
    }


def _label(kind: Any, words: str, language: str) -> str:
    """Return the labels of values of an enumeration in their order, translated and joined by commas.

    ``words`` are their names in a detail of an act.
    """
    chosen, read = words.split(", "), translations(language).gettext
    texts, names = labels_of(kind), names_of(kind)
    return ", ".join(read(texts[number]) for word, number in names.items() if word in chosen and number in texts)


def _list(details: Mapping[str, str], field: str) -> list[str]:
    """Split a detail that is a list into its entries."""
    return [entry for entry in details[field].split(", ") if entry]


def game_params(game_id: str, known: Roster, language: str) -> dict[str, str]:
    """Return the parameters ``game`` (players, round and table) and ``at_table``; the game id if it is unknown.

    ``outcome`` is empty: the pairing does not say how the game was decided.
    """
    if (seated := known.at_table(game_id)) is None:
        return {"game": game_id, "at_table": game_id, "outcome": ""}
    number, seat = seated
    at_table = say(ROUND_AND_TABLE, {"round": number, "table": seat.table}, language)
    return {"game": f"{known.players_at(seat)} ({at_table})", "at_table": at_table, "outcome": ""}
