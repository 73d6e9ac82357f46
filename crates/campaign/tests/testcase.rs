//! Encoding and decoding of tests.

use cairn_campaign::{
    KTest, KTestError, KTestObject, Seeds, TestError, decode_test, encode_test, fit, read_seeds,
};
use cairn_exec::{Input, Object};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

fn input(objects: Vec<Object>) -> Input {
    Input { objects }
}

/// Checks that an input survives encoding and decoding.
fn check_round_trip(objects: Vec<Object>, is_ktest: bool) {
    let original = input(objects);
    let (content, extension) = encode_test(&original, &["./a.out".to_owned()]);
    assert_eq!(extension, if is_ktest { ".ktest" } else { "" });
    let mut blank = original.clone();
    blank.objects.iter_mut().for_each(|object| object.bytes.fill(0));
    assert_eq!(decode_test(Path::new("t"), content, &blank).unwrap(), original);
}

#[test]
fn every_kind_of_input_round_trips() {
    check_round_trip(vec![Object::stdin(*b"hello\0")], false);
    check_round_trip(vec![Object::file("data.bin", [1, 2, 3])], false);
    check_round_trip(vec![], true);
    check_round_trip(vec![Object::arg(1, *b"-v\0")], true);
    check_round_trip(vec![Object::named("x", [0, 0, 0, 7])], true);
    let all = vec![
        Object::stdin([]),
        Object::file("f", *b"KTEST"),
        Object::arg(12, *b"a"),
        Object::arg(123, *b"b"),
        Object::named("x", [1]),
        Object::named("x", [2]),
        Object::named("größe", [3]),
    ];
    check_round_trip(all, true);
}

#[test]
fn a_program_may_name_its_objects_as_it_likes() {
    let names = ["stdin", "arg01", "arg1", "arg", "x-data", "\\", "\\stdin", "-data", "x-stat", "n_args", ""];
    check_round_trip(names.map(|name| Object::named(name, name.as_bytes())).into(), true);
}

#[test]
fn the_format_is_that_of_klee() {
    let object = KTestObject { name: "ab".to_owned(), bytes: vec![9, 8, 7] };
    let test = KTest { args: vec!["prog".to_owned()], objects: vec![object] };
    let expected = [
        b"KTEST".as_slice(),
        &[0, 0, 0, 3],
        &[0, 0, 0, 1, 0, 0, 0, 4],
        b"prog",
        &[0, 0, 0, 0, 0, 0, 0, 0],
        &[0, 0, 0, 1, 0, 0, 0, 2],
        b"ab",
        &[0, 0, 0, 3, 9, 8, 7],
    ]
    .concat();
    assert_eq!(test.encode(), expected);
    assert_eq!(KTest::decode(&expected), Ok(test.clone()));
    // Version 1 had no numbers about symbolic arguments.
    let mut old = expected.clone();
    old[8] = 1;
    old.drain(21..29);
    assert_eq!(KTest::decode(&old), Ok(test));
}

#[test]
fn damaged_tests_are_refused() {
    let (whole, _) = encode_test(&input(vec![Object::named("x", [1, 2])]), &["p".to_owned()]);
    for len in 5..whole.len() {
        assert_eq!(KTest::decode(&whole[..len]), Err(KTestError::Damaged), "cut to {len}");
    }
    let longer = [whole.as_slice(), &[0]].concat();
    assert_eq!(KTest::decode(&longer), Err(KTestError::Damaged));
    assert_eq!(KTest::decode(b"KTES"), Err(KTestError::Magic));
    let mut newer = whole;
    newer[8] = 4;
    assert_eq!(KTest::decode(&newer), Err(KTestError::Version(4)));
}

#[test]
fn raw_bytes_need_exactly_one_stream() {
    let decode = |blank: Vec<Object>| decode_test(Path::new("t"), b"abc".to_vec(), &input(blank));
    let taken = decode(vec![Object::stdin([0; 8]), Object::arg(1, [0; 2])]).unwrap();
    assert_eq!(taken, input(vec![Object::stdin(*b"abc"), Object::arg(1, [0; 2])]));
    for blank in [vec![], vec![Object::arg(1, [])], vec![Object::stdin([]), Object::file("f", [])]] {
        assert!(matches!(decode(blank), Err(TestError::NoPlace { .. })));
    }
}

#[test]
fn bytes_that_begin_like_a_ktest_may_be_raw() {
    let (cut, blank) = (b"KTEST\0\0".to_vec(), input(vec![Object::stdin([])]));
    let raw = decode_test(Path::new("id:000000"), cut.clone(), &blank).unwrap();
    assert_eq!(raw.objects[0].bytes, cut);
    let error = decode_test(Path::new("a.ktest"), cut, &blank).unwrap_err().to_string();
    assert_eq!(error, "cannot use a.ktest as an input: it is a damaged .ktest file");
}

