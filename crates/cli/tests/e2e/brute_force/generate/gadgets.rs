//! Statements about one feature of the language or the library each.

use super::Writer;

/// Functions that gadgets call.
pub fn write_helpers(w: &mut Writer) {
    write_variadic(w);
    write_recursive(w);
    write_thrower(w);
    write_order(w);
    for operator in ["+", "^"] {
        let name = w.new_name("pointed");
        w.emit(&format!("static int {name}(int a, int b) {{ return a {operator} b; }}"));
    }
    w.emit(&format!(
        "static int (*const pointers[2])(int, int) = {{pointed{}, pointed{}}};",
        w.names - 1,
        w.names
    ));
}

fn write_variadic(w: &mut Writer) {
    w.emit("static int sum(int count, ...) {");
    w.emit("va_list list;");
    w.emit("int total = 0;");
    w.emit("va_start(list, count);");
    w.emit("for (int i = 0; i < count; i++)");
    w.emit("    total += i == 1 ? (int)va_arg(list, double) : va_arg(list, int);");
    w.emit("va_end(list);");
    w.emit("return total;");
    w.emit("}");
}

fn write_recursive(w: &mut Writer) {
    w.emit("static int descend(int depth, int x) {");
    w.emit("if (depth <= 0) {");
    w.emit_probe();
    w.emit("return x;");
    w.emit("}");
    w.emit("if (x & 4) {");
    w.emit_probe();
    w.emit("return descend(depth - 1, x * 3 + 1);");
    w.emit("}");
    w.emit_probe();
    w.emit("return descend(depth - 2, x >> 1);");
    w.emit("}");
}

fn write_thrower(w: &mut Writer) {
    let limit = w.rng.u8(..);
    w.emit("static int throw_or_return(int x) {");
    w.emit(&format!("if ((u8)x > {limit}) {{"));
    w.emit_probe();
    w.emit("longjmp(back, 3);");
    w.emit("}");
    w.emit_probe();
    w.emit("return x + 1;");
    w.emit("}");
}

fn write_order(w: &mut Writer) {
    w.emit("static int order(const void *a, const void *b) {");
    w.emit("int x = *(const int *)a, y = *(const int *)b;");
    w.emit("return (x > y) - (x < y);");
    w.emit("}");
}

/// Writes one gadget and probes behind the sides of its branch.
pub fn write_gadget(w: &mut Writer) {
    w.emit("{");
    match w.below(20) {
        0 => pointer(w),
        1 => function_pointer(w),
        2 => variadic_call(w),
        3 => recursion(w),
        4 => jump(w),
        5 => sort(w),
        6 => heap(w),
        7 => copy(w),
        8..12 => text(w),
        12 => number_in_text(w),
        13 => printed(w),
        14 => division(w),
        15 => null_pointer(w),
        16 => fault(w),
        17..19 => printed(w),
        _ => union_float(w),
    }
    w.emit("}");
}

/// Writes an `if` on a condition with a probe behind each side.
fn branch_on(w: &mut Writer, condition: &str) {
    w.emit(&format!("if ({condition}) {{"));
    w.emit_probe();
    w.emit("g1 += 7;");
    w.emit("} else {");
    w.emit_probe();
    w.emit("}");
}

fn pointer(w: &mut Writer) {
    let (index, value) = (w.expression(2), w.expression(1));
    w.emit(&format!("int *p = cells + (({index}) & 7);"));
    w.emit(&format!("*p ^= (int)({value});"));
    let bound = w.below(8).to_string();
    branch_on(w, &format!("p - cells > {bound}"));
}

fn function_pointer(w: &mut Writer) {
    let (which, a, b) = (w.expression(1), w.expression(1), w.expression(1));
    w.emit(&format!("g0 = pointers[({which}) & 1]((int)({a}), (int)({b}));"));
}

fn variadic_call(w: &mut Writer) {
    let (a, b, c) = (w.expression(1), w.expression(1), w.expression(1));
    w.emit(&format!("g2 = sum(3, (int)({a}), (double)(i8)({b}), (int)({c}));"));
}

fn recursion(w: &mut Writer) {
    let (depth, x) = (w.expression(1), w.expression(1));
    w.emit(&format!("g1 ^= descend((int)(({depth}) & 3), (int)({x}));"));
}

fn jump(w: &mut Writer) {
    let x = w.expression(2);
    w.emit("int code = setjmp(back);");
    w.emit("if (code == 0) {");
    w.emit_probe();
    w.emit(&format!("g0 = throw_or_return((int)({x}));"));
    w.emit("} else {");
    w.emit_probe();
    w.emit("g0 = code;");
    w.emit("}");
}

fn sort(w: &mut Writer) {
    let (a, b, c) = (w.expression(1), w.expression(1), w.expression(1));
    w.emit(&format!("int items[3] = {{(int)({a}), (int)({b}), (int)({c})}};"));
    w.emit("qsort(items, 3, sizeof *items, order);");
    let limit = w.rng.i8(..).to_string();
    branch_on(w, &format!("items[1] > {limit}"));
}

