"""Settings of a process: from flags, from ``FARISTOL_…`` in the environment, or the defaults here, in this order."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlencode

from pydantic import BeforeValidator, Field, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from faristol.host.renamed_settings import refuse_renamed_settings


class _EnvironmentSettings(BaseSettings):
    """Settings from the environment. Raises ``StartError`` for the old name of a renamed one."""

    model_config = SettingsConfigDict(env_ignore_empty=True, env_prefix="FARISTOL_", extra="ignore")

    @model_validator(mode="before")
    @classmethod
    def _refuse_renamed(cls, given: Any) -> Any:
        refuse_renamed_settings()
        return given


class Settings(_EnvironmentSettings):
    """All settings. Each can be given as ``FARISTOL_`` and its name in capitals.

    Names have families: ``DATABASE``, ``HALL``, ``NATS``, ``GRPC``, ``HTTP``, ``PAGES``, ``TLS``, ``SEAL``,
    ``ARCHIVE``, ``LOG``, ``MAIL``, ``PEER``, and ``CLIENT`` for ``Addresses``.
    """

    data: Path = Field(default=Path("data"), description="Folder of the embedded record and bus.")
    database_url: str = Field(
        default="", description="Record: sqlite:///PATH or postgresql://…; SQLite in the data folder."
    )
    database_password_file: Path | None = Field(
        default=None,
        description="File with the password of the PostgreSQL role, if the URL has none; read at each connection.",
    )
    database_connections: int = Field(
        default=16,
        ge=4,
        le=9_999,
        description="Connections of this process to PostgreSQL at the most; those of all replicas have to fit there.",
    )
    database_owner_url: str = Field(
        default="",
        description="The record by the role that owns its tables: for migrations, erasure and `record roles`.",
    )
    database_owner_password_file: Path | None = Field(
        default=None, description="File with the password of the role that owns the tables."
    )
    hall: str = Field(
        default="",
        max_length=200,
        description="Hall that this cell serves, for the championship at FARISTOL_HALL_OF; none if empty.",
    )
    hall_of: str = Field(
        default="",
        pattern=r"^((https?://)?[^/?#\s]+:[0-9]+/?)?$",
        description="gRPC of the championship that the hall belongs to: https://HOST:PORT, or HOST:PORT without TLS.",
    )
    hall_token_file: Path | None = Field(
        default=None,
        description="File with the token of the hall, until the hall has joined; else FARISTOL_CLIENT_TOKEN.",
    )
    hall_ca: Path | None = Field(
        default=None,
        description="Authorities that verify the certificate of the championship for a hall; default: well-known ones.",
    )
    nats_url: str = Field(
        default="",
        description="NATS, or several servers separated by commas; if empty, `faristol up` starts its own server.",
    )
    nats_credentials: Path | None = Field(
        default=None, description="File with the credentials for NATS: USER:PASSWORD, or a .creds file."
    )
    nats_cell: str = Field(
        default="",
        pattern=r"^[A-Za-z0-9_-]*$",
        description="What the names of this record's consumers on NATS begin with; the record's id when empty.",
    )
    nats_replicas: int = Field(
        default=1, ge=1, le=5, description="Replicas of the events in a NATS cluster: 1, 3 or 5."
    )
    nats_hours: float = Field(
        default=24, gt=0, le=8_760, description="Retention of events in NATS; the record has all events."
    )
    nats_bytes: int = Field(default=0, ge=0, description="Bytes of events stored in NATS; 0: the limit of the server.")
    nats_relay: bool = Field(
        default=True, description="Publish events from this process if no other does; off if `serve relay` runs."
    )
    lexicons: Path = Field(
        default=Path(sys.prefix) / "share" / "faristol" / "lexicons", description="Folder of the installed lexicons."
    )
    best_plays: bool = Field(
        default=False, description="Show the best plays of every rack of a game when its result is final."
    )
    grpc_host: str = Field(default="127.0.0.1", description="Address that gRPC listens on.")
    grpc_port: int = Field(default=0, ge=0, le=65535, description="Port of gRPC; 0: a free port.")
    grpc_connection_seconds: float = Field(
        default=20.0,
        ge=0,
        description="Age at which a gRPC connection accepts no new calls, so callers find new replicas; 0: no limit.",
    )
    grpc_keepalive_seconds: float = Field(
        default=20.0,
        gt=0,
        description="Idle seconds before a keepalive ping on a gRPC connection, and its timeout.",
    )
    grpc_least_ping_seconds: float = Field(
        default=5.0,
        ge=0,
        description="Minimum seconds between two HTTP/2 pings of a client; connections with more frequent pings are "
        "closed.",
    )
    http_host: str = Field(default="127.0.0.1", description="Address that the gateway's pages and JSON listen on.")
    http_port: int = Field(default=8080, ge=0, le=65535, description="Port of the pages and JSON; 0: a free port.")
    http_address: str = Field(
        default="",
        pattern=r"^(https?://[^/?#\s]+/?)?$",
        description="Public URL of the pages, for sign-in links: https://results.example.",
    )
    pages_contact: str = Field(
        default="",
        max_length=200,
        description="Contact for the pages: an e-mail address or a page, at the foot of every page.",
    )
    pages_privacy_notice: str = Field(
        default="",
        pattern=r"^(https?://[^\s]+)?$",
        description="URL of the organiser's own privacy notice; /privacy says what the pages show in any case.",
    )
    pages_indexed: bool = Field(default=False, description="Let search engines list the pages, with the names on them.")
    pages_public_minors: bool = Field(
        default=False, description="Publish the categories that mark players as minors, such as U18."
    )
    http_connections: int = Field(
        default=4_000, ge=1, description="Maximum number of simultaneous connections to the HTTP port."
    )
    http_connections_per_address: int = Field(
        default=500,
        ge=0,
        description="Maximum number of simultaneous connections from one address, such as that of a hall; 0: no limit.",
    )
    http_streams_per_address: int = Field(
        default=2_000, ge=1, description="Maximum number of simultaneous streams to one address."
    )
    http_requests_per_second: int = Field(
        default=500, ge=0, description="Requests from one address per second, on average; 0: no limit."
    )
    http_cache_bytes: int = Field(default=64_000_000, ge=0, description="Bytes of the cache of pages and JSON.")
    http_header_seconds: float = Field(default=10.0, gt=0, description="Timeout for the headers of a request.")
    http_write_seconds: float = Field(default=30.0, gt=0, description="Timeout for the delivery of an answer.")
    http_proxies: str = Field(
        default="",
        description="Addresses and networks of proxies only, with commas. Their X-Forwarded-For and -Proto are "
        "trusted.",
    )
    pages_apart: bool = Field(
        default=False,
        description="Serve pages and JSON in a separate process, so that many viewers do not slow down officials.",
    )
    tls_peers_own: bool = Field(
        default=False, description="The services that are called are in the process beside, which has this certificate."
    )
    tls: bool = Field(
        default=False, description="Serve gRPC over TLS, with an authority and a certificate made in the data folder."
    )
    tls_certificate: Path | None = Field(
        default=None, description="Certificate of this process, in PEM; if given, gRPC is served over TLS."
    )
    tls_key: Path | None = Field(default=None, description="Private key of the certificate.")
    tls_ca: Path | None = Field(
        default=None,
        description="Authorities that verify the certificates of the called services; if given, calls use TLS.",
    )
    tls_client_ca: Path | None = Field(
        default=None, description="Authorities that verify the certificates required of gRPC callers."
    )
    grpc_health_port: int | None = Field(
        default=None,
        ge=0,
        le=65535,
        description="Port of gRPC for health checks only, without TLS, for probes without a certificate.",
    )
    otlp_endpoint: str = Field(
        default="", description="OTLP/gRPC collector, such as http://HOST:4317; no telemetry if empty."
    )
    metrics_port: int | None = Field(
        default=None,
        ge=0,
        le=65535,
        description="Port of /metrics for Prometheus, on the address of gRPC; none if not given; 0: a free port.",
    )
    access: Path | None = Field(
        default=None, description="Folder of the keys of credentials; `access` in the data folder."
    )
    access_sign_in_minutes: int = Field(
        default=15,
        ge=0,
        le=10_080,
        description="Minutes after a sign-in in which commands that cannot be undone are accepted; 0: no limit.",
    )
    sealed_games: Path | None = Field(
        default=None,
        description="File with the key of duplicate games that are prepared, the same for every replica of the game "
        "service; `sealed-games.key` in the data folder.",
    )
    push_keys: Path | None = Field(
        default=None,
        description="Folder of the keys that identify the cell to push services; `push` in the data folder.",
    )
    openid: Path | None = Field(
        default=None, description="TOML file with the OpenID Connect provider and the roles of its users."
    )
    open: bool = Field(
        default=False, description="Require no credentials; only if gRPC and HTTP listen on a loopback address."
    )
    seal_key: Annotated[str, BeforeValidator(str)] = Field(
        default="",
        description="Private key: a file, or pkcs11:…; if given, this process or a replica of it seals the record.",
    )
    pack_key: Annotated[str, BeforeValidator(str)] = Field(
        default="",
        description="Private key that signs the federation packs of the pages: a file, or pkcs11:…; default: the key "
        "of the seals, in a process that has it.",
    )
    seal_events: int = Field(default=1_000, ge=1, le=10_000, description="Events under one seal.")
    seal_seconds: float = Field(default=60.0, gt=0, description="Maximum delay of an event before it is sealed.")
    seal_witnesses: str = Field(
        default="",
        description="Witnesses that get the seals, separated by commas: folders, Git repositories, HTTP addresses.",
    )
    seal_witness_token: Path | None = Field(
        default=None, description="File with the bearer token for witnesses at HTTP addresses."
    )
    transparency_origin: str = Field(
        default="",
        max_length=200,
        description="Name of the log of the record, such as cup.example.org/log; it must never change. Default: the id "
        "of the record.",
    )
    transparency_policy: Path | None = Field(
        default=None, description="Policy file (C2SP tlog-policy) with the witnesses of the log and their quorum."
    )
    transparency_seconds: float = Field(
        default=60.0, gt=0, description="Maximum delay of an event before a checkpoint of the log covers it."
    )
    mail_server: str = Field(
        default="",
        description="Server that takes e-mail: smtp://HOST:PORT with STARTTLS, or smtps://HOST:PORT; no e-mail if "
        "empty.",
    )
    mail_sender: str = Field(default="", description="Address from which e-mail is sent, such as open@example.org.")
    mail_user: str = Field(default="", description="User at the mail server; no authentication if empty.")
    mail_password_file: Path | None = Field(default=None, description="File with the password at the mail server.")
    mail_plain: bool = Field(
        default=False, description="Send e-mail without TLS; only for a server on this machine or in its own network."
    )
    payment_secret_file: Path | None = Field(
        default=None, description="File with the secret by which the payment provider signs its calls."
    )
    webhook_networks: str = Field(
        default="",
        description="Networks that webhooks may call besides public addresses, separated by commas: 10.20.0.0/16.",
    )
    archive_hours: int = Field(
        default=48, ge=0, description="Hours for which `record prune` keeps every archive of the record."
    )
    archive_days: int = Field(
        default=30, ge=0, description="Days of which it keeps the last archive each, with the names of then."
    )
    grace_seconds: float = Field(default=5.0, ge=0, description="Time for running calls to finish after SIGTERM.")
    http_log: bool = Field(
        default=False,
        description="Write a line of JSON for each HTTP request, except for static files: address, status, …",
    )
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "WARNING"
    log_format: Literal["text", "json"] = Field(
        default="text", description="Log format: a line of text, or JSON with trace ids for log collectors."
    )

    start_seconds: float | None = Field(
        default=None,
        ge=0,
        description="How long a process that starts waits for its database and for NATS; else until they come.",
    )

    peer_access: str = Field(
        default="",
        description="HOST:PORT of a service in another process: all replicas that HOST names.",
    )
    peer_lexicon: str = ""
    peer_game: str = ""
    peer_clock: str = ""
    peer_pairing: str = ""
    peer_rating: str = ""
    peer_results: str = ""

    @property
    def record_file(self) -> Path:
        """File of the record if no ``database_url`` is given."""
        return self.data / "record.db"

    def record_url(self) -> str:
        """Return the URL of the record."""
        from sqlalchemy import URL  # not needed by commands that call a service

        own = URL.create("sqlite", database=str(self.record_file.absolute()))  # escapes any path
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

    def push_folder(self) -> Path:
        """Return the folder of the keys for push services."""
        return self.push_keys or self.data.absolute() / "push"

    def hall_folder(self) -> Path:
        """Return the folder of the key and the token of a hall's cell."""
        return self.data.absolute() / "hall"

    def peer(self, service: str) -> str:
        """Return ``HOST:PORT`` of a service in another process; empty if not given."""
        return str(getattr(self, f"peer_{service}"))


class Addresses(_EnvironmentSettings):
    """Addresses of the services for clients: the command line, or a program. Serving processes do not use them."""

    client_address: str = Field(default="", description="HOST:PORT of every service without a separate setting.")
    http_address: str = Field(default="", description="URL of the pages, for sign-in links.")
    client_access_address: str = Field(default="", description="HOST:PORT of one service; similarly for the others.")
    client_lexicon_address: str = ""
    client_game_address: str = ""
    client_clock_address: str = ""
    client_pairing_address: str = ""
    client_rating_address: str = ""
    client_results_address: str = ""

    def of(self, service: str) -> str:
        """Return ``HOST:PORT`` of a service; empty if not given."""
        return str(getattr(self, f"client_{service}_address")) or self.client_address

    @staticmethod
    def setting(service: str) -> str:
        """Return the environment variable with the address of a service."""
        return f"FARISTOL_CLIENT_{service.upper()}_ADDRESS"
