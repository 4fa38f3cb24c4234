"""Another reader of hunspell dictionaries agrees with the expansion of ours."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from spylls.hunspell import Dictionary

from faristol.words import LexiconError, sources
from faristol.words.hunspell import expand

SAMPLE_SIZE = 2_000


@pytest.mark.nightly
@pytest.mark.parametrize(("package", "name"), [("hunspell-ca", "ca"), ("hunspell-es", "es_ES")])
def test_spylls_accepts_what_is_written_out_and_nothing_near_it(package: str, name: str, tmp_path: Path) -> None:
    try:
        base = sources.download(package, tmp_path) / "usr/share/hunspell" / name
    except LexiconError as away:
        pytest.skip(f"{package} cannot be fetched: {away}")
    forms = sorted(set(expand(base.with_suffix(".aff"), base.with_suffix(".dic"))))
    known = set(forms)
    letters = sorted({char for form in forms for char in form})
    lot = random.Random(2024)

    def near() -> str:
        form = lot.choice(forms)
        at = lot.randrange(len(form))
        return form[:at] + lot.choice(["", lot.choice(letters), lot.choice(letters) + form[at]]) + form[at + 1 :]

    accepted = lot.sample(forms, SAMPLE_SIZE)
    rejected: set[str] = set()
    while len(rejected) < SAMPLE_SIZE:
        rejected |= {near()} - known - {""}
    oracle = Dictionary.from_files(str(base))
    assert [form for form in accepted if not oracle.lookup(form)] == []
    assert [form for form in sorted(rejected) if oracle.lookup(form)] == []
