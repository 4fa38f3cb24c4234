"""The `faristol` command: serves, plays, installs and checks."""

import os

# gRPC reads this when it is first imported. What goes wrong is told in our words, once.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")
