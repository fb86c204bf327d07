#ifndef LIKESD_CLINUX_SHIM_H
#define LIKESD_CLINUX_SHIM_H
/* What the Glibc module leaves out of the system's headers: epoll and eventfd. */
#include <sys/epoll.h>
#include <sys/eventfd.h>
#endif
