"""The command line as `python -m faristol.cli`, for an installation whose programs have no fixed path."""

from __future__ import annotations

from faristol.cli.main import main

if __name__ == "__main__":
    main()
