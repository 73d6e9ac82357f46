/*
 * cairn-example: date
 * input: stdin 0-10
 * branches: 39
 * unreachable: 0
 * faults: 1
 * fault: SIGABRT check
 * strategy: dfs
 * execs: 300
 *
 * Reads a date like `2024-02-29` and prints its number in the year and whether the year is leap.
 *
 * The fault: the validation takes every fourth year as a leap year, the calendar leaves out three
 * centuries of four. Only the 29th of February of such a year, say 1900-02-29, shows it.
 */
#include <stdio.h>
#include <stdlib.h>

#define FIRST_YEAR 1583 /* the first whole year of the calendar */

struct date {
    int year, month, day;
};

static int is_leap(int year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static int days_in_month(int month, int leap)
{
    switch (month) {
    case 2:
        return leap ? 29 : 28;
    case 4:
    case 6:
    case 9:
    case 11:
        return 30;
    default:
        return 31;
    }
}

/* Reads `count` digits; -1 if there is something else. */
static int parse_digits(const char *text, int count)
{
    int i, value = 0;
    for (i = 0; i < count; i++) {
        if (text[i] < '0' || text[i] > '9')
            return -1;
        value = value * 10 + (text[i] - '0');
    }
    return value;
}

static int parse(const char *text, struct date *date)
{
    date->year = parse_digits(text, 4);
    if (date->year < FIRST_YEAR || text[4] != '-')
        return 0;
    date->month = parse_digits(text + 5, 2);
    if (date->month < 1 || date->month > 12 || text[7] != '-')
        return 0;
    date->day = parse_digits(text + 8, 2);
    return date->day >= 1 && date->day <= days_in_month(date->month, date->year % 4 == 0);
}

static int day_of_year(const struct date *date)
{
    int month, day = date->day;
    for (month = 1; month < date->month; month++)
        day += days_in_month(month, is_leap(date->year));
    return day;
}

/* Counts the day of the year back into a month, which must be the same. */
static void check(const struct date *date, int day)
{
    int month = 1;
    while (day > days_in_month(month, is_leap(date->year))) {
        day -= days_in_month(month, is_leap(date->year));
        month++;
    }
    if (month != date->month)
        abort();
}

int main(void)
{
    char line[16] = "";
    struct date date;
    int day;
    if (fgets(line, sizeof line, stdin) == NULL || !parse(line, &date)) {
        printf("not a date\n");
        return 1;
    }
    day = day_of_year(&date);
    check(&date, day);
    printf("day %d of a %s year\n", day, is_leap(date.year) ? "leap" : "common");
    return 0;
}
