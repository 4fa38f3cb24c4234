"""Tournaments on which anything is done, and what came of it: kept in ``kept_walks.json``, renewed by `make golden`.

A tournament comes to the same facts, refusals and explanations when it is decided again. Where a decision is changed on
purpose, what is kept is renewed, and the first step that differs is what the test tells.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial, reduce
from pathlib import Path
from random import Random
from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from tests.unit.pairing.halls import Hall

from faristol.kernel.errors import AlreadyExists, Invalid, NotFound
from faristol.kernel.refusal import Refusal
from faristol.kernel.times import to_timestamp
from faristol.pairing.administration.results import record_result
from faristol.pairing.model import Pairing, Phase, Tournament, evolve
from faristol.pairing.office.office import COMMANDS
from faristol.pairing.rounds import explanation, pairing
from faristol.pairing.teams import explanation as of_teams
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.rules import load_ruleset, with_options

FILE = Path(__file__).with_name("kept_walks.json")
BOOKS: Mapping[str, tuple[str, Mapping[str, Any], int, int]] = {
    "fisc": ("fisc-2023", {}, 9, 5),
    "fise": ("fise", {}, 8, 5),
    "teams": ("fise", {"teams": 2, "pairing": "round-robin"}, 8, 3),
    "dutch": ("fise", {"pairing": "dutch"}, 8, 5),
    "round-robin": ("fise", {"pairing": "round-robin"}, 5, 5),
    "twice": ("pes-2024", {"pairing": "double-round-robin"}, 4, 6),
    "match": ("fise", {"pairing": "match"}, 2, 3),
    "by-lot": ("fisc-2023", {"pairing": "swiss-lot"}, 12, 9),
    "festa-major": ("festa-major", {}, 9, 4),
}
"""The book, what is chosen of it, players and rounds."""
SEEDS = range(5)
STEPS = 60
KINDS = list(COMMANDS)
STOPPING = (
    pb.ChangeRoundsRequest,
    pb.CheckInPlayerRequest,
    pb.CheckOutPlayerRequest,
    pb.ExpelPlayerRequest,
    pb.SetResultCheckRequest,
    pb.WithdrawPlayerRequest,
    pb.WithdrawTeamRequest,
)
"""What easily leaves no round to go on with: it is done less often."""
OFFICIALS = ("eva", "ona", "pau")


class Followed(Hall):
    """A tournament whose state is kept beside its facts."""

    _folded = 0
    _state = Tournament()

    @property
    def state(self) -> Tournament:
        """What the facts come to, of which only the new ones are folded."""
        self._state = reduce(evolve, self.facts[self._folded :], self._state)
        self._folded = len(self.facts)
        return self._state


class Anybody:
    """Leads a tournament on, and does anything else between."""

    def __init__(self, book: str, seed: int) -> None:
        self.chance = Random(f"{book} {seed}")
        name, chosen, players, self.rounds = BOOKS[book]
        self.players = [f"p{number}" for number in range(1, players + 1)]
        ratings = {player: self.chance.choice([None, 1500 + self.chance.randrange(500)]) for player in self.players}
        self.hall = Followed(ratings, self.rounds, with_options(load_ruleset(name), chosen))
        self.teams = [f"t{number}" for number in range(1, 5)] if "teams" in chosen else []
        for place, team in enumerate(self.teams):
            members = self.players[2 * place : 2 * place + 2]
            self.tried(
                lambda team=team, members=members: self.hall.carry_out(  # type: ignore[misc]
                    pb.RegisterTeamRequest(team_id=team, name=team.upper(), player_ids=members)
                )
            )

    def tried(self, act: Callable[[], Sequence[Message]]) -> str:
        """The facts that came of it, or why it was refused."""
        try:
            return " ".join(f"{fact.DESCRIPTOR.name} {_summed(fact)}" for fact in act())
        except Refusal as refused:
            return f"{refused.reason} {refused.article} {sorted(refused.params.items())}"
        except (AlreadyExists, Invalid, NotFound) as problem:
            return f"{type(problem).__name__} {problem}"

    def led_on(self) -> str:
        """The next step of the round that is on."""
        hall, state = self.hall, self.hall.state
        on = state.played[-1] if state.played else None
        if on is None or on.phase is Phase.CLOSED:
            number = len(state.played) + 1
            return self.tried(lambda: hall.pair(number)) + "\n".join(self._explained(state))
        if on.phase is Phase.PAIRED:
            return self.tried(lambda: hall.start(on.number))
        games = [found.game_id for found in on.missing]
        if not games or self.chance.random() < 0.1:
            return self.tried(lambda: hall.close(on.number))
        game = self.chance.choice(games)
        players = next(found.player_ids for found in on.pairings if found.game_id == game)
        scores = [(player, self.chance.choice([300, 400])) for player in players]
        at = to_timestamp(hall.now)
        return self.tried(lambda: hall.do(record_result(state, hall.ruleset, game=game, scores=scores, occurred_at=at)))

    def _explained(self, before: Tournament) -> Iterator[str]:
        """Why players meet or do not in the round that was just paired."""
        state = self.hall.state
        if len(state.played) == len(before.played):
            yield from (str(refused) for refused in pairing.obstacles(state, self.hall.ruleset, len(state.played) + 1))
            return
        paired = state.played[-1]
        explain = of_teams.explain if state.teams else explanation.explain
        for player in self.players:
            for other in ("", self.chance.choice(self.players)):
                try:
                    yield str(explain(before, self.hall.ruleset, paired, player, other))
                except Refusal as refused:
                    yield f"{refused.reason} {refused.params}"

    def anything(self) -> str:
        """A command with anything in its fields."""
        kind = self.chance.choice(KINDS)
        if kind in STOPPING and self.chance.random() < 0.7:
            kind = pb.UndoActRequest
        request: Any = kind()
        self._fill(request)
        games = [found.game_id for played in self.hall.state.played for found in played.pairings]
        turns = {game: self.chance.randint(0, 2) for game in games}
        done = self.tried(lambda: self.hall.carry_out(request, turns=turns))
        return f"{request.DESCRIPTOR.name}: {done}"

    def _fill(self, request: Any) -> None:
        for field in request.DESCRIPTOR.fields:
            if field.name in ("command_id", "tournament_id") or self.chance.random() < 0.12:
                continue
            if field.is_repeated:
                for _ in range(self.chance.choice([0, 1, 1, 2, 2])):
                    self._fill_field(request, field, getattr(request, field.name).append)
            else:
                self._fill_field(request, field, partial(setattr, request, field.name))

    def _fill_field(self, request: Any, field: Any, put: Callable[[Any], None]) -> None:
        chance, state = self.chance, self.hall.state
        games = [found for played in state.played for found in played.pairings]
        if field.type == FieldDescriptor.TYPE_MESSAGE:
            if field.message_type.name == "Timestamp":
                moment = int(self.hall.now.timestamp()) + chance.choice([-(9**6), 0, 9**6])
                getattr(request, field.name).FromSeconds(moment)
            elif field.message_type.name == "FinalScore":
                scored = chance.choice(games).player_ids if games else self.players[:2]
                if not getattr(request, field.name):
                    for player in scored:
                        getattr(request, field.name).add(player_id=player, score=chance.choice([0, 300, 400, 10**6]))
            else:
                part = getattr(request, field.name)
                self._fill(part.add() if field.is_repeated else part)
        elif field.type == FieldDescriptor.TYPE_ENUM:
            put(chance.choice([value.number for value in field.enum_type.values]))
        elif field.type == FieldDescriptor.TYPE_BOOL:
            put(chance.random() < 0.5)
        elif field.type == FieldDescriptor.TYPE_STRING:
            put(self._text(field.name, games))
        elif field.name == "version":
            put(chance.randint(0, len(self.hall.facts)))
        elif field.name in ("round", "rounds"):
            put(chance.randint(0, self.rounds + 1))
        else:
            put(chance.choice([0, 1, 1, 2, 3, 50]))

    def _text(self, name: str, games: Sequence[Pairing]) -> str:
        chance = self.chance
        match name:
            case "player_id" | "player_ids" | "loser_ids":
                return chance.choice([*self.players, "p10"])
            case "game_id":
                return chance.choice([*(found.game_id for found in games), "open-r9-t1"])
            case "arbiter_id" | "decided_by" | "official_ids" | "member_ids" | "confirmed_by":
                return chance.choice([*OFFICIALS, *OFFICIALS, "p1", ""])
            case "team_id" | "team_ids":
                return chance.choice([*(self.teams or ["t1"]), "t9"])
        return chance.choice(["", "north", "south"])


def _summed(fact: Message) -> str:
    return hashlib.sha256(fact.SerializeToString(deterministic=True)).hexdigest()[:8]


def walked(book: str, seed: int) -> Iterator[str]:
    """Step by step: the facts that came of it, or why it was refused."""
    somebody = Anybody(book, seed)
    for _ in range(STEPS):
        yield somebody.led_on() if somebody.chance.random() < 0.45 else somebody.anything()


def sums(book: str, seed: int) -> str:
    """Four letters for each step of a walk."""
    return " ".join(hashlib.sha256(step.encode()).hexdigest()[:4] for step in walked(book, seed))


def main() -> int:
    """Keep what every walk comes to now."""
    kept = {f"{book} {seed}": sums(book, seed) for book in BOOKS for seed in SEEDS}
    FILE.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
