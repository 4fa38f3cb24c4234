"""A real provider of OpenID Connect in a separate process: `oidc-provider`, which `make openid` installs."""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

import httpx
import pytest

ROOT = Path(__file__).parents[2]
LIBRARY = ROOT / "var" / "openid" / "node_modules" / "oidc-provider" / "lib" / "index.js"
SECRET = "a secret of the client, and only a test's"  # as in provider.js

DESCRIBED = """
name = "Federació"
issuer = "http://localhost:{port}"
client_id = "faristol"
secret_file = "{secret}"

[[appointments]]
role = "federation"
emails = ["Eva@federation.example"]

[[appointments]]
role = "director"
tournaments = ["own"]
subjects = ["marta"]

[[appointments]]
role = "arbiter"
tournaments = ["own"]
claims = {{ groups = "arbiters" }}
"""


@dataclass
class Provider:
    """The provider, and the file that describes it to a cell."""

    port: int
    redirect_uri: str
    folder: Path
    process: subprocess.Popen[bytes] | None = None
    log: IO[bytes] = field(init=False)

    def __post_init__(self) -> None:
        self.log = (self.folder / "provider.log").open("ab")
        secret = self.folder / "secret"
        secret.write_text(f"{SECRET}\n")
        self.file.write_text(DESCRIBED.format(port=self.port, secret=secret))

    @property
    def file(self) -> Path:
        return self.folder / "openid.toml"

    @property
    def issuer(self) -> str:
        return f"http://localhost:{self.port}"

    def start(self, key: str = "first") -> None:
        """Listen, and sign by a key of this name that is made now."""
        node = str(shutil.which("node"))
        words = [node, str(Path(__file__).with_name("provider.js")), str(LIBRARY), str(self.port), self.redirect_uri]
        self.process = subprocess.Popen([*words, key], stdout=self.log, stderr=self.log)
        give_up = time.monotonic() + 30
        while time.monotonic() < give_up:
            try:
                httpx.get(f"{self.issuer}/jwks").raise_for_status()
            except httpx.HTTPError:
                time.sleep(0.1)
            else:
                return
        raise TimeoutError((self.folder / "provider.log").read_text())

    def stop(self) -> None:
        if self.process:
            self.process.terminate()
            self.process.wait(10)
            self.process = None


@contextmanager
def build_provider(port: int, redirect_uri: str, folder: Path) -> Iterator[Provider]:
    """Yield a provider that is not started yet. Skips the test if it is not available."""
    if shutil.which("node") is None or not LIBRARY.exists():
        pytest.skip("there is no Node.js with oidc-provider: `make openid` installs it where there is Node.js 20")
    provider = Provider(port, redirect_uri, folder)
    try:
        yield provider
    finally:
        provider.stop()
        provider.log.close()


async def pass_through(web: httpx.AsyncClient, address: str, login: str) -> httpx.Response:
    """Log in at the provider and consent, as a user with a browser does; return the final address."""
    answer = await web.get(address, follow_redirects=True)
    while "/interaction/" in str(answer.url) and answer.status_code == 200:
        fields = dict(re.findall(r'<input[^>]* name="(\w+)"[^>]* value="([^"]*)"', answer.text))
        typed = {"login": login, "password": "any"} if 'name="login"' in answer.text else {}
        (action,) = re.findall(r'<form[^>]* action="([^"]+)"', answer.text)
        answer = await web.post(answer.url.join(action), data={**fields, **typed}, follow_redirects=True)
    return answer
