"""Rulesets with the options that an organiser chose."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from faristol.kernel.quotation import nearest
from faristol.kernel.refusal import N_, Refusal
from faristol.rules.ruleset.consistency import clash_of_teams, contradictions
from faristol.rules.ruleset.file import load_ruleset, ruleset_names
from faristol.rules.ruleset.formats import list_format_options
from faristol.rules.ruleset.option_file import in_range
from faristol.rules.ruleset.options import NONE, Option, OptionValue, Value, format_value
from faristol.rules.ruleset.ruleset import Ruleset


def with_options(ruleset: Ruleset, options: Mapping[str, OptionValue]) -> Ruleset:
    """Return ``ruleset`` with these options added to those chosen before, validated, with its own digest.

    A value may be text: ``"25"``, ``"none"``, ``"balearic,valencian"``. Choosing a default leaves the digest unchanged.
    Options take effect in the order of ``ruleset.options``, and a value set by an option cites the option's article;
    one set by the format of a stage cites none.
    Raises ``Refusal``: ``OPTION_UNKNOWN``, ``OPTION_OUT_OF_RANGE``, ``OPTION_WITHOUT_SENSE`` (its ``when`` is not met)
    and ``OPTIONS_CLASH`` (contradictory values).
    """
    known = {option.name: option for option in ruleset.options}
    chosen = dict(ruleset.chosen)
    for name, value in options.items():
        if name not in known:
            near = nearest(name, known)
            text = N_("The rules {ruleset} have no option {option}; they have: {known}.")
            if near:
                text = N_("The rules {ruleset} have no option {option}; did you mean {near}? They have: {known}.")
            params = {"ruleset": ruleset.name, "option": name, "known": ", ".join(known) or "–", "near": near}
            raise Refusal("OPTION_UNKNOWN", text, params)
        chosen[name] = _read(known[name], value)
    plain = _plain(ruleset)
    made = _apply(plain, chosen)
    for name in [name for name, value in chosen.items() if value == known[name].default]:
        # A default still matters if an option before it has set the same key.
        without = {other: value for other, value in chosen.items() if other != name}
        if (same := _apply(plain, without)).same_values(made):
            chosen, made = without, same
    _check(made, chosen)
    return made


def list_unsettled(ruleset: Ruleset) -> tuple[Option, ...]:
    """Return the options that the organiser must still choose."""
    return tuple(
        option
        for option in ruleset.options
        if option.required and option.name not in ruleset.chosen and _has_sense(ruleset, option)
    )


def check_settled(ruleset: Ruleset) -> None:
    """Raise ``Refusal`` (``OPTION_NEEDED``) if the organiser must still choose an option."""
    for option in list_unsettled(ruleset):
        raise Refusal(
            "OPTION_NEEDED",
            N_("The rules {ruleset} leave {option} to the organiser: choose {range}."),
            {"ruleset": ruleset.name, "option": option.name, "range": option.range},
            article=option.article,
        )


def value_of(ruleset: Ruleset, key: str) -> Value:
    """Return the value ``section.key``. Raises ``AttributeError`` for an unknown key."""
    section, _, name = key.partition(".")
    return getattr(getattr(ruleset, section), name)  # type: ignore[no-any-return] # a field of a section


def _plain(ruleset: Ruleset) -> Ruleset:
    """Return ``ruleset`` without chosen options, as in its file."""
    if not ruleset.chosen:
        return ruleset
    if ruleset.name not in ruleset_names():
        raise LookupError(f"options were chosen for {ruleset.name!r} already, and its file is not here to begin again")
    return load_ruleset(ruleset.name)


def _apply(ruleset: Ruleset, chosen: Mapping[str, OptionValue]) -> Ruleset:
    sections: dict[str, dict[str, Any]] = {}
    articles = dict(ruleset.articles)
    beyond = {option.name for option in list_format_options(ruleset)}
    options = [option for option in ruleset.options if option.name in chosen]
    for option in options:
        for key, value in option.sets(chosen[option.name]).items():
            section, _, name = key.partition(".")
            if (option.article or option.name in beyond) and value != value_of(ruleset, key):
                articles[key] = option.article  # empty for a format of a stage, on which no book rules
            sections.setdefault(section, {})[name] = value
    parts = {section: dataclasses.replace(getattr(ruleset, section), **values) for section, values in sections.items()}
    return dataclasses.replace(
        ruleset,
        **parts,
        kept=b"",
        articles=MappingProxyType(articles),
        chosen=MappingProxyType({option.name: chosen[option.name] for option in options}),
    )


def _check(made: Ruleset, chosen: Mapping[str, OptionValue]) -> None:
    for option in made.options:
        if option.name in chosen and not _has_sense(made, option):
            raise Refusal(
                "OPTION_WITHOUT_SENSE",
                N_("The option {option} has no effect here: it requires {needed}."),
                {
                    "option": option.name,
                    "needed": ", ".join(f"{key} = {format_value(value)}" for key, value in option.when.items()),
                },
                article=option.article,
            )
    if clash := clash_of_teams(made):
        raise clash
    for key, problem in contradictions(made):
        raise Refusal(
            "OPTIONS_CLASH",
            N_("The options {options} cannot be combined: {key}: {problem}."),
            {
                "options": ", ".join(f"{name} = {format_value(value)}" for name, value in chosen.items()),
                "key": key,
                "problem": problem,
            },
            article=made.articles.get(key, ""),
        )


def _has_sense(ruleset: Ruleset, option: Option) -> bool:
    return all(value_of(ruleset, key) == value for key, value in option.when.items())


def _read(option: Option, value: OptionValue) -> OptionValue:
    """Parse ``value`` to the option's type. Raises ``Refusal`` if it is out of range."""
    read = value
    if option.choices:
        read = format_value(value)
    elif isinstance(value, str):
        text = value.strip()
        if option.some_of:
            read = tuple(part.strip() for part in text.split(",") if part.strip())
        elif text == NONE:
            read = None
        elif text.isascii() and text.isdigit():
            read = int(text)
    elif isinstance(value, list):
        read = tuple(value)
    if option.some_of and isinstance(read, tuple):
        read = tuple(value for value in option.some_of if value in read) if in_range(option, read) else read
    if not in_range(option, read):
        raise Refusal(
            "OPTION_OUT_OF_RANGE",
            N_("The option {option} cannot be {value}: choose {range}."),
            {"option": option.name, "value": format_value(value), "range": option.range},
            article=option.article,
        )
    return read
