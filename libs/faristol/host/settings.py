"""Settings of a process: from flags, from ``FARISTOL_…`` in the environment, or the defaults here, in this order."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlencode

from pydantic import BeforeValidator, Field
from pydantic_settings import BaseSettings, SettingsConfigDict


class Settings(BaseSettings):
    """All settings. Each can be given as ``FARISTOL_`` and its name in capitals."""

    model_config = SettingsConfigDict(env_ignore_empty=True, env_prefix="FARISTOL_", extra="ignore")

    data: Path = Field(default=Path("data"), description="Folder of the embedded record and bus.")
    database_url: str = Field(
        default="", description="Record: sqlite:///PATH or postgresql://…; SQLite in the data folder."
    )
    database_password_file: Path | None = Field(
        default=None,
        description="File with the password of the PostgreSQL role, where the URL has none, read at each connection.",
    )
    database_connections: int = Field(
        default=16,
        ge=4,
        le=9_999,
        description="Connections of this process to PostgreSQL at the most; those of all replicas have to fit there.",
    )
    owner_database_url: str = Field(
        default="",
        description="The record by the role that owns its tables: for migrations, erasure and `record roles`.",
    )
    owner_database_password_file: Path | None = Field(
        default=None, description="File with the password of the role that owns the tables."
    )
    nats_url: str = Field(
        default="",
        description="NATS, or several servers with commas between; `faristol up` starts one of its own when empty.",
    )
    nats_credentials: Path | None = Field(
        default=None, description="File by which NATS lets this process in: USER:PASSWORD, or a .creds file."
    )
    nats_cell: str = Field(
        default="",
        pattern=r"^[A-Za-z0-9_-]*$",
        description="What the names of this record's consumers on NATS begin with; the record's id when empty.",
    )
    nats_replicas: int = Field(
        default=1, ge=1, le=5, description="Servers of a NATS cluster that each keep the news: 1, 3 or 5."
    )
    nats_hours: float = Field(default=24, gt=0, le=8_760, description="How long NATS keeps news; the record has them.")
    nats_bytes: int = Field(default=0, ge=0, description="Bytes of news that NATS keeps; 0: as the server says.")
    relay: bool = Field(
        default=True, description="Publish news from this process when no other does; off where `serve relay` runs."
    )
    lexicons: Path = Field(
        default=Path(sys.prefix) / "share" / "faristol" / "lexicons", description="Folder of the installed lexicons."
    )
    best_plays: bool = Field(
        default=False, description="Show the best plays of every rack of a game, once its result is final."
    )
    grpc_host: str = Field(default="127.0.0.1", description="Address that gRPC listens on.")
    grpc_port: int = Field(default=0, ge=0, le=65535, description="Port of gRPC; 0 takes a free one.")
    grpc_connection_seconds: float = Field(
        default=20.0,
        ge=0,
        description="Age at which a connection to gRPC takes no new calls, so that callers find new replicas; 0: none.",
    )
    grpc_keepalive_seconds: float = Field(
        default=20.0,
        gt=0,
        description="Seconds without data after which the other end of a gRPC connection is asked for a sign of life, "
        "and in which it has to give one.",
    )
    grpc_least_ping_seconds: float = Field(
        default=5.0,
        ge=0,
        description="Least seconds between two HTTP/2 pings of a client; connections of more frequent ones are ended.",
    )
    http_host: str = Field(default="127.0.0.1", description="Address that the gateway's pages and JSON listen on.")
    http_port: int = Field(default=8080, ge=0, le=65535, description="Their port; 0 takes a free one.")
    http_address: str = Field(
        default="",
        pattern=r"^(https?://[^/?#\s]+/?)?$",
        description="URL of the pages as people reach them, for links to sign in by: https://results.example.",
    )
    contact: str = Field(
        default="",
        max_length=200,
        description="Who answers for the pages: an address of mail or a page, at the foot of every page.",
    )
    privacy_notice: str = Field(
        default="",
        pattern=r"^(https?://[^\s]+)?$",
        description="URL of the organiser's own privacy notice; /privacy says what the pages show in any case.",
    )
    indexed: bool = Field(default=False, description="Let search engines list the pages, with the names on them.")
    public_minors: bool = Field(
        default=False, description="Tell the public the categories that mark players as minors, such as U18."
    )
    http_connections: int = Field(default=4_000, ge=1, description="Connections to the HTTP port at a time.")
    http_connections_per_address: int = Field(
        default=500,
        ge=0,
        description="Connections from one address at a time, that of a hall for instance; 0: any number.",
    )
    http_streams_per_address: int = Field(
        default=2_000, ge=1, description="Streams that one address follows at a time."
    )
    http_requests_per_second: int = Field(
        default=500, ge=0, description="Requests from one address in a second, in the long run; 0: any number."
    )
    http_cache_bytes: int = Field(
        default=64_000_000, ge=0, description="Bytes of pages and JSON that are kept for whoever asks next."
    )
    http_header_seconds: float = Field(default=10.0, gt=0, description="How long the headers of a request may take.")
    http_write_seconds: float = Field(default=30.0, gt=0, description="How long an answer may wait to be read.")
    http_proxies: str = Field(
        default="",
        description="Addresses and networks of the proxies alone, with commas, whose X-Forwarded-For and -Proto are "
        "believed.",
    )
    pages_apart: bool = Field(
        default=False,
        description="Serve pages and JSON in a process beside, so that a crowd there takes nothing from officials.",
    )
    peers_own: bool = Field(
        default=False, description="The services that are called are in the process beside, which has this certificate."
    )
    tls: bool = Field(
        default=False, description="Serve gRPC by TLS, with an authority and a certificate made in the data folder."
    )
    certificate: Path | None = Field(
        default=None, description="Certificate that this process shows, in PEM; gRPC is served by TLS when given."
    )
    key: Path | None = Field(default=None, description="Private key of the certificate.")
    ca: Path | None = Field(
        default=None,
        description="Authorities whose certificates are taken of the services that are called; TLS to them when given.",
    )
    client_ca: Path | None = Field(
        default=None, description="Authorities of which callers of gRPC have to show a certificate."
    )
    health_port: int | None = Field(
        default=None,
        ge=0,
        le=65535,
        description="Port of gRPC that answers health checks alone, without TLS, for probes that have none.",
    )
    otlp_endpoint: str = Field(
        default="", description="OTLP/gRPC collector, as http://HOST:4317; no telemetry when empty."
    )
    metrics_port: int | None = Field(
        default=None,
        ge=0,
        le=65535,
        description="Port of /metrics for Prometheus, on the address of gRPC; none when not given, 0 takes a free one.",
    )
    access: Path | None = Field(
        default=None, description="Folder of the keys of credentials; `access` in the data folder."
    )
    sealed_games: Path | None = Field(
        default=None,
        description="File with the key of duplicate games that are prepared, the same for every replica of the game "
        "service; `sealed-games.key` in the data folder.",
    )
    openid: Path | None = Field(
        default=None, description="TOML file with the provider of OpenID Connect, and who of its people has which role."
    )
    open: bool = Field(
        default=False, description="Ask nobody for a credential; only where gRPC and HTTP listen on a loopback address."
    )
    seal_key: Annotated[str, BeforeValidator(str)] = Field(
        default="",
        description="Private key: a file, or pkcs11:…; when given, this process seals the record, or one like it does.",
    )
    seal_events: int = Field(default=1_000, ge=1, le=10_000, description="Events under one seal.")
    seal_seconds: float = Field(default=60.0, gt=0, description="How long an event waits for others to be sealed with.")
    witnesses: str = Field(
        default="",
        description="Where seals are delivered to, with commas: folders, Git repositories, HTTP addresses.",
    )
    witness_token: Path | None = Field(
        default=None, description="File with the bearer token for witnesses at HTTP addresses."
    )
    webhook_networks: str = Field(
        default="",
        description="Networks with commas, as 10.20.0.0/16, that webhooks may call beside public addresses.",
    )
    archive_hours: int = Field(
        default=48, ge=0, description="Hours for which `record prune` keeps every archive of the record."
    )
    archive_days: int = Field(
        default=30, ge=0, description="Days of which it keeps the last archive each, with the names of then."
    )
    grace_seconds: float = Field(default=5.0, ge=0, description="How long running calls may go on after SIGTERM.")
    http_log: bool = Field(
        default=False,
        description="Write a line of JSON for each request over HTTP, but for files of pages: address, status, …",
    )
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "WARNING"
    log_format: Literal["text", "json"] = Field(
        default="text", description="A line for people, or JSON with trace ids for what gathers logs."
    )

    start_seconds: float | None = Field(
        default=None,
        ge=0,
        description="How long a process that starts waits for its database and for NATS; else until they come.",
    )

    peer_access: str = Field(
        default="",
        description="HOST:PORT at which the process finds a service of another: every replica that HOST names.",
    )
    peer_lexicon: str = ""
    peer_game: str = ""
    peer_clock: str = ""
    peer_pairing: str = ""
    peer_rating: str = ""
    peer_results: str = ""

    def record_url(self) -> str:
        """Return the URL of the record."""
        from sqlalchemy import URL  # not needed by commands that call a service

        own = URL.create("sqlite", database=str(self.data.absolute() / "record.db"))  # escapes any path
        url = self.database_url or own.render_as_string()
        if not url.startswith("postgres"):
            return url
        more: dict[str, object] = {}
        if self.database_password_file:
            more["password_file"] = self.database_password_file
        if "database_connections" in self.model_fields_set:
            more["connections"] = self.database_connections
        return f"{url}{'&' if '?' in url else '?'}{urlencode(more)}" if more else url

    @property
    def is_measured(self) -> bool:
        """Whether metrics are exported."""
        return bool(self.otlp_endpoint) or self.metrics_port is not None

    @property
    def is_traced(self) -> bool:
        """Whether trace ids are used: by a collector, or in logs in JSON."""
        return bool(self.otlp_endpoint) or self.log_format == "json"

    def access_folder(self) -> Path:
        """Return the folder of the keys of credentials."""
        return self.access or self.data.absolute() / "access"

    def access_record(self) -> Path:
        """Return the file with the id of the record that the keys are for: beside them, or in the data folder.

        A folder outside the data folder may be read-only, such as a Secret of Kubernetes.
        """
        return self.data.absolute() / "access-record" if self.access else self.access_folder() / "record"

    def sealed_games_key(self) -> Path:
        """Return the file with the key of prepared duplicate games."""
        return self.sealed_games or self.data.absolute() / "sealed-games.key"

    def peer(self, service: str) -> str:
        """Return ``HOST:PORT`` of a service in another process; empty if not given."""
        return str(getattr(self, f"peer_{service}"))


class Addresses(BaseSettings):
    """Addresses of the services for clients: the command line, or a program. Serving processes do not use them."""

    model_config = SettingsConfigDict(env_ignore_empty=True, env_prefix="FARISTOL_", extra="ignore")

    address: str = Field(default="", description="HOST:PORT of every service that has no setting of its own.")
    http_address: str = Field(default="", description="URL of the pages, for links to sign in by.")
    access_address: str = Field(default="", description="HOST:PORT of one service; likewise the others.")
    lexicon_address: str = ""
    game_address: str = ""
    clock_address: str = ""
    pairing_address: str = ""
    rating_address: str = ""
    results_address: str = ""

    def of(self, service: str) -> str:
        """Return ``HOST:PORT`` of a service; empty if not given."""
        return str(getattr(self, f"{service}_address")) or self.address

    @staticmethod
    def setting(service: str) -> str:
        """Return the environment variable with the address of a service."""
        return f"FARISTOL_{service.upper()}_ADDRESS"