#[test]
fn seeds_are_sorted_by_name() {
    let scratch = TempDir::new().unwrap();
    let blank = input(vec![Object::stdin([0; 4])]);
    assert!(matches!(read_seeds(&[scratch.path().to_owned()], &blank), Err(TestError::NoSeeds { .. })));
    for name in ["b", "a", "c"] {
        fs::write(scratch.path().join(name), name).unwrap();
    }
    fs::write(scratch.path().join(".hidden"), "no").unwrap();
    fs::create_dir(scratch.path().join("directory")).unwrap();
    let (ktest, _) = encode_test(&input(vec![Object::stdin(*b"k"), Object::named("x", [1])]), &[]);
    fs::write(scratch.path().join("d.ktest"), ktest).unwrap();
    let Seeds { inputs: seeds, misfits, .. } = read_seeds(&[scratch.path().to_owned()], &blank).unwrap();
    let firsts: Vec<_> = seeds.iter().map(|seed| seed.objects[0].bytes.as_slice()).collect();
    assert_eq!(firsts, [b"a", b"b", b"c", b"k"]);
    assert_eq!((seeds[3].objects.len(), misfits), (2, 0));
    let other = input(vec![Object::file("f", [0; 4])]);
    fs::remove_file(scratch.path().join("b")).unwrap();
    assert_eq!(read_seeds(&[scratch.path().to_owned()], &other).unwrap().misfits, 1);

    let missing = read_seeds(&[scratch.path().join("missing")], &blank).unwrap_err().to_string();
    assert!(missing.starts_with("cannot read ") && missing.contains("missing"), "{missing}");
}

/// Returns an input with two arguments that are always present, up to two more, and a stream of any length.
fn with_optional_arguments(count: u8) -> Input {
    let arguments = (2..6).map(|index| Object::arg(index, [b'a' + index as u8; 2]));
    let stream = Object::stdin(*b"text").up_to(8);
    let count = Object::arg_count(4, count, 2);
    input([stream].into_iter().chain(arguments).chain([count]).collect())
}

#[test]
fn only_present_arguments_are_written() {
    for count in 0..=2 {
        let original = with_optional_arguments(count);
        let (content, _) = encode_test(&original, &[]);
        let names: Vec<String> =
            KTest::decode(&content).unwrap().objects.into_iter().map(|object| object.name).collect();
        let arguments = names.iter().filter(|name| name.starts_with("arg")).count();
        assert_eq!(arguments, 2 + usize::from(count), "{names:?}");
        let mut blank = with_optional_arguments(2);
        blank.objects.iter_mut().take(5).for_each(|object| object.bytes.fill(0));
        let read = fit(decode_test(Path::new("t"), content, &blank).unwrap(), &blank);
        assert_eq!(read.argc(), original.argc());
        assert_eq!(read.objects[..3 + usize::from(count)], original.objects[..3 + usize::from(count)]);
    }
}

/// KLEE numbers symbolic arguments from 0, adds a NUL to each, and has a `-stat` object for every file.
#[test]
fn tests_of_klee_are_understood() {
    let object = |name: &str, bytes: &[u8]| KTestObject { name: name.to_owned(), bytes: bytes.to_vec() };
    let objects = vec![
        object("n_args", &[3, 0, 0, 0]),
        object("arg00", b"-v\0"),
        object("arg01", b"x\0\0"),
        object("arg02", b"y\0\0"),
        object("stdin", b"longer than eight"),
        object("stdin-stat", &[0; 144]),
        object("model_version", &[1, 0, 0, 0]),
        object("mine", &[7]),
    ];
    let content = KTest { args: vec![], objects }.encode();
    let blank = with_optional_arguments(2);
    let read = fit(decode_test(Path::new("t.ktest"), content, &blank).unwrap(), &blank);
    assert_eq!(read.argc(), Some(5));
    assert_eq!(read.objects[0], Object::stdin(*b"longer than eight").up_to(17));
    assert_eq!((read.objects[1].bytes.as_slice(), read.objects[1].index), (b"-v\0".as_slice(), 2));
    assert_eq!(read.objects.last(), Some(&Object::named("mine", [7])));
    assert_eq!(read.objects.len(), blank.objects.len() + 1);
}

#[test]
fn a_longer_seed_raises_the_limit_and_a_shorter_one_does_not_lower_it() {
    let blank = input(vec![Object::stdin([0; 4]).up_to(4)]);
    for (content, limit) in [("", 4), ("ab", 4), ("abcdef", 6)] {
        let read = decode_test(Path::new("t"), content.into(), &blank).unwrap();
        assert_eq!(read, input(vec![Object::stdin(content).up_to(limit)]));
    }
}
