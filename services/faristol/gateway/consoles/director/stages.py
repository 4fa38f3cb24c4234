"""Page of the stages: the creation of a final, a knock-out or a group, and the registration of its players."""

from __future__ import annotations

from starlette.responses import Response

from faristol.gateway.consoles.director.page import STAGES, DirectorPage, page_of_forms
from faristol.gateway.consoles.stage_plans import PLANS
from faristol.gateway.rpc.results import Moment
from faristol.kernel.spellings import labels_of
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.presentation.names import Roster
from faristol.presentation.ruleset_lookup import is_of_duplicate_games


async def _show(console: DirectorPage) -> Response:
    has_stages = not (console.has_teams or is_of_duplicate_games(console.tournament))
    answer = pb.GetStagesResponse()
    if has_stages:
        answer = await console.results.stages(console.tournament_id, Moment(console.done))
    preview, obstacles = pairing.PreviewQualificationResponse(), list[str]()
    if console.tournament.HasField("stage") and console.may_call("PreviewQualification"):
        preview = await console.calls.ask(pairing.PreviewQualificationRequest(tournament_id=console.tournament_id))
        named = Roster(console.tournament, console.language, {line.player_id: line.name for line in preview.lines})
        obstacles = [named.named_in(each.text) for each in preview.obstacles]
    return await console.show(
        "director/stages.html",
        STAGES,
        can_have_stages=has_stages,
        plans=PLANS,
        stages=answer.stages,
        finished=answer.finished,
        preview=preview,
        obstacles=obstacles,
        change_labels=labels_of(pairing.QualificationChange.DESCRIPTOR),
        carry_overs=labels_of(events.CarryOver.DESCRIPTOR),
        own_stage=console.tournament.stage.number,
        beside={each.tournament_id: each for each in console.tournament.divisions},
    )


routes = page_of_forms(STAGES, _show)
