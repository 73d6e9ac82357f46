//! Landlock rules for the files that a target may write and read.
//!
//! Landlock only grants rights: no rule can revoke a right below a directory that has it. So to hide a home,
//! the directories on the path to it get no rule, and each of their other entries gets one. The directories
//! on the path can be traversed, but not listed.
//!
//! Devices are hidden as well, but for a few: a program that reads the user's terminal takes what is typed
//! there, and one that reads a disk finds every file on it. Shared memory of other programs lies among them
//! (`/dev/shm`).

use landlock::{
    ABI, Access, AccessFs, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreated, RulesetCreatedAttr, RulesetError, Scope,
};
use std::ffi::{CStr, OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Newest version of Landlock whose rights are used.
const LANDLOCK: ABI = ABI::V6;
/// Devices that a program may write to: they store nothing.
const DEVICES: [&str; 4] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/tty"];
/// Devices that a program may only read.
const SOURCES: [&str; 2] = ["/dev/random", "/dev/urandom"];
/// Directory of all devices.
const ALL_DEVICES: &str = "/dev";
/// Directories that every program needs. The home of some system accounts is one of them, or lies there, and
/// is not hidden.
const SYSTEM: [&str; 8] = ["/bin", "/dev", "/etc", "/lib", "/proc", "/sbin", "/sys", "/usr"];

/// Access that the rules grant.
#[derive(Clone, Debug, Default)]
pub(crate) struct Files {
    /// Directories to read and write.
    pub(crate) writable: Vec<PathBuf>,
    /// Files and directories to read, hidden or not.
    pub(crate) readable: Vec<PathBuf>,
    /// Directories to hide.
    pub(crate) hidden: Vec<PathBuf>,
}

impl Files {
    /// Creates the rules.
    pub(super) fn rules(&self) -> Result<RulesetCreated, RulesetError> {
        let reads = AccessFs::from_read(LANDLOCK);
        let handled = AccessFs::from_all(LANDLOCK);
        let ruleset = Ruleset::default().set_compatibility(CompatLevel::BestEffort);
        let mut rules = ruleset.handle_access(handled)?.scope(Scope::from_all(LANDLOCK))?.create()?;
        for directory in &self.writable {
            // No device files: a device is the same wherever its file is.
            rules = beneath(rules, directory, handled & !(AccessFs::MakeBlock | AccessFs::MakeChar))?;
        }
        for device in DEVICES {
            let writes = AccessFs::WriteFile | AccessFs::Truncate | AccessFs::IoctlDev;
            rules = beneath(rules, Path::new(device), writes | AccessFs::ReadFile)?;
        }
        for device in SOURCES {
            rules = beneath(rules, Path::new(device), AccessFs::ReadFile.into())?;
        }
        rules = beneath(rules, Path::new(ALL_DEVICES), AccessFs::ReadDir.into())?;
        let root = Path::new("/");
        let mut paths = around(root, &self.hidden_with_devices());
        for path in &self.readable {
            if path == root {
                // Naming the root opens all files; devices must be named themselves.
                rules = beneath(rules, root, AccessFs::ReadDir.into())?;
                paths.extend(around(root, &[ALL_DEVICES.into()]));
            } else {
                paths.push(path.clone());
            }
        }
        for path in &paths {
            rules = beneath(rules, path, reads)?;
        }
        Ok(rules)
    }

    /// Adds the `/proc` that was mounted since the rules were made: a rule does not apply to what is mounted
    /// over its directory.
    pub(super) fn with_new_proc(rules: RulesetCreated) -> Result<RulesetCreated, RulesetError> {
        beneath(rules, Path::new("/proc"), AccessFs::from_read(LANDLOCK))
    }

    fn hidden_with_devices(&self) -> Vec<PathBuf> {
        self.hidden.iter().cloned().chain([ALL_DEVICES.into()]).collect()
    }

    /// True if these rules deny reading an absolute path.
    pub(crate) fn hides(&self, path: &Path) -> bool {
        let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let below = |directories: &[PathBuf]| directories.iter().any(|directory| path.starts_with(directory));
        below(&self.hidden) && !below(&self.readable) && !below(&self.writable)
    }
}

/// Returns the directory if nothing below it is hidden, otherwise those of its entries that contain nothing
/// hidden.
fn around(directory: &Path, hidden: &[PathBuf]) -> Vec<PathBuf> {
    if hidden.iter().any(|hidden| directory.starts_with(hidden)) {
        return Vec::new();
    }
    if !hidden.iter().any(|hidden| hidden.starts_with(directory)) {
        return vec![directory.to_owned()];
    }
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    // Links need no rules: Landlock checks what they lead to.
    let entries = entries.filter(|entry| entry.file_type().is_ok_and(|kind| !kind.is_symlink()));
    entries.flat_map(|entry| around(&entry.path(), hidden)).collect()
}

/// Grants access below a path, if it exists.
fn beneath(
    rules: RulesetCreated,
    path: &Path,
    access: BitFlags<AccessFs>,
) -> Result<RulesetCreated, RulesetError> {
    let Ok(fd) = PathFd::new(path) else { return Ok(rules) };
    let access = if path.is_dir() { access } else { access & AccessFs::from_file(LANDLOCK) };
    rules.add_rule(PathBeneath::new(fd, access))
}

/// Returns the homes of the user who runs Cairn: that of the environment, and that of the account.
pub(super) fn homes() -> Vec<PathBuf> {
    let named = std::env::var_os("HOME").into_iter().chain(home_of_account());
    let mut homes: Vec<PathBuf> = named.filter_map(|home| std::fs::canonicalize(home).ok()).collect();
    homes.retain(|home| home != Path::new("/") && !SYSTEM.iter().any(|system| home.starts_with(system)));
    homes.sort();
    homes.dedup();
    homes
}

fn home_of_account() -> Option<OsString> {
    let mut room = vec![0; 16 << 10];
    let mut found = std::ptr::null_mut();
    // SAFETY: an entry of plain data, which is read only if the library has filled it; the strings it points
    // to lie in `room`, which outlives them.
    unsafe {
        let mut entry: libc::passwd = std::mem::zeroed();
        libc::getpwuid_r(libc::getuid(), &mut entry, room.as_mut_ptr(), room.len(), &mut found);
        let is_home = !found.is_null() && !entry.pw_dir.is_null();
        is_home.then(|| OsStr::from_bytes(CStr::from_ptr(entry.pw_dir).to_bytes()).to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn everything_but_the_hidden_directory_has_a_rule() {
        let directory = tempfile::tempdir().unwrap();
        let top = fs::canonicalize(directory.path()).unwrap();
        for name in ["a/b", "a/home/x", "c"] {
            fs::create_dir_all(top.join(name)).unwrap();
        }
        std::os::unix::fs::symlink(top.join("a/home"), top.join("a/link")).unwrap();
        let files = Files { hidden: vec![top.join("a/home")], ..Files::default() };
        let mut around = around(&top, &files.hidden);
        around.sort();
        assert_eq!(around, [top.join("a/b"), top.join("c")]);
        assert!(files.hides(&top.join("a/link/x")) && !files.hides(&top.join("c/x")));
        let more = Files { readable: vec![top.join("a/home/x")], ..files };
        assert!(!more.hides(&top.join("a/home/x/y")) && more.hides(&top.join("a/home/y")));
    }
}
