#include "readers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

struct reader {
    int descriptor;
    uint8_t head;        // how much of the empty line that ends the head has come; 4: all of it
    uint8_t digits;      // still to come of the number behind a mark
    uint32_t number;
    uint64_t order;      // a hash of all numbers so far, in their order
};

static const char head_end[] = "\r\n\r\n";

// So many are under way at a time while they are opened: fewer than a listener's queue has places.
enum { UNDER_WAY = 64, PATIENCE = 30 };

static struct reader *readers;
static uint32_t count;
static uint64_t bytes;
static char buffer[65536];

static void open_reader(const struct options *options, int epoll, uint32_t index) {
    char request[4096];
    int length = snprintf(request, sizeof request,
                          "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n", options->stream);
    if (length >= (int)sizeof request) fail("the stream's target is too long");
    readers[index] = (struct reader){.descriptor = connect_to(options->port, epoll, index)};
    write_all(readers[index].descriptor, request, (size_t)length);
}

// What is left of the bytes after the head; nothing while it has not ended.
static char *behind_head(struct reader *reader, char *bytes_begin, char *end) {
    char *at = bytes_begin;
    while (at < end && reader->head < 4) {
        bool fits = *at == head_end[reader->head];
        reader->head = fits ? reader->head + 1 : *at == '\r';
        at++;
    }
    return at;
}

static bool has_taken(struct reader *reader, char digit) {
    if (digit < '0' || digit > '9') fail("a message's number is broken");
    reader->number = reader->number * 10 + (uint32_t)(digit - '0');
    if (--reader->digits > 0) return false;
    reader->order = (reader->order + reader->number + 1) * 0x9E3779B97F4A7C15u;
    return true;
}

void reader_read(uint32_t index, void (*received)(uint32_t, uint32_t, double)) {
    struct reader *reader = &readers[index];
    ssize_t length = read(reader->descriptor, buffer, sizeof buffer);
    if (length < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (length <= 0) fail("reader %u: its stream was %s", index, length == 0 ? "ended" : "broken off");
    double time = now();
    char *end = buffer + length, *at = buffer;
    bytes += (uint64_t)length;
    if (reader->head < 4) {
        if (reader->head == 0 && (length < 12 || memcmp(buffer, "HTTP/1.1 200", 12) != 0))
            fail("reader %u was answered: %.*s", index, (int)length, buffer);
        at = behind_head(reader, at, end);
    }
    while (at < end) {
        if (reader->digits > 0) {
            if (has_taken(reader, *at++)) received(reader->number, index, time);
        } else if ((at = memchr(at, MARK, (size_t)(end - at)))) {
            at++;
            reader->digits = DIGITS;
            reader->number = 0;
        } else {
            return;
        }
    }
}

static void nothing_yet(uint32_t number, uint32_t reader, double time) {
    (void)time;
    fail("reader %u received message %u before it was published", reader, number);
}

void readers_open(const struct options *options, int epoll) {
    uint32_t wanted = (uint32_t)options->readers, answered = 0;
    readers = calloc(wanted + 1, sizeof *readers);
    if (!readers) fail("out of memory");
    double patience = now() + PATIENCE;
    while (answered < wanted) {
        while (count < wanted && count < answered + UNDER_WAY) open_reader(options, epoll, count++);
        struct epoll_event events[UNDER_WAY];
        int ready = epoll_wait(epoll, events, UNDER_WAY, 1000);
        for (int event = 0; event < ready; event++) {
            struct reader *reader = &readers[events[event].data.u64];
            bool had_head = reader->head == 4;
            reader_read((uint32_t)events[event].data.u64, nothing_yet);
            answered += !had_head && reader->head == 4;
        }
        if (now() > patience) fail("after %d s only %u of %u readers have an answer", PATIENCE, answered, wanted);
    }
}

uint64_t bytes_read(void) { return bytes; }

void readers_compare(void) {
    for (uint32_t index = 1; index < count; index++)
        if (readers[index].order != readers[0].order) fail("readers 0 and %u saw different orders", index);
}
