//! Test-Comp's exchange format for test suites (version 1.1): `metadata.xml`, and a file per test with the
//! values that `__VERIFIER_nondet_*` returned, in call order.

use cairn_exec::{Input, Object};
use std::fmt::Write;
use std::time::Duration;
use thiserror::Error;

const PREFIX: &str = "__VERIFIER_nondet_";
const XML: &str = r#"<?xml version="1.0" encoding="UTF-8" standalone="no"?>"#;
/// Default coverage goal: every branch.
pub const COVER_BRANCHES: &str = "COVER( init(main()), FQL(COVER EDGES(@DECISIONEDGE)) )";

/// A test with objects that the format cannot express.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("it has {0}, and Test-Comp's format knows nothing but values of __VERIFIER_nondet_*")]
pub struct NoNondet(String);

/// Content of `metadata.xml`.
#[derive(Clone, Copy, Debug)]
pub struct Metadata<'a> {
    /// Tool that made the tests.
    pub producer: &'a str,
    /// Coverage goal, in the competition's notation.
    pub specification: &'a str,
    /// The program's source.
    pub program: &'a str,
    /// Its SHA-256, in hexadecimal.
    pub hash: &'a str,
    /// Time of creation, since 1970.
    pub created: Duration,
}

/// Notation of a value.
#[derive(Clone, Copy)]
enum NumberFormat {
    Signed,
    Unsigned,
    /// The lowest bit.
    Bool,
    Float,
}

/// Returns the C type of `__VERIFIER_nondet_NAME`. A program may not declare names such as `size_t`, so the
/// types they stand for are used.
fn c_type(name: &str) -> Option<(&'static str, NumberFormat)> {
    Some(match name {
        "char" => ("char", NumberFormat::Signed),
        "s8" => ("signed char", NumberFormat::Signed),
        "uchar" | "u8" => ("unsigned char", NumberFormat::Unsigned),
        "short" | "s16" => ("short", NumberFormat::Signed),
        "ushort" | "u16" => ("unsigned short", NumberFormat::Unsigned),
        "int" | "s32" => ("int", NumberFormat::Signed),
        "uint" | "unsigned" | "u32" => ("unsigned int", NumberFormat::Unsigned),
        "long" => ("long", NumberFormat::Signed),
        "ulong" | "size_t" | "sector_t" | "pthread_t" => ("unsigned long", NumberFormat::Unsigned),
        "longlong" | "loff_t" | "s64" => ("long long", NumberFormat::Signed),
        "ulonglong" | "u64" => ("unsigned long long", NumberFormat::Unsigned),
        "int128" => ("__int128", NumberFormat::Signed),
        "uint128" => ("unsigned __int128", NumberFormat::Unsigned),
        "pointer" => ("void *", NumberFormat::Unsigned),
        "pchar" => ("char *", NumberFormat::Unsigned),
        "bool" => ("_Bool", NumberFormat::Bool),
        "float" => ("float", NumberFormat::Float),
        "double" => ("double", NumberFormat::Float),
        _ => return None,
    })
}

/// Returns the content of `metadata.xml`. The order of its elements is fixed.
pub fn metadata(about: &Metadata) -> String {
    let rows = [
        ("sourcecodelang", "C"),
        ("producer", about.producer),
        ("specification", about.specification),
        ("programfile", about.program),
        ("programhash", about.hash),
        ("entryfunction", "main"),
        ("architecture", "64bit"),
        ("creationtime", &date(about.created)),
    ];
    let rows: String =
        rows.iter().map(|(name, value)| format!("  <{name}>{}</{name}>\n", escaped(value))).collect();
    format!("{XML}\n{}<test-metadata>\n{rows}</test-metadata>\n", doctype("test-metadata"))
}

/// Returns the content of a test's file.
pub fn testcase(input: &Input) -> Result<String, NoNondet> {
    let mut text = format!("{XML}\n{}<testcase>\n", doctype("testcase"));
    for object in &input.objects {
        write_values(&mut text, object)?;
    }
    text += "</testcase>\n";
    Ok(text)
}

fn write_values(text: &mut String, object: &Object) -> Result<(), NoNondet> {
    let nondet = object.name.strip_prefix(PREFIX).filter(|_| object.kind.is_named());
    // `__VERIFIER_nondet_memory` is defined as one call per byte.
    let (kind, format, size) = match nondet {
        Some("memory") => ("unsigned char", NumberFormat::Unsigned, 1),
        Some(name) => {
            let (kind, format) = c_type(name).ok_or_else(|| NoNondet(object.description()))?;
            (kind, format, object.bytes.len().max(1))
        }
        None => return Err(NoNondet(object.description())),
    };
    for bytes in object.bytes.chunks(size) {
        let _ = writeln!(text, "  <input type=\"{kind}\">{}</input>", value(bytes, format));
    }
    Ok(())
}

