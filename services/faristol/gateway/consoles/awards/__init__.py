"""Pages of prizes: the prize lists of the director, the ceremony, the seal of a certificate."""

from faristol.gateway.consoles.awards import ceremony, lists, seal

AWARD_ROUTES = (lists.routes, ceremony.routes, seal.routes)

__all__ = ["AWARD_ROUTES"]
