#ifndef LIKESD_NO_TLS_H
#define LIKESD_NO_TLS_H
/* Nothing to call: see NoTLS.c. */
#endif
