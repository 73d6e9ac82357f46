/*
 * cairn-example: exceptions
 * input: stdin 8
 * branches: 23
 * unreachable: 3
 * faults: 1
 * fault: SIGABRT main
 * strategy: random-branch
 * execs: 200
 *
 * C++: what is thrown and caught, results of calls that may throw, virtual functions, templates, containers and
 * strings. Out of reach: a short read, and two sides that clang adds for exceptions that never come.
 */
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

struct Shape {
    virtual ~Shape() = default;
    virtual int area() const = 0;
};

struct Square : Shape {
    explicit Square(int side) : side(side) {}
    int area() const override { return side * side; }
    int side;
};

struct Strip : Shape {
    Strip(int width, int height) : width(width), height(height) {}
    int area() const override { return width * height; }
    int width, height;
};

struct TooLarge {
    int size;
};

int checked(int value)
{
    if (value > 200)
        throw std::out_of_range("range");
    if (value > 150)
        throw TooLarge{value - 150};
    return value + 1;
}

/* The result of a call that may throw, on two ways into one block. */
int guarded(int value)
{
    int result;
    try {
        result = checked(value);
    } catch (const TooLarge &caught) {
        if (caught.size == 42)
            std::puts("size from the exception");
        result = 0;
    }
    return result;
}

template <typename T> T largest(const std::vector<T> &values)
{
    T best = values.at(0);
    for (const T &value : values)
        best = value > best ? value : best;
    return best;
}

std::unique_ptr<Shape> make(int kind, int size)
{
    if (kind == 's')
        return std::make_unique<Square>(size);
    return std::make_unique<Strip>(size, 3);
}

} // namespace

int main()
{
    unsigned char in[8];
    if (read(STDIN_FILENO, in, sizeof in) != sizeof in)
        return 1;
    try {
        if (guarded(in[0]) == 101)
            std::puts("result of an invoke");
    } catch (const std::exception &error) {
        std::puts(error.what());
    }
    if (make(in[1], in[2])->area() == 12 * 12)
        std::puts("area");
    std::vector<int> numbers{3, in[3]};
    numbers.push_back(in[4] + 1000);
    if (largest(numbers) == 1234)
        std::puts("largest");
    std::string text("key=");
    text += std::string(reinterpret_cast<const char *>(in) + 5, 3);
    if (text == "key=abc")
        std::abort();
    return 0;
}
