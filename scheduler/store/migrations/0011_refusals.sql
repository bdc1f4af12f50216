-- Whether a run that committed had been rejected, or nobody answered in time. The last answer of a chain decides.
ALTER TABLE runs ADD COLUMN refusal TEXT;
CREATE TEMP TABLE refused AS
    SELECT chain, iif(answer = 'no', 'rejected', 'expired') AS refusal FROM (
        SELECT r.chain, q.answer, max(q.answered) FROM requests q JOIN runs r ON r.id = q.run
        WHERE q.kind IN ('approval', 'question') AND q.answer IN ('yes', 'no', 'answered', 'expired') GROUP BY r.chain
    ) WHERE answer IN ('no', 'expired');
UPDATE runs SET refusal = f.refusal FROM refused f WHERE runs.id = f.chain AND status = 'committed';
UPDATE runs SET refusal = f.refusal FROM refused f WHERE runs.chain = f.chain AND attempt > 1 AND status = 'committed';
DROP TABLE refused;

-- The search finds them as rejected or expired, no longer as done.
DELETE FROM history WHERE rowid IN (SELECT number FROM runs WHERE refusal IS NOT NULL);
INSERT OR IGNORE INTO history_waiting SELECT number FROM runs WHERE refusal IS NOT NULL;
