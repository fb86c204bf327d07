// xxHash as it is: what Swift needs of it are plain functions.
#ifndef LIKESD_CXXHASH_SHIM_H
#define LIKESD_CXXHASH_SHIM_H

#include <xxhash.h>

#endif
