"""Sentences about commands and events of a tournament, and their parts. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from faristol.kernel.refusal import N_, Param
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb

WITHOUT_LEXICON: Mapping[str, str] = {
    "{name} is created: {id}, under {ruleset}, with the words of {lexicon}.": N_(
        "{name} is created: {id}, under {ruleset}, without a lexicon."
    ),
    "{name} is created, with the words of {lexicon}.": N_("{name} is created, without a lexicon."),
    "Rules: {ruleset}. Words: {lexicon}. Time zone: {time_zone}.": N_(
        "Rules: {ruleset}. No lexicon. Time zone: {time_zone}."
    ),
}
"""Sentences about a tournament without a lexicon, by those that name it."""


def select_sentence(text: str, params: Mapping[str, Param]) -> str:
    """Return the sentence for a tournament without a lexicon if ``params`` have none, else ``text``."""
    return text if params.get("lexicon") else WITHOUT_LEXICON.get(text, text)


NO_HALLS = N_("tables are numbered from 1")
NO_TIMES = N_("no round")
NO_PRIZES = N_("none")
POINTS_OFF = N_("Points deducted: {points_off}.")
ROUNDS_OUT = N_("Not paired in rounds: {rounds_out}.")
GAME_LOST = N_("The game {game} is lost.")
TABLE_SANCTIONS: Mapping[str, str] = {
    "warning": N_("a warning"),
    "points": N_("{points} {points:point|points} deducted"),
    "turn": N_("loss of a turn"),
    "game": N_("loss of the game"),
    "expulsion": N_("expulsion proposed"),
}
"""Sanctions of an arbiter at a table, by their names in events."""
NOTE = N_("Note: {note}")
RATED_BY = N_("Rated by {system}.")

BYES: Mapping[events.ByeKind.ValueType, str] = {
    events.BYE_KIND_HALF_POINT: N_("half a point"),
    events.BYE_KIND_FULL_POINT: N_("a point"),
    events.BYE_KIND_ZERO_POINT: N_("no point"),
}

ENTRY_PARTS: Mapping[events.EntryPart.ValueType, str] = {
    events.ENTRY_PART_NAME: N_("name"),
    events.ENTRY_PART_CLUB: N_("club"),
    events.ENTRY_PART_COUNTRY: N_("country"),
    events.ENTRY_PART_RATING: N_("rating"),
    events.ENTRY_PART_CATEGORY: N_("category"),
    events.ENTRY_PART_NOTE: N_("note for officials"),
    events.ENTRY_PART_DETAILS: N_("further personal details"),
}

DATA_REQUESTS: Mapping[events.DataRequestKind.ValueType, str] = {
    events.DATA_REQUEST_KIND_CORRECTION: N_("correction of personal data"),
    events.DATA_REQUEST_KIND_ERASURE: N_("erasure of personal data"),
}

DATA_REQUEST_STATES: Mapping[pb.DataRequestState.ValueType, str] = {
    pb.DATA_REQUEST_STATE_WAITING: N_("pending"),
    pb.DATA_REQUEST_STATE_GRANTED: N_("granted"),
    pb.DATA_REQUEST_STATE_REFUSED: N_("refused"),
    pb.DATA_REQUEST_STATE_ERASED: N_("erased"),
}

TOURNAMENT_PARTS: Mapping[events.TournamentPart.ValueType, str] = {
    events.TOURNAMENT_PART_NAME: N_("name"),
    events.TOURNAMENT_PART_PLACE: N_("place"),
    events.TOURNAMENT_PART_COUNTRY: N_("country"),
    events.TOURNAMENT_PART_STARTS_ON: N_("first day"),
    events.TOURNAMENT_PART_ENDS_ON: N_("last day"),
    events.TOURNAMENT_PART_TIME_ZONE: N_("time zone"),
    events.TOURNAMENT_PART_ORGANISER: N_("organiser"),
    events.TOURNAMENT_PART_LINK: N_("web page"),
}

DESCRIBED_WITH_NAMES: Mapping[str, str] = {"contact": N_("contact"), "arbiters": N_("arbiters")}
"""Further parts by the field of the command. They have separate events, since they name persons."""

RATING_SYSTEMS: Mapping[str, str] = {"elo-1": "Elo", "naspa-1": "NASPA", "glicko2-1": "Glicko-2"}
"""Display names of rating systems, by name and version. Proper names are the same in every language."""

PRIZES: Mapping[events.PrizeKind.ValueType, str] = {
    events.PRIZE_KIND_BINGOS: N_("Most bingos"),
    events.PRIZE_KIND_HIGH_GAME: N_("Highest score of a game"),
    events.PRIZE_KIND_HIGH_PLAY: N_("Highest-scoring play"),
    events.PRIZE_KIND_SPREAD: N_("Largest spread"),
}
