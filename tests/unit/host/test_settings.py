"""Settings of the environment: their families, and the old names that are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from faristol.cli.main import main
from faristol.client.credentials import TOKEN, authorize
from faristol.host import Addresses, Settings, StartError
from faristol.host.renamed_settings import RENAMED_SETTINGS

DOCS = Path(__file__).parents[3] / "docs"
NAMES = {f"FARISTOL_{name.upper()}" for name in (*Settings.model_fields, *Addresses.model_fields)}
READ_ELSEWHERE = {TOKEN, "FARISTOL_CLIENT_NAME"}


@pytest.mark.parametrize("old", RENAMED_SETTINGS)
def test_an_old_name_is_refused_with_the_new_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, old: str) -> None:
    monkeypatch.setenv("LC_ALL", "C")
    monkeypatch.setenv(old, "1")
    said = rf"^{old} is now {RENAMED_SETTINGS[old]}: set {RENAMED_SETTINGS[old]}, and remove {old}$"
    with pytest.raises(StartError, match=said):
        Settings()
    with pytest.raises(StartError, match=said):
        Addresses()
    with pytest.raises(StartError, match=said):
        authorize("127.0.0.1:1", tmp_path)


def test_an_old_name_without_a_value_is_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FARISTOL_CA", "")
    Settings()


def test_the_command_line_refuses_an_old_name(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LC_ALL", "ca_ES.UTF-8")
    monkeypatch.setenv("FARISTOL_AS", "Eva Soler")
    with pytest.raises(SystemExit) as ended:
        main(["ruleset", "list"])
    assert ended.value.code == 2
    assert "FARISTOL_AS ara és FARISTOL_CLIENT_NAME" in capsys.readouterr().err


def test_a_new_name_is_a_setting_and_an_old_one_is_none() -> None:
    assert set(RENAMED_SETTINGS.values()) - NAMES == READ_ELSEWHERE
    assert set(RENAMED_SETTINGS) & (NAMES | READ_ELSEWHERE) == set()


def test_no_document_has_an_old_name() -> None:
    pages = [*DOCS.glob("**/*.md"), DOCS.parent / "README.md"]
    assert len(pages) > 20
    words = {(page.name, word) for page in pages for word in page.read_text(encoding="utf-8").replace("`", " ").split()}
    assert [each for each in sorted(words) if each[1].partition("=")[0].strip(".,:;()|") in RENAMED_SETTINGS] == []
