/// The subjects and campaigns in memory, found by their text ids, and the five checks over them.
#pragma once

#include "rules.h"

/// When a campaign was last created for a subject, and how often.
typedef struct {
    uint32_t campaign, count;
    int64_t last;
} mark;

/// The last creations in a group, the oldest first; 0 for none.
typedef struct {
    uint32_t group;
    int64_t times[GROUP_MAX];
} group_window;

/// In one piece of memory as far as possible, because what costs time here is to wait for memory.
typedef struct {
    text id;  ///< behind the subject
    attributes user;
    mark *marks, first_marks[6];
    group_window *groups, first_groups[4];
    uint32_t mark_count, mark_room, group_count, group_room;
    int64_t times[SUBJECT_MAX];  ///< the last creations, the oldest first; 0 for none
    text latest;                 ///< the campaign that was created last, its number, and when that was first opened
    uint32_t latest_number;
    bool is_current;  ///< whether that is still to be deleted
    int64_t opened_at;
} subject;

/// A place of a hash table with open addressing, whose size is a power of two.
typedef struct {
    uint64_t hash;
    subject *subject;
} place;

typedef struct {
    place *places;
    size_t size, count;
    campaign *campaigns;
    uint32_t *campaign_places;  ///< a table too: numbers from 1, 0 for none
    size_t campaign_size;
    bool has_group_cap;
} table;

table table_for(uint32_t campaigns);
/// The subject of that id; a new one if there was none.
subject *subject_of(table *table, text id);
const campaign *campaign_of(const table *table, text id);

/// Asks every check, and remembers what was created.
outcome decide(table *table, subject *subject, const campaign *campaign, int64_t now);
