//! What can go wrong between the daemon and slurmrestd, sorted by what to do about it.

use reqwest::StatusCode;

use super::dialect::Dialect;
use super::token::TokenError;
use super::wire::Fault;

/// A request to slurmrestd failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Nobody answered: slurmrestd is not there, or slurmctld does not answer slurmrestd.
    #[error("slurmctld cannot be reached through slurmrestd: {0}")]
    Unreachable(String),
    /// The token is missing, wrong or expired.
    #[error("slurmrestd does not accept the daemon's token: {0}")]
    Unauthorized(String),
    /// There is no token to send.
    #[error(transparent)]
    Token(#[from] TokenError),
    /// The daemon's user is no operator of the cluster.
    #[error(
        "slurmctld does not let the daemon's user do this ({0}): give that user AdminLevel=Operator with sacctmgr"
    )]
    NotPermitted(String),
    /// slurmctld says "try again"; nothing was changed.
    #[error("slurmctld asks to try again: {0}")]
    TryAgain(String),
    /// There is no such job. Only said when slurmctld itself said so.
    #[error("there is no such job: {0}")]
    NotFound(String),
    /// slurmctld refused.
    #[error("slurmctld refused it: {text} (error {code})")]
    Refused {
        /// Slurm's error number.
        code: i64,
        /// Slurm's own words.
        text: String,
    },
    /// The answer is not what this API version promises, or is too large.
    #[error("slurmrestd's answer to {what} cannot be used: {why}")]
    BadAnswer {
        /// What was asked.
        what: String,
        /// What is wrong with the answer.
        why: String,
    },
    /// This slurmrestd cannot do it, and neither can anything else at hand.
    #[error("slurmrestd {dialect} cannot change single tasks of an array, and {why}")]
    Unsupported {
        /// API version in use.
        dialect: Dialect,
        /// Why nothing else can.
        why: String,
    },
    /// slurmrestd speaks no version of the API that this release speaks.
    #[error(
        "slurmrestd speaks none of the API versions that fedsched knows (v0.0.42, v0.0.38): check its -s and -d options"
    )]
    Version,
}

impl Error {
    /// The same request may succeed a moment later, and nothing was changed by this one.
    pub fn is_try_again(&self) -> bool {
        matches!(self, Self::TryAgain(_))
    }

    /// A short word for metrics.
    pub fn class(&self) -> &'static str {
        match self {
            Self::Unreachable(_) => "unreachable",
            Self::Unauthorized(_) | Self::Token(_) => "unauthorized",
            Self::NotPermitted(_) => "not-permitted",
            Self::TryAgain(_) => "try-again",
            Self::NotFound(_) => "not-found",
            Self::Refused { .. } => "refused",
            Self::BadAnswer { .. } => "bad-answer",
            Self::Unsupported { .. } => "unsupported",
            Self::Version => "version",
        }
    }
}

/// Numbers of slurm_errno.h and of the system's errno.h, as slurmrestd reports them.
mod code {
    /// What v0.0.38 says where it lost the real number: slurmctld silent, or a token refused.
    pub(super) const UNSPECIFIED: i64 = -1;
    /// `EAGAIN`.
    pub(super) const AGAIN: i64 = 11;
    /// `SLURM_UNEXPECTED_MSG_ERROR` … `SLURM_COMMUNICATIONS_SHUTDOWN_ERROR`.
    pub(super) const COMMUNICATION: std::ops::RangeInclusive<i64> = 1000..=1004;
    /// `SLURM_PROTOCOL_AUTHENTICATION_ERROR`.
    pub(super) const AUTHENTICATION: i64 = 1007;
    /// `SLURM_COMMUNICATIONS_MISSING_SOCKET_ERROR` and its kin.
    pub(super) const SOCKET: std::ops::RangeInclusive<i64> = 1013..=1099;
    /// `SLURMCTLD_COMMUNICATIONS_CONNECTION_ERROR` … `_SHUTDOWN_ERROR`.
    pub(super) const CONTROLLER: std::ops::RangeInclusive<i64> = 1800..=1803;
    /// `SLURMCTLD_COMMUNICATIONS_BACKOFF`.
    pub(super) const BACKOFF: i64 = 1804;
    /// `ESLURM_ACCESS_DENIED`.
    pub(super) const ACCESS_DENIED: i64 = 2002;
    /// `ESLURM_USER_ID_MISSING`, "Invalid user id": what one hears who is no operator.
    pub(super) const USER_ID: i64 = 2010;
    /// `ESLURM_INVALID_JOB_ID`.
    pub(super) const JOB_ID: i64 = 2017;
    /// `ESLURM_TRANSITION_STATE_NO_UPDATE`, "Job can not be altered now, try again later".
    pub(super) const IN_TRANSITION: i64 = 2020;
    /// `ESLURM_IN_STANDBY_MODE`, and `ESLURM_IN_STANDBY_USE_BACKUP`.
    pub(super) const STANDBY: [i64; 2] = [2027, 2131];
    /// `ESLURM_JOB_SETTING_DB_INX` of 22.05: the job is not yet in slurmdbd.
    pub(super) const NOT_YET_IN_DATABASE: i64 = 2103;
    /// `SLURM_PROTOCOL_SOCKET_*`.
    pub(super) const PROTOCOL_SOCKET: std::ops::RangeInclusive<i64> = 5000..=5005;
    /// `ESLURM_AUTH_*`.
    pub(super) const AUTH: std::ops::RangeInclusive<i64> = 6000..=6099;
    /// `ESLURM_REST_INVALID_JOBS_DESC`: what v0.0.38 says of an array task that has no record.
    pub(super) const NO_DESCRIPTION: i64 = 9002;
    /// `ESLURM_REST_EMPTY_RESULT`: slurmdbd has nothing of that name.
    pub(super) const NOTHING_FOUND: i64 = 9003;
}

