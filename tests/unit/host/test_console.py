"""The requirements of the console for the first credential, if services run separately."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from faristol.client.credentials import TOKEN
from faristol.host import Addresses, Settings
from faristol.launcher.processes import _prepare_keys

PAGE = Path(__file__).parents[3] / "docs" / "services.md"


def test_the_access_service_makes_the_folder_in_which_it_says_which_record_the_keys_are_for(tmp_path: Path) -> None:
    settings = Settings(access=tmp_path / "keys", data=tmp_path / "there" / "is-none")
    _prepare_keys(settings, "the-record")
    assert settings.access_record().read_text(encoding="utf-8") == "the-record"
    assert settings.access_record().parent.stat().st_mode & 0o777 == 0o700


def test_it_says_where_it_could_not_write_it_and_goes_on(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "a-file").touch()
    settings = Settings(access=tmp_path / "keys", data=tmp_path / "a-file" / "data")
    with caplog.at_level(logging.WARNING):
        _prepare_keys(settings, "the-record")
    (line,) = [record.getMessage() for record in caplog.records]
    assert str(settings.access_record()) in line
    assert "FARISTOL_CLIENT_TOKEN" in line


def test_one_page_names_every_setting_that_the_console_reads() -> None:
    section = PAGE.read_text(encoding="utf-8").partition("## What does the console need")[2].partition("\n## ")[0]
    read = [
        f"FARISTOL_{name.upper()}"
        for name in (*Addresses.model_fields, "access", "data", "tls_ca", "tls_certificate", "tls_key")
    ]
    assert [setting for setting in (*read, TOKEN, "FARISTOL_CLIENT_NAME") if f"`{setting}`" not in section] == []
