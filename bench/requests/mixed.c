// The client of a mixed load: connections that read and like in a fixed proportion, and readers of live updates beside them, on
// one thread. Reads and likes are timed apart.
//
//     mixed --port PORT --news COUNT [--connections N] [--likes PERCENT] [--readers N] [--stream PATH] [--seconds S]
//
// Of each 20 reads 14 are details, 3 pages of the feed, 3 counts of 20 news. An @ in PATH becomes the number of a news, another
// one for each reader. It prints its figures as one line of JSON, and fails when an answer is not 2xx.

#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "basics.h"

enum { EVENTS = 128, GRACE = 10, ANSWER = 64 * 1024, REQUEST = 1024 };
enum { READS = 20, DETAILS = 14, PAGES = 3, COUNTED = 20, VIEWERS = 1000 };
#define READER_KEYS ((uint64_t)1 << 32)

struct options {
    int port, news, connections, likes, readers;
    const char *stream;
    double seconds;
};

struct connection {
    int descriptor;
    bool likes;      // what is under way
    double sent;
    size_t length;   // of what has come
    char answer[ANSWER];
};

struct reader {
    int descriptor;
    bool open;
    char last;  // byte that has come
};

// Times of answers, in milliseconds.
struct times {
    float *values;
    size_t count, room;
};

static struct options options = {.connections = 256, .seconds = 3, .stream = "/v1/events?news=@"};
static struct connection *connections;
static struct reader *readers;
static int open_count;
static struct times read_times, like_times;
static uint64_t requests, given_likes, events;
static int epoll;

static void note(struct times *times, double seconds) {
    if (times->count == times->room) {
        times->room = times->room ? 2 * times->room : 1 << 16;
        times->values = realloc(times->values, times->room * sizeof *times->values);
        if (!times->values) fail("out of memory");
    }
    times->values[times->count++] = (float)(1e3 * seconds);
}

static int ascending(const void *left, const void *right) {
    float one = *(const float *)left, other = *(const float *)right;
    return (one > other) - (one < other);
}

static double share_of(const struct times *times, double share) {
    return times->count ? times->values[(size_t)(share * (double)(times->count - 1))] : 0;
}

// A number that looks random and is the same in every run.
static unsigned spread(uint64_t turn, unsigned below) { return (unsigned)((turn * 0x9e3779b97f4a7c15u >> 33) % below); }

static size_t counts_request(char *out, unsigned viewer, unsigned first) {
    size_t length = (size_t)snprintf(out, REQUEST, "GET /v1/counts?viewer=user%u", viewer);
    for (unsigned index = 0; index < COUNTED; index++)
        length += (size_t)snprintf(out + length, REQUEST - length, "&news=%u", (first + index) % (unsigned)options.news + 1);
    return length;
}

static size_t read_request(char *out, uint64_t turn) {
    unsigned news = spread(turn, (unsigned)options.news), viewer = spread(turn + 1, VIEWERS), kind = turn % READS;
    if (kind < DETAILS) return (size_t)snprintf(out, REQUEST, "GET /v1/news/%u", news + 1);
    if (kind < DETAILS + PAGES) return (size_t)snprintf(out, REQUEST, "GET /v1/feed?limit=20&viewer=user%u", viewer);
    return counts_request(out, viewer, news);
}

