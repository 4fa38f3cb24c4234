"""Check the subject of a commit message: `commit_subject.py FILE`, or `commit_subject.py --range REVISIONS`.

A subject is at most 72 characters long, begins with a verb of docs/style.md, and does not end with a full stop.
Subjects that Git makes itself (merges, reverts, fixups) are accepted. The exit code is 1 if a subject is refused;
each refusal names the subject and the expectation.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path

LONGEST_SUBJECT_CHARACTERS = 72

_STYLE = Path(__file__).parents[2] / "docs" / "style.md"

_MADE_BY_GIT = re.compile(
    r"(Merge (branch|pull request|remote-tracking branch|tag) |Revert \"|fixup! |squash! |amend! )"
)


def read_verbs() -> frozenset[str]:
    """Return the verbs that subjects begin with, from the paragraph "Verbs:" of docs/style.md."""
    _, _, listed = _STYLE.read_text(encoding="utf-8").partition("\nVerbs: ")
    paragraph, _, _ = listed.partition("\n\n")
    return frozenset(re.findall(r"[A-Z][a-z]+", paragraph))


def find_fault(subject: str) -> str:
    """Return the fault of a subject with the expectation, or an empty text if it has none."""
    if _MADE_BY_GIT.match(subject):
        return ""
    if not subject:
        return "the subject is empty; expected a sentence in the imperative"
    if len(subject) > LONGEST_SUBJECT_CHARACTERS:
        return f"the subject has {len(subject)} characters; expected at most {LONGEST_SUBJECT_CHARACTERS}"
    first = subject.split()[0]
    if first not in read_verbs():
        return f"the subject begins with {first!r}; expected a verb of docs/style.md, such as Add, Fix or Remove"
    if subject.endswith("."):
        return "the subject ends with a full stop; expected none"
    return ""


def main(arguments: list[str] | None = None) -> int:
    """Check the message in a file, or all subjects of a range of revisions. Return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("file", nargs="?", type=Path, help="file with a commit message, as Git gives it to a hook")
    parser.add_argument(
        "--range", metavar="REVISIONS", help="check all subjects of these revisions, such as main..HEAD"
    )
    given = parser.parse_args(arguments)
    if given.range:
        log = subprocess.run(
            ["git", "log", "--no-merges", "--format=%s", given.range, "--"], capture_output=True, text=True, check=True
        )
        subjects = log.stdout.splitlines()
    elif given.file:
        lines = given.file.read_text(encoding="utf-8").splitlines()
        subjects = [next((line for line in lines if line.strip() and not line.startswith("#")), "")]
    else:
        parser.error("expected a file or --range")
    faults = [(subject, fault) for subject in subjects if (fault := find_fault(subject))]
    for subject, fault in faults:
        sys.stderr.write(f"{subject!r}: {fault}\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
