//! The environment of runs: standard streams, arguments, and files in the scratch directory.

use crate::file_id::FileId;
use crate::input::{Input, Object};
use crate::sandbox::{NOBODY, OwnTmp, TMP, drops_root, has_own_tmp};
use crate::scratch::Scratch;
use crate::spec::{Arg, Output, ScratchSpace, TargetSpec};
use cairn_wire::ObjectKind;
use cairn_wire::control::MAX_NAME;
use rustix::fs::{MemfdFlags, memfd_create};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Seek};
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, lchown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Placeholder of a symbolic argument in the command line of a fork server.
const PLACEHOLDER: &str = "?";

/// Bytes of a run's output that are captured, a chosen bound: a run may print any amount.
const MAX_OUTPUT_BYTES: u64 = 16 << 20;

/// Everything that a run uses besides the shared memory.
pub(crate) struct RunEnvironment {
    stdin: File,
    scratch: Scratch,
    /// Path of the scratch directory for the program.
    scratch_seen_as: PathBuf,
    files: Vec<PlacedFile>,
    stdout: Option<File>,
    stderr: Option<File>,
}

/// A symbolic file in the scratch directory.
struct PlacedFile {
    name: String,
    /// Path by which the program opens it.
    seen_as: String,
}

impl RunEnvironment {
    /// Creates the environment for a specification.
    pub(crate) fn create(spec: &TargetSpec) -> io::Result<RunEnvironment> {
        let capture = spec.output == Output::Capture;
        let owner = (spec.sandbox && drops_root()).then_some(NOBODY);
        if let Some(writable) = &spec.writable {
            lchown(writable, owner, owner)?;
        }
        let mut scratch = Scratch::create(owner)?;
        let scratch_seen_as = if has_own_tmp(spec) { TMP.into() } else { scratch.path().to_owned() };
        let place = |n| place_file(spec, n, &mut scratch, &scratch_seen_as);
        let files = (0..spec.files.len()).map(place).collect::<Result<_, _>>()?;
        Ok(RunEnvironment {
            stdin: anonymous_file("stdin")?,
            scratch,
            scratch_seen_as,
            files,
            stdout: capture.then(|| anonymous_file("stdout")).transpose()?,
            stderr: capture.then(|| anonymous_file("stderr")).transpose()?,
        })
    }

    /// Returns the directory that the program may write to.
    pub(crate) fn scratch(&self) -> &Path {
        self.scratch.path()
    }

    /// Returns the scratch directory as the private `/tmp` of the program, if it is to be that.
    pub(crate) fn own_tmp(&self, spec: &TargetSpec) -> io::Result<Option<OwnTmp>> {
        let is_own = self.scratch_seen_as != self.scratch();
        is_own.then(|| OwnTmp::prepare(self.scratch(), spec.runs_in_scratch())).transpose()
    }

    /// Returns the name of an object in the target.
    pub(crate) fn name_of<'a>(&'a self, object: &'a Object) -> &'a str {
        let file = self.file(&object.name).filter(|_| object.kind == ObjectKind::File);
        file.map_or(&object.name, |file| &file.seen_as)
    }

    fn file(&self, name: &str) -> Option<&PlacedFile> {
        self.files.iter().find(|f| f.name == name)
    }

    /// Returns a command for the program; symbolic arguments are those of `input`, or placeholders.
    pub(crate) fn command(&self, spec: &TargetSpec, input: Option<&Input>) -> io::Result<Command> {
        // Absolute: a bare name refers to the working directory, not to the search path or the scratch
        // directory.
        let mut command = Command::new(std::path::absolute(&spec.path)?);
        command.arg0(&spec.path);
        command.args(self.arguments(spec, input));
        command.envs(spec.env.iter().map(|(k, v)| (k, v)));
        command.env("TMPDIR", &self.scratch_seen_as);
        if spec.runs_in_scratch() {
            command.current_dir(self.scratch());
            command.env("PWD", &self.scratch_seen_as);
        } else if let Some(directory) = &spec.directory {
            command.current_dir(directory);
            command.env("PWD", directory);
        }
        // Reopened, so that the program can read but not write it.
        command.stdin(File::open(format!("/proc/self/fd/{}", self.stdin.as_raw_fd()))?);
        command.stdout(stdio(spec.output, self.stdout.as_ref())?);
        command.stderr(stdio(spec.output, self.stderr.as_ref())?);
        Ok(command)
    }

    /// Returns the arguments of a run; symbolic ones are those of `input`, or placeholders.
    pub(crate) fn arguments(&self, spec: &TargetSpec, input: Option<&Input>) -> Vec<OsString> {
        let argc = input.and_then(Input::argc).map_or(usize::MAX, |argc| argc as usize);
        (1..argc).zip(&spec.args).map(|(index, arg)| self.argument(arg, index as u32, input)).collect()
    }

