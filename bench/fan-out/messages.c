#include "messages.h"

#include <stdio.h>
#include <stdlib.h>

struct message {
    double start;
    uint32_t missing;   // readers that do not have it yet
    bool answered;
    uint8_t *seen;      // a bit for each reader
};

static struct message *messages;
static uint64_t count, capacity, first, not_through, missing;
static uint32_t readers;

// Times in seconds, to be sorted at the end.
struct times {
    float *values;
    uint64_t count, capacity;
};

static struct times answers, last_readers;

// Deliveries are too many to keep: bins of 20 microseconds, up to 20 seconds.
enum { BINS = 1000000, BINS_PER_SECOND = 50000 };
static uint32_t bins[BINS];
static uint64_t deliveries;
static double last_delivery, last_answer;

static void *grown(void *memory, uint64_t *places, size_t size) {
    *places = *places ? 2 * *places : 4096;
    memory = realloc(memory, *places * size);
    if (!memory) fail("out of memory");
    return memory;
}

static void note(struct times *times, double seconds) {
    if (times->count == times->capacity) times->values = grown(times->values, &times->capacity, sizeof(float));
    times->values[times->count++] = (float)seconds;
}

void messages_begin(uint32_t number_of_readers) { readers = number_of_readers; }

void messages_restart(void) {
    first = count;
    answers.count = last_readers.count = 0;
    deliveries = 0;
    for (int bin = 0; bin < BINS; bin++) bins[bin] = 0;
}

uint32_t message_published(double time) {
    if (count == capacity) messages = grown(messages, &capacity, sizeof *messages);
    messages[count] = (struct message){.start = time, .missing = readers};
    if (readers && !(messages[count].seen = calloc(readers / 8 + 1, 1))) fail("out of memory");
    not_through++;
    missing += readers;
    return (uint32_t)count++;
}

bool message_is_through(uint32_t number) { return messages[number].answered && messages[number].missing == 0; }

static bool settled(uint32_t number) {
    if (!message_is_through(number)) return false;
    not_through--;
    return true;
}

bool message_received(uint32_t number, uint32_t reader, double time) {
    if (readers == 0) fail("reader %u received message %u, which does not concern it", reader, number);
    if (number >= count) fail("reader %u received message %u, which nobody has published", reader, number);
    struct message *message = &messages[number];
    uint8_t bit = (uint8_t)(1 << reader % 8);
    if (message->missing == 0 || message->seen[reader / 8] & bit) fail("reader %u received message %u twice", reader, number);
    message->seen[reader / 8] |= bit;
    missing--;
    deliveries++;
    double bin = (time - message->start) * BINS_PER_SECOND;
    bins[bin < BINS ? (int)bin : BINS - 1]++;
    last_delivery = time;
    if (--message->missing > 0) return false;
    free(message->seen);
    message->seen = NULL;
    note(&last_readers, time - message->start);
    return settled(number);
}

bool message_answered(uint32_t number, double time) {
    messages[number].answered = true;
    last_answer = time;
    note(&answers, time - messages[number].start);
    return settled(number);
}

uint64_t messages_published(void) { return count - first; }
uint64_t messages_not_through(void) { return not_through; }
uint64_t deliveries_missing(void) { return missing; }

static double delivered_within(double share) {
    uint64_t passed = 0;
    for (int bin = 0; bin < BINS; bin++) {
        passed += bins[bin];
        if (passed > 0 && (double)passed >= share * (double)deliveries) return (bin + 0.5) / BINS_PER_SECOND;
    }
    return 0;
}

static int by_size(const void *left, const void *right) {
    float one = *(const float *)left, other = *(const float *)right;
    return (one > other) - (one < other);
}

static void print_times(const char *name, struct times *times) {
    if (times->count == 0) return;
    qsort(times->values, times->count, sizeof(float), by_size);
    double top = (double)(times->count - 1);
    printf(", \"%s_p50_ms\": %.3f, \"%s_p99_ms\": %.3f, \"%s_max_ms\": %.3f", name, 1e3 * times->values[(uint64_t)(top * 0.5)],
           name, 1e3 * times->values[(uint64_t)(top * 0.99)], name, 1e3 * times->values[times->count - 1]);
}

void print_figures(double start) {
    printf("\"published\": %llu, \"deliveries\": %llu, \"lost\": %llu, \"answers_per_second\": %.1f",
           (unsigned long long)messages_published(), (unsigned long long)deliveries, (unsigned long long)missing,
           (double)answers.count / (last_answer - start));
    print_times("answer", &answers);
    if (deliveries == 0) return;
    printf(", \"deliveries_per_second\": %.0f, \"delivery_p50_ms\": %.2f, \"delivery_p99_ms\": %.2f",
           (double)deliveries / (last_delivery - start), 1e3 * delivered_within(0.5), 1e3 * delivered_within(0.99));
    print_times("last", &last_readers);
}
