//! Frames of the protocol on a tokio stream.

use fedsched_protocol::frame::{self, FrameError, MAX_MESSAGE_BYTES};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// Reads one message; `None` when the peer has hung up between two messages.
pub async fn read<T: DeserializeOwned>(
    stream: &mut (impl AsyncRead + Unpin),
) -> Result<Option<T>, FrameError> {
    let mut header = [0; 4];
    if stream.read(&mut header[..1]).await? == 0 {
        return Ok(None);
    }
    stream.read_exact(&mut header[1..]).await?;
    let length = frame::length(header, MAX_MESSAGE_BYTES)?;
    // Memory grows with what has arrived, not with what the peer announces.
    let mut body = Vec::new();
    if stream.take(length as u64).read_to_end(&mut body).await? < length {
        return Err(std::io::Error::from(std::io::ErrorKind::UnexpectedEof).into());
    }
    frame::decode(&body).map(Some)
}

/// Writes one message.
pub async fn write<T: Serialize>(
    stream: &mut (impl AsyncWrite + Unpin),
    message: &T,
) -> Result<(), FrameError> {
    Ok(stream
        .write_all(&frame::encode(message, MAX_MESSAGE_BYTES)?)
        .await?)
}
