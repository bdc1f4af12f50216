-- Which object an outside action is about, and the account or folder in which it is: a name may mean another one later.
ALTER TABLE mutations ADD COLUMN target TEXT;
ALTER TABLE mutations ADD COLUMN endpoint TEXT;
