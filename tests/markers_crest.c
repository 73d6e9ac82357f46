/*
 * cairn-example: markers_crest
 * input: named
 * branches: 20
 * unreachable: 0
 * faults: 0
 * strategy: dfs
 * execs: 200
 *
 * A program written for CREST: every integer marker.
 */
#include <crest.h>
#include <stdio.h>

int main(void)
{
    char c;
    unsigned char uc;
    short s;
    unsigned short us;
    int i, many[2];
    unsigned int ui;
    long l;
    unsigned long ul;
    long long ll;
    unsigned long long ull;
    CREST_char(c);
    CREST_unsigned_char(uc);
    CREST_short(s);
    CREST_unsigned_short(us);
    CREST_int(i);
    CREST_unsigned_int(ui);
    CREST_long(l);
    CREST_unsigned_long(ul);
    CREST_long_long(ll);
    CREST_unsigned_long_long(ull);
    CREST_int(many[1]);
    if (c != -5)
        return 1;
    if (uc != 250)
        return 2;
    if (s != -300)
        return 3;
    if (us != 65000)
        return 4;
    if (i != -70000)
        return 5;
    if (ui != 4000000000u)
        return 6;
    if (l != -5000000000)
        return 7;
    if (ul + ull != 3)
        return 8;
    if (ll != many[1])
        return 9;
    if (many[1] == 77)
        puts("all of them");
    return 0;
}
