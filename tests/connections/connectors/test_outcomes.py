"""What every response or connection error means: applied (A), failed (F) or unsure (U) for actions, and for reads."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from scheduler.rules.failures import FailureClass
from tests.connections import http_failures
from tests.connections.outcome_server import (
    DEEP,
    PATIENCE,
    PORTAL,
    READERS,
    SUBJECTS,
    Play,
    answer,
    done,
    outcome_of,
    redirect,
    run_tool,
    send_and_close,
    served,
    status,
    stop,
    unreachable,
    with_body,
)

no_proxy = http_failures.no_proxy
HERE, ELSEWHERE = "/elsewhere", "http://other.example/elsewhere"
HALF = b"Content-Length: 100\r\n\r\n{"

PLAYS: dict[str, Play] = {
    **{f"{code}": status(code) for code in (*range(200, 209), 226, 299)},
    **{f"{code}": redirect(code, None) for code in (300, 301, 302, 303, 304, 305, 306, 307, 308, 399)},
    **{f"{code} here": redirect(code, HERE) for code in (301, 302, 303, 307, 308)},
    **{f"{code} elsewhere": redirect(code, ELSEWHERE) for code in (301, 302, 303, 307, 308)},
    **{f"{code}": status(code) for code in (*range(400, 432), 451, 499)},
    **{f"{code}": status(code) for code in (*range(500, 512), 520, 599, 600, 999)},
    "100 first": done(before=answer(100, b"")),
    "102 and 103 first": done(before=answer(102, b"") + answer(103, b"", "Link: </a>\r\n")),
    "101": send_and_close(answer(101, b"")),
    "103 and an end": send_and_close(answer(103, b"")),
    "success twice": done(times=2),
    "html": with_body(lambda _: PORTAL, headers="Content-Type: text/html\r\n"),
    "empty": with_body(lambda _: b""),
    "{}": with_body(lambda _: b"{}"),
    "[]": with_body(lambda _: b"[]"),
    "other object": with_body(lambda _: b'{"hello": "world"}'),
    "not json": with_body(lambda _: b"fine"),
    "1e400": with_body(lambda subject: subject.with_field(b"1e400")),
    "700 deep": with_body(lambda subject: subject.with_field(DEEP)),
    "too large": with_body(lambda subject: b" " * subject.too_large + subject.body),
    "unknown encoding": with_body(lambda subject: subject.body, headers="Content-Encoding: br\r\n"),
    "broken gzip": with_body(lambda _: b"abc", headers="Content-Encoding: gzip\r\n"),
    "201 html": with_body(lambda _: PORTAL, 201, "Content-Type: text/html\r\n"),
    "201 broken gzip": with_body(lambda _: b"abc", 201, "Content-Encoding: gzip\r\n"),
    "garbage": send_and_close(b"hello\r\n"),
    "status 99": send_and_close(b"HTTP/1.1 99 X\r\n\r\n"),
    "endless headers": send_and_close(b"HTTP/1.1 200 OK\r\n", b"X-More: x\r\n" * 10_000),
    "close at once": stop("close", reads="nothing"),
    "reset at once": stop("reset", reads="nothing"),
    "close in request": stop("close", reads="part"),
    "reset in request": stop("reset", reads="part"),
    "stall in request": stop("stall", reads="part"),
    "close after request": stop("close", reads="all"),
    "reset after request": stop("reset", reads="all"),
    "stall after request": stop("stall", reads="all"),
    "close in status": stop("close", reads="all", sent=b"HTTP/1.1 20"),
    "stall in status": stop("stall", reads="all", sent=b"HTTP/1.1 20"),
    "close in header": stop("close", reads="all", sent=b"HTTP/1.1 200 OK\r\nContent-Le"),
    "reset in header": stop("reset", reads="all", sent=b"HTTP/1.1 200 OK\r\nContent-Le"),
    "stall in header": stop("stall", reads="all", sent=b"HTTP/1.1 200 OK\r\nContent-Le"),
    "close in body": stop("close", reads="all", sent=b"HTTP/1.1 200 OK\r\n" + HALF),
    "reset in body": stop("reset", reads="all", sent=b"HTTP/1.1 200 OK\r\n" + HALF),
    "stall in body": stop("stall", reads="all", sent=b"HTTP/1.1 200 OK\r\n" + HALF),
    "close in chunk": stop("close", reads="all", sent=b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab"),
    "close in 201": stop("close", reads="all", sent=b"HTTP/1.1 201 OK\r\n" + HALF),
    "stall in 201": stop("stall", reads="all", sent=b"HTTP/1.1 201 OK\r\n" + HALF),
    "close in 404": stop("close", reads="all", sent=b"HTTP/1.1 404 OK\r\n" + HALF),
    "close in 500": stop("close", reads="all", sent=b"HTTP/1.1 500 OK\r\n" + HALF),
}

TABLE = """
                      http caldav slack mail label event file
