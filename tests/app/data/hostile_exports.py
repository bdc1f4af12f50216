"""Hostile exports, each derived from a valid one by a number: the same number gives the same file.

python -m tests.app.data.hostile_exports --number 10000 [--first N]
"""

import argparse
import io
import json
import random
import sqlite3
import sys
import tempfile
import time
import traceback
import zipfile
from collections import Counter
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

from scheduler.store import migrations
from scheduler.store.import_rules import RULES

EXCLUDED_TABLES = frozenset({"facts", "answers", "grants", "history_waiting", "channel_messages"})
"""Tables that are not imported: facts about one data folder, what it sent to phones, the user's grants, and what can be
rebuilt."""
NUMBERS = (-1, 0, 1, 2, 7, 2**31, 2**53 + 1, 2**63 - 1, -(2**63), 253_402_300_800_000, 1_700_000_000_000)
TEXTS = (
    "", " ", "x", ".", "..", "../../outside", "/etc/passwd", "/dev/zero", "~/.bashrc", "a/b", "receipts", "Receipts",
    "\x00", "\n", "\x1b[2J", "\u202e", "x" * 70_000, "é" * 300, "'; DROP TABLE runs; --", "%s%n", "{}", "[]", "null",
    "true", "0", "-1", "1e999", "NaN", '"x"', "[" * 50_000, '{"a": ' * 5_000, '{"every": "1h"}',
    '{"cron": "* * * * *"}',
    '{"every": "1s"}', '{"once": "9999-12-31T23:59:59Z"}', '{"overlap": "allow_all"}', '{"name": "../x"}', '"\\ud800"',
    '{"title": 5, "data": 1}', "active", "paused", "queued", "started", "reserved", "committed", "paused:approval",
    "in_flight", "unsure", "applied", "automatic", "deploy", "producer", "job", "consumer", "author", "always",
    "table:expenses", "table:../../x", "files:x", "imap:home", "2026-01-01T00:00:00Z", "[[0, 1]]", '[["a", 1]]',
)  # fmt: skip
SCHEMAS = (
    "CREATE TRIGGER evil AFTER INSERT ON runs BEGIN DELETE FROM workflows; END",
    "CREATE TRIGGER evil AFTER UPDATE ON workflows BEGIN UPDATE workflows SET path = '/etc/passwd'; END",
    "CREATE VIEW evil AS SELECT * FROM runs",
    "CREATE TABLE evil (a, b GENERATED ALWAYS AS (a || 'x') STORED)",
    "CREATE VIRTUAL TABLE evil USING fts5(a)",
    "CREATE INDEX evil ON runs (abs(number))",
    "ALTER TABLE connections ADD COLUMN evil TEXT DEFAULT 'x'",
    "ALTER TABLE workflows ADD COLUMN evil INTEGER GENERATED ALWAYS AS (script + 1) VIRTUAL",
    "ALTER TABLE grants RENAME TO gifts",
    "DROP TABLE answers",
    "DROP INDEX requests_once",
    "DROP TRIGGER runs_forgotten",
    "PRAGMA user_version = 0",
    "PRAGMA user_version = 1",
    "PRAGMA user_version = 999",
    "PRAGMA user_version = -5",
)


def tamper(good: bytes, number: int) -> bytes:
    """The number seeds all random choices."""
    chance = random.Random(number)
    kinds: tuple[tuple[Callable[[bytes, random.Random], bytes], int], ...] = (
        (_change_cells, 70), (_change_rows, 12), (_change_schema, 4), (_change_bytes, 6), (_change_bundle, 8),
    )  # fmt: skip
    [kind] = chance.choices([kind for kind, _ in kinds], [weight for _, weight in kinds])
    return kind(good, chance)


def _change_cells(good: bytes, chance: random.Random) -> bytes:
    """Change some values, bypassing the checks of SQLite."""

    def change(db: sqlite3.Connection) -> None:
        columns = [(table, column) for table in (*RULES, *EXCLUDED_TABLES) for column in _columns(db, table)]
        for table, column in chance.choices(columns, k=chance.choice((1, 1, 1, 2, 5))):
            value: object = chance.choice(NUMBERS if chance.random() < 0.4 else TEXTS)
            if chance.random() < 0.1:
                value = chance.choice((None, b"\xff\xfe", 1.5))
            elif chance.random() < 0.25:  # a value that is valid in another column
                other = chance.choice([one for one in columns if one[0] != "history_waiting"])
                row = db.execute(f"SELECT {other[1]} FROM {other[0]} ORDER BY random() LIMIT 1").fetchone()
                value = None if row is None else row[0]
            key = _key(db, table)
            one = f"WHERE ({key}) IN (SELECT {key} FROM {table} LIMIT 1 OFFSET {chance.randrange(3)})"
            where = "" if chance.random() < 0.2 else one
            db.execute(f"UPDATE OR IGNORE {table} SET {column} = ? {where}", (value,))

    return edit(good, change, is_lax=True)


def _change_rows(good: bytes, chance: random.Random) -> bytes:
    def change(db: sqlite3.Connection) -> None:
        for table in chance.choices(list(RULES), k=chance.choice((1, 2, 4))):
            first = f"SELECT {_key(db, table)} FROM {table} LIMIT 1 OFFSET {chance.randrange(3)}"
            if chance.random() < 0.5:
                db.execute(f"DELETE FROM {table} WHERE ({_key(db, table)}) IN ({first})")
            else:
                columns = list(_columns(db, table))
                changed = chance.choice(columns)
                words = ", ".join("?" if one == changed else one for one in columns)
                value = chance.choice((*NUMBERS, *TEXTS))
                db.execute(f"INSERT OR IGNORE INTO {table} SELECT {words} FROM {table} LIMIT 1", (value,))

    return edit(good, change, is_lax=True)


