"""Standings of players and of teams: points of the championship, tie-breaks in the order of the rules, shared ranks."""

from faristol.rules.standings.arithmetic import Arithmetic, Basis, LeftOut, Term
from faristol.rules.standings.history import is_rest
from faristol.rules.standings.ranking import Row, Standings, standings
from faristol.rules.standings.results import Bye, Outcome, Result, SpreadAdjustment, TableResult
from faristol.rules.standings.teams import Board, Match, TeamBye, TeamRow, TeamScore, team_standings