fn heap(w: &mut Writer) {
    let (size, index, value) = (w.expression(1), w.expression(1), w.expression(1));
    w.emit(&format!("u32 size = ((u32)({size}) & 3) + 1;"));
    w.emit("u8 *block = malloc(size);");
    w.emit("memset(block, 1, size);");
    w.emit(&format!("block[(u32)({index}) % size] = (u8)({value});"));
    let limit = w.rng.u8(..).to_string();
    branch_on(w, &format!("block[size - 1] > {limit}"));
    w.emit("free(block);");
}

fn copy(w: &mut Writer) {
    let (size, function) =
        (w.expression(1), w.pick(&["memmove(text + 1, text,", "memcpy(text + 8, in,", "memset(text, 'x',"]));
    w.emit("memcpy(text, in, 2);");
    w.emit(&format!("{function} ({size}) & 3);"));
    let (index, limit) = (w.below(12), w.below(128));
    branch_on(w, &format!("text[{index}] > {limit}"));
}

fn text(w: &mut Writer) {
    w.emit("char word[4] = {(char)in[0], (char)in[1], 0, 0};");
    let letter = (b'a' + w.rng.u8(..26)) as char;
    let condition = match w.below(9) {
        0 => format!("strcmp(word, \"{letter}k\") == 0"),
        1 => format!("strcmp(word, \"{letter}\") < 0"),
        2 => format!("memcmp(word, \"{letter}q\", 2) >= 0"),
        3 => format!("strchr(word, '{letter}') != NULL"),
        4 => "strlen(word) == 1".to_owned(),
        5 => format!("strncasecmp(word, \"{letter}B\", 2) == 0"),
        6 => format!("strstr(\"xa{letter}by\", word) != NULL"),
        7 => format!("strspn(word, \"ab{letter}\") == 2"),
        _ => "strcspn(word, \" ;\\n\") == 1".to_owned(),
    };
    branch_on(w, &condition);
}

fn number_in_text(w: &mut Writer) {
    w.emit("char digits[4] = {(char)in[0], (char)in[1], 0, 0};");
    let number = w.below(100);
    let condition = match w.below(5) {
        0 => format!("atoi(digits) == {number}"),
        1 => format!("strtol(digits, NULL, 16) == {number}"),
        2 => format!("strtol(digits, NULL, 0) < {number}"),
        3 => format!("strtod(digits, NULL) > {number}.5"),
        _ => "({ char *end; strtoul(digits, &end, 8); end - digits; }) == 1".to_owned(),
    };
    branch_on(w, &condition);
}

fn printed(w: &mut Writer) {
    let value = w.expression(1);
    let (format, argument) = match w.below(7) {
        0 => ("%d", format!("(i8)({value})")),
        1 => ("%x", format!("(u8)({value})")),
        2 => ("%c!", format!("(u8)({value})")),
        3 => ("%03u", format!("(u8)({value})")),
        4 => ("%s:%d", format!("(({value}) & 1) ? \"odd\" : \"even\", len")),
        5 => ("%.1f", format!("(double)(({value}) & 15) * 0.5")),
        _ => ("%g", format!("(double)(i8)({value}) / 4")),
    };
    w.emit(&format!("int length = snprintf(text, sizeof text, \"{format}\", {argument});"));
    let condition = match w.below(4) {
        0 => format!("length == {}", 2 + w.below(3)),
        1 => format!("text[0] == '{}'", w.below(10)),
        2 => "text[2] == '5'".to_owned(),
        _ => format!("strcmp(text, \"{}\") > 0", w.below(256)),
    };
    branch_on(w, &condition);
}

fn division(w: &mut Writer) {
    let (a, b) = (w.expression(2), w.expression(2));
    let operator = w.pick(&["/", "%"]);
    let ty = w.pick(&["i32", "u32", "i64", "u8"]);
    // Without `volatile` a divisor that is always zero is undefined behaviour the optimiser sees, and no trap.
    w.emit(&format!("{ty} dividend = ({ty})({a});"));
    w.emit(&format!("volatile {ty} divisor = ({ty})({b});"));
    w.emit(&format!("g2 = (int)(dividend {operator} divisor);"));
}

fn null_pointer(w: &mut Writer) {
    let condition = w.comparison();
    w.emit(&format!("int *volatile maybe = ({condition}) ? NULL : &g0;"));
    w.emit("g1 = *(volatile int *)maybe;");
}

fn fault(w: &mut Writer) {
    let condition = w.condition(1);
    w.places += 1;
    let place = w.places;
    let fault = w.pick(&[
        "abort()",
        "__builtin_trap()",
        "raise(SIGSEGV)",
        "raise(SIGABRT)",
        "*(volatile int *)0 = 1",
    ]);
    w.emit(&format!("if ({condition}) {{"));
    w.emit_probe();
    w.emit(&format!("FAULT({place}, {fault});"));
    w.emit("}");
    w.emit_probe();
}

fn union_float(w: &mut Writer) {
    let value = w.expression(1);
    w.emit(&format!("both.real = (float)(i16)({value}) * 0.5f;"));
    let shift = w.below(24).to_string();
    branch_on(w, &format!("(both.word >> {shift} & 1) == 1"));
}
