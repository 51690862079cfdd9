#ifndef BELFRY_CALL_SITE_H
#define BELFRY_CALL_SITE_H

#include <stddef.h>
#include <stdint.h>

/// What a thread is at that calls plugins, for the sentence that is said when one of them takes the process with it.
struct belfry_call_site {
    /// As `CallNote` in Swift: piece, ordinal, and the call with its entry and hook.
    const volatile uint32_t *note;
    /// By the place of an entry in the chain, with NULL at the end: its plugin and its id.
    const char *const *plugins;
    const char *const *entries;
    /// By their numbers.
    const char *const *hooks;
    /// Ended by NUL, cut where they are too long.
    char subject[256];
    char signal[256];
    /// The thread that entered it last, as the system numbers it.
    int thread;
};

/// From here on the process has work to do: an `exit` or `_exit` before `belfry_work_is_done` ends it with status 1 and
/// a sentence.
void belfry_begin_work(void);
void belfry_work_is_done(void);

/// Says where this thread is at work; a signal that it dies of is then told of in a sentence. NULL takes that back. One thread at a time is at
/// a site.
void belfry_enter_site(struct belfry_call_site *site);

/// Says that this thread is about to call the handler of an action: a signal that it dies of, and its end, are told of in a sentence. The texts
/// stay where they are until NULL takes that back.
void belfry_note_handler(const char *plugin, const char *action);

enum belfry_lifecycle { BELFRY_CREATE, BELFRY_DESTROY };

/// An entry of the chain that a plugin sets up or lets go, in memory that another process reads.
struct belfry_lifecycle_note {
    /// Of the calls that have begun and of those that have ended: odd within one.
    uint32_t count;
    uint32_t hook;
    /// Ended by NUL, cut where they are too long.
    char plugin[256];
    char entry[256];
};

/// Has what is noted from now on stand there, too, as far as this process notes it. NULL takes that back.
void belfry_share_lifecycle(struct belfry_lifecycle_note *note);

/// Says that this thread has a plugin set up an entry of the chain, or let it go: a signal that it dies of then, its end, and that it does not
/// return within 20 s, are told of in a sentence, and the status is 2, or 1 where it is let go. NULL takes that back. Nothing happens in a process
/// that has only the library of belfry.
void belfry_note_lifecycle(const char *plugin, const char *entry, enum belfry_lifecycle hook);

/// Ends the process, whatever a plugin is doing in it, without a word about that.
void belfry_end_without_blame(int status);

/// When another thread than this process's first one crashes, `*elsewhere` becomes 1 before the process ends: the call that is noted is not
/// the one that crashed. A signal that a plugin has a handler for is left to that.
void belfry_tell_threads_apart(uint32_t *elsewhere);

/// Notes what is decided now.
void belfry_note_signal(struct belfry_call_site *site, const char *subject, size_t subject_length, const char *signal, size_t signal_length);

/// Ends the process because the call that a thread is in does not return. @returns if it is in none by now.
void belfry_end_for_hang(const struct belfry_call_site *site, const char *limit);

#endif
