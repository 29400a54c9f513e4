// SQLite alone: how many moves a second reach the disk when nothing stands around them. Every run calibrates itself by it,
// for what fdatasync costs differs from machine to machine, and from minute to minute.
//
//   sqlite DATABASE SECONDS ROWS row|move|ring       ROWS a commit
//
// `row` writes the layout alone; `move` does what a move comes to: read the layout, write it, add to its history, prune that;
// `ring` does it as our tables are meant, each version over the one fifty before it, in the same place.
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { USERS = 1000 };
static sqlite3 *database;

static sqlite3_stmt *prepare(const char *text) {
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v3(database, text, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL)) {
        fprintf(stderr, "sqlite: %s\n", sqlite3_errmsg(database));
        exit(1);
    }
    return statement;
}

static void run(sqlite3_stmt *statement) {
    int code;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {}
    if (code != SQLITE_DONE) {
        fprintf(stderr, "sqlite: %s\n", sqlite3_errmsg(database));
        exit(1);
    }
    sqlite3_reset(statement);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int main(int argc, char **argv) {
    if (argc != 5 || sqlite3_open(argv[1], &database)) return 1;
    sqlite3_exec(database, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 10000", NULL, NULL, NULL);
    double seconds = atof(argv[2]);
    int rows = atoi(argv[3]), is_ring = !strcmp(argv[4], "ring"), is_move = is_ring || !strcmp(argv[4], "move");
    sqlite3_stmt *begin = prepare("BEGIN IMMEDIATE"), *commit = prepare("COMMIT");
    sqlite3_stmt *select = prepare("SELECT version, items, locked, updated_at, checksum FROM layouts WHERE user_id = ?1");
    sqlite3_stmt *update = prepare(
        "INSERT INTO layouts (user_id, version, items, locked, updated_at, checksum) VALUES (?1, ?2, ?3, 0, ?4, ?5) "
        "ON CONFLICT (user_id) DO UPDATE SET version = excluded.version, items = excluded.items, "
        "updated_at = excluded.updated_at, checksum = excluded.checksum");
    // Each version under its own number, as anyone would have it.
    sqlite3_stmt *insert = prepare(
        "INSERT INTO revisions (user_id, place, items, locked, kind, origin, actor, created_at, checksum) "
        "VALUES (?1, ?2, ?3, 0, 'operations', '', '', ?4, ?5)");
    sqlite3_stmt *prune = prepare(
        "DELETE FROM revisions WHERE user_id = ?1 AND place <= "
        "(SELECT place FROM revisions WHERE user_id = ?1 ORDER BY place DESC LIMIT 1 OFFSET 50)");
    sqlite3_stmt *overwrite = prepare(
        "INSERT INTO revisions (user_id, place, reused_by, items, locked, kind, origin, actor, created_at, checksum) "
        "VALUES (?1, ?2 % 50, ?2, ?3, 0, 'operations', '', '', ?4, ?5) "
        "ON CONFLICT (user_id, place) DO UPDATE SET reused_by = excluded.reused_by, items = excluded.items, "
        "created_at = excluded.created_at, checksum = excluded.checksum");
    const char *items =
        "function-00,function-01,function-02,function-03,function-04,function-05,function-06,function-07,function-08,"
        "function-09,function-10,function-11";
    double began = now(), end = began + seconds, last;
    long done = 0;
    do {
        run(begin);
        for (int row = 0; row < rows; row++, done++) {
            char user[32];
            int length = snprintf(user, sizeof user, "bench-%07ld", done * 7919 % USERS);
            sqlite3_int64 version = done;
            sqlite3_stmt *writes[] = {update, is_ring ? overwrite : is_move ? insert : NULL};
            if (is_move) {
                sqlite3_bind_text(select, 1, user, length, SQLITE_STATIC);
                if (sqlite3_step(select) == SQLITE_ROW) version = sqlite3_column_int64(select, 0) + 1;
                sqlite3_reset(select);
            }
            for (int write = 0; write < 2 && writes[write]; write++) {
                sqlite3_bind_text(writes[write], 1, user, length, SQLITE_STATIC);
                sqlite3_bind_int64(writes[write], 2, version);
                sqlite3_bind_text(writes[write], 3, items, -1, SQLITE_STATIC);
                sqlite3_bind_int64(writes[write], 4, 1700000000000 + done);
                sqlite3_bind_int64(writes[write], 5, 4000000000);
                run(writes[write]);
            }
            if (is_move && !is_ring) {
                sqlite3_bind_text(prune, 1, user, length, SQLITE_STATIC);
                run(prune);
            }
        }
        run(commit);
        last = now();
    } while (last < end);
    printf("{\"rows\":%ld,\"seconds\":%.6f}\n", done, last - began);
}
