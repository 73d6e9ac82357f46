//! Numbers and times as text.

/// Formats a number with commas between its thousands.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats a number with its noun, `one` or `many`.
pub fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(number), if number == 1 { one } else { many })
}

/// Formats a share as a percentage; 0 % of nothing.
pub fn percent(part: f64, whole: f64) -> String {
    format!("{:.0} %", if whole > 0.0 { 100.0 * part / whole } else { 0.0 })
}

/// Formats a duration with the two units that matter: `0.2 s`, `12 s`, `1m01s`, `1h01m`.
pub fn clock(seconds: f64) -> String {
    let whole = seconds as u64;
    match whole {
        0..=9 => format!("{seconds:.1} s"),
        10..=59 => format!("{whole} s"),
        60..=3599 => format!("{}m{:02}s", whole / 60, whole % 60),
        _ => format!("{}h{:02}m", whole / 3600, whole / 60 % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_readable() {
        let numbers = [0, 7, 999, 1000, 1_234_567].map(grouped);
        assert_eq!(numbers, ["0", "7", "999", "1,000", "1,234,567"]);
        let times = [0.25, 12.9, 61.0, 3700.0].map(clock);
        assert_eq!(times, ["0.2 s", "12 s", "1m01s", "1h01m"]);
        assert_eq!([counted(1, "test", "tests"), counted(2, "test", "tests")], ["1 test", "2 tests"]);
    }
}
