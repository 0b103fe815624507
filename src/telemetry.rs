//! Logs: to the journal under systemd, as text or JSON otherwise.
