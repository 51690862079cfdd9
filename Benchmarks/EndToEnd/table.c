#include "table.h"

#include <stdlib.h>
#include <string.h>

static void *grown(void *old, size_t bytes) {
    void *new = realloc(old, bytes);
    if (!new) fail("out of memory", "");
    return new;
}

// MARK: Campaigns

static size_t place_of_campaign(const table *table, text id) {
    size_t place = text_hash(id) & (table->campaign_size - 1);
    for (uint32_t number; (number = table->campaign_places[place]); place = (place + 1) & (table->campaign_size - 1))
        if (text_equal(table->campaigns[number - 1].id, id)) break;
    return place;
}

static text formatted(const char *format, uint32_t number) {
    char *bytes = grown(NULL, 32);
    return (text){bytes, (size_t)snprintf(bytes, 32, format, number)};
}

table table_for(uint32_t campaigns) {
    table table = {.size = 1 << 10, .campaign_size = 1 << 4, .has_group_cap = true};
    table.places = calloc(table.size, sizeof *table.places);
    while (table.campaign_size < 2 * campaigns) table.campaign_size *= 2;
    table.campaign_places = calloc(table.campaign_size, sizeof *table.campaign_places);
    table.campaigns = grown(NULL, campaigns * sizeof *table.campaigns);
    uint32_t groups = campaigns < 5 ? 1 : campaigns / 5;
    for (uint32_t number = 0; number < campaigns; number++) {
        campaign *campaign = &table.campaigns[number];
        campaign->number = number;
        campaign->group_number = number % groups;
        campaign->id = formatted("campaign-%u", number);
        campaign->group = formatted("group-%u", number % groups);
        table.campaign_places[place_of_campaign(&table, campaign->id)] = number + 1;
    }
    return table;
}

const campaign *campaign_of(const table *table, text id) {
    uint32_t number = table->campaign_places[place_of_campaign(table, id)];
    if (!number) fail("a campaign that the configuration does not have", id.at);
    return &table->campaigns[number - 1];
}

// MARK: Subjects

static place *place_of(const table *table, uint64_t hash, text id) {
    for (size_t i = hash;; i++) {
        place *place = &table->places[i & (table->size - 1)];
        if (!place->subject || (place->hash == hash && text_equal(place->subject->id, id))) return place;
    }
}

static void grow(table *table) {
    place *old = table->places;
    size_t size = table->size;
    table->size *= 2;
    table->places = calloc(table->size, sizeof *table->places);
    for (size_t i = 0; i < size; i++)
        if (old[i].subject) *place_of(table, old[i].hash, old[i].subject->id) = old[i];
    free(old);
}

static subject *new_subject(text id) {
    subject *new = grown(NULL, sizeof *new + id.length);
    *new = (subject){.id = {memcpy(new + 1, id.at, id.length), id.length}, .mark_room = 6, .group_room = 4};
    new->marks = new->first_marks;
    new->groups = new->first_groups;
    return new;
}

subject *subject_of(table *table, text id) {
    uint64_t hash = text_hash(id);
    place *there = place_of(table, hash, id);
    if (there->subject) return there->subject;
    if (2 * ++table->count > table->size) {
        grow(table);
        there = place_of(table, hash, id);
    }
    *there = (place){hash, new_subject(id)};
    return there->subject;
}

// MARK: State

/// The element of that key, or null. Few enough to look at one after the other.
static mark *mark_of(subject *subject, uint32_t campaign) {
    for (uint32_t i = 0; i < subject->mark_count; i++)
        if (subject->marks[i].campaign == campaign) return &subject->marks[i];
    return NULL;
}

static group_window *window_of(subject *subject, uint32_t group) {
    for (uint32_t i = 0; i < subject->group_count; i++)
        if (subject->groups[i].group == group) return &subject->groups[i];
    return NULL;
}

/// Makes room for one more; the first ones are in the subject itself.
static void *one_more(void *elements, const void *first, uint32_t count, uint32_t *room, size_t size) {
    if (count < *room) return elements;
    *room *= 2;
    if (elements != first) return grown(elements, *room * size);
    return memcpy(grown(NULL, *room * size), first, count * size);
}

static void push(int64_t *times, int count, int64_t now) {
    memmove(times, times + 1, (size_t)(count - 1) * sizeof *times);
    times[count - 1] = now;
}

static uint32_t remember(table *table, subject *subject, const campaign *campaign, int64_t now) {
    mark *mark = mark_of(subject, campaign->number);
    if (!mark) {
        subject->marks = one_more(
            subject->marks, subject->first_marks, subject->mark_count, &subject->mark_room, sizeof *mark);
        mark = &subject->marks[subject->mark_count++];
        mark->campaign = campaign->number;
        mark->count = 0;
    }
    mark->last = now;
    mark->count++;
    if (table->has_group_cap) {
        group_window *window = window_of(subject, campaign->group_number);
        if (!window) {
            subject->groups = one_more(
                subject->groups, subject->first_groups, subject->group_count, &subject->group_room, sizeof *window);
            window = &subject->groups[subject->group_count++];
            *window = (group_window){.group = campaign->group_number};
        }
        push(window->times, GROUP_MAX, now);
    }
    push(subject->times, SUBJECT_MAX, now);
    subject->latest = campaign->id;
    subject->latest_number = mark->count;
    subject->opened_at = 0;
    return mark->count;
}

// MARK: Checks

static void deny(outcome *outcome, entry entry, int part, int64_t until) {
    outcome->denials[outcome->count++] = (denial){entry, (uint8_t)part, until};
}

outcome decide(table *table, subject *subject, const campaign *campaign, int64_t now) {
    outcome outcome;
    outcome.number = outcome.count = 0;
    int part = failing_part(campaign, &subject->user);
    if (part) deny(&outcome, SEGMENTATION, part, 0);
    int64_t of_day = now % DAY;
    if (of_day < OPENS || of_day >= CLOSES)
        deny(&outcome, SCHEDULE, 0, now - of_day + OPENS + (of_day < OPENS ? 0 : DAY));
    const mark *mark = mark_of(subject, campaign->number);
    if (mark && now - mark->last < COOLDOWN) deny(&outcome, COOLDOWN_ENTRY, 0, mark->last + COOLDOWN);
    if (table->has_group_cap) {
        const group_window *window = window_of(subject, campaign->group_number);
        if (window && window->times[0] && now - window->times[0] < DAY)
            deny(&outcome, GROUP_CAP, 0, window->times[0] + DAY);
    }
    if (subject->times[0] && now - subject->times[0] < DAY) deny(&outcome, SUBJECT_CAP, 0, subject->times[0] + DAY);
    if (outcome.count == 0) outcome.number = remember(table, subject, campaign, now);
    return outcome;
}
