"""What a director may do with a tournament, and what follows. Pure: time and randomness are arguments.

Each function takes the tournament as it is and gives the facts to append. ``at`` is when the act happened, or None
for ``now``. ``Invalid`` is raised for a malformed argument, ``AlreadyExists`` for an id that is taken, ``Refusal`` for
what the rules or the state of the tournament do not allow.
"""

from faristol.pairing.decide.appeals import appoint, decide_appeal, lodge, withdraw_appeal
from faristol.pairing.decide.corrections import correct_result, correct_ruling
from faristol.pairing.decide.divisions import MOST_DIVISIONS, add_division
from faristol.pairing.decide.entering import MOST_RESULTS, GameResult, enter_result, enter_results, give_forfeit
from faristol.pairing.decide.halls import fix_table, release_table, set_halls
from faristol.pairing.decide.lifting import lift, lift_expulsion
from faristol.pairing.decide.moving import move
from faristol.pairing.decide.pairs import allow, forbid, keep, release
from faristol.pairing.decide.players import (
    MOST_PLAYERS,
    UNRATED,
    check_in,
    check_out,
    grant_bye,
    register,
    reinstate,
    revoke_bye,
    withdraw,
)
from faristol.pairing.decide.postponing import cancel_postponement, postpone, start_postponed
from faristol.pairing.decide.results import record_result
from faristol.pairing.decide.rounds import close, obstacles, pair, start, unpair
from faristol.pairing.decide.sanctioning import sanction
from faristol.pairing.decide.sanctions import expel, warn
from faristol.pairing.decide.team_pairs import of_bye, of_pair
from faristol.pairing.decide.teams import (
    MOST_TEAMS,
    register_team,
    reinstate_team,
    set_line_up,
    withdraw_team,
)
from faristol.pairing.decide.tournaments import MOST_ROUNDS, SEED_SIZE, change_rounds, create, pin_of, publish, reopen
from faristol.pairing.decide.undoing import can_undo, undo, undone_by

__all__ = [
    "MOST_DIVISIONS",
    "MOST_PLAYERS",
    "MOST_RESULTS",
    "MOST_ROUNDS",
    "MOST_TEAMS",
    "SEED_SIZE",
    "UNRATED",
    "GameResult",
    "add_division",
    "allow",
    "appoint",
    "can_undo",
    "cancel_postponement",
    "change_rounds",
    "check_in",
    "check_out",
    "close",
    "correct_result",
    "correct_ruling",
    "create",
    "decide_appeal",
    "enter_result",
    "enter_results",
    "expel",
    "fix_table",
    "forbid",
    "give_forfeit",
    "grant_bye",
    "keep",
    "lift",
    "lift_expulsion",
    "lodge",
    "move",
    "obstacles",
    "of_bye",
    "of_pair",
    "pair",
    "pin_of",
    "postpone",
    "publish",
    "record_result",
    "register",
    "register_team",
    "reinstate",
    "reinstate_team",
    "release",
    "release_table",
    "reopen",
    "revoke_bye",
    "sanction",
    "set_halls",
    "set_line_up",
    "start",
    "start_postponed",
    "undo",
    "undone_by",
    "unpair",
    "warn",
    "withdraw",
    "withdraw_appeal",
    "withdraw_team",
]
