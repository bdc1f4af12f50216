-- The next try of what could not be launched is found at once, however long the queue is.
CREATE INDEX occurrences_retrying ON occurrences (retry_at) WHERE state = 'queued' AND retry_at IS NOT NULL;
