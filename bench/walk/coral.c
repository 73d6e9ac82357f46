/*
 * coral: 84 conjunctions over the functions of the mathematical library. `coral N` runs number N.
 *
 * Every one is an `if` whose conjuncts are evaluated from left to right; the body is what is to be reached.
 * The 19 that the authors of Concolic Walk left out (most for their logarithms) are among them.
 */
#include "formula.h"

#include <math.h>

#define FORMULA(number, inputs, condition) \
    static int coral_##number(void)        \
    {                                      \
        inputs                             \
        if (condition)                     \
            return REACHED;                \
        return MISSED;                     \
    }

/* clang-format off */

FORMULA(1, D(x) D(y),
    sin(x) + cos(y) > 1)
FORMULA(2, D(x) D(y),
    sin(x) - cos(y) < 1e-10)
FORMULA(3, D(x) D(y),
    sin(x) - cos(y) == 0)
FORMULA(4, D(x),
    exp(x) > 0)
FORMULA(5, D(x) D(y) D(z),
    sin(x) + sin(y) + sin(z) == 4 * cos(x) * cos(y) * cos(z))
FORMULA(6, D(x) D(y) D(z),
    cos(x) + cos(y) + cos(z) > 4 * sin(x / 2) * sin(y / 2) * sin(z / 2))
FORMULA(7, D(x) D(y) D(z) D(w),
    sin(2 * x - y) / (cos(2 * y + y) + 1) == cos(2 * z + x) / (sin(2 * w + y) - 1))
FORMULA(8, D(x) D(y) D(z),
    cos(3 * x + 2 * y - z) * sin(z + x + y) == cos(z * x * y))
FORMULA(9, D(x) D(y),
    sin(cos(x * y)) < cos(sin(x * y)))
FORMULA(10, D(x) D(y) D(z),
    sin(x * cos(y * sin(z))) > cos(x * sin(y * cos(z))))
FORMULA(11, D(x) D(y) D(z) D(w),
    asin(x) < cos(y) * cos(z) - atan(w))
FORMULA(12, D(x) D(y) D(z) D(w),
    asin(x) * asin(y) - 1 < atan(z) * atan(w))
FORMULA(13, D(x) D(y) D(z) D(w),
    sin(y) * asin(x) < cos(y) * cos(z) - atan(w))
FORMULA(14, D(x) D(y) D(z) D(w),
    sin(y) * asin(x) - 300 < cos(y) * cos(z) - atan(w))
FORMULA(15, D(x) D(y) D(z) D(w),
    asin(1) * asin(cos(9 * 57)) - 1 < atan(0) * atan(0))
FORMULA(16, D(x) D(y) D(z) D(w) D(v),
    tan(w - x) * cos(sin(w / v)) - atan(y + 20 + z) + asin(y - 15)
        < sin(w * w) * cos(x * w * v) - tan(cos(x * w * x)) + sin(w))
FORMULA(17, D(x),
    asin(x) * acos(x) < atan(x))
FORMULA(18, D(x),
    1 + acos(x) < asin(x))
FORMULA(19, D(x) D(y) D(z),
    3 * acos(x) < atan(y) + asin(z))
FORMULA(20, D(x) D(y),
    sin(sin(x * y)) < 0 && cos(2 * x) > 0.25)
FORMULA(21, D(x) D(y),
    cos(x * y) < 0 && sin(2 * x) > 0.25)
FORMULA(22, D(x) D(y) D(z) D(w) D(v) D(t) D(q),
    sin(cos(x * y)) < cos(sin(y * z))
    && sin(w * 2 - y) / (cos(t * 2 + q) + 1) == cos(z * 2 + x) / (sin(w * 2 + v) + 1))
FORMULA(23, D(x) D(y) D(z) D(w),
    sin(2 * x - y) / (cos(2 * y + x) + 1) == cos(2 * z + x) / (sin(2 * w + y) - 1)
    && sin(x * y * z * w) > 0 && cos(x * y * z * w) < 0)
