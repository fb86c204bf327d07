#ifndef LIKESD_CMICROHTTPD_SHIM_H
#define LIKESD_CMICROHTTPD_SHIM_H
#include <microhttpd.h>
#endif
