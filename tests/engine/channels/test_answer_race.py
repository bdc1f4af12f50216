"""The computer and two phones answer in the same moment."""

from tests.engine.channels.answer_race import run_rounds
from tests.engine.channels.channel_runtime import ChannelRuntime


def test_there_is_one_outcome_and_it_is_the_answer_that_counted(runtime: ChannelRuntime) -> None:
    assert run_rounds(runtime, 6).total() == 6
