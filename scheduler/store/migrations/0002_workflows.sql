-- Workflows, the events they exchange, the runs of their handlers, and what those did outside.

CREATE TABLE workflows (
    slug      TEXT PRIMARY KEY,
    name      TEXT NOT NULL,
    path      TEXT NOT NULL,
    tags      TEXT NOT NULL DEFAULT '[]',
    status    TEXT NOT NULL,
    fixing    INTEGER NOT NULL DEFAULT 0,
    script    INTEGER NOT NULL,
    sequence  INTEGER NOT NULL DEFAULT 0,
    version   INTEGER NOT NULL DEFAULT 1,
    created   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE scripts (
    workflow  TEXT NOT NULL REFERENCES workflows,
    number    INTEGER NOT NULL,
    sha256    TEXT NOT NULL,
    source    TEXT NOT NULL,
    origin    TEXT NOT NULL,
    described TEXT NOT NULL,
    created   INTEGER NOT NULL,
    PRIMARY KEY (workflow, number)
) STRICT, WITHOUT ROWID;

-- A lane is the producers and consumers of a workflow together (named ''), or one job (named after it).
CREATE TABLE lanes (
    workflow  TEXT NOT NULL REFERENCES workflows,
    name      TEXT NOT NULL,
    blocked   TEXT,
    sentence  TEXT,
    resolver  TEXT,
    waits_until INTEGER,
    PRIMARY KEY (workflow, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE handlers (
    workflow  TEXT NOT NULL REFERENCES workflows,
    name      TEXT NOT NULL,
    kind      TEXT NOT NULL,
    state     TEXT NOT NULL DEFAULT '{}',
    seen      INTEGER NOT NULL DEFAULT 0,
    look      INTEGER NOT NULL DEFAULT 0,
    wake_at   INTEGER,
    failures  INTEGER NOT NULL DEFAULT 0,
    removed   INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (workflow, name)
) STRICT, WITHOUT ROWID;

CREATE INDEX handlers_wake ON handlers (wake_at) WHERE wake_at IS NOT NULL;

CREATE TABLE topics (
    workflow  TEXT NOT NULL REFERENCES workflows,
    name      TEXT NOT NULL,
    sequence  INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (workflow, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE events (
    born      INTEGER PRIMARY KEY,
    workflow  TEXT NOT NULL,
    topic     TEXT NOT NULL,
    id        TEXT NOT NULL,
    sequence  INTEGER NOT NULL,
    title     TEXT NOT NULL,
    data      TEXT NOT NULL,
    later     TEXT,
    state     TEXT NOT NULL,
    run       TEXT REFERENCES runs,
    attempt   INTEGER NOT NULL DEFAULT 0,
    published INTEGER NOT NULL,
    UNIQUE (workflow, topic, id),
    FOREIGN KEY (workflow, topic) REFERENCES topics
) STRICT;

CREATE INDEX events_pending ON events (workflow, topic, born) WHERE state = 'pending';
CREATE INDEX events_reserved ON events (run) WHERE state = 'reserved';

CREATE TABLE runs (
    id         TEXT PRIMARY KEY,
    workflow   TEXT NOT NULL REFERENCES workflows,
    handler    TEXT NOT NULL,
    kind       TEXT NOT NULL,
    trigger    TEXT NOT NULL,
    occurrence TEXT REFERENCES occurrences,
    script     INTEGER NOT NULL,
    retry_of   TEXT REFERENCES runs,
    attempt    INTEGER NOT NULL DEFAULT 1,
    phase      TEXT NOT NULL,
    status     TEXT NOT NULL,
    prepared   TEXT,
    outcome    TEXT,
    summary    TEXT,
    error      TEXT,
    created    INTEGER NOT NULL,
    updated    INTEGER NOT NULL,
    began      INTEGER,
    ended      INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX runs_of_workflow ON runs (workflow, created);
CREATE INDEX runs_by_time ON runs (created);
CREATE INDEX runs_open ON runs (workflow, status) WHERE status NOT IN ('committed', 'crashed', 'cancelled');
CREATE INDEX runs_retrying ON runs (retry_of) WHERE retry_of IS NOT NULL;

CREATE TABLE mutations (
    run        TEXT PRIMARY KEY REFERENCES runs,
    connection TEXT NOT NULL,
    tool       TEXT NOT NULL,
    parameters TEXT NOT NULL,
    key        TEXT NOT NULL,
    status     TEXT NOT NULL,
    result     TEXT,
    begun      INTEGER NOT NULL,
    settled    INTEGER,
    checks     INTEGER NOT NULL DEFAULT 0,
    check_at   INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX mutations_unsettled ON mutations (check_at) WHERE status IN ('in_flight', 'unsure');

CREATE TABLE requests (
    id        TEXT PRIMARY KEY,
    kind      TEXT NOT NULL,
    workflow  TEXT NOT NULL REFERENCES workflows,
    run       TEXT REFERENCES runs,
    subject   TEXT NOT NULL,
    sentence  TEXT NOT NULL,
    call      TEXT,
    hash      TEXT,
    created   INTEGER NOT NULL,
    answer    TEXT,
    answered  INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX requests_open ON requests (created) WHERE answer IS NULL;
CREATE UNIQUE INDEX requests_once ON requests (kind, subject) WHERE answer IS NULL;

CREATE TABLE grants (
    workflow   TEXT NOT NULL REFERENCES workflows,
    handler    TEXT NOT NULL,
    connection TEXT NOT NULL,
    tool       TEXT NOT NULL,
    kind       TEXT NOT NULL,
    created    INTEGER NOT NULL,
    PRIMARY KEY (workflow, handler, connection, tool, kind)
) STRICT, WITHOUT ROWID;
