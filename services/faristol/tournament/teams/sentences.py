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
    "All against all of {players} players takes {expected} {expected:round|rounds}; the championship has {rounds}.": N_(
        "All against all of {players} teams takes {expected} {expected:round|rounds}; the championship has {rounds}."
    ),
    "The {players} players are an odd number, and each has already had a bye, so no player may have it.": N_(
        "The {players} teams are an odd number, and each has already had a bye, so no team may have it."
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
    "If {one} met {other}, a player with more points would go down a bracket.": N_(
        "If {one} met {other}, a team with more points would go down a bracket."
    ),
    "If {one} met {other}, the bye would go to a player with more unplayed games.": N_(
        "If {one} met {other}, the bye would go to a team with more unplayed matches."
    ),
    "If {one} met {other}, more players would go down a bracket as they did in the round before.": N_(
        "If {one} met {other}, more teams would go down a bracket as they did in the round before."
    ),
    "If {one} met {other}, more players would meet one from above as they did in the round before.": N_(
        "If {one} met {other}, more teams would meet one from above as they did in the round before."
    ),
    "If {one} met {other}, more players would go down a bracket as they did two rounds before.": N_(
        "If {one} met {other}, more teams would go down a bracket as they did two rounds before."
    ),
    "If {one} met {other}, more players would meet one from above as they did two rounds before.": N_(
        "If {one} met {other}, more teams would meet one from above as they did two rounds before."
    ),
    "If {one} met {other}, a player who went down in the round before would fall further.": N_(
        "If {one} met {other}, a team that went down in the round before would fall further."
    ),
    "If {one} met {other}, a player who met one from above in the round before would meet one from higher up.": N_(
        "If {one} met {other}, a team that met one from above in the round before would meet one from higher up."
    ),
    "If {one} met {other}, a player who went down two rounds before would fall further.": N_(
        "If {one} met {other}, a team that went down two rounds before would fall further."
    ),
    "If {one} met {other}, a player who met one from above two rounds before would meet one from higher up.": N_(
        "If {one} met {other}, a team that met one from above two rounds before would meet one from higher up."
    ),
    "With the bye for {one}, the remaining players could not all be paired.": N_(
        "With the bye for {one}, the remaining teams could not all be paired."
    ),
    "{one} has more points than others who may have the bye.": N_(
        "{one} has more points than other teams that may have the bye."
    ),
}
"""The sentence about teams, by the sentence about players. Other sentences apply to both."""
