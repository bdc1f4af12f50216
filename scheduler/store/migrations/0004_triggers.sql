-- What made a run start narrows history too: the index is made anew with it, in quiet moments.
DELETE FROM facts WHERE name = 'history indexed';

-- Few are anything but automatic.
CREATE INDEX occurrences_unrun_by ON occurrences (origin, planned)
    WHERE began IS NULL AND state NOT IN ('queued', 'started') AND origin <> 'automatic';
