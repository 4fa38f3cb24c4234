"""Page of proposed changes, result confirmation, prizes, final standings, and the checks before the end."""

from __future__ import annotations

from collections.abc import Iterable

from starlette.responses import Response

from faristol.gateway.consoles.director.page import DirectorPage, details_of, page_of_forms
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.pb.results.v1 import results_pb2 as results_pb
from faristol.presentation.history import HistoryEntry, describe_history
from faristol.presentation.labels import FINAL_CHECKS, PRIZES
from faristol.presentation.ruleset_lookup import is_of_duplicate_games

PAGE = "closing"


def list_ticked(prizes: Iterable[results_pb.Prize], *, has_plays: bool) -> set[int]:
    """Return the kinds of prizes that the form proposes; without plays, no prize that only plays decide."""
    return {each.kind for each in prizes if has_plays or not each.unrecorded}


async def _show(console: DirectorPage) -> Response:
    has_tables = not is_of_duplicate_games(console.tournament)
    prizes = results_pb.GetPrizesResponse()
    if has_tables:
        prizes = await console.results.prizes(console.tournament_id, min_position=console.done)
    acts = (await console.acts(types=("ResultCheckSet", "PrizesOffered"))).acts
    checks = [details_of(act) for act in acts if act.type == "ResultCheckSet"]
    closed = sum(played.phase == pairing.ROUND_PHASE_CLOSED for played in console.tournament.played)
    is_chosen = any(act.type == "PrizesOffered" for act in acts)
    may_have_plays = bool(console.tournament.lexicon.name) and not closed
    check = checks[-1] if checks else {}
    proposals = await console.calls.ask(pairing.ListProposalsRequest(tournament_id=console.tournament_id))
    final = pairing.ListFinalChecksResponse()
    if console.tournament.over:
        final = await console.calls.ask(pairing.ListFinalChecksRequest(tournament_id=console.tournament_id))
    return await console.show(
        "director/closing.html",
        PAGE,
        has_tables=has_tables,
        prizes=PRIZES,
        offered=list_ticked(prizes.prizes, has_plays=is_chosen or may_have_plays),
        second_person=check.get("second-person") == "yes",
        players_confirm=check.get("players") == "yes",
        blind=check.get("blind") == "yes",
        players_enter=check.get("players-enter") == "yes",
        needs_second_official=proposals.required,
        proposed=[(each, _describe(console, each)) for each in proposals.proposals if not each.HasField("answer")],
        closed=closed,
        final=final,
        check_labels=FINAL_CHECKS,
        subject_name=console.roster.describe_id,
    )


def _describe(console: DirectorPage, proposal: pairing.Proposal) -> HistoryEntry:
    """Describe a pending proposal as the history does."""
    return next(describe_history(pairing.ListActsResponse(acts=[proposal.act]), console.roster, console.language))


# players who enter results confirm them, too, as the page says
routes = page_of_forms(PAGE, _show, lambda given: {**given, "players": "1"} if given.get("players_enter") else given)
