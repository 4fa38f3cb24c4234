"""A tournament for tests, built of its own decisions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import reduce

from google.protobuf.message import Message

from faristol.kernel.pins import Pin
from faristol.kernel.times import to_timestamp
from faristol.pairing import decide
from faristol.pairing.model import Tournament, evolve
from faristol.rules import Ruleset, load_ruleset

FISC = load_ruleset("fisc-2023")
LEXICON = Pin("catalan", "a" * 64)
NOON = datetime(2024, 5, 4, 12, tzinfo=UTC)
SEED = bytes(range(32))


class Hall:
    """A tournament as it grows, one decision after another; every decision comes a minute after the last."""

    def __init__(
        self,
        players: Mapping[str, int | None],
        rounds: int = 5,
        ruleset: Ruleset = FISC,
        *,
        tournament_id: str = "open",
        division: str = "",
        division_of: str = "",
    ) -> None:
        self.ruleset = ruleset
        self.facts: list[Message] = []
        self.now = NOON
        self.do(
            decide.create(
                self.state,
                tournament_id=tournament_id,
                name="Open",
                rounds=rounds,
                seed=SEED,
                ruleset=ruleset,
                lexicon=LEXICON,
                division=division,
                division_of=division_of,
                at=None,
                now=self.now,
            )
        )
        for player_id, rating in players.items():
            self.do(decide.register(self.state, ruleset, player_id=player_id, rating=rating, at=None, now=self.now))

    @property
    def state(self) -> Tournament:
        return reduce(evolve, self.facts, Tournament())

    def do(self, facts: Sequence[Message]) -> Sequence[Message]:
        self.facts.extend(facts)
        self.now += timedelta(minutes=1)
        return facts

    def pair(self, number: int) -> Sequence[Message]:
        return self.do(decide.pair(self.state, self.ruleset, number=number, at=None, now=self.now))

    def start(self, number: int) -> Sequence[Message]:
        return self.do(decide.start(self.state, self.ruleset, number=number, at=None, now=self.now))

    def report(self, game: str, first: int, second: int) -> Sequence[Message]:
        found = self.state.find_game(game)
        assert found is not None
        scores = list(zip(found[1].player_ids, (first, second), strict=True))
        return self.do(
            decide.record_result(self.state, self.ruleset, game=game, scores=scores, occurred_at=to_timestamp(self.now))
        )

    def close(self, number: int) -> Sequence[Message]:
        return self.do(decide.close(self.state, self.ruleset, number=number, at=None, now=self.now))

    def play(self, number: int) -> None:
        """A whole round; the higher-ranked player wins every game by 400 to 300."""
        self.pair(number)
        self.start(number)
        for pairing in self.state.played[number - 1].pairings:
            self.report(pairing.game_id, 400, 300)
        self.close(number)
