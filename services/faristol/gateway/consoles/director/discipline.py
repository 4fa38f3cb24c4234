"""Page of warnings, sanctions, expulsions, appeals and the tribunal."""

from __future__ import annotations

from starlette.responses import Response

from faristol.gateway.consoles.director.page import DirectorPage, details_of, page_of_forms
from faristol.presentation.history import EVENTS_OF_PAIRING, describe_history

PAGE = "discipline"
LISTED_EVENTS = frozenset(
    {
        "TableSanctionNoted",
        "PlayerWarned",
        "WarningLifted",
        "PlayerExpelled",
        "ExpulsionLifted",
        "PlayerSanctioned",
        "SanctionLifted",
        "TribunalAppointed",
        "AppealLodged",
        "AppealDecided",
        "AppealWithdrawn",
    }
)
"""Events that the page lists."""
LIFTED = frozenset({"TableSanctionNoted", "PlayerWarned", "PlayerSanctioned", "PlayerExpelled"})
"""Events that can be lifted and appealed against."""


async def _show(console: DirectorPage) -> Response:
    answer = await console.acts(types=LISTED_EVENTS | EVENTS_OF_PAIRING)
    acts = [
        each for each in describe_history(answer, console.roster, console.language) if each.act.type in LISTED_EVENTS
    ]
    lifted = {
        details_of(each.act).get("version") for each in acts if each.act.type in ("SanctionLifted", "WarningLifted")
    }
    stand = [each for each in acts if each.act.type in LIFTED and str(each.act.version) not in lifted]
    return await console.show(
        "director/discipline.html",
        PAGE,
        acts=list(reversed(acts)),
        appealed_acts={each.act.version: each.said for each in acts},
        grounds={details_of(each.act).get("appeal"): each.act.note for each in acts if each.act.type == "AppealLodged"},
        can_lift={each.act.version for each in stand},
        can_appeal=[(f"{each.act.version} {each.act.player_ids[0]}", each.said) for each in reversed(stand)],
        appealed=console.typed.get("appealed", "") or console.request.query_params.get("appealed", ""),
        players=console.players_by_name,
        games=[
            (seat.game_id, played.round, seat)
            for played in reversed(console.tournament.played)
            for seat in played.pairings
        ],
        rounds_to_come=range(len(console.tournament.played) + 1, console.tournament.rounds + 1),
    )


routes = page_of_forms(PAGE, _show)
