// zlib, and what its macros hide from Swift.
#ifndef LIKESD_CZLIB_SHIM_H
#define LIKESD_CZLIB_SHIM_H

#include <zlib.h>

// Begins a compression at the best level into the format of gzip: a window of 15 bits, and 16 for that format.
static inline int likesd_begin_gzip(z_stream *stream) {
    return deflateInit2(stream, Z_BEST_COMPRESSION, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY);
}

#endif
