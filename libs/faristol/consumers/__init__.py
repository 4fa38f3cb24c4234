"""Consumers of the event store: handlers, parked events, leases of replicas, rebuilds, versions and lag."""

from faristol.consumers.consumer import Consumer
from faristol.consumers.generations import Live, NotBuilt, ProjectionError, read
from faristol.consumers.leases import WorkShare, WorkShares, holder_of
from faristol.consumers.parked import Parked
from faristol.consumers.progress import Progress, ProgressWatch
from faristol.consumers.rebuild import Rebuild, Rebuilt
from faristol.consumers.stopped import CannotTake, Stopped
from faristol.consumers.work import Fold, Projection, Reaction, UnknownEvent
