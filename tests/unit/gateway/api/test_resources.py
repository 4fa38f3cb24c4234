from __future__ import annotations

from faristol.gateway.api.resources import standings


def test_the_document_names_every_word_that_the_contract_has_for_something() -> None:
    shown = standings.Term.model_json_schema(mode="serialization")["properties"]
    words = ["game", "forfeit", "bye", "requested_bye", "absence", "adjustment", "sanction"]
    assert (shown["basis"]["type"], shown["basis"]["enum"]) == ("string", words)
    outcome = {"type": "string", "enum": ["win", "draw", "loss"], "x-name": "Outcome"}
    assert outcome in shown["outcome"]["anyOf"]
