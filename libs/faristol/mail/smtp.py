"""Sending by SMTP (RFC 5321), with TLS and authentication by the settings.

Of a failure, the reply code decides: 5yz for the recipient or the message is final, 4yz and every failure of the
connection, of TLS or of the sender's own account is temporary, because the operator or the server can end it.
"""

from __future__ import annotations

import smtplib
import ssl
from collections.abc import Generator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from email.message import EmailMessage
from email.utils import format_datetime
from pathlib import Path
from urllib.parse import urlsplit

from faristol.mail.outbox import Mail
from faristol.mail.retry_policy import SENT, Attempt

MAIL_TIMEOUT_SECONDS = 15.0
"""Timeout of each step of SMTP. All steps of a message take less than the lease of the sender."""

_PERMANENT_STATUS = 500
"""First reply code of a final failure."""

_SUBMISSION_PORTS = {"smtp": 587, "smtps": 465}


@dataclass(frozen=True, slots=True)
class MailServer:
    """The server that takes messages."""

    host: str
    port: int
    is_tls: bool
    """Whether TLS begins with the connection (``smtps``)."""
    is_plain: bool
    """Whether the connection stays without TLS; only on this machine or by the operator's explicit choice."""
    sender: str
    user: str = ""
    password_file: Path | None = None

    @property
    def domain(self) -> str:
        """The domain of the sender, which ids of messages have."""
        return self.sender.rpartition("@")[2]


def server_of(
    url: str, sender: str, user: str = "", password_file: Path | None = None, *, plain: bool = False
) -> MailServer | None:
    """Parse the settings; None if there is no server. Raises ``ValueError`` for a malformed one."""
    if not url:
        return None
    parts = urlsplit(url)
    if parts.scheme not in _SUBMISSION_PORTS or not parts.hostname or parts.path not in ("", "/"):
        raise ValueError("expected smtp://HOST:PORT or smtps://HOST:PORT")
    if "@" in parts.netloc:
        raise ValueError("expected no user in the address: use the settings of user and password")
    if sender.count("@") != 1 or any(letter.isspace() for letter in sender):
        raise ValueError("expected the address of the sender, such as chess@example.org")
    is_tls = parts.scheme == "smtps"
    port = parts.port or _SUBMISSION_PORTS[parts.scheme]
    return MailServer(parts.hostname, port, is_tls, plain and not is_tls, sender, user, password_file)


def message_of(mail: Mail, server: MailServer, at: datetime) -> EmailMessage:
    """Build the message. Its ``Message-ID`` is the same in every attempt."""
    message = EmailMessage()
    message["From"] = server.sender
    message["To"] = mail.address
    message["Subject"] = " ".join(mail.subject.split())
    message["Date"] = format_datetime(at)
    message["Message-ID"] = f"<{mail.mail_id}@{server.domain}>"
    message["Content-Language"] = mail.language
    message["Auto-Submitted"] = "auto-generated"  # RFC 3834: no answers by machines
    message.set_content(mail.body)
    return message


def send_all(mails: Sequence[tuple[Mail, datetime]], server: MailServer) -> Generator[tuple[Mail, Attempt]]:
    """Send messages over one connection, each with the time of its creation; yield each outcome as it is known.

    Blocking: call it in a thread. After a failure of the connection, the remaining messages are not yielded.
    """
    connection: smtplib.SMTP | None = None
    try:
        for mail, at in mails:
            try:
                connection = connection or _connect(server)
            except (OSError, smtplib.SMTPException) as problem:
                yield mail, _unavailable(problem)
                return
            attempt, is_usable = _send(connection, mail, server, at)
            yield mail, attempt
            if not is_usable:
                return
    finally:
        if connection is not None:
            with suppress(OSError, smtplib.SMTPException):
                connection.quit()


def _connect(server: MailServer) -> smtplib.SMTP:
    context = ssl.create_default_context()
    if server.is_tls:
        connection: smtplib.SMTP = smtplib.SMTP_SSL(
            server.host, server.port, timeout=MAIL_TIMEOUT_SECONDS, context=context
        )
    else:
        connection = smtplib.SMTP(server.host, server.port, timeout=MAIL_TIMEOUT_SECONDS)
    try:
        if not server.is_tls and not server.is_plain:
            connection.starttls(context=context)
        if server.user:
            password = server.password_file.read_text(encoding="utf-8").strip() if server.password_file else ""
            connection.login(server.user, password)
    except BaseException:
        connection.close()
        raise
    return connection


def _send(connection: smtplib.SMTP, mail: Mail, server: MailServer, at: datetime) -> tuple[Attempt, bool]:
    """Send one message; return the outcome, and whether the connection can be used for the next one."""
    try:
        connection.send_message(message_of(mail, server, at))
    except smtplib.SMTPRecipientsRefused as problem:
        status, _ = next(iter(problem.recipients.values()), (0, b""))
        return Attempt(is_final=status >= _PERMANENT_STATUS, status=status, problem="recipient refused"), True
    except smtplib.SMTPDataError as problem:
        status = problem.smtp_code
        return Attempt(is_final=status >= _PERMANENT_STATUS, status=status, problem="message refused"), True
    except smtplib.SMTPNotSupportedError:
        return Attempt(is_final=True, problem="the server does not accept the characters of the address"), True
    except smtplib.SMTPSenderRefused as problem:
        return Attempt(status=problem.smtp_code, problem="sender refused"), False
    except (OSError, smtplib.SMTPException) as problem:
        return _unavailable(problem), False
    except (ValueError, UnicodeError):
        return Attempt(is_final=True, problem="the address or the text cannot be sent"), True
    return SENT, True


def _unavailable(problem: Exception) -> Attempt:
    """Describe a failure of the connection, without the texts of the server, which may repeat addresses."""
    status = problem.smtp_code if isinstance(problem, smtplib.SMTPResponseException) else 0
    return Attempt(status=int(status), problem=type(problem).__name__)
