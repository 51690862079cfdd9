/// The Belfry plugin contract: everything that crosses between a host and a plugin.
///
/// A plugin is a shared object that exports one function, `belfry_plugin_entry_v1` (plugin.h). It returns a constant root
/// struct; what the plugin can do is found by name through `get_extension`:
///
///   plugin offers   belfry.strategy/1   strategies that allow, deny or defer notifications      strategy.h
///                   belfry.filter/1     filters that edit or drop a candidate                   filter.h
///                   belfry.actions/1    what an action does when a notification is opened       actions.h
///                   belfry.sink/1       where decisions are delivered to                        delivery.h
///                   belfry.receipts/1   strategies that hear what became of notifications       receipts.h
///                   belfry.outcomes/1   strategies that need not be told of every outcome       outcomes.h
///   host offers     belfry.log/1, belfry.local-time/1, belfry.conditions/1, belfry.attributes/1,
///                   belfry.scratch/1                                                            host.h
///                   belfry.current/1    the current notifications of the subject                current.h
///                   belfry.digest/1     what a strategy that collects may know and say          digest.h
///
/// This is version 1.0 of the contract, and it is final: nothing in it changes, and nothing is taken out of it.
///
/// Rules that hold everywhere, unless a function says otherwise:
///
/// - A released struct never changes. Its tag carries its revision (`struct belfry_text_r1`); the name without it is the
///   current one. Growth happens by new extensions and new revisions, because Swift identifies a C struct by its tag across
///   the whole process: two layouts under one tag corrupt the heap.
/// - Memory is freed by the side that allocated it. What is passed in is borrowed until the call returns; what comes out goes
///   through a sink of the host, which copies it.
/// - Texts are UTF-8 with a length, not NUL-terminated. Booleans are 4 bytes, 0 or 1. Instants are milliseconds since
///   1970-01-01T00:00:00Z, durations are milliseconds.
/// - A failure always carries a sentence.
/// - Thread tags: [setup] one call at a time, before any other; [subject] on a thread of the host, at once for different
///   subjects, never twice at once for one; [any] on any thread of the host, at any time.
#ifndef BELFRY_H
#define BELFRY_H

#include "belfry/base.h"
#include "belfry/value.h"
#include "belfry/parameters.h"
#include "belfry/candidate.h"
#include "belfry/state.h"
#include "belfry/host.h"
#include "belfry/current.h"
#include "belfry/strategy.h"
#include "belfry/digest.h"
#include "belfry/receipts.h"
#include "belfry/outcomes.h"
#include "belfry/filter.h"
#include "belfry/actions.h"
#include "belfry/delivery.h"
#include "belfry/plugin.h"

#endif
