"""Pin every image that is not Faristol's own by the current digest of its tag: ``make digests``.

``python deploy/digests.py`` requests the digests from the registries and writes them. ``--check`` only prints the tags
that have moved, and exits with 1 if there is one: an overwritten tag is noticed before it is pulled. The program needs
``crane``, ``skopeo`` or ``docker buildx``, and the internet.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

DEPLOY = Path(__file__).parent
ASKED: Mapping[str, Sequence[str]] = {
    "crane": ("crane", "digest", "{image}"),
    "skopeo": ("skopeo", "inspect", "--format", "{{.Digest}}", "docker://{image}"),
    "docker": ("docker", "buildx", "imagetools", "inspect", "--format", "{{.Manifest.Digest}}", "{image}"),
}
"""Commands that print the digest of an image for all platforms."""
IMAGE = re.compile(
    r"^(?P<before> *image(?:Name)?: |ARG PYTHON=)(?P<image>[\w./-]+:[\w.-]+)(?:@(?P<digest>\S+))?$", re.MULTILINE
)
"""Faristol's own has no tag in these files."""
DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


def list_files() -> Iterator[Path]:
    """Yield the files that name images."""
    yield from sorted(DEPLOY.rglob("*.yaml"))
    yield DEPLOY / "image" / "Dockerfile"


def fetch_digest(image: str) -> str:
    """Return the digest of a tag in its registry. Raises ``SystemExit`` if no program can request it."""
    tool = next((name for name in ASKED if shutil.which(name)), None)
    if tool is None:
        raise SystemExit(f"to request digests from registries, install one of {', '.join(ASKED)}")
    command = [part.replace("{image}", image) for part in ASKED[tool]]
    asked = subprocess.run(command, capture_output=True, text=True, check=False)
    if asked.returncode or not DIGEST.fullmatch(asked.stdout.strip()):
        raise SystemExit(f"{' '.join(command)}: {asked.stderr.strip() or asked.stdout.strip()}")
    return asked.stdout.strip()


def main(*options: str) -> int:
    """Write the digests, or with ``--check`` compare them. Return the exit code."""
    known: dict[str, str] = {}
    moved = 0
    for file in list_files():
        text = file.read_text(encoding="utf-8")
        for found in IMAGE.finditer(text):
            image = found["image"]
            if image not in known:
                known[image] = fetch_digest(image)
            if found["digest"] != known[image]:
                moved += 1
                print(f"{file.relative_to(DEPLOY)}: {image} is {known[image]}, not {found['digest']}")
        if "--check" not in options:
            file.write_text(IMAGE.sub(lambda each: f"{each['before']}{each['image']}@{known[each['image']]}", text))
    print(f"{len(known)} images, {moved} places to change")
    return 1 if moved and "--check" in options else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
