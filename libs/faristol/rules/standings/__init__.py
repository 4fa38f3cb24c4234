"""Standings of players and of teams: points of the championship, tie-breaks in the order of the rules, shared ranks."""

from faristol.kernel.byes import Bye
from faristol.rules.standings.arithmetic import Arithmetic, Basis, LeftOut, Term
from faristol.rules.standings.history import is_rest
from faristol.rules.standings.ranking import Standings, StandingsRow, standings
from faristol.rules.standings.results import (
    NOTHING_CARRIED,
    Carried,
    Result,
    RoundOutcome,
    SpreadAdjustment,
    TableResult,
    build_carried,
)
from faristol.rules.standings.teams import Match, TeamBoard, TeamBye, TeamRow, TeamScore, team_standings
