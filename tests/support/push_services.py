"""A push service over HTTPS on this machine, and a browser that decrypts its messages (RFC 8291)."""

from __future__ import annotations

import asyncio
import base64
import json
import ssl
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.hmac import HMAC
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from joserfc import jwt
from joserfc.jwk import ECKey
from tests.support.certificates import sign_certificate

AUTH = bytes(range(16))


def decode_base64(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def encode_base64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _hmac(key: bytes, data: bytes) -> bytes:
    made = HMAC(key, SHA256())
    made.update(data)
    return made.finalize()


@dataclass
class PushBrowser:
    """A browser with the keys of its subscription."""

    key: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))

    @property
    def point(self) -> bytes:
        return self.key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)

    def keys(self) -> dict[str, str]:
        """Return the fields of its subscription."""
        return {"public_key": encode_base64(self.point), "auth": encode_base64(AUTH)}

    def decrypt(self, body: bytes) -> Any:
        """Return the content of a message, by the steps of RFC 8291 with HMAC only."""
        salt, size, length = body[:16], int.from_bytes(body[16:20]), body[20]
        sender, sealed = body[21 : 21 + length], body[21 + length :]
        assert (size, length) == (4_096, 65)
        shared = self.key.exchange(ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), sender))
        secret = _hmac(_hmac(AUTH, shared), b"WebPush: info\0" + self.point + sender + b"\1")
        both = _hmac(salt, secret)
        content_key = _hmac(both, b"Content-Encoding: aes128gcm\0\1")[:16]
        nonce = _hmac(both, b"Content-Encoding: nonce\0\1")[:12]
        text = AESGCM(content_key).decrypt(nonce, sealed, None).rstrip(b"\0")
        assert text.endswith(b"\2")
        return json.loads(text[:-1])


@dataclass
class Delivered:
    """A message that the push service accepted."""

    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class PushServer:
    """The push service, with the answers that a test chooses."""

    port: int = 0
    answer: Callable[[str, int], tuple[int, float]] = lambda path, number: (201, 0.0)
    """Returns the status of a request to a path, by the number of earlier ones, and the seconds before it."""
    delivered: list[Delivered] = field(default_factory=list)
    requests: Counter[str] = field(default_factory=Counter)
    statuses: defaultdict[str, list[int]] = field(default_factory=lambda: defaultdict(list))

    def endpoint(self, name: str, host: str = "localhost") -> str:
        return f"https://{host}:{self.port}/push/{name}"

    def of(self, name: str) -> list[Delivered]:
        """Return the messages for a subscription."""
        return [each for each in self.delivered if each.path == f"/push/{name}"]

    async def wait(self, count: int, name: str = "", seconds: float = 60) -> list[Delivered]:
        """Return the messages for a subscription, or all, once there are ``count``."""
        async with asyncio.timeout(seconds):
            while True:
                found = self.of(name) if name else self.delivered
                if len(found) >= count:
                    return found
                await asyncio.sleep(0.05)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of a connection."""
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                first, *lines = head.decode().strip().split("\r\n")
                headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
                body = await reader.readexactly(int(headers.get("content-length", "0")))
                path = first.split(" ")[1]
                status, pause = self.answer(path, self.requests[path])
                self.requests[path] += 1
                await asyncio.sleep(pause)
                self.statuses[path].append(status)
                if 200 <= status < 300:
                    self.delivered.append(Delivered(path, headers, body))
                more = "Location: https://localhost/elsewhere\r\n" if 300 <= status < 400 else ""
                writer.write(f"HTTP/1.1 {status} OK\r\nContent-Length: 0\r\n{more}\r\n".encode())
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


def check_identity(delivered: Delivered, origin: str) -> str:
    """Check that a message is signed by the key that it names (RFC 8292); return that key."""
    scheme, _, rest = delivered.headers["authorization"].partition(" ")
    token, key = (part.strip().partition("=")[2] for part in rest.split(","))
    point = decode_base64(key)
    public = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point)
    pem = public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    claims = jwt.decode(token, ECKey.import_key(pem), algorithms=["ES256"]).claims
    assert scheme == "vapid"
    assert claims["aud"] == origin
    return key


@asynccontextmanager
async def open_push_server(folder: Path) -> AsyncIterator[tuple[PushServer, Path]]:
    """Yield a push service, and the file with the certificate of its authority."""
    authority = sign_certificate("push authority")
    signed = sign_certificate("push", authority, "localhost", "127.0.0.1")
    (folder / "push-ca.pem").write_bytes(authority.pem)
    (folder / "push.pem").write_bytes(signed.pem + signed.key_pem)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "push.pem")
    server = PushServer()
    connections = set[asyncio.Task[None]]()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        connections.add(task)
        try:
            await server.serve(reader, writer)
        except asyncio.CancelledError:  # the end of the server, not of the program
            writer.transport.abort()
        finally:
            connections.discard(task)

    listening = await asyncio.start_server(serve, "localhost", 0, ssl=context)
    server.port = listening.sockets[0].getsockname()[1]
    try:
        yield server, folder / "push-ca.pem"
    finally:
        listening.close()
        ended = list(connections)
        for task in ended:
            task.cancel()
        await asyncio.gather(*ended)
