// The load client: many readers of one stream and the publishers that feed it, on one thread. It measures how long
// messages take, and fails loudly when a reader loses one, gets one twice, or a publish is refused.
//
// It prints `connected` when every publisher has published a first message, `ready` when all readers are connected and have
// received another, and its figures as one line of JSON when it has run. After each it waits for a line on standard input, in the
// end for the end of it: so whoever started it can look at the server without readers, with them, meanwhile and after.

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "messages.h"
#include "publishers.h"
#include "readers.h"

// Few events at a time, so that what is due is published in time; and how long messages may take at the end.
enum { EVENTS = 128, GRACE = 10 };

static int epoll;

static void received(uint32_t number, uint32_t reader, double time) {
    if (message_received(number, reader, time)) release_publisher_of(number);
}

static void answered(uint32_t number, double time) {
    if (message_answered(number, time)) release_publisher_of(number);
}

static void wait_for_events(double seconds) {
    struct epoll_event events[EVENTS];
    long nanoseconds = seconds > 0 ? (long)(1e9 * seconds) : 0;
    struct timespec limit = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000};
    int ready = epoll_pwait2(epoll, events, EVENTS, &limit, NULL);
    for (int index = 0; index < ready; index++) {
        uint64_t key = events[index].data.u64;
        if (key >= PUBLISHER_KEYS) publisher_read((int)(key - PUBLISHER_KEYS), answered);
        else reader_read((uint32_t)key, received);
    }
}

static void wait_until_through(double patience) {
    while (messages_not_through() > 0 && now() < patience) wait_for_events(patience - now());
    if (messages_not_through() > 0)
        fail("%llu deliveries of %llu messages did not come within %d s", (unsigned long long)deliveries_missing(),
             (unsigned long long)messages_not_through(), GRACE);
}

// One after the other, as fast as they get through.
static void publish_in_turn(double end) {
    while (now() < end) {
        int publisher;
        while ((publisher = free_publisher()) >= 0) publish(publisher, now());
        wait_for_events(end - now());
    }
}

// At equal distances, whether others are through or not. Times count from when each was due.
static void publish_at_rate(double start, double end, double rate) {
    for (uint64_t turn = 0;; turn++) {
        double due = start + (double)turn / rate;
        if (due >= end) return;
        while (now() < due) wait_for_events(due - now());
        int publisher = free_publisher();
        while (publisher < 0 && now() < end + GRACE) {
            wait_for_events(end + GRACE - now());
            publisher = free_publisher();
        }
        if (publisher < 0) fail("no publisher became free");
        publish(publisher, due);
    }
}

static const struct option names[] = {
    {"port", required_argument, NULL, 'p'},    {"readers", required_argument, NULL, 'r'},
    {"stream", required_argument, NULL, 's'},  {"publishers", required_argument, NULL, 'w'},
    {"method", required_argument, NULL, 'm'},  {"target", required_argument, NULL, 't'},
    {"body", required_argument, NULL, 'b'},    {"rate", required_argument, NULL, 'f'},
    {"seconds", required_argument, NULL, 'd'}, {"quiet", no_argument, NULL, 'q'},
    {NULL, 0, NULL, 0}};

static struct options parsed(int count, char **values) {
    struct options options = {.publishers = 1, .seconds = 3, .method = "POST", .stream = "/", .target = "/"};
    for (int name; (name = getopt_long(count, values, "", names, NULL)) != -1;) switch (name) {
        case 'p': options.port = atoi(optarg); break;
        case 'r': options.readers = atoi(optarg); break;
        case 's': options.stream = optarg; break;
        case 'w': options.publishers = atoi(optarg); break;
        case 'm': options.method = optarg; break;
        case 't': options.target = optarg; break;
        case 'b': options.body = optarg; break;
        case 'f': options.rate = atof(optarg); break;
        case 'd': options.seconds = atof(optarg); break;
        case 'q': options.quiet = true; break;
        default: exit(64);
        }
    if (options.port <= 0 || options.publishers <= 0 || options.readers < 0 || optind < count) fail("bad options");
    return options;
}

// Waits for whoever started this process; ends it when he does not want more.
static void report_and_wait(const char *state) {
    puts(state);
    fflush(stdout);
    if (getchar() != '\n') exit(0);
}

// A server takes memory for a publisher when that connects or publishes for the first time: not the readers' memory.
static void open_publishers(const struct options *options) {
    publishers_open(options, epoll);
    messages_begin(0);
    for (int turn = 0; turn < options->publishers; turn++) publish(free_publisher(), now());
    wait_until_through(now() + GRACE);
}

static void open_readers(const struct options *options) {
    readers_open(options, epoll);
    messages_begin(options->quiet ? 0 : (uint32_t)options->readers);
    publish(free_publisher(), now());
    wait_until_through(now() + GRACE);
}

int main(int count, char **values) {
    struct options options = parsed(count, values);
    raise_descriptor_limit();
    epoll = epoll_create1(EPOLL_CLOEXEC);

    open_publishers(&options);
    report_and_wait("connected");
    open_readers(&options);
    report_and_wait("ready");
    messages_restart();
    uint64_t bytes_before = bytes_read();
    double start = now(), used = seconds_of_processor();
    if (options.rate > 0) publish_at_rate(start, start + options.seconds, options.rate);
    else publish_in_turn(start + options.seconds);
    wait_until_through(now() + GRACE);
    readers_compare();

    printf("{\"seconds\": %.3f, \"client_cpu_seconds\": %.3f, \"bytes\": %llu, ", now() - start, seconds_of_processor() - used,
           (unsigned long long)(bytes_read() - bytes_before));
    print_figures(start);
    puts("}");
    fflush(stdout);
    while (getchar() != EOF) {}
    return 0;
}
