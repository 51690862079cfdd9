/// Counts checks, and says what does not hold.
#define _DEFAULT_SOURCE  // gmtime_r
#include "internal.h"

#include <stdlib.h>
#include <time.h>

static int passed, failed;

static void count(int holds) { holds ? passed++ : failed++; }

void belfry_test_check(int holds, const char *claim, const char *file, int line) {
    count(holds);
    if (!holds) printf("%s:%d: this does not hold: %s\n", file, line, claim);
}

void belfry_test_check_equal(int64_t found, int64_t expected, const char *what, const char *file, int line) {
    count(found == expected);
    if (found == expected) return;
    printf("%s:%d: %s is %lld\n  expected: %lld\n", file, line, what, (long long)found, (long long)expected);
}

void belfry_test_check_text(const char *found, const char *expected, const char *what, const char *file, int line) {
    const int holds = found && expected ? strcmp(found, expected) == 0 : found == expected;
    count(holds);
    if (holds) return;
    const char *quote = found ? "'" : "", *other = expected ? "'" : "";
    printf("%s:%d: %s is %s%s%s\n  expected: %s%s%s\n", file, line, what, quote, found ? found : "none", quote, other,
           expected ? expected : "none", other);
}

int belfry_test_summary(void) {
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}

void belfry_test_fail(struct belfry_test *test, const char *what, const char *why, const char *fix) {
    failed++;
    printf("'%s' %s, at %s\n  why: %s\n  fix: %s\n", test->name, what, belfry_test_time(test, test->now), why, fix);
}

const char *belfry_test_time(struct belfry_test *test, int64_t instant) {
    const int milliseconds = (int)((instant % 1000 + 1000) % 1000);
    const time_t seconds = (time_t)((instant - milliseconds) / 1000);
    struct tm time;
    char text[40], fraction[8] = "";
    if (!gmtime_r(&seconds, &time)) return belfry_test_format(test, "%lld ms", (long long)instant);
    strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &time);
    if (milliseconds) snprintf(fraction, sizeof(fraction), ".%03d", milliseconds);
    return belfry_test_format(test, "%s%sZ", text, fraction);
}

void belfry_test_require(int holds, const char *what, const char *name) {
    if (holds) return;
    printf("%s '%s'\n", what, name);
    exit(1);
}
