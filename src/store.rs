//! What survives a restart: intents and memories, in one redb file.