FORMULA(25, D(x) D(y) D(z) D(w) D(v),
    sin(cos(x * y)) < cos(sin(x * z))
    && sin(2 * w - y) / (cos(2 * y + v) + 1) == cos(2 * z + x) / (sin(2 * w + v) - 1))
FORMULA(26, D(x) D(y) D(z) D(w) D(v),
    sin(cos(x * y)) < cos(sin(x * z))
    && sin(2 * w - y) / (cos(2 * y + v) + 1) == cos(2 * z + x) / (sin(2 * w + v) - 1)
    && sin(x * y * z * w) > 0 && cos(x * y * z * w) < 0)
FORMULA(27, D(x) D(y) D(z),
    sin(x * cos(y * sin(z))) > cos(x * sin(y * cos(z))) && sin(cos(x * y)) < cos(sin(x * y)))
FORMULA(28, D(x),
    log(x) == 2)
FORMULA(29, D(x),
    exp(x) > 5)
FORMULA(30, D(x),
    log10(x) == 2)
FORMULA(31, D(x),
    round(x) > 5)
FORMULA(32, D(x),
    sqrt(x) > 5)
FORMULA(33, D(x),
    sqrt(sin(x)) > sqrt(cos(x)))
FORMULA(34, D(x),
    sqrt(sin(x)) < sqrt(cos(x)))
FORMULA(35, D(x) D(y),
    1 / sqrt(sin(x)) > sqrt(cos(exp(y))))
FORMULA(36, D(x) D(y) D(z),
    log10(z) * (1 / sqrt(sin(x))) == sqrt(cos(exp(y))))
FORMULA(37, D(x) D(y) D(z),
    log10(tan(z)) * (1 / sqrt(sin(x))) == sqrt(cos(exp(y))))
FORMULA(38, D(x) D(y),
    atan2(x, y) == 1)
FORMULA(39, D(x) D(y),
    pow(x, y) == 1)
FORMULA(40, D(x) D(y),
    pow(x, 2) == x + y)
FORMULA(41, D(x) D(y),
    pow(x, 2) == x + y && x >= -1 && y <= 2)
FORMULA(42, D(x) D(y),
    pow(x, y) > pow(y, x) && x > 1 && y <= 10)
FORMULA(43, D(x) D(y),
    pow(x, y) > pow(y, x) && exp(y) > exp(x) && y < pow(x, 2))
FORMULA(44, D(x) D(y),
    pow(x, y) > pow(y, x) && exp(y) < exp(x))
FORMULA(45, D(x) D(y) D(z),
    sqrt(exp(x + y)) < pow(z, x) && x > 0 && y > 1 && z > 1 && y <= x + 2)
FORMULA(46, D(x) D(y) D(z) D(w),
    sqrt(pow(M_E, x + z)) < pow(z, x) && x > 0 && y > 1 && z > 1 && y < 1 && y < x + 2 && w == x + 2)
FORMULA(47, D(x) D(y) D(z),
    exp(x + y) == exp(z))
FORMULA(48, D(x) D(y) D(z),
    x + y != z)
FORMULA(49, D(x) D(y),
    pow(x, 2) + 3 * sqrt(y) < x * y && x < pow(y, 2) && x + y < 50)
FORMULA(50, D(x) D(y),
    pow(x, 2) + 3 * sqrt(y) < x * y && x < pow(y, 2) && x + y < 50 && x == -13 + y)
FORMULA(51, D(x) D(y),
    pow(x, 2) + 3 * sqrt(y) < x * y && x < pow(y, 2) && x + y < 50 && pow(x, x) < log10(y))
FORMULA(52, D(x) D(y) D(z),
    pow(x, tan(y)) + z < x * atan(z) && sin(y) + cos(y) + tan(y) >= x - z)
FORMULA(53, D(x) D(y) D(z),
    pow(x, tan(y)) + z < x * atan(z) && sin(y) + cos(y) + tan(y) >= x - z && atan(x) + atan(y) > y)
