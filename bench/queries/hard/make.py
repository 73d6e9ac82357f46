"""Writes the hard queries beside this script: hashes, checksums and random numbers that must come out as given, and
arithmetic that has no solution. Each is a script in SMT-LIB over input bytes, with its status."""

import os
import random

HERE = os.path.dirname(os.path.abspath(__file__))


def hexadecimal(value, width):
    return f"#x{value % 2 ** width:0{width // 4}x}"


class Script:
    """A script under construction; terms are strings, each step gets a name."""

    def __init__(self, name, status, count):
        self.name, self.status, self.lines, self.steps = name, status, [], 0
        self.bytes = [f"b{i}" for i in range(count)]
        self.lines += [f"(declare-const {byte} (_ BitVec 8))" for byte in self.bytes]

    def let(self, term, width):
        self.steps += 1
        name = f"t{self.steps}"
        self.lines.append(f"(define-fun {name} () (_ BitVec {width}) {term})")
        return name

    def word(self, first, count):
        """Bytes as a number, the first one lowest."""
        return self.let("(concat " + " ".join(reversed(self.bytes[first:first + count])) + ")", 8 * count)

    def require(self, condition):
        self.lines.append(f"(assert {condition})")

    def equal(self, term, value, width):
        self.require(f"(= {term} {hexadecimal(value, width)})")

    def printable(self):
        for byte in self.bytes:
            self.require(f"(bvule #x20 {byte})")
            self.require(f"(bvult {byte} #x7f)")

    def write(self):
        with open(os.path.join(HERE, self.name + ".smt2"), "w") as file:
            head = ["(set-logic QF_BV)", f"(set-info :status {self.status})"]
            file.write("\n".join(head + self.lines + ["(check-sat)"]) + "\n")


def xorshift(rounds):
    """Marsaglia's generator of 64 bits."""
    seed = 0x0123456789abcdef
    script = Script(f"xorshift-{rounds}", "sat", 8)
    value, number = script.word(0, 8), seed
    for _ in range(rounds):
        for operation, amount in (("bvshl", 13), ("bvlshr", 7), ("bvshl", 17)):
            value = script.let(f"(bvxor {value} ({operation} {value} {hexadecimal(amount, 64)}))", 64)
            number ^= number << amount if operation == "bvshl" else number >> amount
            number %= 2 ** 64
    script.equal(value, number, 64)
    script.write()


def crc(count, how, printable=False):
    """CRC-32, bit by bit: the lowest bit decides by choice, or by a mask made from it."""
    script = Script(f"crc32-{count}-{how}" + ("-printable" if printable else ""), "sat", count)
    text = random.Random(count).choices(range(0x20, 0x7f), k=count)
    value, number = hexadecimal(0xffffffff, 32), 0xffffffff
    polynomial = 0xedb88320
    for byte, letter in zip(script.bytes, text):
        value = script.let(f"(bvxor {value} ((_ zero_extend 24) {byte}))", 32)
        number ^= letter
        for _ in range(8):
            half = script.let(f"(bvlshr {value} {hexadecimal(1, 32)})", 32)
            bit = f"((_ extract 0 0) {value})"
            if how == "choice":
                term = f"(ite (= {bit} #b1) (bvxor {half} {hexadecimal(polynomial, 32)}) {half})"
            else:
                mask = f"(bvneg (bvand {value} {hexadecimal(1, 32)}))"
                term = f"(bvxor {half} (bvand {mask} {hexadecimal(polynomial, 32)}))"
            value = script.let(term, 32)
            number = number >> 1 ^ (polynomial if number & 1 else 0)
    script.equal(value, number, 32)
    if printable:
        script.printable()
    script.write()


def lfsr(steps):
    """A Galois register of 32 bits."""
    script = Script(f"lfsr-{steps}", "sat", 4)
    value, number = script.word(0, 4), 0xdeadbeef
    for _ in range(steps):
        half = script.let(f"(bvlshr {value} {hexadecimal(1, 32)})", 32)
        bit = f"((_ extract 0 0) {value})"
        value = script.let(f"(ite (= {bit} #b1) (bvxor {half} {hexadecimal(0xa3000000, 32)}) {half})", 32)
        number = number >> 1 ^ (0xa3000000 if number & 1 else 0)
    script.equal(value, number, 32)
    script.write()


def fnv(count, width, printable=False):
    """FNV-1a."""
    basis, prime = {32: (0x811c9dc5, 0x01000193), 64: (0xcbf29ce484222325, 0x100000001b3)}[width]
    script = Script(f"fnv1a-{width}-{count}" + ("-printable" if printable else ""), "sat", count)
    text = random.Random(count).choices(range(0x20, 0x7f), k=count)
    value, number = hexadecimal(basis, width), basis
    for byte, letter in zip(script.bytes, text):
        value = script.let(f"(bvxor {value} ((_ zero_extend {width - 8}) {byte}))", width)
        value = script.let(f"(bvmul {value} {hexadecimal(prime, width)})", width)
        number = (number ^ letter) * prime % 2 ** width
    script.equal(value, number, width)
    if printable:
        script.printable()
    script.write()


def square(width):
    """No square is 3 modulo 7."""
    count = width // 8
    script = Script(f"square-mod-7-{width}", "unsat", count)
    root = script.word(0, count)
    # The root is small enough for its square to fit.
    script.require(f"(bvult {root} {hexadecimal(2 ** (width // 2), width)})")
    number = script.let(f"(bvmul {root} {root})", width)
    script.equal(f"(bvurem {number} {hexadecimal(7, width)})", 3, width)
    script.write()


def factor(width, number, status):
    """Two factors, neither of them 1."""
    half = width // 16
    script = Script(f"factor-{number}", status, 2 * half)
    a, b = (script.let(f"((_ zero_extend {width // 2}) {script.word(i * half, half)})", width) for i in (0, 1))
    script.equal(f"(bvmul {a} {b})", number, width)
    for term in (a, b):
        script.require(f"(bvult {hexadecimal(1, width)} {term})")
    script.write()


def mixed(rounds):
    """A finalizer: shifts, exclusive ors and products by odd numbers (as in MurmurHash3)."""
    script = Script(f"murmur-{rounds}", "sat", 4)
    value, number = script.word(0, 4), 0x12345678
    for i in range(rounds):
        shift, odd = ((16, 0x85ebca6b), (13, 0xc2b2ae35))[i % 2]
        value = script.let(f"(bvxor {value} (bvlshr {value} {hexadecimal(shift, 32)}))", 32)
        value = script.let(f"(bvmul {value} {hexadecimal(odd, 32)})", 32)
        number = (number ^ number >> shift) * odd % 2 ** 32
    script.equal(value, number, 32)
    script.write()


def main():
    xorshift(16)
    xorshift(64)
    crc(8, "choice")
    crc(8, "mask")
    crc(8, "choice", printable=True)
    crc(64, "choice", printable=True)
    crc(64, "choice")
    lfsr(256)
    fnv(4, 32)
    fnv(5, 32, printable=True)
    fnv(8, 32, printable=True)
    fnv(8, 64)
    square(32)
    square(16)
    factor(32, 4293001441, "sat")
    factor(32, 4294967291, "unsat")
    mixed(4)
    mixed(8)


main()
