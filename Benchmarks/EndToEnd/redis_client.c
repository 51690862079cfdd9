/// The rules as a Redis script, with a client that wastes no time: many signals in a call, and several calls on their way.
///
///     redis_client SIGNALS DECISIONS CAMPAIGNS PORT SCRIPT [rules|ids [LINES [BATCH [IN-FLIGHT]]]]
///
/// Reads and writes the same lines as the others do. With `ids`, the script remembers the ids of signals, and takes none twice.
#include "table.h"

#include <hiredis/hiredis.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SIGNALS = 4096, MOST_BATCHES = 64 };

/// Signals that are packed, or on their way.
typedef struct {
    signal signals[MOST_SIGNALS];
    const campaign *campaigns[MOST_SIGNALS];  ///< null but for requests
    int count;
} batch;

typedef struct {
    table table;  ///< for its campaigns
    output out;
    redisContext *redis;
    char sha[41];
    bool sends_ids;
    int batch_size, most_in_flight;
    batch batches[MOST_BATCHES];
    int first, in_flight;  ///< the batch after the last one in flight is being filled
    uint32_t elements;
    size_t used;
    unsigned char bytes[1 << 20];
} client;

// MARK: MessagePack

static void pack_byte(client *client, unsigned byte) { client->bytes[client->used++] = (unsigned char)byte; }

static void pack_text(client *client, text text) {
    if (text.length > 31) fail("a longer text than the generators write", text.at);
    pack_byte(client, 0xA0 | (unsigned)text.length);
    memcpy(client->bytes + client->used, text.at, text.length);
    client->used += text.length;
    client->elements++;
}

static void pack_number(client *client, uint64_t number) {
    client->elements++;
    if (number < 128) return pack_byte(client, (unsigned)number);
    pack_byte(client, 0xCF);
    for (int shift = 56; shift >= 0; shift -= 8) pack_byte(client, number >> shift & 0xFF);
}

static void pack(client *client, const signal *signal, const campaign *campaign) {
    static const unsigned kinds[] = {[ATTRIBUTES_SET] = 0, [ATTRIBUTES_UPDATED] = 1, [REQUESTED] = 2, [OPENED] = 3};
    pack_number(client, kinds[signal->kind]);
    pack_text(client, signal->subject);
    if (client->sends_ids) pack_text(client, signal->id);
    switch (signal->kind) {
    case ATTRIBUTES_SET:
        pack_text(client, signal->user.tier);
        pack_number(client, (uint64_t)signal->user.year_of_birth);
        pack_number(client, signal->user.is_premium);
        return pack_text(client, signal->user.country);
    case ATTRIBUTES_UPDATED: return pack_text(client, signal->user.tier);
    case REQUESTED:
        pack_number(client, (uint64_t)signal->time);
        pack_text(client, campaign->id);
        pack_number(client, campaign->number % 4);
        return pack_text(client, campaign->group);
    default:
        pack_number(client, (uint64_t)signal->time);
        return pack_text(client, signal->name);
    }
}

// MARK: Calls

static batch *filling(client *client) { return &client->batches[(client->first + client->in_flight) % MOST_BATCHES]; }

/// The array begins with its length, for which there is room in front.
enum { HEADER = 5 };

static void begin(client *client) {
    client->used = HEADER;
    client->elements = 0;
    filling(client)->count = 0;
}

static void send_batch(client *client) {
    client->bytes[0] = 0xDD;
    for (int i = 0; i < 4; i++) client->bytes[1 + i] = (unsigned char)(client->elements >> (24 - 8 * i));
    const char *words[] = {"EVALSHA", client->sha, "0", (const char *)client->bytes, "ids"};
    size_t lengths[] = {7, 40, 1, client->used, 3};
    redisAppendCommandArgv(client->redis, client->sends_ids ? 5 : 4, words, lengths);
    for (int done = 0; !done;)
        if (redisBufferWrite(client->redis, &done) != REDIS_OK) fail("redis", client->redis->errstr);
    client->in_flight++;
    begin(client);
}

