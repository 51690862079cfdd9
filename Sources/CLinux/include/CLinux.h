/// What Linux offers and Swift's Glibc module leaves out.
#include <dirent.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/socket.h>

#include "call_site.h"
#include "frozen_world.h"
#include "image.h"
#include "isolation.h"
#include "last_words.h"
#include "sandbox.h"

/// Lets the first SIGTERM or SIGINT of this process be noted only: its number can then be read from the descriptor that this
/// returns, as eight bytes. The next one ends the process, whatever it is doing. -1 and errno on failure.
int belfry_note_stop_signals(void);

/// Gives both signals back what they do by default, and closes the descriptor.
void belfry_forget_stop_signals(void);

/// Sends a datagram to the socket of this process's supervisor; `place` is a path, or a name behind '@'.
void belfry_notify(const char *_Nonnull place, const char *_Nonnull state);

/// Whether a program listens at a unix socket.
int belfry_is_listened_to(const char *_Nonnull path);

/// The name of a signal without its SIG, such as SEGV (sigabbrev_np(3)); NULL where it has none, as those for real time have.
const char *_Nullable belfry_signal_abbreviation(int number);

/// What this process holds of `malloc`, in bytes.
unsigned long belfry_bytes_in_use(void);

/// Has `malloc` keep what it got from the system for the next time: buffers of a batch are as large in the next one, and a page that the
/// system gives is a page that it has to clear.
void belfry_keep_memory(void);

/// The next name in a folder that was opened (readdir(3)), until the one after it is asked for; NULL behind the last.
///
/// Here because an entry is shorter than its struct says, and a copy of that would read beyond it.
const char *_Nullable belfry_next_name(DIR *_Nonnull folder);

/// A descriptor of a file that lies in memory and goes with its last descriptor (memfd_create(2)); -1 with errno set.
int belfry_memory_file(const char *_Nonnull name);

/// Lets so many bytes wait in a pipe. What is no pipe, or has more than its user may have, stays as it is.
void belfry_widen_pipe(int descriptor, int bytes);

/// Who is at the other end of a unix socket: what SO_PEERCRED gives (unix(7)).
struct belfry_peer {
    int32_t process;
    uint32_t user;
    uint32_t group;
};
enum { belfry_peer_option = SO_PEERCRED };

/// Has the processor fetch the memory there, which need not be valid, while it goes on.
static inline void belfry_prefetch(const void *_Nullable address) { __builtin_prefetch(address); }

/// Whether some bytes are among others (memmem(3)).
int belfry_contains(
    const void *_Nonnull bytes, unsigned long count, const void *_Nonnull wanted, unsigned long wanted_count);

/// Whether something that was printed could not be written.
int belfry_has_lost_output(void);
