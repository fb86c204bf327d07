#include "publishers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "messages.h"

struct publisher {
    int descriptor;
    uint32_t number;     // of its message
    size_t length;       // of what has come of the answer
    char answer[4096];
};

static struct publisher *publishers;
static int publisher_count;

// A queue in a circle. The one that has been free for longest is next: so none is idle for so long that the server ends it.
static int *free_ones, first_free, free_count;

// The request, and where in it the number of the message is written: for each @ of the target and the body.
static char request[8192];
static size_t request_length;
static char *places[8];
static int place_count;

// Appends the text; each @ becomes the mark and room for the digits.
static char *append(char *at, const char *text) {
    for (; *text; text++) {
        if (at + DIGITS + 2 > request + sizeof request) fail("the request to publish is too long");
        if (*text != '@') {
            *at++ = *text;
            continue;
        }
        if (place_count == (int)(sizeof places / sizeof *places)) fail("too many @ in the request to publish");
        *at++ = MARK;
        places[place_count++] = at;
        at += DIGITS;
    }
    return at;
}

static size_t length_of(const char *body) {
    size_t length = 0;
    for (; *body; body++) length += *body == '@' ? DIGITS + 1 : 1;
    return length;
}

static void prepare_request(const struct options *options) {
    char head[256] = "Content-Length: 0\r\n\r\n";
    if (options->body)
        snprintf(head, sizeof head, "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n", length_of(options->body));
    char *at = append(request, options->method);
    at = append(append(append(at, " "), options->target), " HTTP/1.1\r\nHost: 127.0.0.1\r\n");
    at = append(at, head);
    if (options->body) at = append(at, options->body);
    request_length = (size_t)(at - request);
}

static void make_free(int index) { free_ones[(first_free + free_count++) % publisher_count] = index; }

void publishers_open(const struct options *options, int epoll) {
    prepare_request(options);
    publisher_count = options->publishers;
    publishers = calloc((size_t)publisher_count, sizeof *publishers);
    free_ones = calloc((size_t)publisher_count, sizeof *free_ones);
    if (!publishers || !free_ones) fail("out of memory");
    for (int index = 0; index < publisher_count; index++) {
        publishers[index].number = UINT32_MAX;
        publishers[index].descriptor = connect_to(options->port, epoll, PUBLISHER_KEYS + (uint64_t)index);
        make_free(index);
    }
}

int free_publisher(void) { return free_count > 0 ? free_ones[first_free] : -1; }

void publish(int index, double due) {
    struct publisher *publisher = &publishers[index];
    first_free = (first_free + 1) % publisher_count;
    free_count--;
    publisher->number = message_published(due);
    for (int place = 0; place < place_count; place++) {
        uint32_t rest = publisher->number;
        for (int digit = DIGITS - 1; digit >= 0; digit--, rest /= 10) places[place][digit] = (char)('0' + rest % 10);
    }
    write_all(publisher->descriptor, request, request_length);
}

void publisher_read(int index, void (*answered)(uint32_t, double)) {
    struct publisher *publisher = &publishers[index];
    size_t room = sizeof publisher->answer - 1 - publisher->length;
    ssize_t length = room > 0 ? read(publisher->descriptor, publisher->answer + publisher->length, room) : 0;
    if (length < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (length <= 0) fail("a publisher's connection was ended, or its answer is too long");
    publisher->length += (size_t)length;
    publisher->answer[publisher->length] = 0;
    size_t whole = answer_length(publisher->answer);
    if (whole == 0 || publisher->length < whole) return;
    if (publisher->length > whole) fail("a publisher was answered more than it asked");
    if (memcmp(publisher->answer, "HTTP/1.1 2", 10) != 0) fail("a publish was refused: %s", publisher->answer);
    publisher->length = 0;
    answered(publisher->number, now());
}

void release_publisher_of(uint32_t number) {
    for (int index = 0; index < publisher_count; index++) {
        if (publishers[index].number != number) continue;
        make_free(index);
        return;
    }
}
