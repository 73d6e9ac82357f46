//! Random C programs over two bytes of input. Every side of every branch has a probe of its own. Programs are free of
//! undefined behaviour but for faults that every build shows alike: abort, signals, traps, null pointers, division.

mod expressions;
mod gadgets;

use fastrand::Rng;

/// A generated program.
pub struct Program {
    pub text: String,
    /// Macros that choose how the program reads its input.
    pub reader: Reader,
    /// Branches alone on their line with a probe behind each side.
    pub branches: Vec<Branch>,
}

/// A branch and the probes behind its sides.
pub struct Branch {
    pub line: usize,
    pub when_true: usize,
    pub when_false: usize,
}

/// The way in which a program reads its two bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    Read,
    ReadFixedLength,
    Block,
    Character,
    Line,
}

impl Reader {
    const ALL: [Self; 5] = [Self::Read, Self::ReadFixedLength, Self::Block, Self::Character, Self::Line];

    /// Macros that select this reader in the harness.
    pub fn macros(self) -> [String; 4] {
        let define = |name: &str, reader| format!("-D{name}={}", u8::from(self == reader));
        [
            define("FIXED_LENGTH", Self::ReadFixedLength),
            define("BY_BLOCK", Self::Block),
            define("BY_CHARACTER", Self::Character),
            define("BY_LINE", Self::Line),
        ]
    }
}

/// Generates the program of a seed.
pub fn generate(seed: u64) -> Program {
    let mut writer = Writer::new(seed);
    let reader = Reader::ALL[writer.below(5)];
    writer.write_globals();
    gadgets::write_helpers(&mut writer);
    for _ in 0..1 + writer.below(2) {
        writer.write_function();
    }
    writer.write_program();
    Program { text: writer.text, reader, branches: writer.branches }
}

/// A program as far as it is written.
struct Writer {
    rng: Rng,
    text: String,
    line: usize,
    indent: usize,
    probes: usize,
    places: usize,
    names: usize,
    branches: Vec<Branch>,
    /// Variables that an expression may read here.
    readable: Vec<String>,
    /// Variables that a statement may assign here.
    assignable: Vec<String>,
    functions: usize,
    /// Statements that may still be written.
    budget: usize,
    loops: usize,
    in_function: bool,
}

/// Types of the scalar variables.
const TYPES: [&str; 8] = ["i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64"];

impl Writer {
    fn new(seed: u64) -> Self {
        Self {
            rng: Rng::with_seed(seed),
            text: String::new(),
            line: 0,
            indent: 0,
            probes: 0,
            places: 0,
            names: 0,
            branches: Vec::new(),
            readable: Vec::new(),
            assignable: Vec::new(),
            functions: 0,
            budget: 0,
            loops: 0,
            in_function: false,
        }
    }

    fn below(&mut self, limit: usize) -> usize {
        self.rng.usize(..limit)
    }