FORMULA(54, D(x) D(y) D(z),
    pow(x, tan(y)) + z < x * atan(z) && sin(y) + cos(y) + tan(y) >= x - z && atan(x) + atan(y) > y
    && log(pow(x, tan(y))) < log(z))
FORMULA(55, D(x) D(y) D(z),
    pow(x, tan(y)) + z < x * atan(z) && sin(y) + cos(y) + tan(y) >= x - z && atan(x) + atan(y) > y
    && log(pow(x, tan(y))) < log(z) && sqrt(y + z) > sqrt(pow(x, x - y)))
FORMULA(56, D(x) D(y) D(z) D(w) D(t),
    x * y + atan(z) * sin(w * t) > x / y + z + tan(w + t))
FORMULA(57, D(x) D(y) D(z) D(w) D(t),
    x * y + atan(z) * sin(w * t) > x / y + z + tan(w + t)
    && pow(log10(x), log10(y)) <= pow(log10(z + w + t), tan(w * t)))
FORMULA(58, D(x) D(y) D(z) D(w) D(t),
    x * y + atan(z) * sin(w * t) > x / y + z + tan(w + t)
    && pow(log10(x), log10(y)) <= pow(log10(z + w + t), tan(w * t))
    && tan(w * (x + y)) + sin(t * (y + z)) > asin(x + y + z) + acos(x + y + z) + atan(x + y + z))
FORMULA(59, D(x) D(y) D(z) D(w) D(t),
    x * y + atan(z) * sin(w * t) > x / y + z + tan(w + t)
    && pow(log10(x), log10(y)) <= pow(log10(z + w + t), tan(w * t))
    && tan(w * (x + y)) + sin(t * (y + z)) > asin(x + y + z) + acos(x + y + z) + atan(x + y + z)
    && w == t * 3 / 4)
FORMULA(60, D(x) D(y) D(z) D(w) D(t),
    x * y + atan(z) * sin(w * t) > x / y + z + tan(w + t)
    && pow(log10(x), log10(y)) <= pow(log10(z + w + t), tan(w * t))
    && tan(w * (x + y)) + sin(t * (y + z)) > asin(x + y + z) + acos(x + y + z) + atan(x + y + z)
    && w == t * 3 / 4 && x < 2 * y - 3 * z)
FORMULA(61, D(x) D(y) D(z) D(w),
    x + y > z / w && sqrt(x) > z / y && z * 2 + w * 3 + x * 7 < pow(y, 6) && z + w > x + y && w < x / y)
FORMULA(62, D(x) D(y) D(z) D(w),
    x + y > z / w && sqrt(x) > z / y && z * 2 + w * 3 + x * 7 < pow(y, 6) && z + w > x + y && w < x / y
    && x > w + y - z)
FORMULA(63, D(x) D(y) D(z) D(w) D(t),
    x + y > z / w && sqrt(x) > z / y && log(x * y) > log(t + w + z) && z * 2 + w * 3 + x * 7 < pow(y, 6)
    && z + w > x + y && w < x / y && x > w + y - z && log10(t * x) < sqrt(w * y * z))
FORMULA(64, D(x) D(y) D(z) D(w) D(t),
    x + y > z / (w + t) && sqrt(x) > z / y && log(x * y) > log(t + w + z) && z * 2 + w * 3 + x * 7 < pow(y, t)
    && z + w > x + y && w < x / y && x > w + y - z && log10(t * x) < sqrt(w * y * z)
    && x * (t + y) > log(w * z * 3))
FORMULA(65, D(x) D(y) D(z) D(w) D(t),
    x + y > z / (w + t) && sqrt(x) > z / y && log(x * y) > log(t + w + z) && z * 2 + w * 3 + x * 7 < pow(y, t)
    && z + w > x + y && w < x / y && x > w + y - z && log10(t * x) < sqrt(w * y * z)
    && x * cos(t + y) > log(w * z * 3))
