/// Callers of a service, and what they have to wait for.
///
///     service_client post port=P token=T file=LINES path=/v1/signals connections=4 signals=1000 rate=0 seconds=0 warmup=0 spread=0
///     service_client slow port=P token=T connections=2000 seconds=10
///     service_client follow port=P token=T streams=100 stopped=1 rate=200 seconds=10
///
/// `post` sends the lines of a file, so many in each request, and those of a subject by one connection unless they are spread. With a rate, requests are due
/// at even intervals whatever became of those before, and what one waits begins there; without, each follows the answer to the one
/// before. `slow` holds connections over which a byte comes each second. `follow` posts signals, and reads what was decided by streams.
#include "service_client.h"

#include "rules.h"

#include <stdlib.h>
#include <string.h>

static const char *text_option(const options *options, const char *name) {
    size_t length = strlen(name);
    for (int i = 0; i < options->count; i++)
        if (!strncmp(options->words[i], name, length) && options->words[i][length] == '=')
            return options->words[i] + length + 1;
    return NULL;
}

const char *text_of_option(const options *options, const char *name) {
    const char *text = text_option(options, name);
    if (!text) fail("an option is missing", name);
    return text;
}

double number_of_option(const options *options, const char *name, double fallback) {
    const char *text = text_option(options, name);
    return text ? atof(text) : fallback;
}

// MARK: Waits

void note(waits *waits, double seconds) {
    if (waits->count == waits->room) {
        waits->room = waits->room ? 2 * waits->room : 1024;
        waits->seconds = realloc(waits->seconds, waits->room * sizeof *waits->seconds);
    }
    waits->seconds[waits->count++] = seconds;
}

static int compare(const void *a, const void *b) {
    double difference = *(const double *)a - *(const double *)b;
    return (difference > 0) - (difference < 0);
}

static double percentile(const waits *waits, double share) {
    return waits->count ? waits->seconds[(size_t)(share * (double)(waits->count - 1))] : 0;
}

void print_waits(const char *name, waits *waits) {
    if (waits->count) qsort(waits->seconds, waits->count, sizeof *waits->seconds, compare);
    printf(", \"%s\": {\"count\": %zu, \"p50\": %.6f, \"p99\": %.6f, \"p999\": %.6f, \"most\": %.6f}", name, waits->count,
           percentile(waits, 0.5), percentile(waits, 0.99), percentile(waits, 0.999), percentile(waits, 1));
}

int main(int count, char **words) {
    if (count < 2) fail("what is to be done is missing", "post, slow or follow");
    options options = {.words = words + 2, .count = count - 2};
    if (!strcmp(words[1], "post")) return post(&options);
    if (!strcmp(words[1], "slow")) return be_slow(&options);
    if (!strcmp(words[1], "follow")) return follow(&options);
    fail("there is no such thing to do", words[1]);
}