/// Formats a number for C's `scanf`, floats with enough digits to round-trip.
fn value(bytes: &[u8], format: NumberFormat) -> String {
    let mut wide = [0; 16];
    let used = bytes.len().min(wide.len());
    wide[..used].copy_from_slice(&bytes[..used]);
    let unsigned = u128::from_le_bytes(wide);
    let shift = 128 - 8 * used as u32;
    match format {
        NumberFormat::Bool => (unsigned & 1).to_string(),
        NumberFormat::Unsigned => unsigned.to_string(),
        NumberFormat::Signed => {
            (unsigned.checked_shl(shift).unwrap_or(0) as i128 >> shift.min(127)).to_string()
        }
        NumberFormat::Float if used == 4 => format!("{:?}", f32::from_bits(unsigned as u32)),
        NumberFormat::Float => format!("{:?}", f64::from_bits(unsigned as u64)),
    }
}

fn doctype(name: &str) -> String {
    format!(
        "<!DOCTYPE {name} PUBLIC \"+//IDN sosy-lab.org//DTD test-format {name} 1.1//EN\" \
         \"https://sosy-lab.org/test-format/{name}-1.1.dtd\">\n"
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Formats a time as `2026-01-31T12:59:59Z`.
fn date(since_1970: Duration) -> String {
    let (days, seconds) = (since_1970.as_secs() / 86_400, since_1970.as_secs() % 86_400);
    let (mut year, mut day) = (1970, days);
    let is_leap =
        |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let length = |year: u64| 365 + u64::from(is_leap(year));
    while day >= length(year) {
        day -= length(year);
        year += 1;
    }
    let mut month = 0;
    let months = [31, 28 + u64::from(is_leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    while day >= months[month] {
        day -= months[month];
        month += 1;
    }
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{year}-{:02}-{:02}T{hour:02}:{minute:02}:{second:02}Z", month + 1, day + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(name: &str, bytes: &[u8]) -> Vec<String> {
        let object = Object::named(format!("{PREFIX}{name}"), bytes);
        let text = testcase(&Input { objects: vec![object] }).unwrap();
        let is_input = |line: &&str| line.starts_with("  <input");
        text.lines().filter(is_input).map(|line| line.trim().replace("</input>", "")).collect()
    }

    #[test]
    fn every_value_is_formatted_by_its_type() {
        assert_eq!(values("int", &[0xff; 4]), ["<input type=\"int\">-1"]);
        assert_eq!(values("uint", &[0xff; 4]), ["<input type=\"unsigned int\">4294967295"]);
        assert_eq!(values("char", &[0x80]), ["<input type=\"char\">-128"]);
        assert_eq!(values("uchar", &[0x80]), ["<input type=\"unsigned char\">128"]);
        assert_eq!(values("bool", &[0xfe]), ["<input type=\"_Bool\">0"]);
        assert_eq!(
            values("longlong", &i64::MIN.to_le_bytes()),
            ["<input type=\"long long\">-9223372036854775808"]
        );
        assert_eq!(
            values("uint128", &[0xff; 16]),
            ["<input type=\"unsigned __int128\">340282366920938463463374607431768211455"]
        );
        assert_eq!(values("int128", &(-5_i128).to_le_bytes()), ["<input type=\"__int128\">-5"]);
        assert_eq!(values("float", &0.1_f32.to_le_bytes()), ["<input type=\"float\">0.1"]);
        assert_eq!(values("double", &(-1e300_f64).to_le_bytes()), ["<input type=\"double\">-1e300"]);
        assert_eq!(
            values("memory", &[1, 2]),
            ["<input type=\"unsigned char\">1", "<input type=\"unsigned char\">2"]
        );
    }

    #[test]
    fn other_inputs_are_rejected() {
        for object in
            [Object::stdin("x"), Object::named("age", [1]), Object::named("__VERIFIER_nondet_fish", [1])]
        {
            assert!(testcase(&Input { objects: vec![object] }).is_err());
        }
    }

    #[test]
    fn dates_follow_the_calendar() {
        let at = |seconds| date(Duration::from_secs(seconds));
        assert_eq!([at(0), at(951_782_400)], ["1970-01-01T00:00:00Z", "2000-02-29T00:00:00Z"]);
        assert_eq!([at(1_798_761_599), at(4_107_542_400)], ["2026-12-31T23:59:59Z", "2100-03-01T00:00:00Z"]);
    }

    #[test]
    fn names_are_escaped() {
        let text = metadata(&Metadata {
            producer: "Cairn",
            specification: COVER_BRANCHES,
            program: "a<&>.c",
            hash: "00",
            created: Duration::ZERO,
        });
        assert!(text.contains("<programfile>a&lt;&amp;&gt;.c</programfile>"), "{text}");
    }
}
