from __future__ import annotations

from contextlib import suppress

import pytest

from faristol.kernel.refusal import Refusal
from faristol.rules import Ruleset, load_ruleset
from faristol.rules.corrections import check_play_correction, check_reopening, check_total_correction
from faristol.rules.ruleset.with_options import with_options

UF, FISC, FISE, PES = (load_ruleset(name) for name in ("uf-2007", "fisc-2023", "fise", "pes-2024"))


def check_corrections(ruleset: Ruleset, *, final: bool) -> tuple[bool, bool]:
    """Return whether a total, and whether the count of a complete play, can be corrected."""
    total = play = False
    with suppress(Refusal):
        check_total_correction(final=final, ruleset=ruleset)
        total = True
    with suppress(Refusal):
        check_play_correction(final=final, ruleset=ruleset)
        play = True
    return total, play


UF_ONCE = with_options(UF, {"counts_until": "completed"})


@pytest.mark.parametrize("ruleset", [UF_ONCE, FISC], ids=lambda ruleset: ruleset.name)
def test_a_complete_play_is_not_counted_again_under_fisc_and_where_a_club_reads_uf_so(ruleset: Ruleset) -> None:
    assert check_corrections(ruleset, final=False) == (True, False)
    assert check_corrections(ruleset, final=True) == (False, False)


@pytest.mark.parametrize("ruleset", [UF, FISE, PES], ids=lambda ruleset: ruleset.name)
def test_a_count_is_put_right_until_both_have_signed_under_uf_fise_and_pes(ruleset: Ruleset) -> None:
    assert check_corrections(ruleset, final=False) == (True, True)
    assert check_corrections(ruleset, final=True) == (False, False)


def test_fise_opens_a_game_again_when_both_ask_and_nobody_else_does() -> None:
    check_reopening(["b", "a"], ["a", "b"], FISE)
    with pytest.raises(Refusal) as refused:
        check_reopening(["a"], ["a", "b"], FISE)
    assert (refused.value.reason, refused.value.article) == ("REOPENING_NOT_AGREED", "FISE 44")
    for ruleset in (UF, FISC, PES):
        with pytest.raises(Refusal, check=lambda refusal: refusal.reason == "RESULT_FINAL"):
            check_reopening(["a", "b"], ["a", "b"], ruleset)
