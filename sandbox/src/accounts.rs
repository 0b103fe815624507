//! `passwd` and `group` of a root directory, read without its C library.
//!
//! A program built for one release must not load the name service modules of another one, and the
//! sandbox looks into directories of other releases.

use std::path::Path;

use crate::error::{Error, Result};

/// One line of `passwd`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct User {
    pub(crate) name: String,
    pub(crate) uid: u32,
    pub(crate) gid: u32,
    pub(crate) home: String,
    pub(crate) shell: String,
}

/// The two files, as they are or are going to be.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct Accounts {
    users: Vec<User>,
    groups: Vec<String>,
}

impl Accounts {
    /// Reads `etc/passwd` and `etc/group` under `root`.
    pub(crate) fn read(root: &Path) -> Result<Self> {
        let text = |name: &str| {
            let path = root.join("etc").join(name);
            std::fs::read_to_string(&path).map_err(Error::io("read", &path))
        };
        Ok(Self {
            users: text("passwd")?.lines().filter_map(parse_user).collect(),
            groups: text("group")?.lines().map(str::to_owned).collect(),
        })
    }

    /// The user of this name.
    pub(crate) fn user(&self, name: &str) -> Result<&User> {
        self.users
            .iter()
            .find(|user| user.name == name)
            .ok_or_else(|| Error::UnknownUser {
                name: name.to_owned(),
                known: self
                    .people()
                    .map(|user| user.name.clone())
                    .collect::<Vec<_>>()
                    .join(", "),
            })
    }

    /// Adds a user and the group of the same name and id; whoever had either before loses it.
    pub(crate) fn add(&mut self, user: User) {
        self.users
            .retain(|other| other.name != user.name && other.uid != user.uid);
        self.groups.retain(|line| {
            let mut fields = line.split(':');
            let name = fields.next();
            let id = fields.nth(1);
            name != Some(user.name.as_str()) && id != Some(user.gid.to_string().as_str())
        });
        self.groups.push(format!("{}:x:{}:", user.name, user.gid));
        self.users.push(user);
    }

    /// The text of `passwd`.
    pub(crate) fn passwd(&self) -> String {
        let lines = self.users.iter().map(|user| {
            let User {
                name,
                uid,
                gid,
                home,
                shell,
            } = user;
            format!("{name}:x:{uid}:{gid}::{home}:{shell}")
        });
        lines.collect::<Vec<_>>().join("\n") + "\n"
    }

    /// The text of `group`.
    pub(crate) fn group(&self) -> String {
        self.groups.join("\n") + "\n"
    }

    /// The users a person would run a command as.
    fn people(&self) -> impl Iterator<Item = &User> {
        self.users
            .iter()
            .filter(|user| user.uid == 0 || crate::cluster::PEOPLE.iter().any(|p| p.id == user.uid))
    }
}

/// `name:password:uid:gid:comment:home:shell`.
fn parse_user(line: &str) -> Option<User> {
    let mut fields = line.split(':');
    let name = fields.next()?.to_owned();
    let uid = fields.nth(1)?.parse().ok()?;
    let gid = fields.next()?.parse().ok()?;
    let home = fields.nth(1)?.to_owned();
    let shell = fields.next()?.to_owned();
    Some(User {
        name,
        uid,
        gid,
        home,
        shell,
    })
}

#[cfg(test)]
mod test {
    use super::*;

    fn sample() -> Accounts {
        Accounts {
            users:
                "root:x:0:0:root:/root:/bin/bash\nbroken line\nold:x:60101:50::/home/old:/bin/sh"
                    .lines()
                    .filter_map(parse_user)
                    .collect(),
            groups: vec!["root:x:0:".into(), "old:x:60101:root".into()],
        }
    }

    #[test]
    fn lines_that_are_none_are_passed_over() {
        let accounts = sample();
        assert_eq!(accounts.user("root").unwrap().home, "/root");
        assert!(accounts.user("broken line").is_err());
    }

    #[test]
    fn an_added_user_takes_its_id_from_others() {
        let mut accounts = sample();
        accounts.add(User {
            name: "user1".into(),
            uid: 60_101,
            gid: 60_101,
            home: "/home/user1".into(),
            shell: "/bin/bash".into(),
        });
        assert!(accounts.user("old").is_err());
        assert_eq!(accounts.group(), "root:x:0:\nuser1:x:60101:\n");
        assert!(
            accounts
                .passwd()
                .ends_with("user1:x:60101:60101::/home/user1:/bin/bash\n")
        );
    }
}
