//! Makes the record of a link: an object with nothing but the record, to be linked as well.

use super::args::{Item, Opt};
use super::interposition::library;
use super::options::Role;
use super::{Language, Session};
use crate::build_record::{LINK_SECTION, LinkItem, LinkRecord, encode, has_units, is_rebuildable_library};
use crate::elf_section;
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// Returns the object with the record of a link of these items; None if records are turned off.
pub fn object(session: &Session, items: &[Item]) -> Result<Option<PathBuf>, i32> {
    let Some(directory) = env::current_dir().ok().filter(|_| super::records_builds()) else {
        return Ok(None);
    };
    let record = LinkRecord {
        is_cxx: session.clang.language() == Language::Cxx,
        items: link_items(items, &directory),
        directory: directory.into(),
    };
    let path = session.scratch.path().join("cairn-link.o");
    fs::write(&path, elf_section::object_with(LINK_SECTION, &encode(&record)))
        .map_err(|error| super::fail(&format!("cannot write '{}': {error}", path.display())))?;
    Ok(Some(path))
}

/// Returns the items of a link line in `directory`, without the output and the objects that have records.
fn link_items(items: &[Item], directory: &Path) -> Vec<LinkItem> {
    let options = || items.iter().filter_map(|i| if let Item::Opt(opt) = i { Some(opt) } else { None });
    let directories: Vec<&OsStr> = options().filter_map(|opt| opt.value_of("-L")).collect();
    let item = |item: &Item| match item {
        Item::Opt(opt) => option_item(opt, &directories, directory),
        Item::Input(input) => {
            let path = directory.join(input.path());
            let language = input.language().map(OsStr::to_owned);
            let words = language.into_iter().flat_map(|language| ["-x".into(), language]);
            file_item(&path, || LinkItem::File(words.chain([path.clone().into()]).collect()))
        }
    };
    items.iter().filter_map(item).collect()
}

fn option_item(opt: &Opt, directories: &[&OsStr], directory: &Path) -> Option<LinkItem> {
    match opt.role() {
        Role::Output | Role::Lto | Role::Profile | Role::SideFile | Role::Dependencies => return None,
        _ => {}
    }
    let option = || LinkItem::Option(opt.words().cloned().collect());
    match opt.value_of("-l").and_then(|name| library(name, directories)) {
        Some(path) => file_item(&directory.join(path), option),
        None => Some(option()),
    }
}

/// Returns what stands for a file in the record: nothing if all of it has records, `as_it_is` if it has none.
fn file_item(path: &Path, as_it_is: impl FnOnce() -> LinkItem) -> Option<LinkItem> {
    if has_units(path) {
        None
    } else if is_rebuildable_library(path) {
        Some(LinkItem::Library(path.into()))
    } else {
        Some(as_it_is())
    }
}
