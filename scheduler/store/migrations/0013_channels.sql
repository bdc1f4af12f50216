-- Where the user gave an answer if not at this computer: the channel, such as ntfy:me.
ALTER TABLE requests ADD COLUMN answered_from TEXT;

-- What was or is to be sent to the user's phone or mailbox. A token is stored only as its hash.
CREATE TABLE channel_messages (
    id INTEGER PRIMARY KEY,
    channel TEXT NOT NULL,
    kind TEXT NOT NULL,
    state TEXT NOT NULL,
    created INTEGER NOT NULL,
    sent INTEGER,
    expires INTEGER,
    covers TEXT NOT NULL DEFAULT '[]',
    request TEXT,
    call_hash TEXT,
    actions TEXT NOT NULL DEFAULT '[]',
    pressed TEXT,
    token_hash TEXT UNIQUE,
    content_hash TEXT,
    message TEXT,
    title TEXT,
    body TEXT
) STRICT;
CREATE INDEX channel_messages_open ON channel_messages (channel, state) WHERE state <> 'closed';
CREATE INDEX channel_messages_sent ON channel_messages (channel, sent);
