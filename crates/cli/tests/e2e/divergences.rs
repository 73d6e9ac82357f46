//! Text that library functions make of symbolic values, and faults inside of library functions: runs go where they were
//! predicted to, and what is reported is placed in the user's code.

use crate::common::{Said, build_instrumented, root, run, write_source};
use std::path::Path;

/// Compiles and explores a program over some bytes of standard input.
fn explore(directory: &Path, text: &str, bytes: &str, options: &[&str]) -> Said {
    let (source, program) = (write_source(directory, "program.c", text), directory.join("program"));
    build_instrumented(&source, &program);
    let mut arguments = vec!["run", "--json", "--sym-stdin", bytes, "--out"];
    let (out, program) = (directory.join("out"), program.to_str().unwrap().to_owned());
    arguments.push(out.to_str().unwrap());
    arguments.extend(options);
    arguments.push(&program);
    run(arguments)
}

fn figure<'a>(said: &Said, summary: &'a mut serde_json::Value, name: &str) -> &'a serde_json::Value {
    *summary = serde_json::from_str(&said.stdout).unwrap_or_else(|_| panic!("{said:?}"));
    &summary[name]
}

/// The library writes the text of floats and of wide characters: what the text depends on is concretized, and other values
/// are tried. It was a constant, which no decision depended on, and every path was said to be tried.
#[test]
fn text_that_the_library_formats_is_no_constant() {
    let formats = [
        ("snprintf(text, sizeof text, \"%.1f\", number / 2.0)", "1.5"),
        ("sprintf(text, \"%d%g\", number, (float)number * 0.25)", "30.75"),
        ("sprintf(text, \"%lc\", (wint_t)(L'a' + number))", "d"),
        ("sprintf(text, \"%ls\", (wchar_t[]){L'a' + number, 0})", "d"),
        ("sprintf(text, \"%*.1f\", number + 3, 2.5)", "   2.5"),
    ];
    for (call, expected) in formats {
        let text = format!(
            "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <wchar.h>\n\
             int main(void) {{\n    char text[64];\n    int number = getchar() & 3;\n    {call};\n\
             \x20   if (strcmp(text, \"{expected}\") == 0)\n        abort();\n    return 0;\n}}\n"
        );
        let directory = tempfile::tempdir().unwrap();
        let said = explore(directory.path(), &text, "1", &[]);
        let mut summary = serde_json::Value::Null;
        assert_eq!(*figure(&said, &mut summary, "crashes"), 1, "{call}: {said:?}");
        assert_eq!(*figure(&said, &mut summary, "divergences"), 0, "{call}: {said:?}");
    }
}

/// Formats that the models do not know: the library prints. If that depends on the input, no path is known to its end.
#[test]
fn an_unknown_format_is_no_reason_to_call_a_program_exhausted() {
    for (argument, exhausted) in [("number", false), ("200", true)] {
        let text = format!(
            "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\
             int main(void) {{\n    char text[64];\n    int number = getchar();\n\
             \x20   sprintf(text, \"%2$d %1$d\", {argument}, 7);\n\
             \x20   return strcmp(text, \"7 200\") == 0 && number == 'x';\n}}\n"
        );
        let directory = tempfile::tempdir().unwrap();
        let said = explore(directory.path(), &text, "1", &[]);
        let mut summary = serde_json::Value::Null;
        assert_eq!(*figure(&said, &mut summary, "exhausted"), exhausted, "{argument}: {said:?}");
    }
}

/// A library function that is not followed decides how the run goes on: it is named.
#[test]
fn a_divergence_after_a_foreign_function_is_explained() {
    let directory = tempfile::tempdir().unwrap();
    let text = "\
#include <stdio.h>
#include <stdlib.h>
int main(void) {
    char digit[2] = {(char)getchar(), 0};
    if (a64l(digit) > 10)
        return 1;
    if (digit[0] == 'z')
        return 2;
    return 0;
}
";
    let said = explore(directory.path(), text, "1", &[]);
    let mut summary = serde_json::Value::Null;
    assert_eq!(*figure(&said, &mut summary, "divergences"), 1, "{said:?}");
    assert_eq!(*figure(&said, &mut summary, "divergences_after_losses"), 1, "{said:?}");
    let why = "1 run did not go where predicted, after input was lost in a64l (1);";
    assert!(said.stderr.contains(why), "{said:?}");
    let cause = &figure(&said, &mut summary, "divergence_causes")[0];
    assert_eq!((&cause["after"], &cause["runs"]), (&"a64l".into(), &1.into()), "{said:?}");
    assert!(cause["place"].as_str().unwrap().ends_with("program.c:7:9"), "{said:?}");
}

