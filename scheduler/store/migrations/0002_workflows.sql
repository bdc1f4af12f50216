-- Workflows, the events they exchange, the runs of their handlers, and what those did outside.

CREATE TABLE workflows (
    slug      TEXT PRIMARY KEY,
    name      TEXT NOT NULL,
    path      TEXT NOT NULL,
    tags      TEXT NOT NULL DEFAULT '[]',
    status    TEXT NOT NULL,
    fixing    INTEGER NOT NULL DEFAULT 0,
    watching  INTEGER NOT NULL DEFAULT 0,
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
    run       TEXT,
    until     INTEGER,
    PRIMARY KEY (workflow, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE handlers (
    workflow  TEXT NOT NULL REFERENCES workflows,
    name      TEXT NOT NULL,
    kind      TEXT NOT NULL,
    state     TEXT NOT NULL DEFAULT '{}',
    result    TEXT,
    seen      INTEGER NOT NULL DEFAULT 0,
    began     INTEGER NOT NULL DEFAULT 0,
    latest    INTEGER NOT NULL DEFAULT 0,
    look      INTEGER NOT NULL DEFAULT 0,
    wake_at   INTEGER,
    failures  INTEGER NOT NULL DEFAULT 0,
    removed   INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (workflow, name)
) STRICT, WITHOUT ROWID;

CREATE INDEX handlers_ready ON handlers (workflow) WHERE removed = 0 AND (look = 1 OR latest > seen);
CREATE INDEX handlers_wake ON handlers (wake_at) WHERE removed = 0 AND wake_at IS NOT NULL;

CREATE TABLE subscriptions (
    workflow  TEXT NOT NULL REFERENCES workflows,
    topic     TEXT NOT NULL,
    handler   TEXT NOT NULL,
    PRIMARY KEY (workflow, topic, handler)
) STRICT, WITHOUT ROWID;

CREATE TABLE events (
    born      INTEGER PRIMARY KEY,
    workflow  TEXT NOT NULL REFERENCES workflows,
    topic     TEXT NOT NULL,
    id        TEXT NOT NULL,
    sequence  INTEGER NOT NULL,
    title     TEXT NOT NULL,
    data      TEXT NOT NULL,
    later     TEXT,
    state     TEXT NOT NULL,
    run       TEXT,
    attempt   INTEGER NOT NULL DEFAULT 0,
    published INTEGER NOT NULL,
    UNIQUE (workflow, topic, id)
) STRICT;

CREATE INDEX events_pending ON events (workflow, topic, born) WHERE state = 'pending';
CREATE INDEX events_reserved ON events (run) WHERE state = 'reserved';

CREATE TABLE runs (
    number      INTEGER PRIMARY KEY,
    id          TEXT NOT NULL UNIQUE,
    workflow    TEXT NOT NULL REFERENCES workflows,
    handler     TEXT NOT NULL,
    kind        TEXT NOT NULL,
    trigger     TEXT NOT NULL,
    occurrence  TEXT,
    script      INTEGER NOT NULL,
    chain       TEXT NOT NULL,
    attempt     INTEGER NOT NULL DEFAULT 1,
    retry_of    TEXT,
    crashes     INTEGER NOT NULL DEFAULT 0,
    phase       TEXT NOT NULL,
    status      TEXT NOT NULL,
    prepared    TEXT,
    outcome     TEXT,
    summary     TEXT,
    error       TEXT,
    progress    TEXT,
    resume_at   INTEGER,
    followed    INTEGER NOT NULL DEFAULT 0,
    created     INTEGER NOT NULL,
    updated     INTEGER NOT NULL,
    began       INTEGER,
    prepared_at INTEGER,
    mutating_at INTEGER,
    mutated_at  INTEGER,
    ended       INTEGER
) STRICT;

CREATE INDEX runs_of_workflow ON runs (workflow, number);
CREATE INDEX runs_of_chain ON runs (chain) WHERE attempt > 1;
CREATE INDEX runs_of_occurrence ON runs (occurrence) WHERE occurrence IS NOT NULL;
CREATE INDEX runs_open ON runs (workflow, status)
    WHERE status NOT IN ('committed', 'crashed', 'cancelled') AND followed = 0;
CREATE INDEX runs_resuming ON runs (resume_at) WHERE resume_at IS NOT NULL;

-- What a run printed, in pieces as they came.
CREATE TABLE logs (
    run       TEXT NOT NULL,
    part      INTEGER NOT NULL,
    text      TEXT NOT NULL,
    PRIMARY KEY (run, part)
) STRICT, WITHOUT ROWID;

CREATE TABLE mutations (
    run        TEXT PRIMARY KEY,
    workflow   TEXT NOT NULL,
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

CREATE INDEX mutations_unsettled ON mutations (workflow) WHERE status IN ('in_flight', 'unsure');
CREATE INDEX mutations_checking ON mutations (check_at) WHERE check_at IS NOT NULL;

CREATE TABLE requests (
    id        TEXT PRIMARY KEY,
    kind      TEXT NOT NULL,
    workflow  TEXT NOT NULL REFERENCES workflows,
    run       TEXT,
    subject   TEXT NOT NULL,
    sentence  TEXT NOT NULL,
    call      TEXT,
    ui        TEXT,
    hash      TEXT,
    created   INTEGER NOT NULL,
    answer    TEXT,
    answered  INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX requests_open ON requests (created) WHERE answer IS NULL;
CREATE UNIQUE INDEX requests_once ON requests (kind, subject) WHERE answer IS NULL;
CREATE INDEX requests_of_run ON requests (run) WHERE run IS NOT NULL;

CREATE TABLE grants (
    workflow   TEXT NOT NULL REFERENCES workflows,
    handler    TEXT NOT NULL,
    connection TEXT NOT NULL,
    tool       TEXT NOT NULL,
    kind       TEXT NOT NULL,
    created    INTEGER NOT NULL,
    PRIMARY KEY (workflow, handler, connection, tool, kind)
) STRICT, WITHOUT ROWID;

-- Accounts and places that workflows use. Secrets are in the keyring, never here.
CREATE TABLE connections (
    name      TEXT PRIMARY KEY,
    settings  TEXT NOT NULL,
    trouble   TEXT,
    created   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
