"""The whole catalogue of commands on the command line: of tournaments, duplicate games, webhooks, credentials. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from faristol.kernel.refusal import N_
from faristol.presentation.tournament_commands import TOURNAMENT_COMMANDS, Command

_JUDGE = {"arbiter_id": "judge"}
_TURN = {**_JUDGE, "turn": "{called}"}
_AMOUNT = frozenset({"amount"})

CATALOGUE: Mapping[str, Command] = {
    **TOURNAMENT_COMMANDS,
    # Of a registration; entrants use the form and the link of their entry.
    "SetRegistration": Command("registration set", N_("The form of {tournament} is set."), arguments=()),
    "GetRegistration": Command("registration show"),
    "ListEntries": Command("registration list"),
    "AcceptEntry": Command(
        "registration accept",
        N_("Entry {entry} is accepted: {player_id} is a player, from round {round} on."),
        spelled={"player_id": "known"},
    ),
    "AcceptEntries": Command(
        "registration accept-all", N_("Accepted entries: {accepted}."), {"left_out": N_("Left out: {left_out}.")}
    ),
    "AskEntrant": Command("registration ask", N_("The entrant of entry {entry} is asked.")),
    "RejectEntry": Command("registration reject", N_("Entry {entry} is rejected.")),
    "WithdrawEntry": Command("registration withdraw", N_("Entry {entry} is withdrawn.")),
    "ReinstateEntry": Command("registration reinstate", N_("Entry {entry} stands again.")),
    "MoveEntryUp": Command("registration move-up", N_("Entry {entry} has a place.")),
    "GetMailStatus": Command("registration mail"),
    # On fees.
    "SetFees": Command(
        "fee set",
        N_("The fees of {tournament} are set."),
        arguments=(),
        money=frozenset({"amount", "early_discount", "categories"}),
    ),
    "AdjustFee": Command("fee adjust", N_("The fee of {player_id} is set."), money=_AMOUNT),
    "RecordPayment": Command("fee pay", N_("Payment {payment} is recorded, with receipt {document}."), money=_AMOUNT),
    "CancelPayment": Command("fee cancel", N_("Payment {payment} is cancelled, by credit note {document}.")),
    "CorrectPayment": Command(
        "fee correct", N_("The correction is payment {payment}, with receipt {document}."), money=_AMOUNT
    ),
    "RefundPayment": Command(
        "fee refund", N_("Payment {payment} is paid back, by credit note {document}."), money=_AMOUNT
    ),
    "ListFees": Command("fee list"),
    # Of a duplicate game.
    "PrepareGame": Command("duplicate prepare", N_("{game_id} is prepared and sealed; its SHA-256 is {digest}")),
    "SetEmbargo": Command(
        "duplicate embargo",
        N_("under embargo until all of these are played: {game_ids}"),
        arguments=("round", "game_ids"),
    ),
    "LiftEmbargo": Command("duplicate lift", N_("the embargo of {game_id} is lifted")),
    "StartTurn": Command("duplicate start", N_("round {turn} has begun"), defaults=_TURN),
    "ListTops": Command("duplicate tops", defaults={"turn": "{called}"}),
    "ListWaiting": Command("duplicate waiting", defaults={"turn": "{called}"}),
    "RuleSlip": Command(
        "duplicate rule",
        N_("round {turn}: the slip of {player_id} is ruled on"),
        arguments=("game_id", "player_id"),
        parts={"slip": ("player_id", "coordinates", "word", "handed")},
        defaults={**_TURN, "hall": "{of-player}", "handed": "in-time"},
    ),
    "ChooseMaster": Command(
        "duplicate master",
        N_("round {turn}: the master play is {play} for {score}, the highest score is {top}"),
        arguments=("game_id", "coordinates", "word"),
        defaults=_TURN,
    ),
    "ScoreTurn": Command(
        "duplicate score",
        "",
        {
            "master": N_("round {turn}: {scored} {scored:slip|slips} scored, the master play is {master} for {score}"),
            "not master": N_(
                "round {turn}: {scored} {scored:slip|slips} scored; the rack has no valid play and goes back to the bag"
            ),
        },
        spelled={"reason": "without-open-halls"},
        defaults={**_TURN, "without_open_halls": "{with-reason}"},
        hidden=frozenset({"without_open_halls"}),
    ),
    "RaiseClaim": Command(
        "duplicate claim",
        N_("claim {claim_id} is waiting for the judge"),
        arguments=("game_id", "player_id", "words"),
        defaults={"turn": "{scored}", "hall": "{of-player}"},
    ),
    "EndGame": Command("duplicate end", N_("Ended by agreement of the judge and the players."), defaults=_JUDGE),
    "ValidateResults": Command("duplicate validate", N_("the results are final"), defaults=_JUDGE),
    # On the webhooks of a tournament.
    "AddWebhook": Command(
        "webhook add",
        parts={"filter": ("rounds", "tables", "game_ids", "types")},
        spelled={"after_position": "after", "with_content": "content"},
    ),
    "RemoveWebhook": Command("webhook remove", N_("{webhook_id}: removed")),
    "ResumeWebhook": Command(
        "webhook resume", N_("{webhook_id}: resumes after position {position}"), spelled={"after_position": "after"}
    ),
    "RotateWebhookSecret": Command("webhook rotate", N_("secret, shown only once: {secret}")),
    "RedeliverNews": Command(
        "webhook redeliver",
        N_("to be redelivered: {count}"),
        arguments=("webhook_id", "positions"),
        optional=frozenset({"positions"}),
    ),
    "DropNews": Command(
        "webhook drop",
        N_("dropped: {count}"),
        arguments=("webhook_id", "positions"),
        optional=frozenset({"positions"}),
    ),
    # On credentials.
    "ListCredentials": Command("access list", arguments=("tournament_id",), optional=frozenset({"tournament_id"})),
    "RevokeCredential": Command("access revoke", N_("revoked; it stops working everywhere within two seconds")),
    "GetCaller": Command("access who"),
    # On the cells of halls.
    "ListHalls": Command("hall cells"),
    "HandOverTables": Command(
        "hall hand-over",
        N_("The cell of {hall} has these tables now: {game_ids}."),
        arguments=("hall", "game_ids"),
        optional=frozenset({"game_ids"}),
    ),
    "TakeBackTables": Command(
        "hall take-back",
        N_("These tables of {hall} are taken back: {game_ids}. Later events of the hall are kept aside."),
        arguments=("hall", "game_ids"),
        optional=frozenset({"game_ids"}),
    ),
    "ReleaseHall": Command(
        "hall release",
        N_(
            "The hall {hall} is released: another laptop can join for it. Take back the tables that the released one "
            "still has."
        ),
    ),
    "ListKeptAside": Command("hall aside"),
    "ListKeptCommands": Command("hall kept"),
    "WithdrawKeptCommand": Command(
        "hall withdraw", N_("The command is withdrawn, unless the championship has executed it already.")
    ),
    "DecideKeptAside": Command(
        "hall decide", N_("The events {number} are decided on."), arguments=("number", "verdict")
    ),
    # On seasons and persons.
    "CreateSeason": Command(
        "season create",
        N_("The season {season_id} is created."),
        arguments=("season_id", "name"),
        spelled={"starts_on": "from", "ends_on": "to"},
    ),
    "SetCircuit": Command(
        "season set-circuit",
        N_("The rule of the circuit {circuit_id} is set."),
        arguments=("season_id", "circuit_id", "name"),
    ),
    "RemoveCircuit": Command(
        "season remove-circuit",
        N_("The circuit {circuit_id} is removed."),
        arguments=("season_id", "circuit_id"),
    ),
    "AddCircuitTournament": Command(
        "season add-tournament",
        N_("{tournament} is in the circuit {circuit_id}."),
        arguments=("season_id", "circuit_id", "tournament_id"),
    ),
    "RemoveCircuitTournament": Command(
        "season remove-tournament",
        N_("{tournament} is no longer in the circuit {circuit_id}."),
        arguments=("season_id", "circuit_id", "tournament_id"),
    ),
    "MergePersons": Command(
        "person merge", N_("{merged_id} is counted as {person_id}."), arguments=("person_id", "merged_id")
    ),
    "SeparatePersons": Command("person separate", N_("{merged_id} is a separate person again.")),
    "ListMerges": Command("person merges"),
    # On the register of persons.
    "SetRegisteredPerson": Command(
        "register set", N_("{person_id} is in the register."), optional=frozenset({"person_id"})
    ),
    "RemoveRegisteredPerson": Command("register remove", N_("{person_id} is no longer in the register.")),
    "SetLicence": Command(
        "register set-licence",
        N_("The licence of {person_id} is entered."),
        spelled={"valid_from": "from", "valid_to": "to"},
    ),
    "RemoveLicence": Command(
        "register remove-licence", N_("The licence of {person_id} is removed."), spelled={"valid_from": "from"}
    ),
    "SetClub": Command("register set-club", N_("{club_id} is {name} now."), arguments=("club_id", "name")),
    "RemoveClub": Command("register remove-club", N_("The club {club_id} is removed.")),
    "MergeClubs": Command(
        "register merge-clubs",
        N_("{merged_id} is merged into {club_id}."),
        arguments=("club_id", "merged_id"),
    ),
    "UndoRegisterAct": Command("register undo", N_("The act {version} is undone.")),
    "ListRegisteredPersons": Command(
        "register list", optional=frozenset({"search"}), spelled={"without_licence": "expired"}
    ),
    "SearchRegister": Command("register search", hidden=frozenset({"person_ids"})),
    "ListClubs": Command("register clubs"),
    "GetCategories": Command("register categories", optional=frozenset({"season_id"})),
    "ListRegisterActs": Command("register history", arguments=()),
    # On the numbered rating lists of a federation.
    "PublishFederationList": Command(
        "rating-list publish",
        N_("List {number} is published, with {players} {players:player|players}."),
        arguments=("name", "tournament_ids"),
    ),
    "ReviseFederationList": Command("rating-list revise", N_("List {number} is revised. These ratings moved:")),
    "PreviewFederationRevision": Command("rating-list preview"),
}
"""Every command and query with a verb on the command line, by its method."""
