"""Templates in the reader's language."""

from __future__ import annotations

import hashlib
import os
import sys
import uuid
from contextlib import suppress
from datetime import UTC, date
from functools import cache
from importlib import metadata, resources
from pathlib import Path
from types import CodeType
from typing import Any
from zoneinfo import ZoneInfo

from babel.dates import format_date, format_interval, format_time
from jinja2 import BytecodeCache, Environment, FileSystemBytecodeCache, PackageLoader, StrictUndefined, pass_context
from jinja2.bccache import Bucket
from jinja2.compiler import CodeGenerator, Frame
from jinja2.nodes import Expr, Impossible, TemplateData
from jinja2.runtime import Context
from markupsafe import Markup

from faristol.duplicate_game.preparation import duplicate_id
from faristol.gateway.api.contract_json import tie_break_value
from faristol.gateway.http.forms import public_address
from faristol.gateway.pages.embedding import oembed_path
from faristol.gateway.pages.hall_links import link_to_hall
from faristol.gateway.pages.operator import contact_link
from faristol.gateway.pages.spectators.seats import coming, has_no_result
from faristol.kernel.details import DETAILS, format_details
from faristol.kernel.divisions import first_division_of, format_title
from faristol.kernel.refusal import N_
from faristol.kernel.times import to_datetime
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.presentation import labels
from faristol.presentation.game_view import clock_text, minutes
from faristol.presentation.messages import describe_message, describe_readers
from faristol.presentation.page_addresses import (
    career_path,
    duplicate_path,
    federation_season_path,
    game_path,
    player_path,
    rating_list_path,
    round_path,
    season_path,
    tournament_path,
)
from faristol.presentation.ruleset_lookup import has_possible_places, has_stages, is_of_duplicate_games
from faristol.presentation.scoresheet_text import below, play_cell
from faristol.presentation.unplayed_results import format_score, has_points
from faristol.text import (
    LANGUAGE_NAMES,
    LANGUAGES,
    cite,
    fit_words,
    join_list,
    number,
    percent,
    translations,
    when,
    zone_name,
)
from faristol.text.countries import list_countries
from faristol.text.money import format_money, format_prize

ERASED = N_("a player (%(id)s)")
NO_DATES = N_("dates not announced")

LIVE = "live"
"""Block of a page that is reloaded after a notification."""


def _days_of(tournament: pb.Tournament) -> tuple[date, date] | None:
    """Return the first and the last day of a tournament by its description, or else by its rounds; None if unknown."""
    if tournament.starts_on:
        first = date.fromisoformat(tournament.starts_on)
        return first, date.fromisoformat(tournament.ends_on or tournament.starts_on)
    times = [round_.started_at for round_ in tournament.played if round_.HasField("started_at")]
    times += [round_.starts_at for round_ in tournament.announced if round_.HasField("starts_at")]
    if not times:
        return None
    zone = ZoneInfo(tournament.time_zone or "UTC")
    on = [time.ToDatetime(UTC).astimezone(zone).date() for time in times]
    return min(on), max(on)


def days(tournament: pb.Tournament, language: str) -> str:
    """Format the days of a tournament in a language; by default those of its rounds.

    The day of the creation does not count: without days and rounds the dates are not announced.
    """
    if not (found := _days_of(tournament)):
        return translations(language).gettext(NO_DATES)
    first, last = found
    if first == last:
        return format_date(first, "long", locale=language)
    return format_interval(first, last, "yMMMMd", locale=language)


class _CommonCodeGenerator(CodeGenerator):
    """Generate code that is the same in each language: a filter on a constant is applied when a page is rendered."""

    def _output_child_to_const(self, node: Expr, frame: Frame, finalize: CodeGenerator._FinalizeInfo) -> str:
        if not isinstance(node, TemplateData):
            raise Impossible
        return super()._output_child_to_const(node, frame, finalize)


class _CodeInMemory(BytecodeCache):
    """The code of each template by its key, for a process that cannot write to the folder of the code."""

    def __init__(self) -> None:
        self._codes: dict[str, CodeType] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        bucket.code = self._codes.get(bucket.key)

    def dump_bytecode(self, bucket: Bucket) -> None:
        if bucket.code is not None:
            self._codes[bucket.key] = bucket.code