// Of each 100 requests the first so many are likes, in distances that are equal; every like is by a new user.
static void send_next(struct connection *connection) {
    char request[REQUEST];
    uint64_t turn = requests++;
    size_t length;
    connection->likes = (turn * (uint64_t)options.likes) % 100 < (uint64_t)options.likes;
    if (connection->likes) {
        unsigned news = spread(turn, (unsigned)options.news) + 1;
        length = (size_t)snprintf(request, sizeof request, "PUT /v1/news/%u/likes/new%llu", news,
                                  (unsigned long long)given_likes++);
    } else {
        length = read_request(request, turn - given_likes);
    }
    length += (size_t)snprintf(request + length, sizeof request - length, " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
    if (length >= sizeof request) fail("a request is too long");
    connection->sent = now();
    write_all(connection->descriptor, request, length);
}

static void take_answer(struct connection *connection, bool goes_on) {
    size_t room = ANSWER - 1 - connection->length;
    ssize_t length = room > 0 ? read(connection->descriptor, connection->answer + connection->length, room) : 0;
    if (length < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (length <= 0) fail("a connection was ended, or an answer is too long");
    connection->length += (size_t)length;
    connection->answer[connection->length] = 0;
    size_t whole = answer_length(connection->answer);
    if (whole == 0 || connection->length < whole) return;
    if (connection->length > whole) fail("more was answered than asked");
    if (memcmp(connection->answer, "HTTP/1.1 2", 10) != 0) fail("an answer is no success: %s", connection->answer);
    note(connection->likes ? &like_times : &read_times, now() - connection->sent);
    connection->length = 0;
    if (goes_on) send_next(connection);
}

// Every event has one line of data; heartbeats and the head have none.
static void take_events(struct reader *reader) {
    char bytes[ANSWER];
    ssize_t length = read(reader->descriptor, bytes, sizeof bytes);
    if (length < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (length <= 0) fail("a stream has ended");
    if (!reader->open && (length < 12 || memcmp(bytes, "HTTP/1.1 200", 12) != 0)) fail("a stream is no success");
    if (!reader->open) open_count++;
    reader->open = true;
    for (ssize_t index = 0; index < length; reader->last = bytes[index++])
        if (reader->last == '\n' && bytes[index] == 'd') events++;
}

static void wait_for_answers(double seconds, bool goes_on) {
    struct epoll_event ready[EVENTS];
    int count = epoll_wait(epoll, ready, EVENTS, seconds > 0 ? (int)(1e3 * seconds) + 1 : 0);
    for (int index = 0; index < count; index++) {
        uint64_t key = ready[index].data.u64;
        if (key >= READER_KEYS) take_events(&readers[key - READER_KEYS]);
        else take_answer(&connections[key], goes_on);
    }
}

static void open_readers(void) {
    for (int index = 0; index < options.readers; index++) {
        char request[REQUEST], path[REQUEST];
        const char *place = strchr(options.stream, '@');
        int before = place ? (int)(place - options.stream) : (int)strlen(options.stream);
        if (place) snprintf(path, sizeof path, "%.*s%d%s", before, options.stream, index % options.news + 1, place + 1);
        else snprintf(path, sizeof path, "%s", options.stream);
        int length = snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", path);
        if (length >= (int)sizeof request) fail("the path of the stream is too long");
        readers[index].descriptor = connect_to(options.port, epoll, READER_KEYS + (uint64_t)index);
        write_all(readers[index].descriptor, request, (size_t)length);
    }
    for (double end = now() + GRACE; open_count < options.readers && now() < end;) wait_for_answers(end - now(), false);
    if (open_count < options.readers) fail("not every stream is open within %d s", GRACE);
}

static const struct option names[] = {
    {"port", required_argument, NULL, 'p'},    {"news", required_argument, NULL, 'n'},
    {"likes", required_argument, NULL, 'l'},   {"connections", required_argument, NULL, 'c'},
    {"readers", required_argument, NULL, 'r'}, {"stream", required_argument, NULL, 's'},
    {"seconds", required_argument, NULL, 'd'}, {NULL, 0, NULL, 0}};

static void parse(int count, char **values) {
    for (int name; (name = getopt_long(count, values, "", names, NULL)) != -1;) switch (name) {
        case 'p': options.port = atoi(optarg); break;
        case 'n': options.news = atoi(optarg); break;
        case 'l': options.likes = atoi(optarg); break;
        case 'c': options.connections = atoi(optarg); break;
        case 'r': options.readers = atoi(optarg); break;
        case 's': options.stream = optarg; break;
        case 'd': options.seconds = atof(optarg); break;
        default: exit(64);
        }
    if (options.port <= 0 || options.news <= 0 || options.connections <= 0 || options.readers < 0 || options.likes < 0 ||
        options.likes > 100 || optind < count)
        fail("bad options");
}

static void run(void) {
    for (int index = 0; index < options.connections; index++)
        connections[index].descriptor = connect_to(options.port, epoll, (uint64_t)index);
    double start = now(), used = seconds_of_processor();
    for (int index = 0; index < options.connections; index++) send_next(&connections[index]);
    while (now() < start + options.seconds) wait_for_answers(start + options.seconds - now(), true);
    // What is under way is not counted, as its time is not either.
    double seconds = now() - start;
    used = seconds_of_processor() - used;
    qsort(read_times.values, read_times.count, sizeof *read_times.values, ascending);
    qsort(like_times.values, like_times.count, sizeof *like_times.values, ascending);
    printf("{\"seconds\": %.6f, \"client_cpu_seconds\": %.6f, \"reads\": %zu, \"likes\": %zu, \"events\": %llu, "
           "\"read_p50_ms\": %.3f, \"read_p99_ms\": %.3f, \"like_p50_ms\": %.3f, \"like_p99_ms\": %.3f}\n",
           seconds, used, read_times.count, like_times.count, (unsigned long long)events, share_of(&read_times, 0.5),
           share_of(&read_times, 0.99), share_of(&like_times, 0.5), share_of(&like_times, 0.99));
}

int main(int count, char **values) {
    parse(count, values);
    raise_descriptor_limit();
    connections = calloc((size_t)options.connections, sizeof *connections);
    readers = calloc((size_t)options.readers + 1, sizeof *readers);
    if (!connections || !readers) fail("out of memory");
    epoll = epoll_create1(EPOLL_CLOEXEC);
    open_readers();
    run();
    return 0;
}
