"""Messages of officials as sentences in the language of the reader. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from typing import Protocol
from zoneinfo import ZoneInfo

from babel.dates import format_time

from faristol.kernel.refusal import N_
from faristol.kernel.times import to_datetime
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.text import join_list, say

KIND_SENTENCES: Mapping[events.MessageKind.ValueType, str] = {
    events.MESSAGE_KIND_BREAK: N_("Break until {time}."),
    events.MESSAGE_KIND_ROUND_STARTS: N_("Round {round} starts now."),
    events.MESSAGE_KIND_COME_TO_ARBITER: N_("Please come to the arbiter's table."),
    events.MESSAGE_KIND_ENTER_RESULT: N_("Please enter or confirm the result of your game."),
    events.MESSAGE_KIND_CHECK_IN: N_("Please check in."),
}
"""Sentences by kind. Free text has none."""

STARTS_AT = N_("Round {round} starts at {time}.")
GAME_STARTS = N_("Game {round} starts now.")
GAME_STARTS_AT = N_("Game {round} starts at {time}.")
TO_TABLE = N_("Table {number}")
TO_TABLES = N_("Tables {numbers}")
TO_YOU = N_("For you")


class Zoned(Protocol):
    """A tournament with the time zone of its halls."""

    @property
    def time_zone(self) -> str:
        """IANA name of the time zone."""


def describe_message(message: pb.Message, tournament: Zoned, language: str, *, of_games: bool = False) -> str:
    """Return a message as sentences; its free text follows and is not translated.

    ``of_games`` is true in a tournament of duplicate games, whose rounds are games. An erased text yields an empty
    string.
    """
    sentence = KIND_SENTENCES.get(message.kind, "")
    params = {"round": str(message.round), "time": ""}
    if message.HasField("until"):
        zone = ZoneInfo(tournament.time_zone or "UTC")
        params["time"] = format_time(to_datetime(message.until).astimezone(zone), "short", locale=language)
    if message.kind == events.MESSAGE_KIND_ROUND_STARTS:
        if params["time"]:
            sentence = GAME_STARTS_AT if of_games else STARTS_AT
        elif of_games:
            sentence = GAME_STARTS
    said = say(sentence, params, language) if sentence else ""
    return " ".join(filter(None, [said, message.text]))


def describe_readers(message: pb.Message, language: str) -> str:
    """Return the hall, the tables, or “for you” for a message to players; empty for a message to everyone."""
    if message.player_ids:
        return say(TO_YOU, {}, language)
    if message.tables:
        if len(message.tables) == 1:
            return say(TO_TABLE, {"number": message.tables[0]}, language)
        return say(TO_TABLES, {"numbers": join_list([str(table) for table in message.tables], language)}, language)
    return message.hall


def concerns(message: pb.Message, player_id: str, hall: str, table: int) -> bool:
    """Check whether a message is for a player at a table of a hall; ``table`` is 0 without one."""
    if message.player_ids:
        return player_id in message.player_ids
    if message.tables:
        return table in message.tables
    return message.hall in {"", hall}


def list_on_screen(messages: Iterable[pb.Message], hall: str, tables: Set[int]) -> list[pb.Message]:
    """Return the public messages for a screen of a hall with these tables; with an empty ``hall``, all of them."""
    return [
        message
        for message in messages
        if not message.player_ids
        and (not hall or (message.hall in {"", hall} and (not message.tables or not tables.isdisjoint(message.tables))))
    ]
