// What Swift cannot reach of SQLite by itself: SQLITE_TRANSIENT is a macro that casts to a function pointer, and
// sqlite3_config takes arguments of any kind.
#ifndef LIKESD_CSQLITE_SHIM_H
#define LIKESD_CSQLITE_SHIM_H

#include <sqlite3.h>

/// Binds a copy of `count` bytes of text.
static inline int csqlite_bind_text(sqlite3_stmt *statement, int index, const char *text, int count) {
    return sqlite3_bind_text(statement, index, text, count, SQLITE_TRANSIENT);
}

/// Whether the library counts the memory that it has; to be said before it is used.
static inline int csqlite_keep_memory_statistics(int on) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, on);
}

#endif
