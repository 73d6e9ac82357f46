/* Executes SQL from standard input on a database in memory; no other database can be attached. */
#include <stdio.h>
#include <sqlite3.h>

static char input[1 << 16];

static int give_up(void *steps) { return ++*(int *)steps > 100; }

int main(void) {
    sqlite3 *database;
    int steps = 0, result;
    input[fread(input, 1, sizeof input - 1, stdin)] = 0;
    if (sqlite3_open(":memory:", &database) != SQLITE_OK) return 2;
    sqlite3_limit(database, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_limit(database, SQLITE_LIMIT_LENGTH, 1 << 20);
    sqlite3_progress_handler(database, 1000, give_up, &steps);
    result = sqlite3_exec(database, input, NULL, NULL, NULL);
    printf("%d\n", result);
    sqlite3_close(database);
    return result != SQLITE_OK;
}
