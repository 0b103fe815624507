//! The job_submit plugin as it is installed.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use object::{Object, ObjectSection, ObjectSymbol};

use super::Site;

/// Slurm looks for `JobSubmitPlugins=fedsched` under this name.
const FILE: &str = "job_submit_fedsched.so";

/// An installed plugin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plugin {
    /// Where it is.
    pub path: PathBuf,
    /// Slurm release it was built for, such as `22.05.8`: the number that slurmctld compares with
    /// its own before it starts. `None` if the file does not say.
    pub slurm: Option<String>,
}

impl Plugin {
    /// The one that slurmctld would load: the first in `PluginDir`.
    pub fn find(site: &Site) -> io::Result<Option<Self>> {
        let directories = site.config.get("PluginDir").unwrap_or_default().split(':');
        let path = directories
            .map(|directory| Path::new(directory).join(FILE))
            .find(|path| path.is_file());
        let Some(path) = path else { return Ok(None) };
        let slurm = release(&fs::read(&path)?);
        Ok(Some(Self { path, slurm }))
    }
}

/// The value of the symbol `plugin_version`, as Slurm reads it: a byte each for major, minor and
/// micro.
fn release(bytes: &[u8]) -> Option<String> {
    let file = object::File::parse(bytes).ok()?;
    let symbol = file
        .dynamic_symbols()
        .find(|symbol| symbol.name() == Ok("plugin_version"))?;
    let section = file.section_by_index(symbol.section_index()?).ok()?;
    let value = section.data_range(symbol.address(), 4).ok()??;
    let number = u32::from_ne_bytes(value.try_into().ok()?);
    let [_, major, minor, micro] = number.to_be_bytes();
    Some(format!("{major}.{minor:02}.{micro}"))
}

#[cfg(test)]
mod test {
    use super::*;

    #[test]
    fn a_file_that_is_no_plugin_has_no_release() {
        assert_eq!(release(b"not an object"), None);
        let program = fs::read(std::env::current_exe().unwrap()).unwrap();
        assert_eq!(release(&program), None);
    }
}
