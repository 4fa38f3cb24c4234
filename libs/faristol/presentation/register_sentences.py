"""Sentences about the register of persons: its acts, its licences, and the rows of a list. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from faristol.kernel.details import DETAILS
from faristol.kernel.refusal import N_, Param
from faristol.pb.register.v1 import register_pb2 as pb
from faristol.presentation.sentences import NOTE
from faristol.text import say

ACTS: Mapping[str, str] = {
    "PersonEntered": N_("{name}: entered or changed"),
    "PersonLeft": N_("{name}: removed from the register"),
    "LicenceSet": N_("{name}: licence entered"),
    "LicenceRemoved": N_("{name}: licence removed"),
    "ClubSet": N_("{name}: club entered or renamed"),
    "ClubRemoved": N_("{name}: club removed"),
    "ClubsMerged": N_("{name}: club merged into another one"),
    "CategoriesSet": N_("{name}: categories set"),
    "ListImported": N_("List {name} taken: {entered} new, {changed} changed, {removed} removed"),
    "RegisterActUndone": N_("Act {undone_version} undone"),
}
"""Sentence of each type of act."""

UNDONE = N_("{act} (undone)")
LICENCE_UNTIL = N_("{licence} until {day}")
LICENCE_EXPIRED = N_("{licence}, expired on {day}")
LICENCE_BEGINS = N_("{licence} from {first}")
LICENCE_BEGINS_UNTIL = N_("{licence} from {first} until {day}")
LICENCE = N_("licence")

FIELDS: Mapping[str, str] = {
    **{name: detail.options.label for name, detail in DETAILS.items()},
    "rating": N_("Rating"),
    "licence": N_("Licence"),
}
"""Label of each field of a compared row."""

FIELD_CHANGED = N_("{field}: {before} → {after}")
FIELD_NEW = N_("{field}: {after}")


def describe_act(act: pb.RegisterAct, language: str) -> str:
    """Return an act on the register as a sentence, with the reason of an undo."""
    params: dict[str, Param] = {
        "name": act.name or act.subject_id,
        "entered": act.entered,
        "changed": act.changed,
        "removed": act.removed,
        "undone_version": act.undone_version,
    }
    said = say(ACTS[act.event], params, language)
    if act.note:
        said = f"{said}. {say(NOTE, {'note': act.note}, language)}"
    return say(UNDONE, {"act": said}, language) if act.undone else said


def describe_licence(licence: pb.Licence, language: str) -> str:
    """Return a licence as a text: its kind, its number, its last day, and its first day if it begins later."""
    named = " ".join(filter(None, (licence.kind, licence.number))) or say(LICENCE, {}, language)
    params: dict[str, Param] = {"licence": named, "first": licence.valid_from, "day": licence.valid_to}
    if licence.has_expired:
        return say(LICENCE_EXPIRED, params, language)
    if not licence.is_valid:
        return say(LICENCE_BEGINS_UNTIL if licence.valid_to else LICENCE_BEGINS, params, language)
    return say(LICENCE_UNTIL, params, language) if licence.valid_to else named


def describe_change(change: pb.FieldChange, language: str) -> str:
    """Return a field that differs with both values: ``Club: Vic → Valls``."""
    label = say(FIELDS[change.field], {}, language)
    params: dict[str, Param] = {"field": label, "before": change.before, "after": change.after}
    return say(FIELD_CHANGED if change.before else FIELD_NEW, params, language)
