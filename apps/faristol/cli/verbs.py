"""The form of the contract's methods on the command line: arguments, options, and the JSON of answers.

Nouns and verbs are in ``commands``. A field of a request is an option of the same name (``arbiter_id`` is
``--arbiter``, ``scores`` is ``--score``), with the comment of the contract as its help. This module has the exceptions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from faristol.cli.commands import COMMANDS, Noun

HIDDEN = frozenset({"command_id", "tournament_id"})
"""Fields without an option: the command sets them."""

Which = Literal["", "next", "paired", "started", "last"]


@dataclass(frozen=True, slots=True)
class Act:
    """The form of one method."""

    arguments: tuple[str, ...] | None = None
    """Fields that are positional arguments, after the tournament; None for the first field of the contract."""
    optional: frozenset[str] = frozenset()
    """Optional arguments, besides a game (which has a table) and a round with a default in ``round``."""
    spelled: Mapping[str, str] = field(default_factory=dict)
    """Options with a name that differs from their fields."""
    values: Mapping[str, str] = field(default_factory=dict)
    """Words for values of enumerations, if they differ from those of the contract."""
    new: str = ""
    """Field with the id of the created object, which is not looked up."""
    round: Which = ""
    """The default round."""
    unsaid: Mapping[str, tuple[str, str, int]] = field(default_factory=dict)
    """Default number of a field if another field has a certain word."""
    echoed: tuple[str, ...] = ()
    """Fields of the request that are in the JSON answer, besides ids and rounds."""

    def positional(self, request: Any) -> tuple[str, ...]:
        """Return the fields of ``request``, a descriptor, that are positional arguments.

        In a team event, a player argument means a team.
        """
        if self.arguments is not None:
            return self.arguments
        return tuple([field.name for field in request.fields if field.name not in HIDDEN][:1])


_OTHERWISE: Mapping[str, Act] = {
    "CreateTournament": Act(arguments=("tournament_id",), optional=frozenset({"tournament_id"}), new="tournament_id"),
    "DescribeTournament": Act(arguments=()),
    "ChangeOptions": Act(arguments=()),
    "ChooseLexicon": Act(arguments=("lexicon",), optional=frozenset({"lexicon"})),
    "RegisterPlayer": Act(arguments=("name",), new="player_id", spelled={"player_id": "id"}),
    "RegisterTeam": Act(arguments=("name",), new="team_id", spelled={"team_id": "id"}),
    "CheckInPlayers": Act(arguments=()),
    "WithdrawPlayer": Act(spelled={"running_game": "game"}, values={"lost": "given-up"}),
    "MovePlayer": Act(spelled={"to_tournament_id": "to"}),
    "SanctionPlayer": Act(spelled={"rounds": "rounds", "game_id": "game"}),
    "AppointTribunal": Act(arguments=(), spelled={"appointments": "member"}),
    "LodgeAppeal": Act(spelled={"player_ids": "involved"}),
    "SetHalls": Act(arguments=()),
    "AnnounceRounds": Act(arguments=()),
    "FixTable": Act(arguments=("player_id", "table")),
    "PairRound": Act(round="next"),
    "UnpairRound": Act(round="paired"),
    "ExplainPairing": Act(
        arguments=("player_id", "other_player_id"), optional=frozenset({"other_player_id"}), round="last"
    ),
    "StartRound": Act(round="paired"),
    "CorrectResult": Act(spelled={"player_ids": "asked-by", "scores_before": "score-before"}),
    "CorrectOwnResult": Act(spelled={"scores_before": "score-before"}),
    "SetResultCheck": Act(arguments=()),
    "ConfirmResult": Act(spelled={"player_id": "player"}),
    "PostponeGame": Act(spelled={"scheduled_at": "scheduled", "postponed_to": "to"}),
    "CloseRound": Act(round="started"),
    "OfferPrizes": Act(optional=frozenset({"prizes"})),
    "PublishStandings": Act(arguments=()),
    "ReopenStandings": Act(arguments=()),
    "ChooseRatingSystem": Act(echoed=("system",)),
    "SetAdjudication": Act(
        spelled={"lease_seconds": "lease", "escalate_after_seconds": "escalate-after"},
        unsaid={"panel": ("mode", "panel", 3)},
        echoed=("mode",),
    ),
    "ChooseLayers": Act(arguments=(), echoed=("layers",)),
}

METHOD_FORMS: Mapping[str, Act] = {
    method: _OTHERWISE.get(method, Act())
    for entry in COMMANDS.values()
    if isinstance(entry, Noun)
    for method in (verb.where for verb in entry.verbs.values())
    if ":" not in method
}
"""The form of each method that has a verb."""
