-- Times are integer milliseconds since 1970, UTC.

CREATE TABLE facts (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE schedules (
    id            TEXT PRIMARY KEY,
    workflow      TEXT NOT NULL,
    handler       TEXT NOT NULL,
    kind          TEXT NOT NULL,
    spec          TEXT NOT NULL,
    policies      TEXT NOT NULL,
    version       INTEGER NOT NULL,
    paused        INTEGER NOT NULL DEFAULT 0,
    held          INTEGER NOT NULL DEFAULT 0,
    paused_until  INTEGER,
    pause_note    TEXT,
    trouble       TEXT,
    skip_at       INTEGER,
    next_at       INTEGER,
    next_due      INTEGER,
    late_next     INTEGER,
    late_until    INTEGER,
    late_began    INTEGER,
    late_total    INTEGER,
    late_made     INTEGER,
    runs          INTEGER NOT NULL DEFAULT 0,
    last_run      INTEGER,
    computed      INTEGER NOT NULL,
    created       INTEGER NOT NULL,
    removed       INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX schedules_due ON schedules (next_due)
    WHERE paused = 0 AND held = 0 AND trouble IS NULL AND removed IS NULL AND next_due IS NOT NULL;
CREATE INDEX schedules_late ON schedules (late_next)
    WHERE paused = 0 AND held = 0 AND trouble IS NULL AND removed IS NULL AND late_next IS NOT NULL;
CREATE INDEX schedules_resuming ON schedules (paused_until)
    WHERE paused = 1 AND removed IS NULL AND paused_until IS NOT NULL;

CREATE TABLE occurrences (
    key        TEXT PRIMARY KEY,
    schedule   TEXT NOT NULL REFERENCES schedules,
    planned    INTEGER NOT NULL,
    due        INTEGER NOT NULL,
    origin     TEXT NOT NULL,
    late       INTEGER NOT NULL DEFAULT 0,
    state      TEXT NOT NULL,
    reason     TEXT,
    detail     TEXT,
    overlap    TEXT,
    backfill   TEXT REFERENCES backfills,
    unlaunched INTEGER NOT NULL DEFAULT 0,
    retry_at   INTEGER,
    created    INTEGER NOT NULL,
    began      INTEGER,
    ended      INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX occurrences_of_schedule ON occurrences (schedule, planned);
CREATE INDEX occurrences_underway ON occurrences (state, schedule) WHERE state IN ('queued', 'started');
CREATE INDEX occurrences_queue ON occurrences (due, planned) WHERE state = 'queued';

CREATE TABLE gaps (
    schedule  TEXT NOT NULL REFERENCES schedules,
    first     INTEGER NOT NULL,
    last      INTEGER NOT NULL,
    number    INTEGER NOT NULL,
    more      INTEGER NOT NULL,
    state     TEXT NOT NULL,
    reason    TEXT NOT NULL,
    created   INTEGER NOT NULL,
    PRIMARY KEY (schedule, first)
) STRICT, WITHOUT ROWID;

CREATE TABLE backfills (
    id        TEXT PRIMARY KEY,
    schedule  TEXT NOT NULL REFERENCES schedules,
    ranges    TEXT NOT NULL,
    overlap   TEXT NOT NULL,
    missing   INTEGER NOT NULL,
    cursor    INTEGER,
    total     INTEGER NOT NULL,
    made      INTEGER NOT NULL DEFAULT 0,
    created   INTEGER NOT NULL,
    ended     INTEGER,
    cancelled INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE INDEX backfills_open ON backfills (created) WHERE ended IS NULL;

CREATE TABLE answers (
    request   TEXT PRIMARY KEY,
    verb      TEXT NOT NULL,
    answer    TEXT NOT NULL,
    at        INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
