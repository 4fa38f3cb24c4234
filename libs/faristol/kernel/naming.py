"""Which players and which teams a fact names. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Set

from google.protobuf.message import Message

_SINGLE = frozenset(("player_id", "first_player_id", "second_player_id", "winner_id"))
_SEVERAL = frozenset(("player_ids", "loser_ids"))
_TEAM = frozenset(("team_id", "first_team_id", "second_team_id", "bye_team_id"))
_TEAMS = frozenset(("team_ids",))


def players_of(fact: Message) -> list[str]:
    """The ids of the players whom a fact names, wherever in it, each once, in the order in which they come."""
    return [player_id for player_id in dict.fromkeys(_named(fact, _SINGLE, _SEVERAL)) if player_id]


def teams_of(fact: Message) -> list[str]:
    """The ids of the teams whom a fact names, as ``players_of`` does those of players."""
    return [team_id for team_id in dict.fromkeys(_named(fact, _TEAM, _TEAMS)) if team_id]


def _named(message: Message, single: Set[str], several: Set[str]) -> Iterator[str]:
    for field, value in message.ListFields():
        if field.name in single:
            yield value
        elif field.name in several:
            yield from value
        elif field.message_type is not None and field.is_repeated:
            for part in value:
                yield from _named(part, single, several)