refused                F     F     F     F    F     F     F
unknown name           F     F     F     F    F     F     F
no encryption          F     F     F     F    F     F     F
close at once          U     U     U     U    U     U     U
reset at once          U     U     U     U    U     U     U
close in request       U     U     U     U    U     U     U
reset in request       U     U     U     U    U     U     U
stall in request       U     U     U     U    U     U     U
close after request    U     U     U     U    U     U     U
reset after request    U     U     U     U    U     U     U
stall after request    U     U     U     U    U     U     U
garbage                U     U     U     U    U     U     U
status 99              U     U     U     U    U     U     U
close in status        U     U     U     U    U     U     U
stall in status        U     U     U     U    U     U     U
close in header        U     U     U     U    U     U     U
reset in header        U     U     U     U    U     U     U
stall in header        U     U     U     U    U     U     U
endless headers        U     U     U     U    U     U     U
100 first              A     A     A     A    A     A     A
102 and 103 first      A     A     A     A    A     A     A
101                    U     U     U     U    U     U     U
103 and an end         U     U     U     U    U     U     U
success twice          A     A     A     A    A     A     A
200                    A     A     A     A    A     A     A
201                    A     A     U     A    A     A     A
202                    A     U     U     U    U     U     U
203                    A     U     U     U    U     U     U
204                    A     A     U     U    U     U     U
205                    A     U     U     U    U     U     U
206                    U     U     U     U    U     U     U
207                    U     U     U     U    U     U     U
208                    A     U     U     U    U     U     U
226                    A     U     U     U    U     U     U
299                    A     U     U     U    U     U     U
html                   A     U     U     U    U     U     U
empty                  A     A     U     U    U     U     U
{}                     A     U     U     U    U     U     U
[]                     A     U     U     U    U     U     U
other object           A     U     U     U    U     U     U
not json               A     U     U     U    U     U     U
1e400                  A     U     A     A    A     A     A
700 deep               A     U     A     A    A     A     A
too large              A     U     U     U    U     U     U
unknown encoding       A     U     U     U    U     U     U
broken gzip            U     U     U     U    U     U     U
close in body          U     U     U     U    U     U     U
reset in body          U     U     U     U    U     U     U
stall in body          U     U     U     U    U     U     U
close in chunk         U     U     U     U    U     U     U
201 html               A     A     U     U    U     U     U
201 broken gzip        U     A     U     U    U     U     U
close in 201           U     A     U     U    U     U     U
stall in 201           U     A     U     U    U     U     U
close in 404           F     F     F     F    F     F     F
close in 500           U     U     U     U    U     U     U
300 301 302 303 304 305 306 399   U U U U U U U
307 308                F     F     F     F    F     F     F
301 here               U     U     U     U    U     U     U
302 here               U     U     U     U    U     U     U
303 here               U     U     U     U    U     U     U
307 here               A     A     F     F    F     F     F
308 here               A     A     F     F    F     F     F
301 elsewhere          U     U     U     U    U     U     U
302 elsewhere          U     U     U     U    U     U     U
303 elsewhere          U     U     U     U    U     U     U
307 elsewhere          F     F     F     F    F     F     F
308 elsewhere          F     F     F     F    F     F     F
400 401 402 403 404 405 406 407   F F F F F F F
408                    U     U     U     U    U     U     U
409 410 411 412 413 414 415 416 417 418 419 420   F F F F F F F
421 422 423 424 425 426 427 428 429 430 431 451 499   F F F F F F F
500 501 502 503 504 505 506 507 508 509 510 511 520 599 600 999   U U U U U U U
"""
ENDS = {"A": "applied", "F": "failed", "U": "unsure"}


READ_TABLE = """
                      http caldav slack google feed
