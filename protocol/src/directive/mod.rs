//! The `#FED` lines of a job script, and `fed:` in a job's comment.
//!
//! ```text
//! #FED --policy=green --split=nodes:max=3 --network=25Gbps      # in the script, like #SBATCH
//! sbatch --comment="fed: policy=green"                          # where there is no script
//! ```
//!
//! As with `#SBATCH`, lines count up to the first command, words are quoted as in a shell, an
//! unquoted `#` at the beginning of a word begins a remark, and a later flag wins over an earlier
//! one; the comment comes after the script. `--` before a flag may be left out where `=` follows.

mod error;
mod flag;
mod value;
mod words;

pub use error::{DirectiveError, Problem};
pub use value::{Bandwidth, Latency, Split};

use serde::{Deserialize, Serialize};

use crate::mark;

/// What begins a directive line of a script.
pub const LINE_PREFIX: &str = "#FED";

/// What begins a job comment that carries directives.
pub const COMMENT_PREFIX: &str = "fed:";

/// Most bytes of directives a job can have: with its mark they must fit into `admin_comment`.
pub const TEXT_BYTES_MAX: usize = mark::COMMENT_BYTES_MAX - mark::PREFIX.len() - MARK_DIGITS - 1;
const MARK_DIGITS: usize = 16;

/// What a user asks of the federation. `Default` is a user who asks nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Directives {
    /// `--policy`: name of a policy.
    pub policy: Option<String>,
    /// `--members`: only these; empty: any.
    pub members: Vec<String>,
    /// `--avoid`: none of these.
    pub avoid: Vec<String>,
    /// `--needs`: path prefixes that must be visible where the job runs.
    pub needs: Vec<String>,
    /// `--image`: the job brings a container image.
    pub image: Option<String>,
    /// `--split`: whether the job may be split over members; `None`: as its policy says.
    pub split: Option<Split>,
    /// `--network`: least bandwidth between the members of a split job.
    pub network: Option<Bandwidth>,
    /// `--latency`: greatest latency between the members of a split job.
    pub latency: Option<Latency>,
}

/// Directives as their user wrote them, and what they say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stated {
    /// The words on one line, without remarks: [`parse`] reads `directives` back from it.
    pub text: String,
    /// What they say.
    pub directives: Directives,
}

/// The directives of a job from its script and its comment, either of which may be missing.
pub fn gather(script: Option<&[u8]>, comment: Option<&str>) -> Result<Stated, DirectiveError> {
    let mut stated = Stated::default();
    for (number, line) in script.into_iter().flat_map(directive_lines) {
        let number = u32::try_from(number).unwrap_or(u32::MAX);
        str::from_utf8(line)
            .map_err(|_| Problem::NotUtf8)
            .and_then(|line| stated.add(line))
            .map_err(|problem| DirectiveError::on_line(number, problem))?;
    }
    if let Some(text) = comment.and_then(|comment| comment.strip_prefix(COMMENT_PREFIX)) {
        stated.add(text)?;
    }
    stated.check()?;
    Ok(stated)
}

/// What directives say that were gathered before.
pub fn parse(text: &str) -> Result<Directives, DirectiveError> {
    let mut stated = Stated::default();
    stated.add(text)?;
    stated.check()?;
    Ok(stated.directives)
}

impl Stated {
    fn add(&mut self, text: &str) -> Result<(), Problem> {
        let line = words::split(text)?;
        flag::read(&line.words, &mut self.directives)?;
        if !line.text.is_empty() && !self.text.is_empty() {
            self.text.push(' ');
        }
        self.text.push_str(line.text);
        Ok(())
    }

    fn check(&self) -> Result<(), Problem> {
        let bytes = self.text.len();
        if bytes > TEXT_BYTES_MAX {
            return Err(Problem::TooLong { bytes });
        }
        let Directives { members, avoid, .. } = &self.directives;
        match members.iter().find(|member| avoid.contains(member)) {
            None => Ok(()),
            Some(member) => Err(Problem::WantedAndAvoided {
                member: member.clone(),
            }),
        }
    }
}

/// What follows `#FED` on the directive lines of a script, each with its line number from 1.
fn directive_lines(script: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let is_command = |line: &[u8]| {
        let first = line.iter().find(|byte| !byte.is_ascii_whitespace());
        first.is_some_and(|&byte| byte != b'#')
    };
    (1..)
        .zip(script.split(|&byte| byte == b'\n'))
        .take_while(move |(_, line)| !is_command(line))
        .filter_map(|(number, line)| {
            let rest = line.strip_prefix(LINE_PREFIX.as_bytes())?;
            let ends = rest.first().is_none_or(u8::is_ascii_whitespace);
            ends.then_some((number, rest))
        })
}

#[cfg(test)]
mod test {
    use proptest::prelude::*;

    use super::*;

    fn of_script(script: &str) -> Result<Stated, String> {
        gather(Some(script.as_bytes()), None).map_err(|error| error.to_string())
    }

    #[test]
    fn lines_count_up_to_the_first_command() {
        let stated = of_script(
            "#!/bin/sh\n#SBATCH -n4\n\n  # remark\n#FED --policy=green # why not\n#FEDORA --x\n\
             #FED\n#FED\t--members=a,b --split nodes:max=3\necho\n#FED --policy=late\n",
        )
        .unwrap();
        assert_eq!(
            stated.text,
            "--policy=green --members=a,b --split nodes:max=3"
        );
        assert_eq!(
            stated.directives,
            Directives {
                policy: Some("green".into()),
                members: vec!["a".into(), "b".into()],
                split: Some(Split::Nodes {
                    parts_max: std::num::NonZeroU32::new(3)
                }),
                ..Directives::default()
            }
        );
        assert_eq!(parse(&stated.text).unwrap(), stated.directives);
    }

