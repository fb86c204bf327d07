// The peer in C: what a read costs on libmicrohttpd when C does it. It answers as likesd does to GET /v1/news/1 in the bench's
// world: body and headers are written anew for each request, out of numbers in memory.
//
//     read-peer PORT WORKERS
//
// As in likesd, each worker drives a daemon of its own by its own loop: libmicrohttpd's threads stand still when 128
// connections are ready at once.

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

enum { CONNECTIONS = 4096, MEMORY = 16 * 1024, SECONDS = 45, BODY = 4096, LIKERS = 3, LIKE_DISTANCE = 1000, MOST_WORKERS = 256 };

// What the bench's world has; volatile, so that every request reads it, as one that may change.
static volatile int64_t likes_count = 20;
static volatile int64_t newest_like = 1796058716972;  // milliseconds
static volatile uint64_t changed_with = 21, folded = 170;
static const uint64_t epoch = 0x4373f995035d347cu;

static size_t write_time(char *out, size_t room, int64_t milliseconds) {
    time_t seconds = (time_t)(milliseconds / 1000);
    struct tm parts;
    gmtime_r(&seconds, &parts);
    return (size_t)snprintf(out, room, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", parts.tm_year + 1900, parts.tm_mon + 1,
                            parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec, (int)(milliseconds % 1000));
}

static size_t write_body(char *out, const char *id) {
    size_t length = (size_t)snprintf(
        out, BODY, "{\"id\":\"%s\",\"title\":\"A title of a usual length, in words\",\"likesCount\":%" PRId64
        ",\"viewerLikes\":null,\"newestLikers\":[", id, likes_count);
    for (int liker = 0; liker < LIKERS; liker++) {
        length += (size_t)snprintf(out + length, BODY - length, "%s{\"user\":\"user%05d\",\"likedAt\":\"", liker ? "," : "",
                                   (int)likes_count - 1 - liker);
        length += write_time(out + length, BODY - length, newest_like - (int64_t)liker * LIKE_DISTANCE);
        length += (size_t)snprintf(out + length, BODY - length, "\"}");
    }
    return length + (size_t)snprintf(out + length, BODY - length, "],\"sequence\":%" PRIu64 "}", changed_with);
}

static enum MHD_Result handle(void *cls, struct MHD_Connection *connection, const char *url, const char *method,
                              const char *version, const char *data, size_t *size, void **context) {
    static int seen;
    char text[BODY], token[48];
    (void)cls, (void)method, (void)version, (void)data;
    if (*context != &seen) {
        *context = &seen;
        return MHD_YES;
    }
    if (*size > 0) {
        *size = 0;
        return MHD_YES;
    }
    const char *slash = strrchr(url, '/'), *id = slash ? slash + 1 : url;
    if (strlen(id) > BODY / 2) return MHD_NO;
    size_t length = write_body(text, id);
    struct MHD_Response *response = MHD_create_response_from_buffer(length, text, MHD_RESPMEM_MUST_COPY);
    if (response == NULL) return MHD_NO;
    MHD_add_response_header(response, "Content-Type", "application/json");
    MHD_add_response_header(response, "Cache-Control", "no-cache");
    snprintf(token, sizeof token, "%016" PRIx64 ".%" PRIu64, epoch, folded);
    MHD_add_response_header(response, "Likes-Sequence", token);
    snprintf(token, sizeof token, "W/\"%016" PRIx64 ".%" PRIu64 "\"", epoch, changed_with);
    MHD_add_response_header(response, "ETag", token);
    enum MHD_Result result = MHD_queue_response(connection, MHD_HTTP_OK, response);
    MHD_destroy_response(response);
    return result;
}

static _Noreturn void stop(const char *what) {
    perror(what);
    exit(1);
}

static int listen_on(int port) {
    int one = 1, descriptor = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (descriptor < 0 || setsockopt(descriptor, SOL_SOCKET, SO_REUSEPORT, &one, sizeof one) ||
        bind(descriptor, (struct sockaddr *)&address, sizeof address) || listen(descriptor, CONNECTIONS))
        stop("listen");
    return descriptor;
}

static void *work(void *port) {
    struct MHD_OptionItem options[] = {{MHD_OPTION_LISTEN_SOCKET, listen_on(*(int *)port), NULL},
                                       {MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS, NULL},
                                       {MHD_OPTION_CONNECTION_TIMEOUT, SECONDS, NULL},
                                       {MHD_OPTION_CONNECTION_MEMORY_LIMIT, MEMORY, NULL},
                                       {MHD_OPTION_END, 0, NULL}};
    struct MHD_Daemon *daemon = MHD_start_daemon(MHD_USE_EPOLL | MHD_USE_TURBO, 0, NULL, NULL, &handle, NULL,
                                                 MHD_OPTION_ARRAY, options, MHD_OPTION_END);
    if (daemon == NULL) stop("MHD_start_daemon");
    struct pollfd item = {.fd = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd, .events = POLLIN};
    for (;;) {
        MHD_UNSIGNED_LONG_LONG timeout = 0;
        int wait = MHD_get_timeout(daemon, &timeout) == MHD_YES ? (int)(timeout < 60000 ? timeout : 60000) : -1;
        if (wait != 0 && poll(&item, 1, wait) < 0 && errno != EINTR) stop("poll");
        MHD_run(daemon);
    }
}

static int number(const char *text, int most) {
    char *end;
    long value = strtol(text, &end, 10);
    if (*end || value < 1 || value > most) {
        fprintf(stderr, "read-peer: %s is no number from 1 to %d\n", text, most);
        exit(64);
    }
    return (int)value;
}

int main(int count, char **arguments) {
    if (count != 3) {
        fputs("usage: read-peer PORT WORKERS\n", stderr);
        return 64;
    }
    int port = number(arguments[1], 65535), workers = number(arguments[2], MOST_WORKERS);
    signal(SIGPIPE, SIG_IGN);
    for (int worker = 1; worker < workers; worker++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, work, &port)) stop("pthread_create");
    }
    work(&port);
}