/// Sorts a fault that slurmrestd reported.
pub(super) fn classify(fault: &Fault) -> Error {
    let text = fault.text();
    let code = fault.code().unwrap_or(code::UNSPECIFIED);
    match code {
        code::AGAIN | code::BACKOFF | code::IN_TRANSITION | code::NOT_YET_IN_DATABASE => {
            Error::TryAgain(text)
        }
        code::JOB_ID | code::NO_DESCRIPTION | code::NOTHING_FOUND => Error::NotFound(text),
        code::ACCESS_DENIED | code::USER_ID => Error::NotPermitted(text),
        code::AUTHENTICATION => Error::Unauthorized(text),
        code if code::AUTH.contains(&code) => Error::Unauthorized(text),
        code::UNSPECIFIED => Error::Unreachable(format!(
            "{text}: slurmctld does not answer, or does not accept the token"
        )),
        code if code::COMMUNICATION.contains(&code)
            || code::SOCKET.contains(&code)
            || code::CONTROLLER.contains(&code)
            || code::PROTOCOL_SOCKET.contains(&code)
            || code::STANDBY.contains(&code) =>
        {
            Error::Unreachable(text)
        }
        code => Error::Refused { code, text },
    }
}

/// Sorts an answer that is no JSON of the API.
pub(super) fn classify_bare(status: StatusCode, what: &str, body: &[u8]) -> Error {
    let text = String::from_utf8_lossy(body.get(..200).unwrap_or(body));
    let text = text.trim();
    match status {
        StatusCode::UNAUTHORIZED | StatusCode::NETWORK_AUTHENTICATION_REQUIRED => {
            Error::Unauthorized(text.to_owned())
        }
        StatusCode::FORBIDDEN => Error::NotPermitted(text.to_owned()),
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => {
            Error::TryAgain(format!("HTTP {status}"))
        }
        status if status.is_server_error() => {
            Error::Unreachable(format!("HTTP {status} to {what}"))
        }
        status => Error::BadAnswer {
            what: what.to_owned(),
            why: format!("HTTP {status}: {text}"),
        },
    }
}

#[cfg(test)]
mod test {
    use super::*;

    fn class(code: i64) -> &'static str {
        let json = format!(r#"{{"error_number":{code},"error":"words"}}"#);
        classify(&serde_json::from_str(&json).unwrap()).class()
    }

    #[test]
    fn numbers_are_sorted_by_what_to_do() {
        for (codes, expected) in [
            (&[11, 1804, 2020, 2103][..], "try-again"),
            (&[2017, 9002], "not-found"),
            (&[2002, 2010], "not-permitted"),
            (&[1007, 6000, 6001], "unauthorized"),
            (
                &[-1, 1000, 1003, 1013, 1800, 1803, 2027, 2131, 5004],
                "unreachable",
            ),
            (&[2000, 2045, 2073, 2084, 2050, 2131 + 1, 9001], "refused"),
        ] {
            for &code in codes {
                assert_eq!(class(code), expected, "{code}");
            }
        }
    }

    #[test]
    fn a_bare_answer_is_sorted_by_its_status() {
        let class = |status: u16| {
            let status = StatusCode::from_u16(status).unwrap();
            classify_bare(
                status,
                "jobs",
                "Authentication failure ".repeat(99).as_bytes(),
            )
            .class()
        };
        assert_eq!(class(401), "unauthorized");
        assert_eq!(class(511), "unauthorized");
        assert_eq!(class(429), "try-again");
        assert_eq!(class(500), "unreachable");
        assert_eq!(class(400), "bad-answer");
    }
}
