/* abs, div, ffs, htonl and variants: calls of these remain where the compiler does not expand them */
#include "model.h"
#include <arpa/inet.h>
#include <inttypes.h>
#include <stdlib.h>
#include <strings.h>

/* All bits set if the number is negative. */
#define SIGN(number) ((number) >> (8 * sizeof(number) - 1))
#define ABSOLUTE(number) (((number) ^ SIGN(number)) - SIGN(number))

int MODEL(abs)(int number)
{
    return ABSOLUTE(number);
}

long MODEL(labs)(long number)
{
    return ABSOLUTE(number);
}

long long MODEL(llabs)(long long number)
{
    return ABSOLUTE(number);
}

intmax_t MODEL(imaxabs)(intmax_t number)
{
    return ABSOLUTE(number);
}

div_t MODEL(div)(int a, int b)
{
    return (div_t){a / b, a % b};
}

ldiv_t MODEL(ldiv)(long a, long b)
{
    return (ldiv_t){a / b, a % b};
}

lldiv_t MODEL(lldiv)(long long a, long long b)
{
    return (lldiv_t){a / b, a % b};
}

imaxdiv_t MODEL(imaxdiv)(intmax_t a, intmax_t b)
{
    return (imaxdiv_t){a / b, a % b};
}

int MODEL(ffs)(int number)
{
    return __builtin_ffs(number);
}

int MODEL(ffsl)(long number)
{
    return __builtin_ffsl(number);
}

int MODEL(ffsll)(long long number)
{
    return __builtin_ffsll(number);
}

uint32_t MODEL(htonl)(uint32_t number)
{
    return __builtin_bswap32(number);
}

uint32_t MODEL(ntohl)(uint32_t number)
{
    return __builtin_bswap32(number);
}

uint16_t MODEL(htons)(uint16_t number)
{
    return __builtin_bswap16(number);
}

uint16_t MODEL(ntohs)(uint16_t number)
{
    return __builtin_bswap16(number);
}
