"""Settings of a command."""

from __future__ import annotations

from typing import TYPE_CHECKING

from faristol.host import StartError

if TYPE_CHECKING:
    from faristol.host import Settings


def settings_of(**given: object) -> Settings:
    """Load settings from flags, then the environment. Raises ``StartError`` for an invalid value."""
    # Imported on use: `--help` needs neither.
    from pydantic import ValidationError

    from faristol.host import Settings

    try:
        return Settings(**{key: value for key, value in given.items() if value is not None})  # type: ignore[arg-type]
    except ValidationError as error:
        first = error.errors()[0]
        name = "_".join(str(part) for part in first["loc"])
        value = first.get("input")
        raise StartError(f"setting {name} cannot be {value!r}: {first['msg'].lower()}") from error


def owners_settings_of(*, database_url: str | None, **given: object) -> Settings:
    """Load settings for the owner of the tables: without a flag for the database, those of the owner's role."""
    settings = settings_of(database_url=database_url, **given)
    if database_url is None and settings.database_owner_url:
        settings.database_url = settings.database_owner_url
        settings.database_password_file = settings.database_owner_password_file
    return settings