/// A printer and parser of JSON numbers, and a ring buffer that text drives: programs whose runs used to diverge.
#[test]
fn programs_that_format_what_they_read_do_not_diverge() {
    for name in ["json_round_trip", "ring_buffer"] {
        let directory = tempfile::tempdir().unwrap();
        let text =
            std::fs::read_to_string(root().join("tests/regressions").join(format!("{name}.c"))).unwrap();
        let said = explore(directory.path(), &text, "16", &["--execs", "600", "--time", "20s"]);
        let mut summary = serde_json::Value::Null;
        let executions = figure(&said, &mut summary, "executions").as_u64().unwrap();
        let divergences = figure(&said, &mut summary, "divergences").as_u64().unwrap();
        assert!(executions > 100 && 200 * divergences < executions, "{name}: {said:?}");
    }
}

/// Faults at any depth of a library function's model, of the C library behind it, and of the runtime.
const FAULTS_IN_LIBRARY_FUNCTIONS: &str = "\
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static char *bad;
static int order(const void *a, const void *b) {
    if (*(const char *)a == 'Q')
        abort();
    return *(const char *)a - *(const char *)b;
}
int main(void) {
    unsigned char in[4];
    char text[32] = {0}, word[4] = {0};
    if (read(0, in, 4) < 4)
        return 1;
    memcpy(word, in, 3);
    switch (in[0] & 15) {
    case 1: return (int)strlen(bad);
    case 2: return strtod((char *)16, NULL) > 1;
    case 3: memcpy(bad, in, 4); break;
    case 4: qsort(word, 3, 1, order); break;
    case 5: return atoi((char *)(long)in[1]);
    case 6: return strcmp(word, bad);
    case 7: sprintf(bad, \"%d\", in[1]); break;
    case 8: return sscanf((char *)32, \"%31s\", text);
    case 9: strcpy(bad, word); break;
    case 10: return strstr(word, bad) != 0;
    case 11: return sprintf(text, \"%s\", (char *)(in[1] + 1L));
    case 12: fgets(bad, 4, stdin); break;
    case 13: return (int)strtol(word, (char **)24, 10);
    case 14: strncpy(bad, word, 3); break;
    case 15: return sprintf(bad, \"%.3f\", in[1] / 7.0);
    }
    return 0;
}
";

#[test]
fn a_fault_in_a_library_function_is_placed_in_the_users_code() {
    let directory = tempfile::tempdir().unwrap();
    let said = explore(directory.path(), FAULTS_IN_LIBRARY_FUNCTIONS, "8", &["--time", "30s"]);
    let reports: Vec<serde_json::Value> = std::fs::read_dir(directory.path().join("out/crashes/reports"))
        .unwrap()
        .map(|file| file.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .map(|path| serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap())
        .collect();
    let places: Vec<String> = reports.iter().map(|report| report["place"].to_string()).collect();
    for line in (18..=32).filter(|line| *line != 21).chain([8]) {
        let wanted = format!("\"line\":{line}");
        assert!(places.iter().any(|place| place.contains(&wanted)), "line {line} in {places:#?}: {said:?}");
    }
    let text = format!("{said:?} {reports:?}");
    for own in ["libc/", "crates/runtime", "__cairn", "library/core"] {
        assert!(!text.contains(own), "{own} in {text}");
    }
}

/// Concretized inside of a model: the place is the decision in the user's code before.
#[test]
fn doctor_names_no_line_of_a_model() {
    let directory = tempfile::tempdir().unwrap();
    let text = "\
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
    char text[16], digits[8] = {0};
    int number = getchar();
    if (number < 'a')
        return 1;
    sprintf(text, \"%.2f\", number / 3.0);
    digits[0] = text[0];
    fread(digits + 1, 1, 6, stdin);
    return strtod(digits, NULL) > 2.5e30 || strcmp(text, \"33.00\") == 0;
}
";
    let (source, program) =
        (write_source(directory.path(), "program.c", text), directory.path().join("program"));
    build_instrumented(&source, &program);
    let said = run(["doctor", "--sym-stdin", "8", "--execs", "200", program.to_str().unwrap()]);
    assert!(said.stdout.contains("in a library function: after the decision at "), "{said:?}");
    assert!(said.stdout.contains("program.c:7 ("), "{said:?}");
    assert!(!said.stdout.contains("libc/"), "{said:?}");
}
