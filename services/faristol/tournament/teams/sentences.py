"""Sentences about players, and their equivalents about teams."""

from __future__ import annotations

from collections.abc import Mapping

from faristol.kernel.refusal import N_

SAID_OF_TEAMS: Mapping[str, str] = {
    "A round needs 2 players or more; {players} can be paired.": N_(
        "A round needs 2 teams or more; {players} can be paired."
    ),
    "{players} players can play {most} {most:round|rounds} without meeting twice; the championship has {rounds}.": N_(
        "{players} teams can play {most} {most:round|rounds} without meeting twice; the championship has {rounds}."
    ),
    "A round robin of {players} players takes {expected} {expected:round|rounds}; the championship has {rounds}.": N_(
        "A round robin of {players} teams takes {expected} {expected:round|rounds}; the championship has {rounds}."
    ),
    "The number of players is odd ({players}), and each has already had a bye, so no player may have it.": N_(
        "The number of teams is odd ({players}), and each has already had a bye, so no team may have it."
    ),
    "{player} has met every other player, and players cannot meet twice; the arbiter decides.": N_(
        "{player} has met every other team, and teams cannot meet twice; the arbiter decides."
    ),
    "Player {player} may meet no remaining player; the arbiter decides.": N_(
        "Team {player} may meet no remaining team; the arbiter decides."
    ),
    "The {players} players cannot all be paired without two meeting twice; the arbiter decides.": N_(
        "The {players} teams cannot all be paired without two meeting twice; the arbiter decides."
    ),
    "The {players} players cannot all be paired within the rules; the arbiter decides.": N_(
        "The {players} teams cannot all be paired within the rules; the arbiter decides."
    ),
    "Too many players are kept apart: the {players} players present cannot all be paired.": N_(
        "Too many teams are kept apart: the {players} teams present cannot all be paired."
    ),
    "With the pairs made by hand ({pairs}) {players} players are left, and each has already had the "
    "bye: release a pair.": N_(
        "With the pairs made by hand ({pairs}) {players} teams are left, and each has already had the bye: "
        "release a pair."
    ),
    "{one} has the bye: no player with fewer points may have it.": N_(
        "{one} has the bye: no team with fewer points may have it."
    ),
    "{one} has the bye: of the players without a bye so far, the lowest whose absence leaves the others pairable.": N_(
        "{one} has the bye: of the teams without a bye so far, the lowest whose absence leaves the others pairable."
    ),
    "{one} has the bye: the arbiter paired all other players by hand.": N_(
        "{one} has the bye: the arbiter paired all other teams by hand."
    ),
    "The arbiter paired {one} or {other} with another player by hand.": N_(
        "The arbiter paired {one} or {other} with another team by hand."
    ),
    "If {one} met {other}, the remaining players could not all be paired.": N_(
        "If {one} met {other}, the remaining teams could not all be paired."
    ),
    "If {one} met {other}, the bye would go to a player with more points.": N_(
        "If {one} met {other}, the bye would go to a team with more points."
    ),
    "If {one} met {other}, fewer players would be paired within their bracket.": N_(
        "If {one} met {other}, fewer teams would be paired within their bracket."
    ),
    "If {one} met {other}, a player with more points would drop to a lower bracket.": N_(
        "If {one} met {other}, a team with more points would drop to a lower bracket."
    ),
    "If {one} met {other}, the bye would go to a player with more unplayed games.": N_(
        "If {one} met {other}, the bye would go to a team with more unplayed matches."
    ),
    "If {one} met {other}, more players would again drop to a lower bracket, as in the previous round.": N_(
        "If {one} met {other}, more teams would again drop to a lower bracket, as in the previous round."
    ),
    "If {one} met {other}, more players would again face a higher-scoring opponent, as in the previous round.": N_(
        "If {one} met {other}, more teams would again face a higher-scoring opponent, as in the previous round."
    ),
    "If {one} met {other}, more players would again drop to a lower bracket, as two rounds earlier.": N_(
        "If {one} met {other}, more teams would again drop to a lower bracket, as two rounds earlier."
    ),
    "If {one} met {other}, more players would again face a higher-scoring opponent, as two rounds earlier.": N_(
        "If {one} met {other}, more teams would again face a higher-scoring opponent, as two rounds earlier."
    ),
    "If {one} met {other}, a player who dropped to a lower bracket in the previous round would drop further.": N_(
        "If {one} met {other}, a team that dropped to a lower bracket in the previous round would drop further."
    ),
    "If {one} met {other}, a player who faced a higher-scoring opponent in the previous round would face an even "
    "higher-scoring one.": N_(
        "If {one} met {other}, a team that faced a higher-scoring opponent in the previous round would face an even "
        "higher-scoring one."
    ),
    "If {one} met {other}, a player who dropped to a lower bracket two rounds earlier would drop further.": N_(
        "If {one} met {other}, a team that dropped to a lower bracket two rounds earlier would drop further."
    ),
    "If {one} met {other}, a player who faced a higher-scoring opponent two rounds earlier would face an even "
    "higher-scoring one.": N_(
        "If {one} met {other}, a team that faced a higher-scoring opponent two rounds earlier would face an even "
        "higher-scoring one."
    ),
    "If {one} had the bye, the remaining players could not all be paired.": N_(
        "If {one} had the bye, the remaining teams could not all be paired."
    ),
    "{one} has more points than others who may have the bye.": N_(
        "{one} has more points than other teams that may have the bye."
    ),
}
"""The sentence about teams, by the sentence about players. Other sentences apply to both."""
