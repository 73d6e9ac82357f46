/* Inflates standard input: zlib or gzip by its header, raw deflate if it has none. */
#include <stdio.h>
#include <string.h>
#include <zlib.h>

static unsigned char input[1 << 16], output[1 << 16];

static int inflate_all(size_t length, int window_bits) {
    z_stream stream;
    int result;
    unsigned long sum = 0;
    memset(&stream, 0, sizeof stream);
    if (inflateInit2(&stream, window_bits) != Z_OK) return Z_MEM_ERROR;
    stream.next_in = input;
    stream.avail_in = length;
    do {
        stream.next_out = output;
        stream.avail_out = sizeof output;
        result = inflate(&stream, Z_NO_FLUSH);
        sum = adler32(sum, output, sizeof output - stream.avail_out);
    } while (result == Z_OK && stream.total_out < 1 << 20);
    printf("%d: %lu bytes, %lu\n", result, stream.total_out, sum);
    inflateEnd(&stream);
    return result;
}

int main(void) {
    size_t length = fread(input, 1, sizeof input, stdin);
    if (inflate_all(length, 15 + 32) == Z_DATA_ERROR) inflate_all(length, -15);
    return 0;
}
