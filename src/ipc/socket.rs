//! A listening Unix socket at a path, and the connections on it.

use std::fs;
use std::io;
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::net::{UnixListener, UnixStream};
use tokio::sync::Semaphore;
use tracing::{debug, warn};

use super::peer::Peer;

/// Why a socket could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum SocketError {
    /// Something at its path is not a socket.
    #[error("{} is there already and is no socket: remove it or choose another path", .0.display())]
    Occupied(PathBuf),
    /// Another process answers on it.
    #[error("another daemon answers on {}: stop it first", .0.display())]
    InUse(PathBuf),
    /// The system refused.
    #[error("cannot listen on {}: {source}", path.display())]
    Listen {
        /// The path.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// A listening socket; its file goes with it.
#[derive(Debug)]
pub struct Socket {
    listener: UnixListener,
    path: PathBuf,
}

impl Socket {
    /// Listens at `path` with the given permissions. A file left over by a daemon that is gone is
    /// replaced.
    pub fn listen(path: &Path, mode: u32) -> Result<Self, SocketError> {
        clear(path)?;
        let failed = |source| SocketError::Listen {
            path: path.to_owned(),
            source,
        };
        let listener = UnixListener::bind(path).map_err(failed)?;
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).map_err(failed)?;
        Ok(Self {
            listener,
            path: path.to_owned(),
        })
    }

    /// Serves every connection in a task of its own, at most `connections_max` at a time; more wait
    /// in the socket's backlog. Ends only with the task that runs it.
    pub async fn serve<F, Fut>(self, connections_max: usize, handle: F)
    where
        F: Fn(UnixStream, Peer) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = ()> + Send + 'static,
    {
        let slots = Arc::new(Semaphore::new(connections_max));
        let handle = Arc::new(handle);
        // The semaphore is never closed, so there is always a slot in the end.
        while let Ok(slot) = Arc::clone(&slots).acquire_owned().await {
            match self.listener.accept().await {
                Ok((stream, _)) => {
                    let handle = Arc::clone(&handle);
                    tokio::spawn(async move {
                        match Peer::of(&stream) {
                            Ok(peer) => handle(stream, peer).await,
                            Err(error) => debug!(%error, "a peer without credentials was let go"),
                        }
                        drop(slot);
                    });
                }
                // Out of descriptors or memory: others must go before this can get better.
                Err(error) => {
                    warn!(%error, path = %self.path.display(), "cannot accept a connection");
                    drop(slot);
                    tokio::time::sleep(std::time::Duration::from_millis(100)).await;
                }
            }
        }
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_file(&self.path) {
            debug!(%error, path = %self.path.display(), "the socket's file was gone already");
        }
    }
}

/// Removes the socket of a daemon that is gone.
fn clear(path: &Path) -> Result<(), SocketError> {
    let failed = |source| SocketError::Listen {
        path: path.to_owned(),
        source,
    };
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(failed(error)),
        Ok(found) if !found.file_type().is_socket() => Err(SocketError::Occupied(path.to_owned())),
        Ok(_) if std::os::unix::net::UnixStream::connect(path).is_ok() => {
            Err(SocketError::InUse(path.to_owned()))
        }
        Ok(_) => fs::remove_file(path).map_err(failed),
    }
}

#[cfg(test)]
mod test {
    use super::*;

    #[tokio::test]
    async fn a_left_over_socket_is_replaced_and_a_living_one_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("s");
        drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
        let socket = Socket::listen(&path, 0o600).unwrap();
        assert!(matches!(
            Socket::listen(&path, 0o600),
            Err(SocketError::InUse(_))
        ));
        drop(socket);
        assert!(!path.exists());
        fs::write(&path, "").unwrap();
        assert!(matches!(
            Socket::listen(&path, 0o600),
            Err(SocketError::Occupied(_))
        ));
        assert!(path.exists());
    }
}
