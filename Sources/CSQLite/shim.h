// What Swift cannot reach of SQLite by itself: macros that cast to a function pointer.
#ifndef LIKESD_CSQLITE_SHIM_H
#define LIKESD_CSQLITE_SHIM_H

#include <sqlite3.h>

#endif
