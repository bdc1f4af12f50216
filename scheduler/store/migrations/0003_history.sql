-- Searching what has run. The index follows the runs at a distance, so that no run waits for it.

-- Its words are made by us (see searching.py): letters and digits of ASCII, none of them looked for by its beginning.
CREATE VIRTUAL TABLE history USING fts5(tokens, tokenize = 'ascii', detail = none, columnsize = 0);

-- Runs that had not come to rest when the index passed them.
CREATE TABLE history_waiting (
    number INTEGER PRIMARY KEY
) STRICT;

CREATE TRIGGER runs_forgotten AFTER DELETE ON runs BEGIN
    DELETE FROM history WHERE rowid = old.number;
    DELETE FROM history_waiting WHERE number = old.number;
    -- The number of a run that was the last one is given again.
    UPDATE facts SET value = CAST((SELECT coalesce(max(number), 0) FROM runs) AS TEXT)
        WHERE name = 'history indexed' AND CAST(value AS INTEGER) > (SELECT coalesce(max(number), 0) FROM runs);
END;

-- Planned times that never ran, each with its reason.
CREATE INDEX occurrences_unrun ON occurrences (planned) WHERE began IS NULL AND state NOT IN ('queued', 'started');
CREATE INDEX occurrences_unrun_of ON occurrences (schedule, state, planned)
    WHERE began IS NULL AND state NOT IN ('queued', 'started');
CREATE INDEX occurrences_unrun_as ON occurrences (state, planned)
    WHERE began IS NULL AND state NOT IN ('queued', 'started');
CREATE INDEX occurrences_unrun_for ON occurrences (reason, planned)
    WHERE began IS NULL AND state NOT IN ('queued', 'started');
CREATE INDEX gaps_by_time ON gaps (first);
