"""The readers of an event, and the text of its notification for each of them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from faristol.event_store import Record, Recorded
from faristol.kernel.divisions import format_title
from faristol.kernel.event_types import types_of
from faristol.kernel.likeness import like
from faristol.kernel.refusal import N_
from faristol.kernel.times import to_datetime
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.pb.results.v1 import results_pb2 as results
from faristol.presentation.messages import describe_message, describe_readers
from faristol.presentation.page_addresses import player_path, round_path, tournament_path
from faristol.presentation.ruleset_lookup import is_of_duplicate_games
from faristol.read_models.storage import lookup
from faristol.read_models.storage.lookup import Found, Part
from faristol.read_models.storage.names import load_player_names
from faristol.read_models.storage.rows import Game
from faristol.text import say
from faristol.web_push.encryption import MAX_PLAINTEXT_BYTES
from faristol.web_push.subscriptions import MESSAGES, OWN, PLAYER, TABLE, Follow

PAIRINGS = (pairing.RoundPaired,)
"""Events that make the pairing of a round public."""

RESULTS = (pairing.ResultRecorded, pairing.ResultCorrected)

PUSHED_TYPES = types_of([pairing.MessageSent, pairing.PlayerMessageSent, *PAIRINGS, *RESULTS])
"""Types of events with a notification."""

NEWS_LIFETIME = timedelta(hours=2)
"""Time after which a pairing or a result is no longer sent."""

MAX_TITLE_CHARACTERS = 100
MAX_BODY_CHARACTERS = 600
"""Limits in characters: a phone shows less, and the message has to fit."""

PAIRED = N_("Round {round}: table {table}, against {opponent}.")
PAIRED_IN_HALL = N_("Round {round}: table {table} ({hall}), against {opponent}.")
AT_TABLE = N_("Round {round}, table {table}: {players}.")
NO_GAME = N_("Round {round}: no game.")
RESULT = N_("Round {round}: {scores}.")
CORRECTED = N_("Round {round}, corrected: {scores}.")

Wanted = Sequence[tuple[str, str]]
"""Kinds and values of follows, the most important first; an empty value stands for all values."""

EVERY_FOLLOW: Wanted = ((OWN, ""), (MESSAGES, ""), (PLAYER, ""), (TABLE, ""))


async def find_told_event(record: Record, event: Recorded) -> Recorded | None:
    """Return the event of a notification: the held one for one that tells it, None if that has no notification."""
    if not isinstance(event.message, pairing.HeldEventTold):
        return event
    if event.message.type not in PUSHED_TYPES:
        return None
    (held,) = await record.read(event.message.told - 1, limit=1)
    return held


@dataclass
class PushContent:
    """The readers and texts of events, from the read models.

    Rounds, names and the texts of messages are read once for a batch, however many notifications of it are built
    concurrently.
    """

    record: Record
    _rounds: dict[tuple[str, int, str], Found] = field(default_factory=dict)
    _titles: dict[tuple[str, int, str], str] = field(default_factory=dict)
    _names: dict[tuple[str, str], str] = field(default_factory=dict)
    _messages: dict[tuple[int, str], str] = field(default_factory=dict)
    """Texts of messages by position and language."""
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def readers(self, event: Recorded) -> Wanted:
        """Return the follows that get a notification of an event."""
        message: Any = event.message
        match message:
            case pairing.PlayerMessageSent():
                return [(OWN, player) for player in message.player_ids]
            case pairing.MessageSent() if not message.tables and not message.hall:
                return EVERY_FOLLOW
            case pairing.MessageSent():
                games = await self._games(event.tournament, message.round)
                wanted = set(message.tables)
                here = [game for game in games if (game.table in wanted if wanted else game.hall == message.hall)]
                return [*_of_games(here), (MESSAGES, "")]
            case pairing.RoundPaired():
                games = await self._games(event.tournament, message.round)
                found = await self._round(event.tournament, message.round)
                byes = [
                    bye.player_id
                    for each in found.rounds
                    if each.round == message.round
                    for bye in each.byes
                    if bye.player_id
                ]
                return [*_of_games(games), *((kind, player) for player in byes for kind in (OWN, PLAYER))]
            case _:
                games = await self._games(event.tournament, message.round, _player_of(event))
                return _of_games([game for game in games if game.game_id == message.game_id])

    def expires_at(self, event: Recorded) -> datetime:
        """Return the time after which a notification of an event is not sent."""
        message: Any = event.message
        if isinstance(message, pairing.MessageSent | pairing.PlayerMessageSent):
            return to_datetime(message.expires_at)
        return event.recorded_at + NEWS_LIFETIME

    async def body(self, event: Recorded, follow: Follow, language: str) -> bytes:
        """Return the notification of an event for a follow, as JSON; empty if it no longer has one.

        A message that was withdrawn, and a pairing that was undone, have none.
        """
        place = event.tournament, getattr(event.message, "round", 0), _player_of(event)
        found = await self._round(*place)
        said = await self._describe(event, found, follow, language)
        if not said:
            return b""
        address = _address_of(event, follow)
        if place not in self._titles:
            self._titles[place] = format_title(found.tournament)[:MAX_TITLE_CHARACTERS]
        title = self._titles[place]
        shown = {
            "title": title,
            "body": said[:MAX_BODY_CHARACTERS],
            "url": address,
            "tag": f"{event.tournament}-{event.position}",
            "lang": language,
        }
        body = json.dumps(shown, ensure_ascii=False, separators=(",", ":")).encode()
        if len(body) > MAX_PLAINTEXT_BYTES:
            shown["body"] = said[: MAX_BODY_CHARACTERS // 2]
            body = json.dumps(shown, ensure_ascii=False, separators=(",", ":")).encode()
        return body

    async def _describe(self, event: Recorded, found: Found, follow: Follow, language: str) -> str:
        message: Any = event.message
        if isinstance(message, pairing.MessageSent | pairing.PlayerMessageSent):
            of_message = event.position, language
            async with self._lock:
                if of_message not in self._messages:
                    self._messages[of_message] = await self._describe_message(event, found, language)
            return self._messages[of_message]
        games = [game for round_ in found.rounds if round_.round == message.round for game in round_.games]
        if isinstance(message, PAIRINGS):
            return await self._describe_pairing(message.round, games, found, follow, language)
        game = next((game for game in games if game.game_id == message.game_id), None)
        if game is None or not game.final:
            return ""
        names = await self._load_names(found.of.id, [seat.player_id for seat in game.seats])
        scores = " – ".join(f"{names[seat.player_id]} {seat.score}" for seat in game.seats)
        wording = CORRECTED if isinstance(message, pairing.ResultCorrected) else RESULT
        return say(wording, {"round": message.round, "scores": scores}, language)

    async def _describe_message(self, event: Recorded, found: Found, language: str) -> str:
        number = event.message.number  # type: ignore[attr-defined] # both events have one
        stored = next((each for each in found.head.messages if each.number == number), None)
        if stored is None:
            return ""  # it was withdrawn
        texts = await self.record.notes_at([event.position])
        message = like(results.Message, stored, text=texts.get(event.position, ""))
        tournament = found.tournament
        said = describe_message(message, tournament, language, of_games=is_of_duplicate_games(tournament))
        readers = describe_readers(message, language) if stored.public else ""
        return ": ".join(filter(None, [readers, said])) if said else ""

    async def _describe_pairing(
        self, number: int, games: Sequence[Game], found: Found, follow: Follow, language: str
    ) -> str:
        if not games:
            return ""
        if follow.kind == TABLE:
            game = next((game for game in games if str(game.table) == follow.value), None)
            if game is None:
                return ""
            names = await self._load_names(found.of.id, [seat.player_id for seat in game.seats])
            players = " – ".join(names[seat.player_id] for seat in game.seats)
            return say(AT_TABLE, {"round": number, "table": game.table, "players": players}, language)
        game = next((game for game in games if game.seat(follow.value) is not None), None)
        if game is None:
            return say(NO_GAME, {"round": number}, language)
        others = [seat.player_id for seat in game.seats if seat.player_id != follow.value]
        names = await self._load_names(found.of.id, others, games)
        params: Mapping[str, str | int] = {
            "round": number,
            "table": game.table,
            "hall": game.hall,
            "opponent": ", ".join(names[player] for player in others),
        }
        return say(PAIRED_IN_HALL if game.hall else PAIRED, params, language)

    async def _games(self, tournament: str, number: int, player_id: str = "") -> Sequence[Game]:
        """Return the tables of a round, or the one of a player; those of the last round for 0."""
        found = await self._round(tournament, number, player_id)
        return [game for round_ in found.rounds for game in round_.games]

    async def _round(self, tournament: str, number: int, player_id: str = "") -> Found:
        key = tournament, number, player_id
        async with self._lock:
            if key not in self._rounds:
                only = number or max((await lookup.tournament(self.record, tournament)).of.rounds, default=0)
                parts = Part.TABLES if only else Part.NOTHING
                self._rounds[key] = await lookup.tournament(
                    self.record, tournament, parts, only=only, player_id=player_id
                )
            return self._rounds[key]

    async def _load_names(self, tournament: str, players: Sequence[str], games: Sequence[Game] = ()) -> dict[str, str]:
        """Return the names of players; those of all players of ``games`` are read together with the first."""
        async with self._lock:
            if any((tournament, player) not in self._names for player in players):
                wanted = {*players, *(seat.player_id for game in games for seat in game.seats)}
                found = await load_player_names(self.record, sorted(wanted), tournament)
                self._names |= {(tournament, player): name for player, name in found.items()}
        return {player: self._names[tournament, player] or player for player in players}


def _player_of(event: Recorded) -> str:
    """Return a player of the game of a result, so that only this game is read; empty for another event."""
    message: Any = event.message
    return message.scores[0].player_id if isinstance(message, RESULTS) and message.scores else ""


def _of_games(games: Sequence[Game]) -> list[tuple[str, str]]:
    """Return the follows of players and tables of games."""
    seats = [(kind, seat.player_id) for game in games for seat in game.seats for kind in (OWN, PLAYER)]
    return [*seats, *((TABLE, str(game.table)) for game in games)]


def _address_of(event: Recorded, follow: Follow) -> str:
    """Return the address of the page that a notification opens."""
    if follow.kind == OWN:
        return tournament_path(event.tournament, "my-table")
    if isinstance(event.message, pairing.MessageSent):
        return tournament_path(event.tournament)
    if follow.kind == PLAYER:
        return player_path(follow.value)
    return round_path(event.tournament, event.message.round)  # type: ignore[attr-defined] # the others have a round
