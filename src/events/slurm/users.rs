//! Who a uid is: name and groups, from the system's own name service, kept for a while.

use std::collections::BTreeMap;
use std::ffi::CString;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use nix::unistd::{Gid, Group, Uid, User, getgrouplist};

use crate::model::{GroupName, UserId, UserName};

/// How long an answer of the name service is believed.
const BELIEVED: Duration = Duration::from_secs(600);

/// A user as a job shows them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// Login name, or the number as text where the uid has none.
    pub name: UserName,
    /// Names of all groups, sorted.
    pub groups: Arc<[GroupName]>,
}

/// A cache of the name service, shared by everything that shows jobs to the core.
#[derive(Debug, Default)]
pub struct Users(Mutex<BTreeMap<UserId, Known>>);

#[derive(Debug, Clone)]
struct Known {
    identity: Identity,
    since: Instant,
}

impl Users {
    /// Looks up those of `users` that are not known or no longer believed. The name service may be
    /// slow (LDAP), so it is asked on a thread of its own; what it fails to answer stays as it was.
    pub async fn learn(self: &Arc<Self>, users: impl IntoIterator<Item = UserId>) {
        let unknown = self.unknown(users);
        if unknown.is_empty() {
            return;
        }
        let this = self.clone();
        let asked = tokio::task::spawn_blocking(move || {
            for user in unknown {
                let identity = look_up(user);
                let since = Instant::now();
                this.known().insert(user, Known { identity, since });
            }
        });
        if let Err(error) = asked.await {
            tracing::warn!(%error, "the name service could not be asked");
        }
    }

    /// Who `user` is, as far as is known.
    pub fn identity(&self, user: UserId) -> Identity {
        let known = self.known().get(&user).map(|known| known.identity.clone());
        known.unwrap_or_else(|| nameless(user))
    }

    fn unknown(&self, users: impl IntoIterator<Item = UserId>) -> Vec<UserId> {
        let mut users: Vec<UserId> = users.into_iter().collect();
        users.sort_unstable();
        users.dedup();
        let known = self.known();
        users.retain(|user| {
            known
                .get(user)
                .is_none_or(|known| known.since.elapsed() > BELIEVED)
        });
        users
    }

    fn known(&self) -> MutexGuard<'_, BTreeMap<UserId, Known>> {
        // Entries are inserted whole: a panic elsewhere leaves none half-written.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn nameless(user: UserId) -> Identity {
    Identity {
        name: user.0.to_string().as_str().into(),
        groups: Arc::from([]),
    }
}

/// Asks the name service; it blocks.
fn look_up(user: UserId) -> Identity {
    let Ok(Some(entry)) = User::from_uid(Uid::from_raw(user.0)) else {
        return nameless(user);
    };
    Identity {
        name: entry.name.as_str().into(),
        groups: groups(&entry.name, entry.gid).into(),
    }
}

fn groups(user: &str, primary: Gid) -> Vec<GroupName> {
    let ids = CString::new(user)
        .ok()
        .and_then(|user| getgrouplist(&user, primary).ok())
        .unwrap_or_else(|| vec![primary]);
    let mut names: Vec<GroupName> = ids
        .into_iter()
        .filter_map(|id| Group::from_gid(id).ok().flatten())
        .map(|group| group.name.as_str().into())
        .collect();
    names.sort();
    names.dedup();
    names
}

#[cfg(test)]
mod test {
    use super::*;

    #[tokio::test]
    async fn root_has_a_name_and_groups() {
        let users = Arc::new(Users::default());
        assert_eq!(users.identity(UserId(0)).name.as_str(), "0");
        users.learn([UserId(0), UserId(0)]).await;
        let root = users.identity(UserId(0));
        assert_eq!(root.name.as_str(), "root");
        assert!(root.groups.contains(&"root".into()));
        assert!(users.unknown([UserId(0)]).is_empty());
    }

    #[tokio::test]
    async fn a_uid_without_a_name_shows_its_number() {
        let users = Arc::new(Users::default());
        users.learn([UserId(4_242_424)]).await;
        let nobody = users.identity(UserId(4_242_424));
        assert_eq!(nobody.name.as_str(), "4242424");
        assert!(nobody.groups.is_empty());
    }
}
