-- Words are found by longer beginnings, and other things together: the index is made anew, in quiet moments.
DROP TABLE history;
CREATE VIRTUAL TABLE history USING fts5(tokens, tokenize = 'ascii', detail = none, columnsize = 0);
DELETE FROM history_waiting;
DELETE FROM facts WHERE name = 'history indexed';

-- Planned times that never ran are counted from this index alone, however they are narrowed.
DROP INDEX occurrences_unrun;
CREATE INDEX occurrences_unrun ON occurrences (planned, state, origin, schedule, reason, began)
    WHERE began IS NULL AND state NOT IN ('queued', 'started');
