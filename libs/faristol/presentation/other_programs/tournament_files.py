"""A tournament as the form of files for other programs, from its crosstable."""

from __future__ import annotations

from faristol.kernel.refusal import N_, Refusal
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.presentation.ruleset_lookup import known_rules
from faristol.rules.tournament_files import FileDivision, FilePlayer, FileRound, RoundKind, TournamentFile

SEATS_COUNT = 2
"""Players of a game in these files."""

_ROUND_KINDS = {pb.OUTCOME_WIN: RoundKind.BYE, pb.OUTCOME_DRAW: RoundKind.HALF_BYE}


def build_tournament_file(
    tournament: pb.Tournament, crosstable: pb.GetCrosstableResponse, players: pb.ListPlayersResponse
) -> TournamentFile:
    """Return a tournament with its paired rounds; players are numbered by rating, as in the initial ranking.

    Raises ``Refusal`` for tables of more than two players, which these files cannot express.
    """
    listed = {player.player_id: player for player in players.players}
    rows = sorted(crosstable.rows, key=lambda row: (-row.rating, row.unrated, row.standing.player_id))
    if any(len(cell.opponent_ids) >= SEATS_COUNT for row in rows for cell in row.cells):
        raise Refusal("NOT_PAIRS", N_("these files support only games of two players"))
    number_of = {row.standing.player_id: number for number, row in enumerate(rows, 1)}
    rules = known_rules(tournament.ruleset)
    bye_spread = rules.championship.bye_spread if rules else 0
    division = FileDivision(
        tournament.division,
        tuple(_build_player(row, listed.get(row.standing.player_id), number_of, bye_spread) for row in rows),
    )
    return TournamentFile(tournament.name, _first_day(tournament), (division,), tournament.rounds, "faristol")


def _first_day(tournament: pb.Tournament) -> str:
    """Return the first day as described, or that of the first start in UTC; empty for neither."""
    started = next((played.started_at for played in tournament.played if played.HasField("started_at")), None)
    return tournament.starts_on or (f"{started.ToDatetime():%Y-%m-%d}" if started else "")


def _build_player(
    row: pb.CrosstableRow, player: pb.Player | None, number_of: dict[str, int], bye_spread: int
) -> FilePlayer:
    return FilePlayer(
        name=row.standing.name or row.standing.player_id,
        rating=None if row.unrated else row.rating,
        rounds=tuple(_build_round(cell, number_of, bye_spread) for cell in row.cells),
        player_id=row.standing.player_id,
        country=player.country if player else "",
        club=player.club if player else "",
        left=bool(player and player.withdrawn_round),
    )


def _build_round(cell: pb.CrosstableCell, number_of: dict[str, int], bye_spread: int) -> FileRound:
    opponent = number_of.get(cell.opponent_ids[0], 0) if cell.opponent_ids else 0
    starts = cell.starts if cell.HasField("starts") else None
    match cell.basis:
        case pb.TERM_BASIS_GAME if opponent:
            if not cell.final:
                return FileRound(RoundKind.GAME, opponent, starts=starts)
            return FileRound(RoundKind.GAME, opponent, cell.score, cell.against, starts)
        case pb.TERM_BASIS_FORFEIT:
            kind = RoundKind.FORFEIT_WIN if cell.outcome == pb.OUTCOME_WIN else RoundKind.FORFEIT_LOSS
            return FileRound(kind, opponent, cell.score, cell.against)
        case pb.TERM_BASIS_BYE:
            kind = _ROUND_KINDS.get(cell.outcome, RoundKind.ABSENCE)
            return FileRound(kind, score=bye_spread if kind is RoundKind.BYE else 0)
        case pb.TERM_BASIS_REQUESTED_BYE:
            return FileRound(_ROUND_KINDS.get(cell.outcome, RoundKind.ABSENCE), score=0)
        case _ if opponent:  # a game of a round that is being played
            return FileRound(RoundKind.GAME, opponent, starts=starts)
        case _:
            return FileRound(RoundKind.ABSENCE)
