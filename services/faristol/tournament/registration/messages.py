"""The texts of messages to entrants, in their languages. Pure but for the catalogs of translations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from faristol.kernel.refusal import N_, Param
from faristol.text import say


class MailTemplate(NamedTuple):
    """A message: English texts, marked with ``N_``."""

    subject: str
    paragraphs: tuple[str, ...]
    """Paragraphs; one with a place whose value is empty is left out."""


GREETING = N_("Dear {name},")
LINK = N_("Your entry, with its state:\n{link}")
KEEP = N_("Keep this message: the link is the key to your entry. Do not pass it on.")

CONFIRM, RECEIVED, WAITING, MOVED_UP = "confirm", "received", "waiting", "moved-up"
ACCEPTED, REJECTED, WITHDRAWN, ASKED = "accepted", "rejected", "withdrawn", "asked"
LINK_AGAIN = "link"

TEMPLATES: Mapping[str, MailTemplate] = {
    CONFIRM: MailTemplate(
        N_("Confirm your entry for {tournament}"),
        (
            GREETING,
            N_("this address was entered in the registration form of {tournament}. Confirm the entry with this link:"),
            "{link}",
            N_(
                "The link is valid for {hours} hours. If you did not fill in the form, ignore this message: the data "
                "are deleted then."
            ),
            KEEP,
        ),
    ),
    RECEIVED: MailTemplate(
        N_("Your entry for {tournament} has arrived"),
        (
            GREETING,
            N_("your entry for {tournament} has arrived, and you have a place. The director decides on it."),
            LINK,
            KEEP,
        ),
    ),
    WAITING: MailTemplate(
        N_("You are on the waiting list of {tournament}"),
        (
            GREETING,
            N_(
                "your entry for {tournament} has arrived. All places are taken, so you are on the waiting list. You "
                "get a message when a place is free."
            ),
            LINK,
            KEEP,
        ),
    ),
    MOVED_UP: MailTemplate(
        N_("A place for you in {tournament}"),
        (GREETING, N_("a place in {tournament} is free, and it is yours. The director decides on your entry."), LINK),
    ),
    ACCEPTED: MailTemplate(
        N_("You are a player of {tournament}"),
        (
            GREETING,
            N_("your entry for {tournament} is accepted: you are registered as a player."),
            LINK,
            N_(
                "There you sign in as a player: for your table, your results and the check-in. When you are signed in, "
                "your day is at:\n{me}"
            ),
            KEEP,
        ),
    ),
    REJECTED: MailTemplate(
        N_("Your entry for {tournament} was not accepted"),
        (GREETING, N_("your entry for {tournament} was not accepted."), N_("Reason: {note}"), LINK),
    ),
    WITHDRAWN: MailTemplate(
        N_("Your entry for {tournament} is withdrawn"),
        (GREETING, N_("your entry for {tournament} is withdrawn."), LINK),
    ),
    LINK_AGAIN: MailTemplate(
        N_("The link to your entry for {tournament}"),
        (GREETING, N_("the link to your entry for {tournament} was requested with this address."), LINK, KEEP),
    ),
    ASKED: MailTemplate(
        N_("A question about your entry for {tournament}"),
        (
            GREETING,
            N_("the director of {tournament} asks:"),
            "{note}",
            N_("Answer on the page of your entry:\n{link}"),
        ),
    ),
}
"""The messages by their kinds."""


def write_mail(kind: str, params: Mapping[str, Param], language: str) -> tuple[str, str]:
    """Return the subject and the text of a message in a language."""
    template = TEMPLATES[kind]
    values = {"note": "", **params}
    shown = [text for text in template.paragraphs if "{note}" not in text or values["note"]]
    body = "\n\n".join(say(text, values, language) for text in shown)
    return say(template.subject, values, language), f"{body}\n"
