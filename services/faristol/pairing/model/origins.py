"""The countries and affiliations of persons. Pure.

They come to a decision as an argument and go nowhere: events hold no personal data.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from faristol.kernel.errors import Invalid
from faristol.kernel.names import same_affiliation
from faristol.kernel.refusal import N_
from faristol.pairing.identity import checked_country


@dataclass(frozen=True, slots=True)
class Origins:
    """What is known of where persons belong, by id; who is missing is not known."""

    countries: Mapping[str, str] = field(default_factory=dict)
    """The code of the country of each."""
    affiliations: Mapping[str, str] = field(default_factory=dict)
    """The club or association of each."""

    def with_given(self, name: str, countries: Mapping[str, str], affiliations: Mapping[str, str]) -> Origins:
        """The same with what a request says of persons; ``name`` is its field of the countries.

        Raises ``Invalid`` for what is no country, and for another country or club than is known.
        """
        of_country, of_club = dict(self.countries), dict(self.affiliations)
        for person_id, country in countries.items():
            if checked_country(name, country) and of_country.setdefault(person_id, country) != country:
                raise Invalid(name, N_("{person} was registered with another country"), {"person": person_id[:100]})
        for person_id, affiliation in affiliations.items():
            if not same_affiliation(of_club.setdefault(person_id, affiliation), affiliation):
                raise Invalid("affiliations", N_("{person} was registered with another club"), {"person": person_id})
        return Origins(of_country, of_club)

    def apart(self, person: str, other: str) -> bool:
        """Whether two persons are of different nationality or affiliation (FISE 50).

        Raises ``Invalid`` for a country that is not known where the affiliation does not settle it.
        """
        return self.of_other_affiliation(person, other) or self.of_other_country(person, other)

    def of_other_country(self, person: str, other: str) -> bool:
        """Whether two persons are of different countries. Raises ``Invalid`` where a country is not known."""
        return self._country(person) != self._country(other)

    def of_other_affiliation(self, person: str, other: str) -> bool:
        """Whether two persons are known to be of different clubs or associations."""
        mine, theirs = self.affiliations.get(person, ""), self.affiliations.get(other, "")
        return bool(mine and theirs) and not same_affiliation(mine, theirs)

    def of_one_country(self, persons: Iterable[str]) -> bool:
        """Whether all ``persons`` are known to be of one country. One of whom it is not known may be of another."""
        countries = {self.countries.get(person_id, "") for person_id in persons}
        return len(countries) == 1 and "" not in countries

    def _country(self, person: str) -> str:
        if not (country := self.countries.get(person, "")):
            raise Invalid("countries", N_("expected the country of {person}"), {"person": person})
        return country
