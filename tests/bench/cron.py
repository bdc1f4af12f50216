"""The next time of typical cron expressions: ours, croniter, cronsim."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from croniter import croniter
from cronsim import CronSim

from scheduler.timing.spec import ScheduleSpec
from tests.bench.measure import Figure, alternate, measure_seconds

EXPRESSIONS = ("*/5 * * * *", "0 9 * * 1-5", "30 2 * * *", "0 0 1 * *", "15 8,20 * * *", "0 0 29 2 *")
ZONE = "America/New_York"
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
STEPS = 300


def next_times() -> list[Figure]:
    return [figure for text in EXPRESSIONS for figure in _next_times(text)]


def _next_times(text: str) -> list[Figure]:
    steps = 15 if " 29 " in text else STEPS
    times = ScheduleSpec.read({"cron": text}, machine_zone=ZONE, now=BEGIN).compile(ZONE)
    local = BEGIN.astimezone(ZoneInfo(ZONE))

    def us() -> float:
        def walk() -> None:
            at = BEGIN
            for _ in range(steps):
                result = times.after(at)
                assert result is not None
                at = result

        return measure_seconds(walk) / steps * 1e6

    def them_croniter() -> float:
        walker = croniter(text, local)
        return measure_seconds(lambda: [walker.get_next(datetime) for _ in range(steps)]) / steps * 1e6

    def them_cronsim() -> float:
        walker = CronSim(text, local)
        return measure_seconds(lambda: [next(walker) for _ in range(steps)]) / steps * 1e6

    medians = alternate({"ours": us, "croniter": them_croniter, "cronsim": them_cronsim}, repeats=9)
    microseconds = medians.pop("ours")
    name = f"next time of {text}"
    return [
        Figure(name=name, unit="us", ours=microseconds, peers=medians, against="croniter", target=2),
        Figure(name=name, unit="us", ours=microseconds, peers=medians, against="cronsim", target=1),
    ]
