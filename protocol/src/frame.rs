//! One message on a byte stream: `length: u32 LE`, `version: u16 LE`, then `length − 2` bytes of postcard.

use std::io::{Read, Write};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// The layout of every message. Both ends must speak the same one.
pub const VERSION: u16 = 1;

/// Largest frame on a plugin or command-line connection, in bytes, its length field excluded.
pub const MAX_MESSAGE_BYTES: u32 = 8 << 20;

/// Largest frame from `slurm-watch`, in bytes: a first listing of a large site comes in pieces under this.
pub const MAX_WATCH_BYTES: u32 = 16 << 20;

const LENGTH_BYTES: usize = 4;
const VERSION_BYTES: usize = 2;

/// Why a frame could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    /// The stream failed or ended.
    #[error("the connection failed: {0}")]
    Io(#[from] std::io::Error),
    /// The frame is longer than this connection allows.
    #[error("a message of {bytes} bytes is larger than the limit of {limit}")]
    TooLarge {
        /// Length the frame has or announces, in bytes.
        bytes: u64,
        /// Limit of this connection, in bytes.
        limit: u32,
    },
    /// The other end speaks another version of the protocol.
    #[error(
        "the other end speaks protocol version {theirs}, this one {VERSION}: install the same fedsched release on both"
    )]
    Version {
        /// Version in the frame.
        theirs: u16,
    },
    /// The body is not a message of the expected type.
    #[error("the message cannot be decoded: {0}")]
    Body(#[from] postcard::Error),
    /// The frame is too short to hold a version.
    #[error("a frame of {bytes} bytes is too short")]
    TooShort {
        /// Length the frame announces, in bytes.
        bytes: u32,
    },
}

/// The bytes of one frame that carries `message`.
pub fn encode<T: Serialize>(message: &T, limit: u32) -> Result<Vec<u8>, FrameError> {
    // Most frames are a question or an answer of a few words.
    let mut bytes = Vec::with_capacity(256);
    bytes.extend_from_slice(&[0; LENGTH_BYTES]);
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    let bytes = postcard::to_extend(message, bytes)?;
    let length = bytes.len() - LENGTH_BYTES;
    let Some(length) = u32::try_from(length).ok().filter(|&length| length <= limit) else {
        return Err(FrameError::TooLarge {
            bytes: length as u64,
            limit,
        });
    };
    let mut bytes = bytes;
    bytes[..LENGTH_BYTES].copy_from_slice(&length.to_le_bytes());
    Ok(bytes)
}

/// The length that a frame's first four bytes announce, checked against `limit`.
pub fn length(header: [u8; LENGTH_BYTES], limit: u32) -> Result<usize, FrameError> {
    let bytes = u32::from_le_bytes(header);
    if bytes > limit {
        return Err(FrameError::TooLarge {
            bytes: bytes.into(),
            limit,
        });
    }
    if (bytes as usize) < VERSION_BYTES {
        return Err(FrameError::TooShort { bytes });
    }
    Ok(bytes as usize)
}

/// The message in what follows a frame's length field.
pub fn decode<T: DeserializeOwned>(frame: &[u8]) -> Result<T, FrameError> {
    let Some((version, body)) = frame.split_first_chunk::<VERSION_BYTES>() else {
        return Err(FrameError::TooShort {
            bytes: u32::try_from(frame.len()).unwrap_or(u32::MAX),
        });
    };
    let theirs = u16::from_le_bytes(*version);
    if theirs != VERSION {
        return Err(FrameError::Version { theirs });
    }
    let (message, rest) = postcard::take_from_bytes(body)?;
    if !rest.is_empty() {
        return Err(postcard::Error::DeserializeBadEncoding.into());
    }
    Ok(message)
}

/// Writes `message` as one frame.
pub fn write<T: Serialize>(
    out: &mut impl Write,
    message: &T,
    limit: u32,
) -> Result<(), FrameError> {
    out.write_all(&encode(message, limit)?)?;
    Ok(out.flush()?)
}

/// Reads one frame; `Ok(None)` when the stream ends before its first byte.
pub fn read<T: DeserializeOwned>(
    input: &mut impl Read,
    limit: u32,
) -> Result<Option<T>, FrameError> {
    let mut header = [0; LENGTH_BYTES];
    match input.read_exact(&mut header[..1]) {
        Ok(()) => {}
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => return Ok(None),
        Err(error) => return Err(error.into()),
    }
    input.read_exact(&mut header[1..])?;
    let length = length(header, limit)?;
    // The peer's announced length buys no memory before its bytes are here.
    let mut frame = Vec::new();
    if input.take(length as u64).read_to_end(&mut frame)? < length {
        return Err(std::io::Error::from(std::io::ErrorKind::UnexpectedEof).into());
    }
    decode(&frame).map(Some)
}