static outcome read_outcome(const char *at, const char *end) {
    outcome outcome = {0};
    if (*at == '+') {
        outcome.number = (uint32_t)strtoul(at + 1, NULL, 10);
        return outcome;
    }
    while (at < end) {
        char *rest;
        denial *denial = &outcome.denials[outcome.count++];
        denial->entry = (entry)(*at - '0');
        denial->part = (uint8_t)(at[2] - '0');
        denial->until = strtoll(at + 4, &rest, 10);
        at = rest + 1;
    }
    return outcome;
}

static void write_answers(client *client, const batch *batch, const char *at, const char *end) {
    for (int i = 0; i < batch->count; i++) {
        const signal *signal = &batch->signals[i];
        if (signal->kind != REQUESTED && signal->kind != OPENED) continue;
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        if (!newline) newline = end;
        if (*at == '=') {
            // It came before, and nothing came of it this time.
        } else if (signal->kind == OPENED) {
            write_opened(&client->out, signal, strtoll(at, NULL, 10));
        } else {
            outcome outcome = read_outcome(at, newline);
            write_outcome(&client->out, signal, batch->campaigns[i], &outcome);
        }
        at = newline + 1;
    }
}

static void take_answer(client *client) {
    redisReply *reply;
    if (redisGetReply(client->redis, (void **)&reply) != REDIS_OK) fail("redis", client->redis->errstr);
    if (reply->type != REDIS_REPLY_STRING) fail("the script failed", reply->str);
    write_answers(client, &client->batches[client->first], reply->str, reply->str + reply->len);
    freeReplyObject(reply);
    client->first = (client->first + 1) % MOST_BATCHES;
    client->in_flight--;
}

static void take_line(text line, void *context) {
    client *client = context;
    signal signal = read_signal(line);
    if (signal.kind == OTHER) return;
    batch *batch = filling(client);
    const campaign *campaign = signal.kind == REQUESTED ? campaign_of(&client->table, signal.name) : NULL;
    batch->signals[batch->count] = signal;
    batch->campaigns[batch->count++] = campaign;
    pack(client, &signal, campaign);
    if (batch->count < client->batch_size) return;
    send_batch(client);
    if (client->in_flight == client->most_in_flight) take_answer(client);
}

// MARK: The run

static void load_script(client *client, const char *path) {
    char script[1 << 14];
    FILE *file = fopen(path, "r");
    if (!file) fail("cannot read", path);
    size_t length = fread(script, 1, sizeof script, file);
    fclose(file);
    redisReply *reply = redisCommand(client->redis, "SCRIPT LOAD %b", script, length);
    if (!reply || reply->type != REDIS_REPLY_STRING) fail("the script does not load", reply ? reply->str : "no answer");
    memcpy(client->sha, reply->str, 40);
    freeReplyObject(reply);
}

static int word(int count, char **words, int place, int otherwise) {
    return count > place ? atoi(words[place]) : otherwise;
}

int main(int count, char **words) {
    static client client;
    if (count < 6) fail("redis_client", "SIGNALS DECISIONS CAMPAIGNS PORT SCRIPT [rules|ids [LINES [BATCH [IN-FLIGHT]]]]");
    client.table = table_for((uint32_t)atoi(words[3]));
    client.out.file = fopen(words[2], "w");
    if (!client.out.file) fail("cannot write", words[2]);
    client.redis = redisConnect("127.0.0.1", atoi(words[4]));
    if (!client.redis || client.redis->err) fail("redis", client.redis ? client.redis->errstr : "no memory");
    load_script(&client, words[5]);
    client.sends_ids = count > 6 && strcmp(words[6], "ids") == 0;
    client.batch_size = word(count, words, 8, 200);
    client.most_in_flight = word(count, words, 9, 8);
    if (client.batch_size > MOST_SIGNALS || client.most_in_flight >= MOST_BATCHES) fail("redis_client", "too many");
    begin(&client);
    double start = seconds();
    long lines = for_each_line(words[1], word(count, words, 7, INT32_MAX), take_line, &client);
    if (filling(&client)->count > 0) send_batch(&client);
    while (client.in_flight > 0) take_answer(&client);
    end_output(&client.out);
    fclose(client.out.file);
    printf("{\"signals\":%ld,\"seconds\":%.6f,\"created\":%ld,\"suppressed\":%ld,\"opened\":%ld}\n", lines,
           seconds() - start, client.out.created, client.out.suppressed, client.out.opened);
    return 0;
}
