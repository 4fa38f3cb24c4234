"""The `faristol` command: serves, plays, installs and checks."""

import os

# gRPC reads this at its import. The command line reports failures itself, once.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")
