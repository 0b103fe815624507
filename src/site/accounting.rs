//! What slurmdbd knows, through sacctmgr.

use super::command::{Error, output};

/// QOS, and who may do what.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Accounting {
    /// Every QOS.
    pub qos: Vec<Qos>,
    /// Users with more rights than their own jobs, and their `AdminLevel`.
    pub admins: Vec<(String, String)>,
}

/// A QOS.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Qos {
    /// Name.
    pub name: String,
    /// `GrpJobs`: most jobs that run under it at once, `None` if unlimited.
    pub jobs_max: Option<u64>,
    /// Flags, such as `OverPartQOS`.
    pub flags: Vec<String>,
}

impl Accounting {
    /// Asks slurmdbd.
    pub fn ask() -> Result<Self, Error> {
        let qos = ["-nP", "show", "qos", "format=name,grpjobs,flags"];
        let users = ["-nP", "show", "user", "format=user,adminlevel"];
        Ok(Self::parse(
            &output("sacctmgr", qos)?,
            &output("sacctmgr", users)?,
        ))
    }

    fn parse(qos: &str, users: &str) -> Self {
        Self {
            qos: qos.lines().filter_map(Qos::parse).collect(),
            admins: users
                .lines()
                .filter_map(|line| line.split_once('|'))
                .filter(|(_, level)| *level != "None")
                .map(|(user, level)| (user.to_owned(), level.to_owned()))
                .collect(),
        }
    }

    /// The QOS of this name.
    pub fn qos(&self, name: &str) -> Option<&Qos> {
        self.qos.iter().find(|qos| qos.name == name)
    }

    /// Whether a user may change other users' jobs.
    pub fn is_operator(&self, user: &str) -> bool {
        self.admins
            .iter()
            .any(|(name, level)| name == user && ["Operator", "Administrator"].contains(&&**level))
    }
}

impl Qos {
    fn parse(line: &str) -> Option<Self> {
        let mut fields = line.split('|');
        Some(Self {
            name: fields.next().filter(|name| !name.is_empty())?.to_owned(),
            jobs_max: fields.next().and_then(|jobs| jobs.parse().ok()),
            flags: fields
                .next()
                .unwrap_or_default()
                .split(',')
                .filter(|flag| !flag.is_empty())
                .map(str::to_owned)
                .collect(),
        })
    }
}

#[cfg(test)]
mod test {
    use super::*;

    #[test]
    fn what_slurmdbd_prints_is_read() {
        let accounting = Accounting::parse(
            "normal||\nfederation|0|DenyOnLimit,OverPartQOS\n",
            "root|Administrator\nfedsched|Operator\nuser1|None\n",
        );
        assert_eq!(accounting.qos("normal").map(|qos| qos.jobs_max), Some(None));
        let room = accounting.qos("federation").unwrap();
        assert_eq!(room.jobs_max, Some(0));
        assert_eq!(room.flags, ["DenyOnLimit", "OverPartQOS"]);
        assert!(accounting.is_operator("fedsched") && accounting.is_operator("root"));
        assert!(!accounting.is_operator("user1") && !accounting.is_operator("nobody"));
    }
}
