"""A small tournament of teams as events: three teams of two boards, of which one has a bye in every round."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from google.protobuf.message import Message
from tests.support.synthetic import START, TOURNAMENT, Step, game_id

from faristol.kernel.times import to_timestamp
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.rules.ruleset.file import load_ruleset
from faristol.rules.ruleset.options import format_value
from faristol.rules.ruleset.with_options import with_options

TEAMS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "tarragona": ("Club Tarragona", ("anna", "biel", "carme")),
    "sabadell": ("Club Sabadell", ("dolors", "eloi")),
    "lleida": ("Club Lleida", ("fina",)),
}
"""Name and line-up; Lleida has no player for its second board."""

STREAM = f"tournament-{TOURNAMENT}"


class League:
    """The tournament, ranked by points of matches or of boards."""

    def __init__(self, score: str = "match-points", tie_breaks: str = "spread") -> None:
        rules = with_options(load_ruleset("fise"), {"teams": 2, "team_score": score, "tie_breaks": tie_breaks})
        self.rules = rules
        chosen = [game.ChosenOption(name=name, value=format_value(value)) for name, value in rules.chosen.items()]
        self.ruleset = game.Pin(name=rules.name, digest=rules.digest, options=chosen)
        self.at = to_timestamp(START)

    def steps(self) -> Iterator[Step]:
        yield from self.create()
        yield from self.first_round()
        yield from self.second_round()
        yield from self.third_round()

    def keep_ruleset(self) -> Step:
        """Return the content of its rules."""
        kept = pairing.RulesetKept(digest=self.rules.digest, content=self.rules.canonical)
        return {f"ruleset-{self.rules.digest}": [kept]}

    def create(self) -> Iterator[Step]:
        created = pairing.TournamentCreated(
            tournament_id=TOURNAMENT, name="Lliga d’equips", rounds=3, seed=b"t" * 32, occurred_at=self.at
        )
        yield self._step(created, pairing.RulesetPinned(ruleset=self.ruleset))
        for _, players in TEAMS.values():
            yield self._step(*(pairing.PlayerRegistered(player_id=player, rating=1500) for player in players))
        for team_id, (name, players) in TEAMS.items():
            yield self._step(
                pairing.TeamRegistered(team_id=team_id, name=name, player_ids=players, round=1, occurred_at=self.at)
            )

    def first_round(self) -> Iterator[Step]:
        """Yield the round in which Tarragona wins by a board and a half, and Lleida has the bye."""
        yield self._pair(
            1,
            ("tarragona", "sabadell"),
            [("anna", "dolors"), ("biel", "eloi")],
            pairing.RequestedBye(player_id="fina", kind=pairing.BYE_KIND_FULL_POINT, board=1, team_id="lleida"),
            bye="lleida",
        )
        yield self._step(pairing.RoundStarted(round=1))
        yield self._result(1, 1, ("anna", 400), ("dolors", 300))
        yield self._result(1, 2, ("biel", 350), ("eloi", 350))
        yield self._step(pairing.RoundClosed(round=1))

    def second_round(self) -> Iterator[Step]:
        """Yield the round in which Lleida wins at its only board, Tarragona at the others, and Sabadell has the bye."""
        yield self._pair(
            2,
            ("lleida", "tarragona"),
            [("fina", "anna")],
            pairing.RequestedBye(
                player_id="biel", kind=pairing.BYE_KIND_FULL_POINT, match=1, board=2, team_id="tarragona"
            ),
            *(
                pairing.RequestedBye(
                    player_id=player_id, kind=pairing.BYE_KIND_FULL_POINT, board=board, team_id="sabadell"
                )
                for board, player_id in enumerate(("dolors", "eloi"), 1)
            ),
            bye="sabadell",
        )
        yield self._step(pairing.RoundStarted(round=2))
        yield self._result(2, 1, ("fina", 420), ("anna", 380))
        yield self._step(pairing.RoundClosed(round=2))

    def third_round(self) -> Iterator[Step]:
        """Yield the round without Tarragona, whose reserve has left and whose team requested a bye; the others play."""
        line_up = pairing.LineUpSet(team_id="tarragona", player_ids=("biel", "anna"), occurred_at=self.at)
        yield self._step(line_up)
        yield self._pair(
            3,
            ("sabadell", "lleida"),
            [("dolors", "fina")],
            pairing.RequestedBye(
                player_id="eloi", kind=pairing.BYE_KIND_FULL_POINT, match=1, board=2, team_id="sabadell"
            ),
            *(
                pairing.RequestedBye(
                    player_id=player_id, kind=pairing.BYE_KIND_HALF_POINT, board=board, team_id="tarragona"
                )
                for board, player_id in enumerate(("biel", "anna"), 1)
            ),
            resting="tarragona",
        )
        yield self._step(pairing.RoundStarted(round=3))

    def last_result(self) -> Step:
        return self._result(3, 1, ("dolors", 300), ("fina", 310))

    def _pair(
        self,
        number: int,
        teams: tuple[str, str],
        boards: Sequence[tuple[str, str]],
        *requested: pairing.RequestedBye,
        bye: str = "",
        resting: str = "",
    ) -> Step:
        kind = pairing.BYE_KIND_HALF_POINT
        return self._step(
            pairing.RoundPaired(
                round=number,
                pairings=[
                    pairing.Pairing(
                        table=board,
                        game_id=game_id(number, board),
                        first_player_id=first,
                        second_player_id=second,
                        match=1,
                        board=board,
                    )
                    for board, (first, second) in enumerate(boards, 1)
                ],
                requested_byes=requested,
                matches=[pairing.TeamMatch(match=1, first_team_id=teams[0], second_team_id=teams[1])],
                bye_team_id=bye,
                team_byes=[pairing.TeamBye(team_id=resting, kind=kind)] if resting else [],
                occurred_at=self.at,
            )
        )

    def _result(self, number: int, table: int, *scores: tuple[str, int]) -> Step:
        best = max(score for _, score in scores)
        winners = [player for player, score in scores if score == best]
        return self._step(
            pairing.ResultRecorded(
                round=number,
                game_id=game_id(number, table),
                scores=[game.FinalScore(player_id=player, score=score) for player, score in scores],
                winner_id=winners[0] if len(winners) == 1 else "",
                occurred_at=self.at,
            )
        )

    def _step(self, *events: Message) -> Step:
        return {STREAM: list(events)}
