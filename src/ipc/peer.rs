//! Who is at the other end of a Unix socket: the kernel's word, not the peer's.

use std::io;

use tokio::net::UnixStream;

use crate::model::UserId;

/// The process at the other end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Peer {
    /// Its effective user when it connected.
    pub user: UserId,
}

impl Peer {
    /// From `SO_PEERCRED`.
    pub fn of(stream: &UnixStream) -> io::Result<Self> {
        Ok(Self {
            user: UserId(stream.peer_cred()?.uid()),
        })
    }

    /// The superuser.
    pub fn is_root(self) -> bool {
        self.user == UserId(0)
    }
}
