-- Since when a handler has been failing; a failed job holds its lane until its next run may start.
ALTER TABLE handlers ADD COLUMN failing_since INTEGER;
CREATE INDEX handlers_failing ON handlers (workflow) WHERE failures > 0;
CREATE INDEX lanes_backing_off ON lanes (until) WHERE blocked = 'backing off';
