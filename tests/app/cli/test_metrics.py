"""`dayhand metrics` with and without a running app."""

from datetime import UTC, datetime

from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse_openmetrics

from tests.app.cli.live_cli import CommandLine, job, running_session


def read(cli: CommandLine) -> dict[tuple[str, str], float]:
    """By name and the values of the labels."""
    return {
        (sample.name, ",".join(sample.labels.values())): sample.value
        for family in parse_openmetrics(cli.run_text("metrics"))
        for sample in family.samples
    }


def test_they_agree_with_the_statistics_and_survive_the_app(cli: CommandLine) -> None:
    with running_session(cli.folder):
        cli.deploy(job())
        cli.run_json("run", "backup", "--wait")
        cli.run_json("run", "backup", "--wait")
        running = read(cli)
        stats = cli.run_json("stats", "--since", "1970-01-02")
    assert running["dayhand_up", ""] == 1
    assert running["dayhand_runs", "committed"] == stats["runs"]["committed"] == 2
    assert running["dayhand_runs_emitted", ""] == stats["times"]["emitted"] == 2
    assert running["dayhand_run_duration_seconds_count", "backup"] == 2
    last = running["dayhand_last_success_timestamp_seconds", "backup,work"]
    assert 0 <= datetime.now(UTC).timestamp() - last < 120
    later = read(cli)
    changing = {("dayhand_up", ""), ("dayhand_collected_timestamp_seconds", "")}
    assert later["dayhand_up", ""] == 0
    assert {key: running[key] for key in running.keys() - changing} == {
        key: later[key] for key in later.keys() - changing
    }


def test_json_has_the_same_families(cli: CommandLine) -> None:
    with running_session(cli.folder):
        families = cli.run_json("metrics")["families"]
    assert families[0] == {
        "name": "dayhand_up",
        "help": "Whether Dayhand is running.",
        "samples": [{"value": 1, "labels": {}, "suffix": ""}],
        "kind": "gauge",
        "unit": "",
    }


def test_without_a_data_folder_it_is_refused(cli: CommandLine) -> None:
    code, out, err = cli.run("metrics")
    assert (code, out) == (1, "") and err
    assert not cli.folder.exists()
