"""A real SMTP server of this process, which stores what it takes and can be stopped, slow or hostile."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from typing import Any

from aiosmtpd.controller import Controller

_LINK = re.compile(r"https?://\S+\?key=(\S+)")


class Inbox:
    """The messages that the server took, and its behaviour."""

    def __init__(self) -> None:
        self.messages: list[EmailMessage] = []
        self.reply = ""
        """The reply to each message instead of its acceptance, such as ``451 later``."""
        self.refused: set[str] = set()
        """Addresses that the server refuses for good."""
        self.drops_reply = False
        """Whether the connection breaks after a message was taken, before its reply."""

    async def handle_RCPT(  # noqa: N802 # the name is that of the library
        self, server: Any, session: Any, envelope: Any, address: str, options: Any
    ) -> str:
        """Answer the recipient."""
        if address in self.refused:
            return "550 no such mailbox"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802
        """Take a message."""
        if self.reply:
            return self.reply
        self.messages.append(message_from_bytes(envelope.content, policy=default))
        if self.drops_reply:
            self.drops_reply = False
            server.transport.abort()
        return "250 taken"

    def subjects(self, address: str) -> list[str]:
        """Return the subjects of the messages to an address."""
        return [str(each["Subject"]) for each in self.messages if each["To"] == address]

    def key_of(self, address: str) -> str:
        """Return the key of the link in the latest message to an address."""
        last = [each for each in self.messages if each["To"] == address][-1]
        found = _LINK.search(last.get_content())
        assert found is not None
        return found[1]


def free_port() -> int:
    """Return a port on which no server listens at the moment."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


@contextmanager
def smtp_server(inbox: Inbox, port: int) -> Iterator[None]:
    """Run the server on a port."""
    controller = Controller(inbox, hostname="127.0.0.1", port=port)
    controller.start()
    try:
        yield
    finally:
        controller.stop()
