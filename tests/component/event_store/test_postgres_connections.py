"""Connections to PostgreSQL by the parameters that its other clients have, on a real server."""

from __future__ import annotations

import asyncio
import ssl
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID
from sqlalchemy import make_url, text

from faristol.event_store import Record
from faristol.event_store.backends.databases import parse
from faristol.event_store.backends.postgres import DEFAULT_MAX_CONNECTIONS, MIN_CONNECTIONS, Postgres
from faristol.event_store.errors import RecordError, UnknownDatabase
from faristol.host import Settings


async def query(url: str, question: str) -> str:
    database = Postgres(parse(url))
    try:
        async with database.engine.connect() as connection:
            return str((await connection.execute(text(question))).scalar_one())
    finally:
        await database.close()


@pytest.mark.parametrize(("given", "expected"), [("", "faristol"), ("application_name=standings", "standings")])
async def test_the_database_shows_who_is_connected(new_database: str, given: str, expected: str) -> None:
    url = f"{new_database}&{given}" if given else new_database
    assert await query(url, "SHOW application_name") == expected
    assert await query(url, "SHOW synchronous_commit") == "on"


async def test_a_password_in_a_file_is_read_at_each_connection(
    new_database: str, postgres: str, tmp_path: Path
) -> None:
    """A changed mounted secret is used for the next connection, without a restart."""
    role, file = f"r{uuid.uuid4().hex[:12]}", tmp_path / "password"
    hba = Path(str(make_url(postgres).query["host"])) / "pg_hba.conf"
    hba.write_text(f"local all {role} scram-sha-256\n{hba.read_text(encoding='utf-8')}", encoding="utf-8")
    await query(new_database, "SELECT pg_reload_conf()")
    await _run(new_database, f"CREATE ROLE {role} LOGIN PASSWORD 'first'")
    url = make_url(new_database).set(username=role).update_query_dict({"password_file": str(file)})
    database = Postgres(parse(url.render_as_string(hide_password=False)))

    async def who() -> str:
        async with database.engine.connect() as connection:
            found = str((await connection.execute(text("SELECT current_user"))).scalar_one())
            await connection.invalidate()  # so that the next one is a new one
            return found

    try:
        file.write_text("first\n", encoding="utf-8")
        assert await who() == role
        await _run(new_database, f"ALTER ROLE {role} PASSWORD 'second'")
        file.write_text("second\n", encoding="utf-8")
        assert await who() == role
    finally:
        await database.close()
    file.write_text("of another role\n", encoding="utf-8")
    own = url.set(password="second").render_as_string(hide_password=False)
    assert await query(own, "SELECT current_user") == role, "a password of the URL itself goes before the file"


async def _run(url: str, statement: str) -> None:
    database = Postgres(parse(url))
    async with database.engine.connect() as connection:
        await connection.execute(text(statement))
    await database.close()


@pytest.mark.parametrize("given", ["0", "-1", "x", str(MIN_CONNECTIONS - 1), "99999"])
def test_a_number_of_connections_that_does_not_do_is_refused(given: str) -> None:
    with pytest.raises(UnknownDatabase, match="expected a number of connections"):
        parse(f"postgresql://host/cell?connections={given}")


@pytest.mark.parametrize(
    ("given", "most"),
    [("", DEFAULT_MAX_CONNECTIONS), (f"connections={MIN_CONNECTIONS}", MIN_CONNECTIONS), ("connections=9", 9)],
)
async def test_a_process_has_no_more_connections_than_it_may(new_database: str, given: str, most: int) -> None:
    database = Postgres(parse(f"{new_database}&{given}" if given else new_database))
    held = [await database.engine.connect() for _ in range(most)]
    try:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(database.engine.connect(), 0.3)
    finally:
        for connection in held:
            await connection.close()
        await database.close()


def _authority(folder: Path, name: str) -> tuple[Path, ssl.SSLContext]:
    """Return an authority that made itself a certificate for ``localhost``, and how a server shows it."""
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(minutes=5))
        .not_valid_after(now + timedelta(hours=1))
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    certificate, private = folder / f"{name}.crt", folder / f"{name}.key"
    certificate.write_bytes(made.public_bytes(Encoding.PEM))
    private.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate, private)
    return certificate, context


@asynccontextmanager
async def _tls_before(postgres: str, context: ssl.SSLContext) -> AsyncIterator[int]:
    """Yield the port at which the server is reached only by TLS: its build here has no TLS."""
    socket = f"{make_url(postgres).query['host']}/.s.PGSQL.5432"

    async def pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while part := await reader.read(65_536):
            writer.write(part)
            await writer.drain()
        writer.close()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asks = await reader.readexactly(8)
        if int.from_bytes(asks[4:]) != 80_877_103:  # without TLS
            writer.close()
            return
        writer.write(b"S")
        try:
            await writer.start_tls(context)
            back, forth = await asyncio.open_unix_connection(socket)
            await asyncio.gather(pipe(reader, forth), pipe(back, writer))
        except OSError:  # the client did not trust this certificate, and left
            writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        yield server.sockets[0].getsockname()[1]


@pytest.mark.parametrize(
    ("parameters", "host", "is_let_in"),
    [
        ("sslmode=verify-full&sslrootcert={own}", "localhost", True),
        ("sslmode=verify-ca&sslrootcert={own}", "127.0.0.1", True),
        ("sslmode=require", "localhost", True),
        ("sslmode=verify-full&sslrootcert={own}", "127.0.0.1", False),  # another name than the certificate has
        ("sslmode=verify-full&sslrootcert={other}", "localhost", False),
        ("sslmode=disable", "localhost", False),
    ],
)
async def test_the_server_is_trusted_by_the_authority_that_the_url_names(
    new_database: str, postgres: str, tmp_path: Path, parameters: str, host: str, is_let_in: bool
) -> None:
    own, context = _authority(tmp_path, "own")
    other, _ = _authority(tmp_path, "other")
    async with _tls_before(postgres, context) as port:
        name = make_url(new_database).database
        url = f"postgresql://postgres@{host}:{port}/{name}?{parameters.format(own=own, other=other)}"
        if is_let_in:
            assert await query(url, "SELECT 1") == "1"
            return
        with pytest.raises(RecordError):
            await (await Record.open(url)).close()


def test_the_settings_of_the_database_are_part_of_its_url(tmp_path: Path) -> None:
    given = {"database_url": "postgresql://me@host/cell?sslmode=require", "database_connections": 6}
    made = Settings.model_validate({**given, "database_password_file": tmp_path / "pass word"}).record_url()
    url = parse(made)
    assert dict(url.query) == {"sslmode": "require", "password_file": f"{tmp_path}/pass word", "connections": "6"}
    assert Settings.model_validate({"database_url": "postgresql://host/cell"}).record_url() == "postgresql://host/cell"
    assert Settings.model_validate({"data": tmp_path, "database_connections": 6}).record_url().startswith("sqlite:///")
