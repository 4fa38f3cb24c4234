"""The news that each page shows, so that it is fetched again when there is some."""

from __future__ import annotations

from collections.abc import Mapping

from google.protobuf.message import Message

from faristol.pb.clock.v1 import events_pb2 as clock
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.pb.rating.v1 import events_pb2 as rating

Events = frozenset[type[Message]]

HEADING: Events = frozenset(
    (
        pairing.DivisionAdded,
        pairing.RoundsChanged,
        pairing.PlayerRegistered,
        pairing.LateEntryAdmitted,
        pairing.PlayerWithdrawn,
        pairing.PlayerReinstated,
        pairing.RoundPaired,
        pairing.RoundUnpaired,
        pairing.ByeAwarded,
        pairing.RoundStarted,
        pairing.ResultRecorded,
        pairing.RoundClosed,
        pairing.StandingsPublished,
        pairing.StandingsReopened,
    )
)
"""What changes the heading and the tabs, which every page of a tournament has: how many play, how far each round is."""

TEAMS: Events = frozenset(
    (pairing.TeamRegistered, pairing.LineUpSet, pairing.TeamWithdrawn, pairing.TeamReinstated),
)
"""What changes the teams and who plays for them."""

RESULTS: Events = frozenset((pairing.ResultCorrected, pairing.SpreadAdjusted, pairing.PointsAdjusted))
"""What changes a result that was recorded."""

POSTPONEMENTS: Events = frozenset(
    (pairing.GamePostponed, pairing.PostponementCancelled, pairing.PostponedGameStarted),
)
"""What changes when a game of a round is played."""

RATINGS: Events = frozenset((rating.RatingSystemChosen, rating.RatingListPublished))
"""What changes the ratings of the players."""

COUNTING: Events = frozenset(
    (
        game.StartDecided,
        game.ChallengePenalty,
        game.PlayWithdrawn,
        game.TurnLost,
        game.EntriesTakenBack,
        game.PlayCompleted,
        game.PlayCorrected,
        game.TotalCorrected,
        game.RackPenalty,
        game.OutBonus,
        game.TimePenalty,
        game.ScoreAdjusted,
        game.ResultFinal,
        game.TableClosed,
    )
)
"""What changes the scores of a game that is being played, the number of its turns or who starts."""

CLOCKS: Events = frozenset(
    (
        clock.ClockStarted,
        clock.ClockPressed,
        clock.ClockHeldByMover,
        clock.ClockNeutralised,
        clock.ClockResumed,
        clock.ClockSwitched,
        clock.TurnTimedOut,
        clock.OvertimeCapExceeded,
        clock.ClockCorrected,
        clock.RoundTimeExpired,
        clock.PlayerAbsent,
        clock.PlayerArrived,
        clock.PlayerLeft,
        clock.PlayerReturned,
        clock.ClockStopped,
    )
)
"""What changes the clocks of a table."""

TABLE: Events = frozenset(
    (
        *COUNTING,
        *CLOCKS,
        game.DrawsCommitted,
        game.SeedRevealed,
        game.GameStarted,
        game.TilesLaid,
        game.TilesTakenBack,
        game.PlayPlaced,
        game.ScoreWritten,
        game.ChallengeRaised,
        game.ChallengeRuled,
        game.AppealRaised,
        game.AppealRuled,
        game.BlankSettled,
        game.Exchanged,
        game.FreeExchanged,
        game.IllegalExchangeFound,
        game.IllegalExchangeResolved,
        game.Passed,
        game.CannotPlay,
        game.OverdrawFound,
        game.OverdrawResolved,
        game.UnderdrawFound,
        game.UnderdrawResolved,
        game.TilesFound,
        game.ArbiterCalled,
        game.ArbiterLeft,
        game.CountDisputed,
        game.CountSettled,
        game.SanctionImposed,
        game.WordAsked,
        game.GameEnded,
        game.GameReopened,
    )
)
"""What changes the board, the scoresheet, what is noted beside it, or the clocks."""

PAGES: Mapping[str, Events] = {
    "standings.html": HEADING | TEAMS | RESULTS,
    "standing.html": HEADING | RESULTS,
    "teams.html": HEADING | TEAMS | RESULTS,
    "team.html": HEADING | TEAMS | RESULTS,
    "crosstable.html": HEADING | RESULTS | COUNTING,
    "prizes.html": HEADING | RESULTS | COUNTING,
    "pairings.html": HEADING | TEAMS | RESULTS | POSTPONEMENTS | COUNTING,
    "players.html": HEADING | TEAMS | RESULTS | RATINGS,
    "rulings.html": HEADING,
    "game.html": TABLE | RESULTS | {pairing.ResultRecorded},
}
"""The events after which each page that follows a tournament is another, by its template."""


def of_page(template: str) -> str:
    """The names of the events that a page shows, as ``data-news`` has them; empty for one that follows nothing."""
    return " ".join(sorted(event.DESCRIPTOR.name for event in PAGES.get(template, ())))
