"""Currencies by ISO 4217: the digits after the decimal point, by which the smallest unit is read and written. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_

DEFAULT_DECIMAL_DIGITS = 2

_LISTED = (
    "AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD "
    "CAD CDF CHF CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP "
    "GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD "
    "KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN "
    "NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP "
    "SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VED VES "
    "VND VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW ZWG"
)

_CODES = frozenset(_LISTED.split())
"""Currencies in circulation, as of 2026."""

_OTHER_DIGITS: Mapping[str, int] = {
    **dict.fromkeys(("BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"), 3),
    **dict.fromkeys(("BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "VND", "VUV"), 0),
    **dict.fromkeys(("XAF", "XOF", "XPF"), 0),
}


def check_currency(field: str, code: str) -> str:
    """Return the code of a currency. Raises ``Invalid`` for an unknown one."""
    if code not in _CODES:
        raise Invalid(field, N_("{given} is not a currency; expected a code such as EUR"), {"given": repr(code)})
    return code


def decimals_of(code: str) -> int:
    """Return the number of digits after the decimal point."""
    return _OTHER_DIGITS.get(code, DEFAULT_DECIMAL_DIGITS)
