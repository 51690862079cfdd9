#ifndef BELFRY_ISOLATION_H
#define BELFRY_ISOLATION_H

#include <stddef.h>
#include <stdint.h>
#include <spawn.h>
#include <sys/types.h>

/// Has a process that is spawned close all descriptors from there on.
int belfry_close_from(posix_spawn_file_actions_t *actions, int first);

/// Has a process that is spawned begin in a folder.
int belfry_change_folder(posix_spawn_file_actions_t *actions, const char *folder);

/// Makes this process the parent of what its children leave behind.
int belfry_adopt_orphans(void);

/// Forks a process whose parent will be `host`, an ancestor that adopts orphans, and that ends with it.
///
/// @returns 0 in the new process, 1 in this one, -1 with errno set.
int belfry_fork_for(pid_t host);

/// Has this process end with its parent. @returns whether that is still `parent`.
int belfry_end_with(pid_t parent);

/// The name of this process in lists of processes, up to 15 bytes.
void belfry_name_process(const char *name);

/// Sends bytes with descriptors over a unix socket. @returns 0, or -1 with errno set.
int belfry_send_descriptors(int socket, const void *bytes, size_t length, const int *descriptors, size_t count);

/// Receives what was sent. @returns the number of bytes, 0 at the end, -1 with errno set. `count` is how many descriptors there is room
/// for, then how many came.
ssize_t belfry_receive_descriptors(int socket, void *bytes, size_t length, int *descriptors, size_t *count);

/// Memory that processes share through a descriptor, of a size that cannot be changed any more; pages that were never written to take
/// none. @returns -1 with errno set.
int belfry_shared_memory(size_t size);

/// Has the system make the pages of a mapping all at once, where it can (Linux 5.14).
void belfry_populate(void *start, size_t length);


/// A descriptor that is readable when a process has ended; -1 with errno set.
int belfry_process_descriptor(pid_t process);

/// The processor time that a process has taken, in ns; -1 if there is none.
int64_t belfry_processor_time(pid_t process);

/// The same of a thread of this process.
int64_t belfry_thread_time(int thread);

#endif