FORMULA(66, D(x) D(y) D(z) D(w) D(t),
    x + y > (z + t) / (w + t) && sqrt(x) > z / y && log(x * y) > log(t + w + z)
    && z * 2 + w * 3 + x * 7 < pow(y, t) && z + w > x + y && w < x / y && x > w + y - z
    && log10(t * x) < sqrt(w * y * z) && x * cos(t + y) > log(w * z * 3) && cos(t) > cos(y))

/* 67 and 68 are the same in the original, too. */
#define FORMULA_67                                                                                          \
    x - y + tan(v) > (z + t) / (w + t) && sqrt(x - t) > z / y && log(x * y) > log(t + w + z)                \
    && z * 2 + w * 3 + x * 7 < pow(y, t) * cos(v) && z + w > x + y && w < x / y && x > w + y - z            \
    && log10(t * x) < sqrt(w * y * z) && x * cos(t + y) > log(w * z * 3) && cos(t) * sin(v) > cos(y)

FORMULA(67, D(x) D(y) D(z) D(w) D(t) D(v),
    FORMULA_67)
FORMULA(68, D(x) D(y) D(z) D(w) D(t) D(v),
    FORMULA_67)
FORMULA(69, D(x) D(y) D(z) D(w) D(t) D(v),
    FORMULA_67 && sin(x * y) + sin(z * w) + sin(t * v) < cos(x * y) + cos(z * w) + cos(t * v))
FORMULA(70, D(a) D(b) D(c) D(d) D(e) D(f) D(g) D(h) D(i) D(j) D(k) D(l) D(m) D(n) D(o) D(p) D(q) D(r) D(s) D(t)
    D(u) D(v) D(x) D(z),
    sin(a) > sin(b) && sin(b) > sin(c) && sin(c) > sin(d) && sin(d) > sin(e) && sin(e) > sin(f)
    && sin(f) > sin(g) && sin(g) > sin(h) && sin(h) > sin(i) && sin(i) > sin(j) && sin(j) > sin(k)
    && sin(k) > sin(l) && sin(l) > sin(m) && sin(m) > sin(n) && sin(n) > sin(o) && sin(o) > sin(p)
    && sin(p) > sin(q) && sin(q) > sin(r) && sin(r) > sin(s) && sin(s) > sin(t) && sin(t) > sin(u)
    && sin(u) > sin(v) && sin(v) > sin(x) && sin(x) > sin(z))
FORMULA(71, D(a) D(b) D(c) D(d) D(e) D(f) D(g) D(h) D(i) D(j) D(k) D(l),
    sin(a) > sin(b) && sin(b) > sin(c) && sin(c) > sin(d) && sin(d) > sin(e) && sin(e) > sin(f)
    && sin(f) > sin(g) && sin(g) > sin(h) && sin(h) > sin(i) && sin(i) > sin(j) && sin(j) > sin(k)
    && sin(k) > sin(l))
FORMULA(72, D(a) D(b) D(c) D(d) D(e) D(f) D(g),
    sin(a) > sin(b) && sin(b) > sin(c) && sin(c) > sin(d) && sin(d) > sin(e) && sin(e) > sin(f)
    && sin(f) > sin(g))
FORMULA(73, D(a) D(b) D(c) D(d) D(e) D(f) D(g) D(h) D(i) D(j),
    sin(a) > sin(b) && sin(b) > sin(c) && sin(c) > sin(d) && sin(d) > sin(e) && sin(e) > sin(f)
    && sin(f) > sin(g) && sin(g) > sin(h) && sin(h) > sin(i) && sin(i) > sin(j))
FORMULA(74, D(a) D(b) D(c) D(d) D(e) D(f) D(g) D(h),
    sin(a) > sin(b) && sin(b) > sin(c) && sin(c) > sin(d) && sin(d) > sin(e) && sin(e) > sin(f)
    && sin(f) > sin(g) && sin(g) > sin(h))
