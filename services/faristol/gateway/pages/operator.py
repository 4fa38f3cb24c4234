"""Operator of the pages: contact, privacy notice, and whether search engines may list the pages."""

from __future__ import annotations

from dataclasses import dataclass

from faristol.host import Settings

ROBOTS = "User-agent: *\nDisallow: /api/\nDisallow: /account\nDisallow: /sign-in\nDisallow: /search\n"
"""Paths closed to crawlers. Unlisted pages have their own header instead, since previews need access."""


def contact_link(contact: str) -> str:
    """Return the link of a contact, a URL or an e-mail address; empty for text."""
    if contact.startswith(("https://", "http://")):
        return contact
    return f"mailto:{contact}" if "@" in contact and " " not in contact else ""


@dataclass(frozen=True, slots=True)
class Operator:
    """Operator of the pages, by the settings."""

    contact: str
    """E-mail address, URL, or text; may be empty."""
    privacy_notice: str
    """URL of the operator's own notice; may be empty."""
    is_indexed: bool
    """True if search engines may list the pages."""

    @classmethod
    def of(cls, settings: Settings) -> Operator:
        """Return the operator of the settings."""
        return cls(settings.pages_contact.strip(), settings.pages_privacy_notice, settings.pages_indexed)

    @property
    def contact_link(self) -> str:
        """Link of the contact; empty for text."""
        return contact_link(self.contact)
