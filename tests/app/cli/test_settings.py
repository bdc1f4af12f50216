"""Settings on the command line, with and without a running app."""

import json

import pytest

from app.data.metrics_file import read_metrics_folder
from app.data.preferences import FILE, read_preferences
from app.session import Session
from scheduler.engine.setting_values import SETTINGS
from tests.app.cli.live_cli import CommandLine, job


def test_all_settings_are_listed_with_their_values(cli: CommandLine) -> None:
    cli.run_json("settings", "set", "concurrency", "3")
    listed = cli.run_json("settings")["settings"]
    assert {one["key"]: one["value"] for one in listed} == {
        **{key: rule.default for key, rule in SETTINGS.items()},
        "concurrency": 3,
    }
    text = cli.run_text("settings")
    assert text.splitlines()[1].split()[:3] == ["concurrency", "3", "4"]
    assert cli.run_text("settings", "get", "concurrency") == "3\n"
    assert cli.run_json("settings", "get", "overlap-jobs")["value"] == "skip"


@pytest.mark.parametrize("is_running", [False, True])
def test_a_setting_is_changed_with_and_without_a_running_app(
    cli: CommandLine,
    request: pytest.FixtureRequest,
    is_running: bool,  # noqa: FBT001
) -> None:
    if is_running:
        request.getfixturevalue("app")
    cli.deploy(job())
    assert cli.run_text("settings", "set", "overlap_jobs", "buffer_all") == (
        "overlap_jobs is now buffer_all (was skip).\n"
    )
    assert json.loads((cli.folder / FILE).read_text())["overlap_jobs"] == "buffer_all"
    assert cli.run_json("schedule", "show", "backup")["policies"]["overlap"] == "buffer_all"
    for key, value, kept in (("jitter", "+90s", "+90s"), ("jitter", "none", "0s"), ("lookahead", "120s", "2m")):
        assert cli.run_json("settings", "set", key, value)["value"] == kept


def test_a_change_takes_effect_in_the_running_app(cli: CommandLine, app: Session) -> None:
    cli.run_json("settings", "set", "concurrency", "1")
    cli.run_json("settings", "set", "buffer_limit", "20")
    settings = app._runtime.engine.context.settings
    assert (settings.concurrency, settings.buffer_limit) == (1, 20)


@pytest.mark.parametrize(
    ("key", "value", "sentence"),
    [
        ("concurrency", "17", "concurrency: '17' is not possible; write a whole number from 1 to 16."),
        ("buffer_limit", "many", "buffer_limit: 'many' is not possible; write a whole number from 1 to 10,000."),
        ("overlap_producers", "allow_all", "write one of skip, buffer_one, buffer_all, cancel_other, terminate_other."),
        ("catchup", "some", "catchup: 'some' is not possible; write one of none, one, all, spread."),
        ("jitter", "2d", "jitter: '2d' is not possible; write a duration such as 30s, +30s for later only, or none"),
        ("lookahead", "0s", "lookahead: '0s' is not possible; write a duration such as 30s or 5m; at most 1d."),
        ("speed", "1", "There is no setting speed. There are: concurrency, overlap_jobs,"),
    ],
)
def test_a_bad_value_is_refused_with_what_is_allowed(cli: CommandLine, key: str, value: str, sentence: str) -> None:
    assert sentence in cli.run_refused("settings", "set", key, value)[1]
    assert not (cli.folder / FILE).exists()


def test_missing_words_are_pointed_out(cli: CommandLine) -> None:
    for words in (("get",), ("set", "jitter"), ("get", "jitter", "1s")):
        code, _, err = cli.run("settings", *words)
        assert code == 2 and "dayhand settings" in err


def test_the_file_with_metrics_is_switched_on_and_off(cli: CommandLine) -> None:
    cli.run_json("settings", "set", "metrics_folder", str(cli.folder))
    assert cli.run_text("settings", "set", "writes_metrics", "on") == "writes_metrics is now on (was off).\n"
    assert read_metrics_folder(cli.folder) == cli.folder
    assert cli.run_refused("settings", "set", "metrics_folder", "here")[0] == "value"
    assert cli.run_text("settings", "set", "metrics_folder", "none").endswith(f"is now none (was {cli.folder}).\n")
    assert read_metrics_folder(cli.folder) is None
    preferences = read_preferences(cli.folder)
    assert (preferences.writes_metrics, preferences.metrics_folder) == (True, "")
