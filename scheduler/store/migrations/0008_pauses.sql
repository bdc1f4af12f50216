-- A pause of a whole workflow may have an end and a note.
ALTER TABLE workflows ADD COLUMN paused_until INTEGER;
ALTER TABLE workflows ADD COLUMN pause_note TEXT;
CREATE INDEX workflows_resuming ON workflows (paused_until) WHERE paused_until IS NOT NULL;