def _change_schema(good: bytes, chance: random.Random) -> bytes:
    return edit(good, lambda db: db.execute(chance.choice(SCHEMAS)))


def _change_bytes(good: bytes, chance: random.Random) -> bytes:
    members = _unpack(good)
    store = bytearray(members["dayhand.db"])
    for _ in range(chance.choice((1, 3, 20, 200))):
        store[chance.randrange(len(store))] = chance.randrange(256)
    if chance.random() < 0.2:
        del store[chance.randrange(len(store)) :]
    return _pack({**members, "dayhand.db": bytes(store)})


def _change_bundle(good: bytes, chance: random.Random) -> bytes:
    members = _unpack(good)
    match chance.randrange(6):
        case 0:
            whole = bytearray(good)
            for _ in range(chance.choice((1, 5, 50))):
                whole[chance.randrange(len(whole))] = chance.randrange(256)
            return bytes(whole)
        case 1:
            return good[: chance.randrange(len(good))]
        case 2:
            return _pack({**members, "../../outside": b"x", "/tmp/outside": b"x", "workflows/../../outside": b"x"})
        case 3:
            about = chance.choice(
                ("[]", "{}", "null", '{"format": 99}', '{"format": "1"}', '{"format": 1}', "[" * 9_000)
            )
            return _pack({**members, "export.json": about.encode()})
        case 4:
            preferences = json.loads(members["preferences.json"])
            for name in chance.choices(list(preferences), k=4):
                preferences[name] = chance.choice((*NUMBERS, *TEXTS, None, [], {}, [[]]))
            return _pack({**members, "preferences.json": json.dumps(preferences).encode()})
        case _:
            del members[chance.choice(list(members))]
            return _pack(members)


def edit(good: bytes, change: Callable[[sqlite3.Connection], object], *, is_lax: bool = False) -> bytes:
    """Change the store with SQL; with `is_lax`, without the types and constraints of the schema."""
    members = _unpack(good)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "dayhand.db"
        path.write_bytes(members["dayhand.db"])
        with closing(sqlite3.connect(path, isolation_level=None)) as db:
            db.execute("PRAGMA synchronous = OFF")
            version = db.execute("PRAGMA schema_version").fetchone()[0]
            db.execute("BEGIN")
            kept = db.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND sql IS NOT NULL").fetchall()
            if is_lax:
                db.execute("PRAGMA writable_schema = ON")
                for name, sql in kept:
                    lax = sql.replace(") STRICT, WITHOUT", ") WITHOUT").replace(") STRICT", ")").replace("NOT NULL", "")
                    db.execute("UPDATE sqlite_schema SET sql = ? WHERE name = ? AND type = 'table'", (lax, name))
                db.execute(f"PRAGMA schema_version = {version + 1}")
            db.execute("COMMIT")
        with closing(sqlite3.connect(path, isolation_level=None)) as db:
            db.execute("PRAGMA synchronous = OFF")
            db.execute("BEGIN")
            with suppress(sqlite3.Error):  # SQLite refuses the change; the file stays valid
                change(db)
            if is_lax:
                db.execute("PRAGMA writable_schema = ON")
                for name, sql in kept:
                    db.execute("UPDATE sqlite_schema SET sql = ? WHERE name = ? AND type = 'table'", (sql, name))
                db.execute(f"PRAGMA schema_version = {version + 2}")
            db.execute("COMMIT")
        return _pack({**members, "dayhand.db": path.read_bytes()})


def _columns(db: sqlite3.Connection, table: str) -> list[str]:
    return [row[1] for row in db.execute(f"PRAGMA table_info({table})")]


def _key(db: sqlite3.Connection, table: str) -> str:
    return ", ".join(row[1] for row in db.execute(f"PRAGMA table_info({table})") if row[5])


def _unpack(whole: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(whole)) as bundle:
        return {name: bundle.read(name) for name in bundle.namelist()}


def _pack(members: dict[str, bytes]) -> bytes:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_STORED) as bundle:
        for name, content in members.items():
            bundle.writestr(name, content)
    return whole.getvalue()


def every_column_has_a_rule() -> None:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
        migrations.migrate(db)
        tables = {row[0] for row in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
        own = {name for name in tables if not name.startswith("history") or name in EXCLUDED_TABLES}
        assert own == {*RULES, *EXCLUDED_TABLES}
        for table in RULES:
            assert set(_columns(db, table)) == set(RULES[table]), f"a rule for each column of {table}: import_rules.py"


def main(arguments: list[str]) -> int:
    from tests.app.data.import_folder import Home, make_good

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--number", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=0)
    options = parser.parse_args(arguments)
    began, outcomes = time.monotonic(), Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        good = make_good(Path(folder) / "good")
        home = Home(Path(folder) / "home")
        for number in range(options.first, options.first + options.number):
            try:
                outcomes[home.take_in(tamper(good, number))] += 1
            except Exception:  # noqa: BLE001  counted, and printed with its number
                traceback.print_exc()
                sys.stdout.write(f"number {number}\n")
                outcomes["BROKEN"] += 1
                home = Home(Path(folder) / f"home-{number}")
    sys.stdout.write(f"{options.number} files in {time.monotonic() - began:.0f} s: {dict(outcomes)}\n")
    return 1 if outcomes["BROKEN"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
