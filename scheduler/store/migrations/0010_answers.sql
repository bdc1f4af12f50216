-- What the user may answer besides yes and no: a changed call, a reason, answers to questions; and when a request expires.
ALTER TABLE requests ADD COLUMN edited TEXT;
ALTER TABLE requests ADD COLUMN edited_hash TEXT;
ALTER TABLE requests ADD COLUMN reason TEXT;
ALTER TABLE requests ADD COLUMN questions TEXT;
ALTER TABLE requests ADD COLUMN answers TEXT;
ALTER TABLE requests ADD COLUMN expires INTEGER;
ALTER TABLE requests ADD COLUMN on_expiry TEXT;
ALTER TABLE requests ADD COLUMN reminded INTEGER;
ALTER TABLE requests ADD COLUMN wake_at INTEGER;
CREATE INDEX requests_waking ON requests (wake_at) WHERE wake_at IS NOT NULL AND answer IS NULL;

-- The mutation keeps what its script asked for if the user changed it, and why the user rejected it.
ALTER TABLE mutations ADD COLUMN asked TEXT;
ALTER TABLE mutations ADD COLUMN reason TEXT;
