"""Prize lists: the sharing of their money, and the choice between several prizes of a person.

The sum of the money that players get and of the money left over is the money offered, to the smallest unit of the
currency, under every rule of sharing.
"""

from faristol.rules.prizes.awards import Award, GivenUp, Limit, Outcome, PrizeList, award
from faristol.rules.prizes.sharing import PrizeEntrant, Share, Sharing, share

__all__ = ["Award", "GivenUp", "Limit", "Outcome", "PrizeEntrant", "PrizeList", "Share", "Sharing", "award", "share"]
