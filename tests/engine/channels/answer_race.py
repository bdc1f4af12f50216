"""The computer and two phones answer in the same moment: there is one outcome, and it is the answer that counted.

python -m tests.engine.channels.answer_race --rounds 200: more rounds than the tests do.
"""

import argparse
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random

from scheduler.engine.errors import RefusedError
from scheduler.store import requests
from tests.engine.channels.channel_runtime import PROVED, ChannelRuntime
from tests.runs.scripts import consumer

_AT_DESK = ("yes", "no")
_MAX_DELAY_S = 0.003


def run_rounds(runtime: ChannelRuntime, rounds: int) -> Counter[tuple[str, str]]:
    """How often each answer from each place counted."""
    runtime.deploy(consumer(approve="always"))
    return Counter(run_round(runtime, number) for number in range(rounds))


def run_round(runtime: ChannelRuntime, number: int) -> tuple[str, str]:
    runtime.publish(str(number), {})
    runtime.tick()
    [request] = runtime.requests()
    calls = runtime.calls()
    message = runtime.send(request)
    start = threading.Barrier(3)
    accepted: list[tuple[str, str]] = []
    random = Random(number)

    def wait_for_start() -> None:
        """The desk needs one transaction and a phone two, so none would win all the time."""
        delay = random.random() * _MAX_DELAY_S
        start.wait()
        time.sleep(delay)

    def press(label: str) -> None:
        wait_for_start()
        if runtime.press(message, label).result == "done":
            accepted.append(("yes" if label == "approve" else "no", PROVED))

    def answer_at_desk() -> None:
        verb = _AT_DESK[number % 2]
        answer: Callable[..., object] = (
            runtime.request_commands.approve if verb == "yes" else runtime.request_commands.reject
        )
        wait_for_start()
        try:
            answer(request.id, call_hash=request.hash)
        except RefusedError:
            return
        accepted.append((verb, ""))

    threads = [
        threading.Thread(target=press, args=("approve",)),
        threading.Thread(target=press, args=("reject",)),
        threading.Thread(target=answer_at_desk),
    ]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    runtime.tick()
    row = requests.find(runtime.database.read(), request.id)
    assert row is not None
    assert row.answer is not None
    outcome = (row.answer, row.answered_from or "")
    # At the computer, the same answer again is no error.
    others = [one for one in accepted if one != outcome]
    assert outcome in accepted, (outcome, accepted)
    assert others in ([], [(row.answer, "")]), (outcome, accepted)
    assert runtime.calls() - calls == (1 if row.answer == "yes" else 0)
    return outcome


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=200)
    with tempfile.TemporaryDirectory() as folder:
        runtime = ChannelRuntime(Path(folder))
        runtime.connect()
        try:
            for (answer, place), number in sorted(run_rounds(runtime, parser.parse_args().rounds).items()):
                sys.stdout.write(f"{answer} from {place or 'the computer'}: {number}\n")
        finally:
            runtime.close()


if __name__ == "__main__":
    main()