refused                T     T     T     T     T
close after request    T     T     T     T     T
garbage                T     T     T     T     T
endless headers        L     L     L     L     L
close in header        T     T     T     T     T
close in body          T     T     T     T     T
broken gzip            T     T     T     T     T
unknown encoding       L     L     L     L     L
100 first              R     R     R     R     R
102 and 103 first      R     R     R     R     R
101                    L     L     L     L     L
103 and an end         T     T     T     T     T
success twice          R     R     R     R     R
html                   R     L     L     L     L
empty                  R     L     L     L     L
{}                     R     L     L     R     L
[]                     R     L     L     L     L
not json               R     L     L     L     L
1e400                  R     L     L     L     L
700 deep               R     L     L     L     L
302                    L     L     L     L     L
302 here               R     L     L     L     R
307 here               R     R     L     L     R
400 404 409 410 412 421 422   L L L L L
401                    A     A     A     A     A
403                    P     P     P     P     P
408 425 429 500 502 503 504   T T T T T
"""
KINDS = {
    "R": None,
    "T": FailureClass.TRANSIENT,
    "L": FailureClass.LOGIC,
    "A": FailureClass.AUTH,
    "P": FailureClass.PERMISSION,
}
"""Success (R), or the class of the failure."""


def cells(table: str) -> Iterator[tuple[str, str, str]]:
    head, *rows = table.strip().splitlines()
    names = head.split()
    for row in rows:
        words = row.split()
        ends = words[-len(names) :]
        label = row[: row.index("  ")].strip()
        for play in label.split() if all(word.isdigit() for word in label.split()) else [label]:
            yield from ((name, play, end) for name, end in zip(names, ends, strict=True))


CELLS = [(name, play, ENDS[end]) for name, play, end in cells(TABLE)]
READ_CELLS = list(cells(READ_TABLE))
NOT_REACHED = ("refused", "unknown name", "no encryption")


def test_the_table_covers_every_case() -> None:
    assert {(name, play) for name, play, _ in CELLS} == {
        (name, play) for name in SUBJECTS for play in (*PLAYS, *NOT_REACHED)
    }
    assert len(CELLS) == len(set(CELLS))


STALLS = [cell for cell in CELLS if cell[1].startswith("stall")]
OTHERS = [cell for cell in CELLS if cell not in STALLS]


@pytest.mark.parametrize(("name", "play", "end"), OTHERS, ids=[f"{name}-{play}" for name, play, _ in OTHERS])
def test_the_outcome_of_an_action(name: str, play: str, end: str, monkeypatch: pytest.MonkeyPatch) -> None:
    subject = SUBJECTS[name]
    where = served(subject, PLAYS[play]) if play in PLAYS else unreachable(play, monkeypatch)
    with where as address:
        assert outcome_of(subject, address) == end


def test_the_outcome_of_an_action_that_stalls() -> None:
    """All in parallel, as each takes until its timeout."""

    def ends(cell: tuple[str, str, str]) -> tuple[str, str, str]:
        name, play, _ = cell
        with served(SUBJECTS[name], PLAYS[play]) as address:
            return name, play, outcome_of(SUBJECTS[name], address, PATIENCE)

    with ThreadPoolExecutor(len(STALLS)) as pool:
        assert list(pool.map(ends, STALLS)) == STALLS


@pytest.mark.parametrize(("name", "play", "kind"), READ_CELLS, ids=[f"{name}-{play}" for name, play, _ in READ_CELLS])
def test_the_outcome_of_a_read(name: str, play: str, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    where = served(READERS[name], PLAYS[play]) if play in PLAYS else unreachable(play, monkeypatch)
    with where as address:
        assert run_tool(READERS[name], address) is KINDS[kind]
