"""A process that appends until it is killed, and prints acknowledged commands: ``append_load.py URL NAME CALLERS``.

Each caller writes to a separate stream and, every third time, to one that all processes share. A line of its
output is the id of a command that was answered.
"""

from __future__ import annotations

import asyncio
import itertools
import sys
import uuid

from faristol.event_store import AppendCommand, Conflict, Decision, Metadata, Record, Write
from faristol.pb.game.v1 import events_pb2

SHARED = "game-shared"


def pass_events(count: int) -> list[events_pb2.Passed]:
    return [events_pb2.Passed(turn=turn, player_id="anna") for turn in range(count)]


async def caller(record: Record, stream: str) -> None:
    for number in itertools.count():
        command_id = str(uuid.uuid4())
        while True:
            writes = [Write(stream, 3 * number, pass_events(3), "cup")]
            if number % 3 == 0:
                shared = await record.read_stream(SHARED)
                writes.append(Write(SHARED, len(shared), pass_events(1), "cup"))
            command = AppendCommand(command_id, lambda position: b"%d" % position)
            try:
                await record.append(Decision(writes), Metadata(command_id=command_id), command=command)
            except Conflict:
                continue
            break
        print(command_id, flush=True)  # noqa: T201


async def main(url: str, name: str, callers: int) -> None:
    record = await Record.open(url)
    await asyncio.gather(*(caller(record, f"game-{name}-{number}") for number in range(callers)))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
