// What Swift cannot reach of jansson by itself: its type checks and flags are macros with casts.
#ifndef LIKESD_CJANSSON_SHIM_H
#define LIKESD_CJANSSON_SHIM_H

#include <jansson.h>

#endif
