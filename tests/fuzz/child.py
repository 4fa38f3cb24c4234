"""The process that fuzzes one target: ``python -m tests.fuzz.child TARGET SECONDS CORPUS ARTIFACTS SEEDS``.

It is separate from the campaign, because an input that crashes, or needs too much time or memory, ends the process.
"""

from __future__ import annotations

import sys

import atheris

INPUT_TIMEOUT_SECONDS = 10
"""Seconds that one input may take."""

MAX_MEMORY_MB = 1_500
"""Limit of the memory of a process, in megabytes."""

MAX_INPUT_BYTES = 4_096
"""Limit of an input: longer ones only take longer."""


def main() -> None:
    """Fuzz a target for some seconds. The process ends with an error at the first input that the target refuses."""
    name, seconds, corpus, artifacts, seeds = sys.argv[1:]
    with atheris.instrument_imports(include=["faristol"], exclude=["faristol.pb"]):
        from tests.fuzz.targets import TARGETS  # instrumented on import
    atheris.Setup(
        [
            sys.argv[0],
            f"-max_total_time={seconds}",
            f"-timeout={INPUT_TIMEOUT_SECONDS}",
            f"-rss_limit_mb={MAX_MEMORY_MB}",
            f"-max_len={MAX_INPUT_BYTES}",
            f"-artifact_prefix={artifacts}/",
            "-print_final_stats=1",
            "-verbosity=0",
            corpus,
            seeds,
        ],
        TARGETS[name],
    )
    atheris.Fuzz()


if __name__ == "__main__":
    main()
