"""An accelerated tournament by the Dutch system, paired again from its own report."""

from __future__ import annotations

from pathlib import Path

from tests.component.test_stages import Site, site  # noqa: F401 # a fixture
from typer.testing import CliRunner

from faristol.cli.main import app
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.pairing.v1 import pairing_pb2 as pairing


async def test_an_accelerated_tournament_is_paired_again_from_its_report_without_a_difference(
    site: Site,  # noqa: F811
    tmp_path: Path,
) -> None:
    options = {"pairing": "dutch", "acceleration": "baku", "start": "system"}
    await site.ask(
        pairing.CreateTournamentRequest(
            tournament_id="copa",
            name="Copa",
            rounds=6,
            ruleset="fise",
            without_lexicon=True,
            keeping=game_events.KEEPING_RECORDED,
            options=[game_events.ChosenOption(name=name, value=value) for name, value in options.items()],
        )
    )
    for number in range(1, 19):
        player = {"player_id": f"p{number}", "name": f"Player {number}", "rating": 2000 - number}
        await site.ask(pairing.RegisterPlayerRequest(tournament_id="copa", **player))  # type: ignore[arg-type]
    await site.play("copa", 1, 6)
    report = await site.web.get("/api/v1/tournaments/copa/report.trf?edition=TRF16")
    assert "XXA" in report.text
    file = tmp_path / "copa.trf"
    file.write_text(report.text, encoding="utf-8")
    checked = CliRunner().invoke(app, ["trf", "check", str(file)])
    assert checked.exit_code == 0, checked.output
    without = tmp_path / "without.trf"
    without.write_text(
        "\n".join(line for line in report.text.splitlines() if not line.startswith("XXA")), encoding="utf-8"
    )
    assert CliRunner().invoke(app, ["trf", "check", str(without)]).exit_code == 1, "the virtual points matter"
