/* A machine under one process: its disk, which keeps what was synced, and its clock, which may be wrong.

   The process loads this library first (LD_PRELOAD). Below the folder MACHINE_DATA, an absolute path that the process
   uses, the content of each file is copied into the folder MACHINE_DISK when it is synced: after a loss of power, the
   rest is gone. MACHINE_SECONDS are added to the time of day. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long find_seconds(void) {
    static int is_read;
    static long seconds;
    if (!is_read) {
        const char *given = getenv("MACHINE_SECONDS");
        seconds = given ? atol(given) : 0;
        is_read = 1;
    }
    return seconds;
}

int clock_gettime(clockid_t clock, struct timespec *found) {
    int result = (int)syscall(SYS_clock_gettime, clock, found);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) found->tv_sec += find_seconds();
    return result;
}

int gettimeofday(struct timeval *restrict found, void *restrict zone) {
    int result = (int)syscall(SYS_gettimeofday, found, zone);
    if (result == 0) found->tv_sec += find_seconds();
    return result;
}

time_t time(time_t *found) {
    struct timeval now;
    gettimeofday(&now, NULL);
    if (found) *found = now.tv_sec;
    return now.tv_sec;
}

/* Write the name of a file's copy, with '%' for '/'. Return 0 for a file elsewhere. */
static int name_copy(const char *path, char *name, size_t size) {
    const char *data = getenv("MACHINE_DATA"), *disk = getenv("MACHINE_DISK");
    size_t length = data ? strlen(data) : 0;
    if (!length || !disk || strncmp(path, data, length) || path[length] != '/') return 0;
    int written = snprintf(name, size, "%s/", disk);
    if (written < 0 || (size_t)written + strlen(path + length) > size) return 0;
    for (const char *each = path + length + 1; *each; each++) name[written++] = *each == '/' ? '%' : *each;
    name[written] = 0;
    return 1;
}

static int copy_all(int from, int to) {
    static __thread char bytes[1 << 16];
    off_t place = 0;
    ssize_t count;
    while ((count = pread(from, bytes, sizeof bytes, place)) > 0) {
        if (pwrite(to, bytes, (size_t)count, place) != count) return 0;
        place += count;
    }
    return count == 0;
}

/* Copy a file as it is now. A file that is open for reading is not opened again: to close it would release the locks
   of the process on it. */
static void keep(int file) {
    char opened[64], path[PATH_MAX], name[PATH_MAX], new_name[PATH_MAX + 32];
    snprintf(opened, sizeof opened, "/proc/self/fd/%d", file);
    ssize_t length = readlink(opened, path, sizeof path - 1);
    struct stat about;
    if (length <= 0 || fstat(file, &about) || !S_ISREG(about.st_mode)) return;
    path[length] = 0;
    if (!name_copy(path, name, sizeof name)) return;
    int is_readable = (fcntl(file, F_GETFL) & O_ACCMODE) != O_WRONLY;
    int from = is_readable ? file : open(opened, O_RDONLY | O_CLOEXEC);
    snprintf(new_name, sizeof new_name, "%s.%ld.tmp", name, syscall(SYS_gettid));
    int to = open(new_name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    int is_copied = from >= 0 && to >= 0 && copy_all(from, to);
    if (to >= 0) close(to);
    if (from >= 0 && !is_readable) close(from);
    int (*move)(const char *, const char *) = (int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename");
    if (is_copied) move(new_name, name);
}

int fsync(int file) {
    int result = (int)syscall(SYS_fsync, file), problem = errno;
    if (result == 0) keep(file);
    errno = problem;
    return result;
}

int fdatasync(int file) {
    int result = (int)syscall(SYS_fdatasync, file), problem = errno;
    if (result == 0) keep(file);
    errno = problem;
    return result;
}

int rename(const char *from, const char *to) {
    int (*move)(const char *, const char *) = (int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename");
    int result = move(from, to), problem = errno;
    char old_name[PATH_MAX], new_name[PATH_MAX];
    if (result == 0 && name_copy(from, old_name, sizeof old_name) && name_copy(to, new_name, sizeof new_name))
        move(old_name, new_name);
    errno = problem;
    return result;
}

/* A hard link to a file that was synced is as durable as the file. */
int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags) {
    int result = (int)syscall(SYS_linkat, from_folder, from, to_folder, to, flags), problem = errno;
    char old_name[PATH_MAX], new_name[PATH_MAX];
    if (result == 0 && name_copy(from, old_name, sizeof old_name) && name_copy(to, new_name, sizeof new_name)) {
        unlink(new_name);
        syscall(SYS_linkat, AT_FDCWD, old_name, AT_FDCWD, new_name, 0);
    }
    errno = problem;
    return result;
}

int link(const char *from, const char *to) {
    return linkat(AT_FDCWD, from, AT_FDCWD, to, 0);
}