class CodeOnDisk(FileSystemBytecodeCache):
    """The code of each template in a file, valid for its source, this module and this version of Jinja."""

    _stamp = metadata.version("jinja2") + Path(__file__).read_text(encoding="utf-8")

    def get_source_checksum(self, source: str) -> str:
        """Return the checksum of a template, and of everything else that its code depends on."""
        return super().get_source_checksum(source + self._stamp)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Write the code; a page is answered on a full disk too."""
        with suppress(OSError):
            super().dump_bytecode(bucket)


def _open_code_cache() -> BytecodeCache:
    """Return the cache of compiled templates for all languages, beside the compiled modules where that is writable.

    A compilation takes 30 ms of the processor.
    """
    folder = Path(__file__).with_name("__pycache__")
    try:
        folder.mkdir(exist_ok=True)
    except OSError:
        return _CodeInMemory()
    if sys.dont_write_bytecode or not os.access(folder, os.W_OK):
        return _CodeInMemory()
    return CodeOnDisk(str(folder), "template-%s.cache")


_CODE = _open_code_cache()


@cache
def environment(language: str) -> Environment:
    """Return the templates in one language."""
    env = Environment(
        loader=PackageLoader("faristol.gateway", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        extensions=["jinja2.ext.i18n"],
        trim_blocks=True,
        lstrip_blocks=True,
        optimized=False,  # the optimizer applies filters to constants, in the language of this environment
        bytecode_cache=_CODE,
    )
    env.code_generator_class = _CommonCodeGenerator
    env.install_gettext_translations(translations(language), newstyle=True)  # type: ignore[attr-defined] # by i18n
    _fill_by_language(env, language)
    _add_filters(env, language)
    _add_time_filters(env, language)
    _add_globals(env, language)
    _add_addresses(env)
    return env


def _add_filters(env: Environment, language: str) -> None:
    """Add the filters of numbers and texts."""
    env.filters["translated"] = translations(language).gettext
    env.filters["article"] = lambda article: cite(article, language)
    env.filters["listed"] = lambda entries: join_list(list(entries), language)
    env.filters["points"] = lambda value: number(value, language)
    env.filters["money"] = lambda amount, currency: format_money(amount, currency, language)
    env.filters["waited"] = format_waited
    env.filters["percent"] = lambda value: percent(value, language)
    env.filters["signed"] = lambda value: format_signed(value, language)


def _add_time_filters(env: Environment, language: str) -> None:
    """Add the filters of times; ``time_zone`` is UTC if it is empty."""
    env.filters["day"] = lambda moment, time_zone="": format_date(
        moment.astimezone(ZoneInfo(time_zone or "UTC")), "long", locale=language
    )
    env.filters["when"] = lambda moment, time_zone="": when(moment, time_zone, language)
    env.filters["hour_of_zone"] = lambda moment, time_zone="": (
        f"{format_time(moment.astimezone(ZoneInfo(time_zone or 'UTC')), 'short', locale=language)}"
        f" {zone_name(moment, time_zone)}"
    )
    env.filters["hour"] = lambda moment, time_zone="": format_time(
        moment.astimezone(ZoneInfo(time_zone or "UTC")), "short", locale=language
    )
    env.filters["time"] = lambda moment: format_time(moment, "short", locale=language)
    env.filters["second"] = lambda moment, time_zone="": format_time(
        moment.astimezone(ZoneInfo(time_zone or "UTC")), "medium", locale=language
    )


def _add_globals(env: Environment, language: str) -> None:
    """Add the values and functions of the templates, except addresses."""
    env.globals["contact_link"] = contact_link
    env.globals["translated_choices"] = lambda choices: [
        (name, translations(language).gettext(text)) for name, text in choices
    ]
    env.globals["pairs_of"] = lambda names: [(name, name) for name in names]
    env.globals["message_text"] = lambda message, tournament: describe_message(
        message, tournament, language, of_games=is_of_duplicate_games(tournament)
    )
    env.globals["message_readers"] = lambda message: describe_readers(message, language)
    env.globals["listed_countries"] = lambda: list_countries(language)
    env.globals["days"] = lambda tournament: days(tournament, language)
    env.globals.update(
        format_prize=lambda amount, things, currency: format_prize(amount, things, currency, language),
        language=language,
        languages=LANGUAGES,
        language_names=LANGUAGE_NAMES,
        labels=labels,
        asset=asset,
        pb=pb,
    )
    env.globals.update(
        personal_details=tuple(DETAILS.values()),
        details_of=format_details,
        title_of=format_title,
        first_division_of=first_division_of,
        clock_text=clock_text,
        is_of_duplicate_games=is_of_duplicate_games,
        has_possible_places=has_possible_places,
        has_stages=has_stages,
        minutes=minutes,
        moment=to_datetime,
        new_id=lambda: str(uuid.uuid4()),
        value=tie_break_value,
        who=lambda name, player: format_name(name, player, language),
        whom=lambda name, player: format_name_link(name, player, language),
        site=public_address,
        oembed=lambda request: oembed_path(request.url.path, request.query_params, public_address(request)),
        coming=coming,
        has_no_result=has_no_result,
        hall_link=link_to_hall,
        rules_name=lambda name, title: rules_name(name, title, language),
    )
    env.globals.update(
        score_of=lambda result, seat, counted=False: format_score(result, seat, language, counted=counted),
        has_points=lambda result: has_points((each.score for each in result.seats), unplayed=result.unplayed),
        play_cell=lambda line, sheet: play_cell(line, sheet, language),
        below=lambda side, sheet: below(side, sheet, language),
    )


def _add_addresses(env: Environment) -> None:
    """Add the functions that return addresses of pages, and the id of a duplicate game in them."""
    env.globals.update(
        tournament_path=tournament_path,
        round_path=round_path,
        game_path=game_path,
        player_path=player_path,
        duplicate_path=duplicate_path,
        season_path=season_path,
        federation_season_path=federation_season_path,
        rating_list_path=rating_list_path,
        career_path=career_path,
        duplicate_game_id=duplicate_id,
    )


def _fill_by_language(env: Environment, language: str) -> None:
    """Replace the functions that translate in templates: the parameters of a text follow its language too.

    Words before a name change with it, and Greek has its own letters for the name of a rule book.
    """
    read = translations(language)

    def fill_text(context: Context, text: str, params: dict[str, Any]) -> str:
        if "article" in params:
            params["article"] = cite(str(params["article"]), language)
        text = fit_words(text, params, language)
        # A text of the catalogues is markup, as in jinja2.ext.i18n: only its parameters are escaped.
        return (Markup(text) if context.eval_ctx.autoescape else text) % params  # noqa: S704

    @pass_context
    def gettext(context: Context, message: str, /, **params: Any) -> str:
        return fill_text(context, read.gettext(message), params)

    @pass_context
    def ngettext(context: Context, singular: str, plural: str, num: int, /, **params: Any) -> str:
        return fill_text(context, read.ngettext(singular, plural, num), {"num": num, **params})

    env.globals.update(gettext=gettext, ngettext=ngettext)


def render(name: str, language: str, part: str, values: dict[str, Any]) -> str:
    """Render a page, or only its block ``part``."""
    template = environment(language).get_template(name)
    if part == LIVE and LIVE in template.blocks:
        return "".join(template.blocks[LIVE](template.new_context(values)))
    return template.render({**values, "part": part})  # an intermediate template renders its block itself


def format_waited(seconds: int) -> str:
    """Format a waiting time as ``live.js`` does, which then counts it on: ``4:05``, from an hour on ``1:04 h``."""
    seconds = max(0, seconds)
    if seconds < 3_600:
        return f"{seconds // 60}:{seconds % 60:02}"
    return f"{seconds // 3_600}:{seconds // 60 % 60:02} h"


def format_signed(value: float, language: str) -> str:
    """Format a number with its sign, ``+12`` or ``−3``; ``0`` without."""
    return ("+" if value > 0 else "") + number(value, language)


def format_name(name: str, player_id: str, language: str) -> str | Markup:
    """Return a player's name, or a substitute for an erased player."""
    erased = translations(language).gettext(ERASED) % {"id": player_id}
    return name or Markup('<span class="erased">{}</span>').format(erased)


def format_name_link(name: str, player_id: str, language: str) -> Markup:
    """Return a player's name as a link to the player's page."""
    return Markup('<a class="person" href="{}">{}</a>').format(
        player_path(player_id), format_name(name, player_id, language)
    )


def rules_name(name: str, title: str, language: str) -> str:
    """Return the name of a rule set in the reader's language; its own title if it is not built in."""
    known = labels.RULESETS.get(name)
    return translations(language).gettext(known) if known else title


@cache
def asset(name: str) -> str:
    """Return the address of a static file, which changes with its content."""
    content = (resources.files("faristol.gateway") / "static" / name).read_bytes()
    return f"/static/{name}?v={hashlib.sha256(content).hexdigest()[:10]}"
