//! Escaping of text for other formats.

/// Escapes the text or an attribute of XML and HTML. Characters that XML cannot represent become U+FFFD.
pub(crate) fn xml(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\n' | '\t' => escaped.push(c),
            '\0'..='\x1f' | '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            _ => escaped.push(c),
        }
    }
    escaped
}

/// Escapes JSON for a script element of HTML: nothing in it ends the element, or starts a comment.
pub(crate) fn in_script(json: &str) -> String {
    json.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

/// Escapes a path for a URI.
pub(crate) fn uri(path: &str) -> String {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(byte);
    path.bytes().map(|b| if plain(&b) { (b as char).to_string() } else { format!("%{b:02X}") }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaped_text_cannot_end_its_context() {
        assert_eq!(xml("<a href='\"'>&\u{1}\n"), "&lt;a href=&#39;&quot;&#39;&gt;&amp;\u{fffd}\n");
        let json = serde_json::to_string("</script><!--\u{2028}").unwrap();
        assert_eq!(in_script(&json), "\"\\u003c/script>\\u003c!--\\u2028\"");
        assert_eq!(serde_json::from_str::<String>(&in_script(&json)).unwrap(), "</script><!--\u{2028}");
        assert_eq!(uri("a b/ü#.c"), "a%20b/%C3%BC%23.c");
    }
}
