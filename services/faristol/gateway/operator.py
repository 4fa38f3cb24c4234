"""Who runs the pages: whom readers may ask, what is said of their data, and whether search engines list them."""

from __future__ import annotations

from dataclasses import dataclass

from faristol.host import Settings

ROBOTS = "User-agent: *\nDisallow: /api/\nDisallow: /account\nDisallow: /sign-in\nDisallow: /search\n"
"""Where no crawler has anything to do. Pages that are not to be listed say so themselves, or previews would go too."""


@dataclass(frozen=True, slots=True)
class Operator:
    """Who runs the pages, by the settings of the process."""

    contact: str
    """An address of mail, a page, or words; may be empty."""
    privacy_notice: str
    """URL of their own notice; may be empty."""
    is_indexed: bool
    """Search engines may list the pages."""

    @classmethod
    def of(cls, settings: Settings) -> Operator:
        """Read it from the settings."""
        return cls(settings.contact.strip(), settings.privacy_notice, settings.indexed)

    @property
    def contact_link(self) -> str:
        """The address of the contact; empty for words alone."""
        if self.contact.startswith(("https://", "http://")):
            return self.contact
        return f"mailto:{self.contact}" if "@" in self.contact and " " not in self.contact else ""
