"""Settings of a process: flags first, then ``FARISTOL_…`` in the environment, then what stands here."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Literal

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

SERVICES = ("access", "lexicon", "game", "clock", "pairing", "rating", "results", "gateway")
"""The eight services, in the order in which they start."""


class StartError(Exception):
    """The process cannot start; the message says why and what to do."""


class Settings(BaseSettings):
    """Every setting there is. Each can be given as ``FARISTOL_`` and its name in capitals."""

    model_config = SettingsConfigDict(env_prefix="FARISTOL_", extra="ignore")

    data: Path = Field(default=Path("data"), description="Folder of the embedded record and bus.")
    database_url: str = Field(
        default="", description="Record: sqlite:///PATH or postgresql://…; SQLite in the data folder."
    )
    nats_url: str = Field(default="", description="NATS; `faristol up` starts one of its own when empty.")
    lexicons: Path = Field(
        default=Path(sys.prefix) / "share" / "faristol" / "lexicons", description="Folder of the installed lexicons."
    )
    grpc_host: str = Field(default="127.0.0.1", description="Address that gRPC listens on.")
    grpc_port: int = Field(default=0, ge=0, le=65535, description="Port of gRPC; 0 takes a free one.")
    http_host: str = Field(default="127.0.0.1", description="Address that the gateway's pages and JSON listen on.")
    http_port: int = Field(default=8080, ge=0, le=65535, description="Their port; 0 takes a free one.")
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
    http_header_seconds: float = Field(default=10.0, gt=0, description="How long the headers of a request may take.")
    http_write_seconds: float = Field(default=30.0, gt=0, description="How long an answer may wait to be read.")
    http_proxies: str = Field(
        default="",
        description="Addresses of proxies, with commas, whose X-Forwarded-For is believed; empty where there is none.",
    )
    otlp_endpoint: str = Field(
        default="", description="OTLP/gRPC collector, as http://HOST:4317; no telemetry when empty."
    )
    access: Path | None = Field(
        default=None, description="Folder of the keys of credentials; `access` in the data folder."
    )
    open: bool = Field(
        default=False, description="Ask nobody for a credential; only where gRPC and HTTP listen on a loopback address."
    )
    seal_key: Path | None = Field(
        default=None, description="Private key; when given, this process seals the record, or one like it does."
    )
    seal_events: int = Field(default=1_000, ge=1, le=10_000, description="Events under one seal.")
    seal_seconds: float = Field(default=60.0, gt=0, description="How long an event waits for others to be sealed with.")
    grace_seconds: float = Field(default=5.0, ge=0, description="How long running calls may go on after SIGTERM.")
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "WARNING"

    start_seconds: float = Field(
        default=60.0, ge=0, description="How long a process that starts waits for its database and for NATS."
    )

    peer_access: str = Field(
        default="", description="HOST:PORT at which the process finds a service that it does not serve itself."
    )
    peer_lexicon: str = ""
    peer_game: str = ""
    peer_clock: str = ""
    peer_pairing: str = ""
    peer_rating: str = ""
    peer_results: str = ""

    def record_url(self) -> str:
        """URL of the record."""
        from sqlalchemy import URL  # which who only asks a service does without

        own = URL.create("sqlite", database=str(self.data.absolute() / "record.db"))  # whatever the path is made of
        return self.database_url or own.render_as_string()

    def access_folder(self) -> Path:
        """Folder of the keys of credentials."""
        return self.access or self.data.absolute() / "access"

    def peer(self, service: str) -> str:
        """``HOST:PORT`` at which a process finds a service that another one serves, empty when it was not given."""
        return str(getattr(self, f"peer_{service}"))


class Addresses(BaseSettings):
    """Where a client finds the services: the command line, a program. No process that serves reads these."""

    model_config = SettingsConfigDict(env_prefix="FARISTOL_", extra="ignore")

    address: str = Field(default="", description="HOST:PORT of every service that has no setting of its own.")
    access_address: str = Field(default="", description="HOST:PORT of one service; likewise the others.")
    lexicon_address: str = ""
    game_address: str = ""
    clock_address: str = ""
    pairing_address: str = ""
    rating_address: str = ""
    results_address: str = ""

    def of(self, service: str) -> str:
        """``HOST:PORT`` at which a service answers, empty when it was not given."""
        return str(getattr(self, f"{service}_address")) or self.address

    @staticmethod
    def setting(service: str) -> str:
        """The variable of the environment that says where a service is."""
        return f"FARISTOL_{service.upper()}_ADDRESS"
