"""Pages of presence: check-in by the code on the wall, a player's day, the director's list of absent players."""

from faristol.gateway.consoles.attendance import day, here, presence

ATTENDANCE_ROUTES = (here.routes, day.routes, presence.routes)

__all__ = ["ATTENDANCE_ROUTES"]
