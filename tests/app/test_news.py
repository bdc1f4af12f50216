"""News on their way to the window: each once, never more than fits, and a warning not again and again."""

from app.news import News
from scheduler.engine.launcher import Announcement
from tests.engine.harness import MINUTE, MovedClock


def test_the_same_news_wait_once_however_long_nobody_listens() -> None:
    news = News(MovedClock())
    assert news.add(Announcement("a"))
    for _ in range(1_000):
        assert not news.add(Announcement("a"))
        assert not news.add(Announcement("b"))
    assert news.take() == [Announcement("a"), Announcement("b")]
    assert news.add(Announcement("a")), "somebody must come again"


def test_news_that_nobody_takes_are_bounded() -> None:
    news = News(MovedClock())
    for number in range(5_000):
        news.add(Announcement(str(number)))
    taken = news.take()
    assert len(taken) == 1_000
    assert taken[-1] == Announcement("4999")


def test_the_same_warning_is_said_again_only_after_ten_minutes() -> None:
    clock = MovedClock()
    news = News(clock)
    warning = Announcement("store", "The disk is full.", is_warning=True)
    said = []
    for _ in range(25):
        news.add(warning)
        said += [one.sentence for one in news.take() if one.sentence]
        clock.move(MINUTE)
    assert said == ["The disk is full."] * 3
