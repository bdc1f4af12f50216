-- Since when a handler has been failing; a failed job holds its lane until its next run may start.
ALTER TABLE handlers ADD COLUMN failing_since INTEGER;
CREATE INDEX handlers_failing ON handlers (workflow) WHERE failures > 0;

-- A job no longer waits for the user after a script error: it goes on, and its failure is only reported.
UPDATE handlers SET failing_since = (
    SELECT r.ended FROM lanes l JOIN runs r ON r.id = l.run
    WHERE l.workflow = handlers.workflow AND l.name = handlers.name AND l.blocked = 'script error'
) WHERE kind = 'job' AND failures > 0;
UPDATE OR IGNORE requests
    SET kind = 'run failed', subject = workflow || '/' || (SELECT handler FROM runs WHERE runs.id = requests.run)
    WHERE answer IS NULL AND kind = 'script error' AND run IN (SELECT id FROM runs WHERE kind = 'job');
UPDATE lanes SET blocked = NULL, sentence = NULL, run = NULL, until = NULL WHERE name <> '' AND blocked = 'script error';

CREATE INDEX lanes_backing_off ON lanes (until) WHERE blocked = 'backing off';
