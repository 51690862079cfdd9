/// The limit: what a program can do that was written by hand for these rules and nothing else.
///
///     limit file SIGNALS DECISIONS CAMPAIGNS [LINES]    reads lines of JSON, decides them, writes lines of JSON
///     limit loop created|suppressed SUBJECTS ROUNDS [CAMPAIGNS]
///                                                       decides in memory: four checks, one request for each subject a round
///
/// It keeps no history, knows no duplicates, and forgets everything when it ends.
#include "table.h"

#include <stdlib.h>
#include <string.h>

// MARK: File to file

typedef struct {
    table table;
    output out;
} run;

static text copied(text line) {
    char *bytes = malloc(line.length);
    if (!bytes) fail("out of memory", "");
    memcpy(bytes, line.at, line.length);
    return (text){bytes, line.length};
}

static void take_line(text line, void *context) {
    run *run = context;
    signal signal = read_signal(line);
    subject *subject = subject_of(&run->table, signal.subject);
    switch (signal.kind) {
    case ATTRIBUTES_SET: subject->user = signal.user; break;
    case ATTRIBUTES_UPDATED: subject->user.tier = signal.user.tier; break;
    case REQUESTED: {
        const campaign *campaign = campaign_of(&run->table, signal.name);
        outcome outcome = decide(&run->table, subject, campaign, signal.time);
        write_outcome(&run->out, &signal, campaign, &outcome);
        break;
    }
    case OPENED:
        // The generators open only the latest.
        if (!subject->opened_at) subject->opened_at = signal.time;
        write_opened(&run->out, &signal, subject->opened_at);
        break;
    case OTHER: break;
    }
}

static int run_file(const char *signals, const char *decisions, uint32_t campaigns, long limit) {
    static run run;
    run.table = table_for(campaigns);
    run.out.file = fopen(decisions, "w");
    if (!run.out.file) fail("cannot write", decisions);
    double start = seconds();
    long lines = for_each_line(signals, limit, take_line, &run);
    end_output(&run.out);
    fclose(run.out.file);
    printf("{\"signals\":%ld,\"seconds\":%.6f,\"created\":%ld,\"suppressed\":%ld,\"opened\":%ld}\n", lines,
           seconds() - start, run.out.created, run.out.suppressed, run.out.opened);
    return 0;
}

// MARK: In memory

typedef struct {
    text subject, campaign;
} request;

/// One request for each subject, in an order that no cache can guess. A subject always asks for the same campaign.
static request *requests_of(const table *table, uint32_t subjects, uint32_t campaigns) {
    request *requests = malloc(subjects * sizeof *requests);
    for (uint32_t i = 0; i < subjects; i++) {
        char id[16];
        text subject = {id, (size_t)snprintf(id, sizeof id, "u%u", i)};
        requests[i] = (request){copied(subject), table->campaigns[i % campaigns].id};
    }
    uint64_t random = 1;
    for (uint32_t i = subjects - 1; i > 0; i--) {
        random = random * 6364136223846793005 + 1442695040888963407;
        uint32_t other = (uint32_t)((random >> 33) % (i + 1));
        request kept = requests[i];
        requests[i] = requests[other];
        requests[other] = kept;
    }
    return requests;
}

/// Every subject is in every segment, and had five creations: one now, and four of other campaigns.
static void warm(table *table, const request *requests, uint32_t subjects, uint32_t campaigns, int64_t now) {
    for (uint32_t i = 0; i < subjects; i++) {
        subject *subject = subject_of(table, requests[i].subject);
        subject->user = (attributes){text_of("gold"), text_of("nl"), 1980, true};
        const campaign *campaign = campaign_of(table, requests[i].campaign);
        for (uint32_t other = 4; other > 0; other--)
            decide(table, subject, &table->campaigns[(campaign->number + other) % campaigns], now);
        decide(table, subject, campaign, now);
    }
}

static outcome batch[1000];

static long run_round(table *table, const request *requests, uint32_t subjects, int64_t now) {
    long created = 0;
    for (uint32_t i = 0; i < subjects; i++) {
        subject *subject = subject_of(table, requests[i].subject);
        outcome *outcome = &batch[i % 1000];
        *outcome = decide(table, subject, campaign_of(table, requests[i].campaign), now);
        created += outcome->number != 0;
    }
    return created;
}

static int run_loop(bool creates, uint32_t subjects, int rounds, uint32_t campaigns) {
    table table = table_for(campaigns);
    table.has_group_cap = false;
    request *requests = requests_of(&table, subjects, campaigns);
    int64_t now = 20454LL * DAY + 8 * HOUR;  // 2026-01-01T08:00:00Z
    warm(&table, requests, subjects, campaigns, now);
    double fastest = 1e9, start = seconds();
    long created = 0;
    for (int round = 0; round < rounds; round++) {
        now += creates ? DAY : 1;
        double began = seconds();
        created += run_round(&table, requests, subjects, now);
        double took = seconds() - began;
        if (took < fastest) fastest = took;
    }
    long decisions = (long)subjects * rounds;
    if (created != (creates ? decisions : 0)) fail("the loop decides otherwise than it should", "");
    printf("{\"nanoseconds\":%.2f,\"fastest\":%.2f,\"decisions\":%ld}\n", (seconds() - start) * 1e9 / (double)decisions,
           fastest * 1e9 / (double)subjects, decisions);
    return 0;
}

int main(int count, char **words) {
    if (count >= 5 && strcmp(words[1], "file") == 0)
        return run_file(words[2], words[3], (uint32_t)atol(words[4]), count > 5 ? atol(words[5]) : INT64_MAX);
    if ((count == 5 || count == 6) && strcmp(words[1], "loop") == 0)
        return run_loop(strcmp(words[2], "created") == 0, (uint32_t)atol(words[3]), atoi(words[4]),
                        count > 5 ? (uint32_t)atol(words[5]) : 50);
    fail("limit", "file SIGNALS DECISIONS CAMPAIGNS [LINES] or loop created|suppressed SUBJECTS ROUNDS [CAMPAIGNS]");
}