FORMULA(75, D(a) D(b) D(c) D(d) D(e) D(f) D(g) D(h) D(i),
    sin(a) > sin(b) && sin(b) > sin(c) && sin(c) > sin(d) && sin(d) > sin(e) && sin(e) > sin(f)
    && sin(f) > sin(g) && sin(g) > sin(h) && sin(h) > sin(i))
FORMULA(76, D(a) D(b) D(c) D(d) D(e) D(f) D(g) D(h) D(i),
    a > b && b > c && c > d && d > e && e > f && f > g && g > h && h > i)
FORMULA(77, D(a) D(b) D(c) D(d) D(e) D(f) D(g) D(h) D(i) D(j),
    a > b && b > c && c > d && d > e && e > f && f > g && g > h && h > i && i > j)

#define DEGREE 0.017453292519943295
#define SQUARE(value) ((value) * (value))
#define TANGENT (sin(e * DEGREE) / cos(e * DEGREE))
/* Factors of zero stay: they make it NaN when d, a or the tangent is zero. */
#define ANGLE                                                                           \
    (b * DEGREE - c * DEGREE                                                            \
     + (((d * d / TANGENT) / 68443.0 * 0.0) / d * -1.0) * a / ((a * a / TANGENT) / 68443.0))

FORMULA(78, D(a) D(b) D(c) D(d) D(e) I(f) I(g) I(h),
    0 == SQUARE(a * sin(ANGLE) - d * 0.0) + SQUARE(a * cos(ANGLE) - d * 1.0) && f != 0 && h != 0)
FORMULA(79, D(a) D(b) D(c) D(d) I(e),
    0 == SQUARE(a * sin(DEGREE * b - DEGREE * c) - 0.0 * d) + SQUARE(a * cos(DEGREE * b - DEGREE * c + 0.0))
    && e != 0)
FORMULA(80, D(a) D(b),
    1.5 - a * (1 - b) == 0)
FORMULA(81, D(a) D(b),
    (-13 + a + ((5 - b) * b - 2) * b) + (-29 + a + ((b + 1) * b - 14) * b) == 0)
FORMULA(82, D(a) D(b),
    pow(10, 4) * a * b - 1 == 0 && pow(M_E, -a) + pow(M_E, -b) - 1.0001 == 0)
FORMULA(83, D(a) D(b),
    pow(1 - a, 2) + 100 * pow(b - a * a, 2) == 0)
FORMULA(84, D(a) D(b) D(c) D(d),
    10 * (b - a * a) == 0 && 1 - a == 0 && sqrt(90) * (d - c * c) == 0 && 1 - c == 0
    && sqrt(10) * (b + d - 2) == 0 && pow(10, -0.5) * (b - d) == 0)
FORMULA(91, D(x) D(y),
    sin(x) == -sin(y) && sin(x) > 0)

#define F(number) [number] = coral_##number
static formula *const formulas[] = {
    F(1), F(2), F(3), F(4), F(5), F(6), F(7), F(8), F(9), F(10), F(11), F(12), F(13), F(14), F(15), F(16), F(17),
    F(18), F(19), F(20), F(21), F(22), F(23), F(25), F(26), F(27), F(28), F(29), F(30), F(31), F(32), F(33), F(34),
    F(35), F(36), F(37), F(38), F(39), F(40), F(41), F(42), F(43), F(44), F(45), F(46), F(47), F(48), F(49), F(50),
    F(51), F(52), F(53), F(54), F(55), F(56), F(57), F(58), F(59), F(60), F(61), F(62), F(63), F(64), F(65), F(66),
    F(67), F(68), F(69), F(70), F(71), F(72), F(73), F(74), F(75), F(76), F(77), F(78), F(79), F(80), F(81), F(82),
    F(83), F(84), F(91),
};

/* clang-format on */

int main(int argc, char **argv)
{
    return run_formula(formulas, sizeof formulas / sizeof *formulas, argc, argv);
}