    fn argument(&self, arg: &Arg, index: u32, input: Option<&Input>) -> OsString {
        match arg {
            Arg::Literal(text) => text.clone(),
            Arg::File(text, number) => {
                text.replace("@@", self.files.get(*number).map_or("@@", |f| &f.seen_as)).into()
            }
            Arg::Symbolic(_) => {
                let is_this = |o: &&Object| o.kind.is_argument() && o.index == index;
                let object = input.and_then(|input| input.objects.iter().find(is_this));
                let bytes = object.map_or(PLACEHOLDER.as_bytes(), Object::as_argument);
                OsStr::from_bytes(bytes).to_owned()
            }
        }
    }

    /// Writes an input's streams, and removes the files and the output of the previous run.
    pub(crate) fn prepare(&mut self, input: &Input) -> io::Result<()> {
        let stdin = input.objects.iter().find(|o| o.kind == ObjectKind::Stdin);
        let bytes: &[u8] = stdin.map_or(&[], |o| &o.bytes);
        // The file offset is the program's own, since its descriptor was reopened.
        self.stdin.write_all_at(bytes, 0)?;
        self.stdin.set_len(bytes.len() as u64)?;
        self.scratch.clean()?;
        for object in input.objects.iter().filter(|o| o.kind == ObjectKind::File) {
            if let Some(file) = self.file(&object.name) {
                self.scratch.write(&file.name, &object.bytes)?;
            }
        }
        for output in [&mut self.stdout, &mut self.stderr].into_iter().flatten() {
            // The file offset is shared with the program, which continues where the driver left it.
            output.set_len(0)?;
            output.rewind()?;
        }
        Ok(())
    }

    /// Returns the standard output and standard error of the last run.
    pub(crate) fn output(&mut self) -> io::Result<(Vec<u8>, Vec<u8>)> {
        Ok((content(self.stdout.as_mut())?, content(self.stderr.as_mut())?))
    }

    /// Returns the anonymous files of the standard streams: a run has them open, but they do not count as its
    /// memory.
    pub(crate) fn own_files(&self) -> io::Result<Vec<FileId>> {
        let outputs = self.stdout.iter().chain(&self.stderr);
        std::iter::once(&self.stdin).chain(outputs).map(FileId::of).collect()
    }

    /// Returns the space in use in the scratch directory, and whether that is all of it. Stops when it
    /// exceeds `limit`.
    pub(crate) fn scratch_in_use(&self, limit: &ScratchSpace) -> io::Result<(ScratchSpace, bool)> {
        self.scratch.in_use(limit)
    }

    /// Returns the device of the scratch directory, and the bytes that are free there.
    pub(crate) fn scratch_device(&self) -> io::Result<(u64, u64)> {
        self.scratch.device()
    }

    /// True if a run that has ended left more in the scratch directory than it may.
    pub(crate) fn exceeds_scratch(&self, limit: &ScratchSpace) -> io::Result<bool> {
        let (used, _) = self.scratch.in_use(limit)?;
        Ok(used.exceeds(limit))
    }

    /// Captures standard error from now on.
    pub(crate) fn capture_stderr(&mut self) -> io::Result<()> {
        self.stderr = Some(anonymous_file("stderr")?);
        Ok(())
    }
}

/// Prepares a symbolic file in the scratch directory.
fn place_file(
    spec: &TargetSpec,
    number: usize,
    scratch: &mut Scratch,
    scratch_seen_as: &Path,
) -> io::Result<PlacedFile> {
    let name = &spec.files[number].name;
    if !is_file_name(name) {
        return Err(io::Error::other(format!("`{name}` is not the name of a file below a directory")));
    }
    scratch.register(name)?;
    let path = scratch_seen_as.join(name);
    let seen_as = if spec.names_file(number) { path.to_string_lossy().into_owned() } else { name.clone() };
    if seen_as.len() > MAX_NAME {
        return Err(io::Error::other(format!("{seen_as} is too long a path for a symbolic file")));
    }
    Ok(PlacedFile { name: name.clone(), seen_as })
}

/// True if a symbolic file can have this name: a path that leads down from the working directory.
pub fn is_file_name(name: &str) -> bool {
    name.split('/').all(|part| !["", ".", ".."].contains(&part))
}

fn anonymous_file(name: &str) -> io::Result<File> {
    Ok(memfd_create(name, MemfdFlags::CLOEXEC)?.into())
}

fn stdio(output: Output, file: Option<&File>) -> io::Result<Stdio> {
    match (file, output) {
        (Some(file), _) => Ok(file.try_clone()?.into()),
        (None, Output::Inherit) => Ok(Stdio::inherit()),
        (None, Output::Discard | Output::Capture) => Ok(Stdio::null()),
    }
}

fn content(file: Option<&mut File>) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if let Some(file) = file {
        file.rewind()?;
        file.take(MAX_OUTPUT_BYTES).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}
