#pragma once
#include <sqlite3.h>

// Variadic, so Swift does not see it: closing the last connection must not write. https://sqlite.org/c3ref/db_config.html
static inline int pegboard_no_checkpoint_on_close(sqlite3 *connection) {
    return sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

// Before the first connection. Without its count of the memory in use SQLite takes no lock that all threads share for each
// allocation (https://sqlite.org/c3ref/c_config_covering_index_scan.html#sqliteconfigmemstatus); and files are read by `read`.
static inline void pegboard_configure(sqlite3_syscall_ptr read) {
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    sqlite3_initialize();
    sqlite3_vfs *files = sqlite3_vfs_find(0);
    // Which of the two it calls depends on how it was compiled.
    files->xSetSystemCall(files, "pread", read);
    files->xSetSystemCall(files, "pread64", read);
}

// Zeros behind the end of the write-ahead log, until it has `size` octets. To SQLite they are no part of it, as they have no
// checksum.
static inline int pegboard_lengthen_log(sqlite3 *connection, sqlite3_int64 size) {
    static const char zeros[1 << 16];
    sqlite3_file *log = 0;
    sqlite3_int64 end = 0;
    int code = sqlite3_file_control(connection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
    if (code == SQLITE_OK) code = log->pMethods->xFileSize(log, &end);
    for (; code == SQLITE_OK && end < size; end += sizeof zeros)
        code = log->pMethods->xWrite(log, zeros, sizeof zeros, end);
    return code;
}

// SQLITE_TRANSIENT is a cast that Swift does not import: SQLite makes its own copy of what is bound.
static inline int pegboard_bind_text(sqlite3_stmt *statement, int index, const unsigned char *bytes, int count) {
    // A null address would be NULL.
    return sqlite3_bind_text(statement, index, bytes ? (const char *)bytes : "", count, SQLITE_TRANSIENT);
}
static inline int pegboard_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int count) {
    return sqlite3_bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT);
}
