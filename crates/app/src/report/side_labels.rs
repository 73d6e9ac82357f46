//! Labels of sides and locations of sites, in terms of the source.

use super::negation::is_negated;
use super::source_texts::SourceTexts;
use cairn_program::{Program, Site, SiteId, SiteKind};
use cairn_report::SourceLocation;
use std::collections::HashSet;

/// Most values of a case that are shown; a chosen bound.
const MAX_VALUES: usize = 4;

/// Labels of the sides of a program's sites.
pub struct Labels<'a> {
    program: &'a Program,
    /// Branches whose condition the source negates as a whole: the compiler tests it without the `!`.
    negated: HashSet<SiteId>,
}

impl<'a> Labels<'a> {
    /// Finds the negated conditions in the source.
    pub fn new(program: &'a Program, texts: &SourceTexts) -> Labels<'a> {
        let is_negated = |site: &Site| {
            let source = texts.text_at(&site.file, site.line, site.column);
            site.kind == SiteKind::Branch && source.is_some_and(is_negated)
        };
        let negated = program.sites().filter(|(_, site)| is_negated(site)).map(|(id, _)| id).collect();
        Labels { program, negated }
    }

    /// Returns the label of a side: true, false, default or the values of a case.
    pub fn label(&self, id: SiteId, side: u32) -> String {
        label(self.program.site(id), side, self.negated.contains(&id))
    }
}

fn label(site: &Site, side: u32, is_negated: bool) -> String {
    match site.kind {
        SiteKind::Branch | SiteKind::Select if (side == 1) != is_negated => "true".to_owned(),
        SiteKind::Branch | SiteKind::Select => "false".to_owned(),
        SiteKind::Switch if side as usize + 1 == site.sides.len() => "default".to_owned(),
        SiteKind::Switch => format!("case {}", values(site, &site.sides[side as usize].values)),
        SiteKind::Concretization | SiteKind::UninstrumentedCall | SiteKind::Producer => {
            format!("side {side}")
        }
    }
}

fn values(site: &Site, values: &[u64]) -> String {
    let mut words: Vec<String> =
        values.iter().take(MAX_VALUES).map(|value| number(*value, site.width)).collect();
    words.extend((values.len() > MAX_VALUES).then(|| "…".to_owned()));
    words.join(", ")
}

/// Formats a value as the source most likely has it: a letter, or a signed number.
fn number(value: u64, width: u32) -> String {
    let shift = 64 - width.clamp(1, 64);
    let signed = (value << shift) as i64 >> shift;
    match u8::try_from(signed) {
        Ok(letter) if letter.is_ascii_graphic() && letter != b'\'' => {
            format!("{signed} '{}'", letter as char)
        }
        _ => signed.to_string(),
    }
}

/// Returns the location of a site; none if its line is not known.
pub fn place(program: &Program, site: SiteId) -> Option<SourceLocation> {
    let site = program.site(site);
    (site.line > 0).then(|| SourceLocation { file: site.file.to_string(), line: site.line })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_those_of_the_source() {
        assert_eq!([number(65, 8), number(0xff, 8), number(7, 32)], ["65 'A'", "-1", "7"]);
        assert_eq!(number(u64::MAX, 64), "-1");
    }
}
