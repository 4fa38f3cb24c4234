"""Settings that were renamed: an old name is refused, since a process would otherwise start without its value."""

from __future__ import annotations

import os
from collections.abc import Mapping

from faristol.host.services import StartError
from faristol.kernel.refusal import N_
from faristol.text import say
from faristol.text.terminal import language_of_terminal

RENAMED_SETTINGS: Mapping[str, str] = {
    "FARISTOL_ADDRESS": "FARISTOL_CLIENT_ADDRESS",
    "FARISTOL_ACCESS_ADDRESS": "FARISTOL_CLIENT_ACCESS_ADDRESS",
    "FARISTOL_LEXICON_ADDRESS": "FARISTOL_CLIENT_LEXICON_ADDRESS",
    "FARISTOL_GAME_ADDRESS": "FARISTOL_CLIENT_GAME_ADDRESS",
    "FARISTOL_CLOCK_ADDRESS": "FARISTOL_CLIENT_CLOCK_ADDRESS",
    "FARISTOL_PAIRING_ADDRESS": "FARISTOL_CLIENT_PAIRING_ADDRESS",
    "FARISTOL_RATING_ADDRESS": "FARISTOL_CLIENT_RATING_ADDRESS",
    "FARISTOL_RESULTS_ADDRESS": "FARISTOL_CLIENT_RESULTS_ADDRESS",
    "FARISTOL_AS": "FARISTOL_CLIENT_NAME",
    "FARISTOL_TOKEN": "FARISTOL_CLIENT_TOKEN",
    "FARISTOL_OWNER_DATABASE_URL": "FARISTOL_DATABASE_OWNER_URL",
    "FARISTOL_OWNER_DATABASE_PASSWORD_FILE": "FARISTOL_DATABASE_OWNER_PASSWORD_FILE",
    "FARISTOL_RELAY": "FARISTOL_NATS_RELAY",
    "FARISTOL_CERTIFICATE": "FARISTOL_TLS_CERTIFICATE",
    "FARISTOL_KEY": "FARISTOL_TLS_KEY",
    "FARISTOL_CA": "FARISTOL_TLS_CA",
    "FARISTOL_CLIENT_CA": "FARISTOL_TLS_CLIENT_CA",
    "FARISTOL_PEERS_OWN": "FARISTOL_TLS_PEERS_OWN",
    "FARISTOL_HEALTH_PORT": "FARISTOL_GRPC_HEALTH_PORT",
    "FARISTOL_CONTACT": "FARISTOL_PAGES_CONTACT",
    "FARISTOL_PRIVACY_NOTICE": "FARISTOL_PAGES_PRIVACY_NOTICE",
    "FARISTOL_INDEXED": "FARISTOL_PAGES_INDEXED",
    "FARISTOL_PUBLIC_MINORS": "FARISTOL_PAGES_PUBLIC_MINORS",
    "FARISTOL_WITNESSES": "FARISTOL_SEAL_WITNESSES",
    "FARISTOL_WITNESS_TOKEN": "FARISTOL_SEAL_WITNESS_TOKEN",
}
"""New name of an environment variable, by the old one."""

RENAMED = N_("{old} is now {new}: set {new}, and remove {old}")


def refuse_renamed_settings() -> None:
    """Raise ``StartError`` if the environment sets an old name. An empty value is ignored, as for all settings."""
    for old, new in RENAMED_SETTINGS.items():
        if os.environ.get(old):
            raise StartError(say(RENAMED, {"old": old, "new": new}, language_of_terminal()))
