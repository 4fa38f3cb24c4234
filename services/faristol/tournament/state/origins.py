"""The countries and affiliations of persons. Pure.

A decision gets them as an argument and does not write them: events contain no personal data.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from faristol.kernel.details import check_country
from faristol.kernel.errors import Invalid
from faristol.kernel.names import same_affiliation
from faristol.kernel.refusal import N_


@dataclass(frozen=True, slots=True)
class Origins:
    """The known countries and affiliations of persons, by person id. A missing id means unknown."""

    countries: Mapping[str, str] = field(default_factory=dict)
    """Country codes."""
    affiliations: Mapping[str, str] = field(default_factory=dict)
    """Clubs or associations."""

    def without(self, persons: Collection[str]) -> Origins:
        """Return the same without some persons."""
        return Origins(
            {person_id: country for person_id, country in self.countries.items() if person_id not in persons},
            {person_id: club for person_id, club in self.affiliations.items() if person_id not in persons},
        )

    def with_given(self, name: str, countries: Mapping[str, str], affiliations: Mapping[str, str]) -> Origins:
        """Return these origins with those of a request; ``name`` is the request's field of the countries.

        Raises ``Invalid`` if a country is malformed, or if a country or club differs from the known one.
        """
        of_country, of_club = dict(self.countries), dict(self.affiliations)
        for person_id, country in countries.items():
            if check_country(name, country) and of_country.setdefault(person_id, country) != country:
                raise Invalid(name, N_("{person} was registered with another country"), {"person": person_id[:100]})
        for person_id, affiliation in affiliations.items():
            if not same_affiliation(of_club.setdefault(person_id, affiliation), affiliation):
                raise Invalid("affiliations", N_("{person} was registered with another club"), {"person": person_id})
        return Origins(of_country, of_club)

    def apart(self, person: str, other: str) -> bool:
        """Check whether two persons have different nationalities or affiliations (FISE 50).

        Raises ``Invalid`` if the affiliations do not differ and a country is unknown.
        """
        return self.of_other_affiliation(person, other) or self.of_other_country(person, other)

    def of_other_country(self, person: str, other: str) -> bool:
        """Check whether two persons are of different countries. Raises ``Invalid`` if a country is unknown."""
        return self._country(person) != self._country(other)

    def of_other_affiliation(self, person: str, other: str) -> bool:
        """Check whether two persons are known to have different affiliations."""
        mine, theirs = self.affiliations.get(person, ""), self.affiliations.get(other, "")
        return bool(mine and theirs) and not same_affiliation(mine, theirs)

    def of_one_country(self, persons: Iterable[str]) -> bool:
        """Check whether all ``persons`` are known to be of one country. Returns False if one is unknown."""
        countries = {self.countries.get(person_id, "") for person_id in persons}
        return len(countries) == 1 and "" not in countries

    def _country(self, person: str) -> str:
        if not (country := self.countries.get(person, "")):
            raise Invalid("countries", N_("expected the country of {person}"), {"person": person})
        return country
