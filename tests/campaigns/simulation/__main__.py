"""See ``campaign``."""

import sys

from tests.campaigns.simulation.campaign import main

if __name__ == "__main__":
    sys.exit(main())
