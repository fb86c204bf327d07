#ifndef LIKESD_CMICROHTTPD_SHIM_H
#define LIKESD_CMICROHTTPD_SHIM_H
/* What Swift cannot call of libmicrohttpd: its variadic functions. */
#include <microhttpd.h>
#include <stdarg.h>
#include <string.h>

/* One hostile request is up to three log lines: nothing is kept of them. But only in its log does the library, in 0.9.75, tell that the
   system gave no descriptor for a client: then there is a 1 where `starved` points. */
static inline void mhd_shim_note(void *starved, const char *format, va_list arguments) {
  static const char beginning[] = "Hit process or system resource limit";
  if (strncmp(format, beginning, sizeof beginning - 1) == 0) *(unsigned char *)starved = 1;
  (void)arguments;
}

static inline struct MHD_Daemon *mhd_shim_start(unsigned int flags, MHD_AccessHandlerCallback handler, void *cls,
                                                struct MHD_OptionItem *options, unsigned char *starved) {
  return MHD_start_daemon(flags, 0, NULL, NULL, handler, cls, MHD_OPTION_EXTERNAL_LOGGER, &mhd_shim_note, starved,
                          MHD_OPTION_ARRAY, options, MHD_OPTION_END);
}

static inline int mhd_shim_epoll_descriptor(struct MHD_Daemon *daemon) {
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
  return info == NULL ? -1 : info->epoll_fd;
}

static inline int mhd_shim_connection_descriptor(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info == NULL ? -1 : info->connect_fd;
}

static inline struct MHD_Daemon *mhd_shim_daemon(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_DAEMON);
  return info == NULL ? NULL : info->daemon;
}

static inline size_t mhd_shim_head_size(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
  return info == NULL ? 0 : info->header_size;
}

static inline void *mhd_shim_socket_context(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info == NULL ? NULL : info->socket_context;
}

static inline void mhd_shim_set_timeout(struct MHD_Connection *connection, unsigned int seconds) {
  MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT, seconds);
}

static inline void mhd_shim_without_chunks(struct MHD_Response *response) {
  MHD_set_response_options(response, MHD_RF_HTTP_1_0_COMPATIBLE_STRICT, MHD_RO_END);
}
#endif
