"""A tournament for tests, built by its decisions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import reduce
from typing import Any

from google.protobuf.message import Message

from faristol.kernel.pins import Pin
from faristol.kernel.times import to_timestamp
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.rules import Ruleset, load_ruleset
from faristol.tournament.administration.tournaments import create
from faristol.tournament.command_handling.handler import COMMANDS
from faristol.tournament.command_handling.proposals import propose
from faristol.tournament.players.registration import register
from faristol.tournament.results.results import record_result
from faristol.tournament.situation import Situation
from faristol.tournament.state import Origins, TableRulings, TournamentState, evolve

FISC = load_ruleset("fisc-2023")
LEXICON = Pin("catalan", "a" * 64)
NOON = datetime(2024, 5, 4, 12, tzinfo=UTC)
SEED = bytes(range(32))


def decide_command(
    state: TournamentState,
    request: Message,
    *,
    rules: Ruleset = FISC,
    at: datetime | None = None,
    now: datetime = NOON,
    events: Sequence[Message] = (),
    divisions: Sequence[TournamentState] = (),
    origins: Origins | None = None,
    turns: Mapping[str, int] | None = None,
    tables: Mapping[str, TableRulings] | None = None,
    caller: str = "",
) -> list[Message]:
    """Return the events of a caller's command; ``turns`` are over at the tables, unless ``tables`` are given."""
    begun = tables or defaultdict(
        TableRulings, {game: TableRulings(turns=count) for game, count in (turns or {}).items()}
    )
    situation = Situation(
        state,
        now=now,
        at=at,
        rules=rules,
        past_events=events,
        divisions=divisions,
        tables=begun,
        origins=origins or Origins(),
        caller_id=caller,
        caller_ids=frozenset({caller} - {""}),
    )
    if isinstance(request, pb.RegisterPlayerRequest):
        return register(situation, request)
    return propose(situation, request, COMMANDS[type(request)].decide(situation, request))


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
        self.events: list[Message] = []
        self.now = NOON
        asked = pb.CreateTournamentRequest(
            tournament_id=tournament_id,
            name="Open",
            rounds=rounds,
            seed=SEED,
            division=division,
            division_of=division_of,
        )
        self.do(create(Situation(TournamentState(), now=self.now, rules=ruleset), asked, LEXICON))
        for player_id, rating in players.items():
            self.do(self.decide(pb.RegisterPlayerRequest(player_id=player_id, rating=rating)))

    @property
    def state(self) -> TournamentState:
        return reduce(evolve, self.events, TournamentState())

    def do(self, events: Sequence[Message]) -> Sequence[Message]:
        self.events.extend(events)
        self.now += timedelta(minutes=1)
        return events

    def decide(
        self,
        request: Message,
        *,
        rules: Ruleset | None = None,
        at: datetime | None = None,
        divisions: Sequence[TournamentState] = (),
        origins: Origins | None = None,
        turns: Mapping[str, int] | None = None,
        tables: Mapping[str, TableRulings] | None = None,
        caller: str = "",
    ) -> list[Message]:
        """Return the events of a command of a caller now."""
        return decide_command(
            self.state,
            request,
            rules=rules or self.ruleset,
            at=at,
            now=self.now,
            events=self.events,
            divisions=divisions,
            origins=origins,
            turns=turns,
            tables=tables,
            caller=caller,
        )

    def carry_out(self, request: Message, **more: Any) -> Sequence[Message]:
        return self.do(self.decide(request, **more))

    def pair(self, number: int) -> Sequence[Message]:
        return self.carry_out(pb.PairRoundRequest(round=number))

    def start(self, number: int) -> Sequence[Message]:
        return self.carry_out(pb.StartRoundRequest(round=number))

    def report(self, game: str, first: int, second: int) -> Sequence[Message]:
        found = self.state.find_game(game)
        assert found is not None
        scores = list(zip(found[1].player_ids, (first, second), strict=True))
        return self.do(
            record_result(self.state, self.ruleset, game=game, scores=scores, occurred_at=to_timestamp(self.now))
        )

    def close(self, number: int) -> Sequence[Message]:
        return self.carry_out(pb.CloseRoundRequest(round=number))

    def play(self, number: int) -> None:
        """Play a whole round; the higher-ranked player wins every game by 400 to 300."""
        self.pair(number)
        self.start(number)
        for pairing in self.state.played[number - 1].pairings:
            self.report(pairing.game_id, 400, 300)
        self.close(number)


def hall_of(players: int = 8, rounds: int = 5, ruleset: Ruleset = FISC) -> Hall:
    """Return a tournament of players p1, p2, …, each rated a point below the one before."""
    return Hall({f"p{place}": 2000 - place for place in range(1, players + 1)}, rounds, ruleset)
