//! The program's surroundings: its standard streams, its arguments and its symbolic files.

use crate::input::{Input, Object};
use crate::spec::{Arg, Output, TargetSpec};
use cairn_wire::ObjectKind;
use cairn_wire::control::MAX_NAME;
use rustix::fs::{MemfdFlags, memfd_create};
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read, Seek, Write};
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// Holds the place of a symbolic argument in the command line of a fork server.
const PLACEHOLDER: &str = "?";

/// Everything a run touches besides the shared memory.
pub(crate) struct Stage {
    stdin: File,
    scratch: Option<TempDir>,
    files: Vec<StagedFile>,
    stdout: Option<File>,
    stderr: Option<File>,
}

struct StagedFile {
    name: String,
    /// The path by which the program opens it.
    seen_as: String,
}

impl Stage {
    /// Sets up what the specification asks for.
    pub(crate) fn set(spec: &TargetSpec) -> io::Result<Stage> {
        let capture = spec.output == Output::Capture;
        let scratch = if spec.files.is_empty() { None } else { Some(scratch_directory()?) };
        let files = match &scratch {
            Some(scratch) => {
                (0..spec.files.len()).map(|n| staged(spec, n, scratch)).collect::<Result<_, _>>()?
            }
            None => Vec::new(),
        };
        Ok(Stage {
            stdin: anonymous_file("stdin")?,
            scratch,
            files,
            stdout: capture.then(|| anonymous_file("stdout")).transpose()?,
            stderr: capture.then(|| anonymous_file("stderr")).transpose()?,
        })
    }

    /// The name by which the target knows an object.
    pub(crate) fn name_of<'a>(&'a self, object: &'a Object) -> &'a str {
        match object.kind {
            ObjectKind::File => self.file(&object.name).map_or(&object.name, |f| &f.seen_as),
            ObjectKind::Stdin | ObjectKind::Arg | ObjectKind::Named | ObjectKind::ArgCount => &object.name,
        }
    }

    fn file(&self, name: &str) -> Option<&StagedFile> {
        self.files.iter().find(|f| f.name == name)
    }

    /// A command for the program; symbolic arguments are those of `input`, or placeholders.
    pub(crate) fn command(&self, spec: &TargetSpec, input: Option<&Input>) -> io::Result<Command> {
        // Absolute: a bare name means the file here, not one on the search path or in the scratch directory.
        let mut command = Command::new(std::path::absolute(&spec.path)?);
        command.arg0(&spec.path);
        let argc = input.and_then(Input::argc).map_or(usize::MAX, |argc| argc as usize);
        let args = (1..argc).zip(&spec.args);
        command.args(args.map(|(index, arg)| self.argument(arg, index as u32, input)));
        command.envs(spec.env.iter().map(|(k, v)| (k, v)));
        if let Some(scratch) = self.scratch.as_ref().filter(|_| spec.opens_by_itself()) {
            command.current_dir(scratch.path());
            command.env("PWD", scratch.path());
        }
        // Opened anew, so that the program can read but not write it.
        command.stdin(File::open(format!("/proc/self/fd/{}", self.stdin.as_raw_fd()))?);
        command.stdout(stdio(spec.output, self.stdout.as_ref())?);
        command.stderr(stdio(spec.output, self.stderr.as_ref())?);
        Ok(command)
    }

    fn argument(&self, arg: &Arg, index: u32, input: Option<&Input>) -> OsString {
        match arg {
            Arg::Literal(text) => text.clone(),
            Arg::File(text, number) => {
                text.replace("@@", self.files.get(*number).map_or("@@", |f| &f.seen_as)).into()
            }
            Arg::Symbolic(_) => {
                let is_it = |o: &&Object| o.kind == ObjectKind::Arg && o.index == index;
                let object = input.and_then(|input| input.objects.iter().find(is_it));
                let bytes = object.map_or(PLACEHOLDER.as_bytes(), Object::as_argument);
                OsStr::from_bytes(bytes).to_owned()
            }
        }
    }

    /// Puts an input's streams in place and forgets the output of the run before.
    pub(crate) fn prepare(&mut self, input: &Input) -> io::Result<()> {
        let stdin = input.objects.iter().find(|o| o.kind == ObjectKind::Stdin);
        rewrite(&mut self.stdin, stdin.map_or(&[], |o| &o.bytes))?;
        for object in input.objects.iter().filter(|o| o.kind == ObjectKind::File) {
            if let (Some(scratch), Some(file)) = (&self.scratch, self.file(&object.name)) {
                fs::write(scratch.path().join(&file.name), &object.bytes)?;
            }
        }
        for output in [&mut self.stdout, &mut self.stderr].into_iter().flatten() {
            rewrite(output, &[])?;
        }
        Ok(())
    }

    /// What the last run printed to standard output and standard error.
    pub(crate) fn output(&mut self) -> io::Result<(Vec<u8>, Vec<u8>)> {
        Ok((content(self.stdout.as_mut())?, content(self.stderr.as_mut())?))
    }

    /// A file that standard error can go to until it is asked for.
    pub(crate) fn divert_stderr(&mut self) -> io::Result<()> {
        self.stderr = Some(anonymous_file("stderr")?);
        Ok(())
    }
}

fn scratch_directory() -> io::Result<TempDir> {
    tempfile::Builder::new().prefix("cairn-").tempdir()
}

/// Makes room for a file in the scratch directory.
fn staged(spec: &TargetSpec, number: usize, scratch: &TempDir) -> io::Result<StagedFile> {
    let name = &spec.files[number].name;
    if !is_file_name(name) {
        return Err(io::Error::other(format!("`{name}` is not the name of a file below a directory")));
    }
    let path = scratch.path().join(name);
    fs::create_dir_all(path.parent().unwrap_or(scratch.path()))?;
    let seen_as = if spec.names_file(number) { path.to_string_lossy().into_owned() } else { name.clone() };
    if seen_as.len() > MAX_NAME {
        return Err(io::Error::other(format!("{seen_as} is too long a path for a symbolic file")));
    }
    Ok(StagedFile { name: name.clone(), seen_as })
}

/// Whether a symbolic file can be called so: by a path that leads down from the working directory.
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

/// The position is shared with the program, which writes on from where the driver left it.
fn rewrite(file: &mut File, bytes: &[u8]) -> io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    file.write_all(bytes)
}

fn content(file: Option<&mut File>) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if let Some(file) = file {
        file.rewind()?;
        file.read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}
