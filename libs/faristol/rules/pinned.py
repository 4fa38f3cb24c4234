"""Rulesets found again by the content that was pinned."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

from faristol.kernel.refusal import N_, Refusal
from faristol.rules.options import OptionValue
from faristol.rules.ruleset import Ruleset
from faristol.rules.ruleset_file import load_ruleset, ruleset_names
from faristol.rules.with_options import with_options

FORMERLY: Mapping[str, str] = MappingProxyType(
    {
        "16286186294a7c080dba9cb65c48e7aa2f1af3ba4f6d0e4aaf17d788daeeb48f": "fisc-2023",
        "721effe60364461f88b91da5aca3cfe2e57d1cc56d39107ebece9fff837821f4": "fisc-2023",
        "084ec720fefff10385b31f1ced63bed0bd9a4eaccdf7b2a7c9b7a5a8f01da01a": "festa-major",
    }
)
"""Digests from before rulesets had the keys that other books need, and the rulesets that say the same as they did.

At the table that is: FM's gave points of the championship before its ranking was computed from CUSCA.
"""


def pinned_ruleset(name: str, digest: str, options: Mapping[str, OptionValue] | None = None) -> Ruleset:
    """The ruleset that was pinned by ``name`` and ``digest``, with the ``options`` that were chosen for it.

    Raises ``Refusal`` with reason ``RULESET_MISSING`` when there is none of that name, or one with other content.
    """
    found = _chosen(name, tuple(sorted((options or {}).items()))) if name in ruleset_names() else None
    known = found is not None and (found.digest == digest or digest in found.former_digests)
    if found is None or not (known or FORMERLY.get(digest) == name):
        raise Refusal(
            "RULESET_MISSING",
            "",
            N_(
                "The ruleset {name} is pinned with content {digest}, which is not installed here; "
                "what is installed under that name: {found}."
            ),
            {"name": name, "digest": digest, "found": found.digest if found else "–"},
        )
    return found


@lru_cache(maxsize=256)  # tables of a hall have few rulesets, and ask for them with every command
def _chosen(name: str, options: tuple[tuple[str, OptionValue], ...]) -> Ruleset:
    """The ruleset of that name with these options."""
    return with_options(load_ruleset(name), dict(options)) if options else load_ruleset(name)