    #[test]
    fn the_comment_comes_after_the_script_and_may_do_without_dashes() {
        let stated = gather(
            Some(b"#!/bin/sh\n#FED --policy=green --avoid=west\n"),
            Some("fed: policy=fast latency='200 us'"),
        )
        .unwrap();
        assert_eq!(stated.directives.policy.as_deref(), Some("fast"));
        assert_eq!(stated.directives.avoid, ["west"]);
        assert_eq!(
            stated.directives.latency.unwrap().nanoseconds(),
            200 * 1_000
        );
        assert_eq!(
            gather(None, Some("see ticket 12")).unwrap(),
            Stated::default()
        );
        assert_eq!(gather(None, None).unwrap(), Stated::default());
    }

    #[test]
    fn a_wrong_directive_is_refused_in_one_line_with_a_remedy() {
        for (script, expected) in [
            (
                "#!/bin/sh\n#FED --polcy=green\n",
                "line 2 (#FED): there is no flag \"--polcy\", did you mean --policy? Flags are \
                 --policy, --members, --avoid, --needs, --image, --split, --network, --latency",
            ),
            (
                "#FED green\n",
                "line 1 (#FED): \"green\" is not of the form --flag=value. Flags are \
                 --policy, --members, --avoid, --needs, --image, --split, --network, --latency",
            ),
            (
                "#FED --split=node\n",
                "line 1 (#FED): --split=\"node\" is not understood, did you mean nodes? Allowed is \
                 never, when-needed, nodes or nodes:max=N with N members at most",
            ),
            (
                "#FED --network=25\n",
                "line 1 (#FED): --network=\"25\" is not understood. Allowed is \
                 a bandwidth with its unit (bps, Kbps, Mbps, Gbps, Tbps), such as 25Gbps",
            ),
            (
                "#FED --network=25Gps\n",
                "line 1 (#FED): --network=\"25Gps\" is not understood, did you mean 25Gbps? Allowed \
                 is a bandwidth with its unit (bps, Kbps, Mbps, Gbps, Tbps), such as 25Gbps",
            ),
            (
                "#FED --needs=scratch\n",
                "line 1 (#FED): --needs=\"scratch\" is not understood. Allowed is \
                 absolute paths separated by commas, such as /scratch,/projects",
            ),
            (
                "#FED --policy --split=never\n",
                "line 1 (#FED): --policy needs a value. Allowed is \
                 the name of a policy, such as green",
            ),
            (
                "#FED --policy='green\n",
                "line 1 (#FED): a quote (') is not closed",
            ),
            (
                "#FED --policy=green \\\n",
                "line 1 (#FED): it ends with a backslash, but directives do not go on in the next \
                 line: begin that with #FED, too",
            ),
            (
                "#FED --members=a,b --avoid=b\n",
                "member b is both in --members and in --avoid: name it in one of them",
            ),
            (
                "#FED --policy=\x1b[31mred\n",
                "line 1 (#FED): it holds a control character: use printable text only",
            ),
        ] {
            assert_eq!(of_script(script).unwrap_err(), expected, "{script:?}");
        }
        assert_eq!(
            gather(Some(b"#FED --policy=\xff"), None)
                .unwrap_err()
                .to_string(),
            "line 1 (#FED): it is not UTF-8 text"
        );
        assert_eq!(
            gather(None, Some("fed: colour=red"))
                .unwrap_err()
                .to_string(),
            "there is no flag \"colour\". Flags are \
             --policy, --members, --avoid, --needs, --image, --split, --network, --latency"
        );
    }

    #[test]
    fn what_does_not_fit_beside_the_mark_is_refused() {
        let fill = |bytes: usize| format!("#FED --needs=/{}\n", "x".repeat(bytes));
        let spare = TEXT_BYTES_MAX - "--needs=/".len();
        let stated = of_script(&fill(spare)).unwrap();
        assert_eq!(
            mark::to_comment(mark::Mark(1), &stated.text).len(),
            mark::COMMENT_BYTES_MAX
        );
        assert_eq!(
            of_script(&fill(spare + 1)).unwrap_err(),
            "the directives of this job are 997 bytes long, at most 996 can be kept: shorten them"
        );
    }

    proptest! {
        #[test]
        fn any_script_is_read_or_refused_in_one_line(script: Vec<u8>, comment: Option<String>) {
            match gather(Some(&script), comment.as_deref()) {
                Ok(stated) => prop_assert!(stated.text.len() <= TEXT_BYTES_MAX),
                Err(error) => prop_assert!(!error.to_string().contains(char::is_control)),
            }
        }

        #[test]
        fn what_was_gathered_reads_back_the_same(
            lines in proptest::collection::vec(
                r#"#FED( (--)?(policy|members|avoid|split|needs|network)[= ]["']?(a|b,c|/d|nodes|2.5Gbps|never)["']?){0,3}( # x)?"#,
                0..4,
            ),
        ) {
            if let Ok(stated) = gather(Some(lines.join("\n").as_bytes()), None) {
                prop_assert_eq!(parse(&stated.text).unwrap(), stated.directives);
            }
        }
    }
}