    fn pick<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len())]
    }

    fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// Writes one line; returns its number within the program's own text.
    fn emit(&mut self, line: &str) -> usize {
        if line.starts_with('}') {
            self.indent -= 1;
        }
        self.text += &"    ".repeat(self.indent);
        self.text += line;
        self.text.push('\n');
        self.line += 1;
        if line.ends_with('{') {
            self.indent += 1;
        }
        self.line
    }

    /// Number of a new probe.
    fn new_probe(&mut self) -> usize {
        self.probes += 1;
        self.probes
    }

    fn emit_probe(&mut self) -> usize {
        let probe = self.new_probe();
        self.emit(&format!("probe({probe});"));
        probe
    }

    fn new_name(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    /// Writes the static state and the function that restores it before each run.
    fn write_globals(&mut self) {
        let bytes: Vec<String> = (0..16).map(|_| self.rng.u8(..).to_string()).collect();
        self.emit(&format!("static const u8 table[16] = {{{}}};", bytes.join(", ")));
        let numbers: Vec<String> = (0..8).map(|_| self.rng.i16(..).to_string()).collect();
        self.emit(&format!("static const int first_values[8] = {{{}}};", numbers.join(", ")));
        self.emit("static int cells[8], g0, g1, g2;");
        self.emit(
            "static struct { u8 tag; i16 number; u32 low : 3, middle : 7; i32 high : 5; u64 wide; } record;",
        );
        self.emit("static union { u32 word; u8 bytes[4]; i16 halves[2]; float real; } both;");
        self.emit("static char text[24];");
        self.emit("static jmp_buf back;");
        self.emit("static void reset(void) {");
        self.emit("memcpy(cells, first_values, sizeof cells);");
        let state = [self.rng.i8(..), self.rng.i8(..), self.rng.i8(..)];
        self.emit(&format!("g0 = {}, g1 = {}, g2 = {};", state[0], state[1], state[2]));
        self.emit("memset(&record, 0, sizeof record);");
        self.emit("memset(&both, 0, sizeof both);");
        self.emit("memset(text, 0, sizeof text);");
        self.emit("}");
    }

    /// Writes `int fN(int a, int b)`, which may call those before it.
    fn write_function(&mut self) {
        self.emit(&format!("static int f{}(int a, int b) {{", self.functions));
        self.begin_scope(&["a", "b", "g0", "g1"], &["a", "b", "g0", "g1"]);
        self.in_function = true;
        self.budget = 2 + self.below(4);
        self.write_block(1);
        let result = self.expression(2);
        self.emit(&format!("return (int)({result});"));
        self.emit("}");
        self.functions += 1;
    }

    fn write_program(&mut self) {
        self.emit("static void program(void) {");
        self.begin_scope(&["g0", "g1", "g2", "len"], &["g0", "g1", "g2"]);
        self.in_function = false;
        self.write_locals();
        if self.one_in(2) {
            let probe = self.new_probe();
            self.emit("if (len < 2) {");
            self.emit(&format!("probe({probe});"));
            self.emit("leave(2);");
            self.emit("}");
            self.emit_probe();
        }
        self.budget = 12 + self.below(16);
        while self.budget > 0 {
            self.write_statement(0);
        }
        self.emit("}");
    }

    fn begin_scope(&mut self, readable: &[&str], assignable: &[&str]) {
        self.readable = readable.iter().map(ToString::to_string).collect();
        self.assignable = assignable.iter().map(ToString::to_string).collect();
    }

    fn write_locals(&mut self) {
        for _ in 0..2 + self.below(3) {
            let (ty, name) = (self.pick(&TYPES), self.new_name("v"));
            let value = self.expression(1);
            self.emit(&format!("{ty} {name} = ({ty})({value});"));
            self.readable.push(name.clone());
            self.assignable.push(name);
        }
    }

    /// Writes up to three statements; variables declared for them end with the block.
    fn write_block(&mut self, depth: usize) {
        for _ in 0..1 + self.below(3) {
            if self.budget > 0 {
                self.write_statement(depth);
            }
        }
    }

    fn write_statement(&mut self, depth: usize) {
        self.budget = self.budget.saturating_sub(1);
        match self.below(if depth < 3 { 16 } else { 7 }) {
            0..3 => self.write_assignment(),
            3..7 => gadgets::write_gadget(self),
            7..11 => self.write_if(depth),
            11..13 => self.write_switch(depth),
            13 => self.write_goto(depth),
            _ => self.write_loop(depth),
        }
    }

    fn write_assignment(&mut self) {
        let value = self.expression(3);
        let chosen = self.below(self.assignable.len());
        let variable = self.assignable[chosen].clone();
        let text = match self.below(9) {
            0 => format!("{variable} += {value};"),
            1 => format!("{variable} ^= {value};"),
            2 => format!("record.low = (u32)({value}), record.middle += 3;"),
            3 => format!("record.high = (i32)({value});"),
            4 => format!("both.bytes[{}] = (u8)({value});", self.below(4)),
            5 => format!("cells[({value}) & 7] = {};", self.expression(1)),
            _ => format!("{variable} = {value};"),
        };
        self.emit(&text);
    }

    /// Writes an `if`; one with a simple condition is noted as a branch.
    fn write_if(&mut self, depth: usize) {
        let is_simple = self.one_in(2);
        let condition = if is_simple { self.comparison() } else { self.condition(2) };
        let line = self.emit(&format!("if ({condition}) {{"));
        let when_true = self.emit_probe();
        self.write_block(depth + 1);
        if self.one_in(12) {
            self.write_exit();
        }
        self.emit("} else {");
        let when_false = self.emit_probe();
        if self.one_in(2) {
            self.write_block(depth + 1);
        }
        self.emit("}");
        if is_simple {
            self.branches.push(Branch { line, when_true, when_false });
        }
    }

    /// Ends the run, the loop or the function.
    fn write_exit(&mut self) {
        let code = 3 + self.below(5);
        let text = match self.below(4) {
            0 if self.loops > 0 => "break;".to_owned(),
            1 if self.in_function => format!("return {code};"),
            2 if !self.in_function => "return;".to_owned(),
            _ => format!("leave({code});"),
        };
        self.emit(&text);
    }

    fn write_switch(&mut self, depth: usize) {
        let mask = [3, 7, 255][self.below(3)];
        let value = self.expression(2);
        self.emit(&format!("switch (({value}) & {mask}) {{"));
        let mut cases: Vec<usize> = (0..2 + self.below(4)).map(|_| self.below(mask + 2)).collect();
        cases.sort_unstable();
        cases.dedup();
        self.rng.shuffle(&mut cases);
        let default = self.below(cases.len() + 2);
        for (position, case) in cases.iter().enumerate() {
            if position == default {
                self.write_case("default", depth);
            }
            self.write_case(&format!("case {case}"), depth);
        }
        if default >= cases.len() {
            self.write_case("default", depth);
        }
        self.emit("}");
    }

    /// Writes a case; one in three falls through to the next.
    fn write_case(&mut self, label: &str, depth: usize) {
        self.emit(&format!("{label}: {{"));
        self.emit_probe();
        if self.one_in(3) {
            // `break` would end the switch, which is as good as any loop.
            self.write_block(depth + 1);
        }
        if !self.one_in(3) {
            self.emit("break;");
        }
        self.emit("}");
    }

    /// Writes a forward jump over a few statements.
    fn write_goto(&mut self, depth: usize) {
        let (condition, label) = (self.condition(1), self.new_name("over"));
        self.emit(&format!("if ({condition}) {{"));
        self.emit_probe();
        self.emit(&format!("goto {label};"));
        self.emit("}");
        self.emit_probe();
        self.write_block(depth + 1);
        self.emit(&format!("{label}:;"));
        self.emit_probe();
    }

    /// Writes a loop of at most a few rounds, often as many as the input says.
    fn write_loop(&mut self, depth: usize) {
        let (counter, bound) = (self.new_name("round"), self.expression(2));
        let mask = [1, 3, 3, 7][self.below(4)];
        let step = 1 + self.below(2);
        match self.below(3) {
            0 => {
                self.emit(&format!(
                    "for (int {counter} = 0; {counter} < (int)(({bound}) & {mask}); {counter} += {step}) {{"
                ));
                self.write_rounds(&counter, depth);
                self.emit("}");
            }
            1 => {
                self.emit(&format!("int {counter} = (int)(({bound}) & {mask});"));
                self.emit(&format!("while ({counter}-- > 0) {{"));
                self.write_rounds(&counter, depth);
                self.emit("}");
            }
            _ => {
                let condition = self.condition(1);
                self.emit(&format!("int {counter} = 0;"));
                self.emit("do {");
                self.write_rounds(&counter, depth);
                self.emit(&format!("}} while (++{counter} < {} && ({condition}));", mask + 1));
            }
        }
        self.emit_probe();
    }

    fn write_rounds(&mut self, counter: &str, depth: usize) {
        self.emit_probe();
        self.readable.push(counter.to_owned());
        self.loops += 1;
        if self.one_in(3) {
            let (condition, way) = (self.comparison(), self.pick(&["break;", "continue;"]));
            let line = self.emit(&format!("if ({condition}) {{"));
            let when_true = self.emit_probe();
            self.emit(way);
            self.emit("}");
            let when_false = self.emit_probe();
            self.branches.push(Branch { line, when_true, when_false });
        }
        self.write_block(depth + 1);
        self.loops -= 1;
        self.readable.retain(|name| name != counter);
    }
}
