-- A run that continues after it waited gets the next number: the history is ordered by when something last happened.
CREATE TRIGGER runs_moved AFTER UPDATE OF number ON runs WHEN new.number <> old.number BEGIN
    DELETE FROM history WHERE rowid = old.number;
    DELETE FROM history_waiting WHERE number = old.number;
END;
