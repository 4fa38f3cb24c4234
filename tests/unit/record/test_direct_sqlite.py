"""Questions of one statement, asked in a thread of their own."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from sqlalchemy import bindparam, create_engine, insert, select
from sqlalchemy.exc import OperationalError

from faristol.record import tables
from faristol.record.direct_sqlite import Questions

CHECKPOINT = select(tables.checkpoints.c.position).where(tables.checkpoints.c.consumer == bindparam("consumer"))


async def test_a_question_that_failed_is_answered_once_the_database_can_be_used(tmp_path: Path) -> None:
    questions = Questions(tmp_path / "record.db")
    with pytest.raises(OperationalError, match="no such table") as failed:
        await questions.ask(CHECKPOINT, {"consumer": "somebody"})
    assert "somebody" not in str(failed.value), "what was asked for may be a name"
    engine = create_engine(f"sqlite:///{tmp_path}/record.db")
    with engine.begin() as connection:
        tables.metadata.create_all(connection)
        connection.execute(insert(tables.checkpoints).values(consumer="somebody", position=7))
    engine.dispose()
    assert await questions.ask(CHECKPOINT, {"consumer": "somebody"}) == [(7,)]
    assert await questions.ask(CHECKPOINT, {"consumer": "nobody"}) == []
    await questions.close()


async def test_an_answer_holds_nobody_up_who_writes_and_the_next_one_has_what_was_written(tmp_path: Path) -> None:
    engine = create_engine(f"sqlite:///{tmp_path}/record.db")
    tables.metadata.create_all(engine)
    questions = Questions(tmp_path / "record.db")
    for position in range(3):
        assert await questions.ask(CHECKPOINT, {"consumer": f"c{position}"}) == []
        with engine.begin() as connection:
            connection.exec_driver_sql("PRAGMA busy_timeout = 0")
            connection.execute(insert(tables.checkpoints).values(consumer=f"c{position}", position=position))
        assert await questions.ask(CHECKPOINT, {"consumer": f"c{position}"}) == [(position,)]
    engine.dispose()
    await questions.close()


async def test_what_was_asked_before_the_end_is_answered(tmp_path: Path) -> None:
    engine = create_engine(f"sqlite:///{tmp_path}/record.db")
    tables.metadata.create_all(engine)
    engine.dispose()
    questions = Questions(tmp_path / "record.db")
    asked = [asyncio.create_task(questions.ask(CHECKPOINT, {"consumer": "somebody"})) for _ in range(50)]
    await asyncio.sleep(0)
    await questions.close()
    assert await asyncio.gather(*asked) == [[]] * 50
