"""The forms of a page, as a browser reads, fills in and sends them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser

_TYPED = frozenset({"text", "hidden", "number", "email", "date", "time", "datetime-local", "search", "url", "tel"})


class FormError(Exception):
    """A page without the form, the field or the link that a user looks for, or with a refusal."""


@dataclass
class Form:
    """A form of a page."""

    action: str = ""
    """Address; empty for that of the page."""
    fields: dict[str, str] = field(default_factory=dict)
    """Fields that a browser sends if the user changes none."""
    offered: dict[str, list[str]] = field(default_factory=dict)
    """Values of checkboxes, radio buttons and choices."""
    buttons: list[tuple[str, str]] = field(default_factory=list)
    """Names and values of the buttons with a name."""
    labels: list[str] = field(default_factory=list)
    """Texts of the labels, in their order."""

    def has(self, act: str, **values: str) -> bool:
        """Check whether the form sends this command with these values."""
        return self.fields.get("act") == act and all(self.fields.get(key) == value for key, value in values.items())

    def fill(self, **values: object) -> dict[str, str]:
        """Return the fields with these values; ``__`` in a name stands for a dot, and None for a field left out.

        Raises ``FormError`` for a field or a value that the form does not have.
        """
        changed = {name.replace("__", "."): value for name, value in values.items()}
        known = self.fields.keys() | self.offered.keys() | {name for name, _ in self.buttons}
        for name, value in changed.items():
            if name not in known:
                raise FormError(f"the form {self.fields.get('act')} has no field {name}, but {sorted(known)[:40]}")
            if value is not None and name in self.offered and str(value) not in self.offered[name]:
                raise FormError(f"{name} cannot be {value!r}, but {self.offered[name][:20]}")
        sent = {**self.fields, **{name: str(value) for name, value in changed.items() if value is not None}}
        return {name: value for name, value in sent.items() if changed.get(name, "") is not None}


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.forms: list[Form] = []
        self.links: list[str] = []
        self.alerts: list[str] = []
        self._form: Form | None = None
        self._by_id: dict[str, Form] = {}
        self._select = ""
        self._area = ""
        self._label: list[str] | None = None
        self._alert = 0

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        """See ``HTMLParser``, as with the other methods."""
        values = {name: value or "" for name, value in attrs}
        if self._alert and tag == "div":
            self._alert += 1
        if values.get("role") == "alert":
            self._alert = self._alert or 1
            self.alerts.append("")
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        elif tag == "form":
            self._form = Form(values.get("action", ""))
            self.forms.append(self._form)
            self._by_id[values.get("id", "")] = self._form
        elif "disabled" not in values:
            owner = self._by_id.get(values.get("form", ""), self._form) if "form" in values else self._form
            if owner is not None:
                self._read_field(owner, tag, values)

    def _read_field(self, form: Form, tag: str, values: Mapping[str, str]) -> None:
        name = values.get("name", "")
        if tag == "label":
            self._label = []
        elif tag == "option" and self._select:
            form.offered[self._select].append(values.get("value", ""))
            if "selected" in values or len(form.offered[self._select]) == 1:
                form.fields[self._select] = values.get("value", "")
        elif not name:
            return
        elif tag == "select":
            self._select = name
            form.offered[name] = []
        elif tag == "textarea":
            self._area = name
            form.fields[name] = ""
        elif tag == "button":
            form.buttons.append((name, values.get("value", "")))
        elif tag == "input" and values.get("type", "text") in _TYPED:
            form.fields[name] = values.get("value", "")
        elif tag == "input" and values.get("type") in ("checkbox", "radio"):
            form.offered.setdefault(name, []).append(values.get("value", "on"))
            if "checked" in values:
                form.fields[name] = values.get("value", "on")

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._form = None
        elif tag == "select":
            self._select = ""
        elif tag == "textarea":
            self._area = ""
        elif tag == "label" and self._label is not None and self._form is not None:
            self._form.labels.append(" ".join("".join(self._label).split()))
            self._label = None
        elif tag in ("div", "p") and self._alert:
            self._alert -= 1

    def handle_data(self, data: str) -> None:
        if self._alert and self.alerts:
            self.alerts[-1] += data
        if self._label is not None:
            self._label.append(data)
        if self._area and self._form is not None:
            self._form.fields[self._area] += data


@dataclass(frozen=True)
class Page:
    """The forms, links and alerts of a page."""

    address: str
    forms: Sequence[Form]
    links: Sequence[str]
    alerts: Sequence[str]

    def form(self, act: str, **values: str) -> Form:
        """Return the form of a command. Raises ``FormError`` if the page has none."""
        found = next(self.forms_of(act, **values), None)
        if found is None:
            acts = sorted({form.fields.get("act", form.action) for form in self.forms})
            raise FormError(f"{self.address} has no form {act} {values or ''}, but {acts}; alerts: {self.alerts}")
        return found

    def forms_of(self, act: str, **values: str) -> Iterator[Form]:
        """Yield the forms of a command."""
        return (form for form in self.forms if form.has(act, **values))

    def form_to(self, action: str) -> Form:
        """Return the form that is sent to an address. Raises ``FormError`` if the page has none."""
        for form in self.forms:
            if form.action == action:
                return form
        raise FormError(f"{self.address} has no form to {action}, but to {[form.action for form in self.forms]}")


def read_page(address: str, text: str) -> Page:
    """Read a page."""
    reader = _Reader()
    reader.feed(text)
    alerts = [" ".join(alert.split()) for alert in reader.alerts]
    return Page(address, reader.forms, reader.links, alerts)
