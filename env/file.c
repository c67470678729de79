/* file.c: whole files in and out. Reading is bounded and takes regular files only; writing leaves either the
 * whole new file or the old one (a new file beside it, fsync, rename, fsync of the folder). */
#include "game.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *lr_scenario_folder(void) {
    const char *folder = getenv("LONGROLL_SCENARIOS");
    return folder && *folder ? folder : LONGROLL_SCENARIO_FOLDER;
}

/* ---- Reading ---- */

static int open_to_read(const char *path, int *file, size_t *size, lr_error *error) {
    *file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (*file < 0) {
        const int code = errno == ENOENT || errno == ENOTDIR ? LR_E_NOT_FOUND : LR_E_IO;
        return lr_fail(error, code, "cannot open %s: %s", path, strerror(errno));
    }
    struct stat about;
    if (fstat(*file, &about) == 0 && S_ISREG(about.st_mode)) {
        *size = (size_t)about.st_size;
        return LR_OK;
    }
    close(*file);
    return lr_fail(error, LR_E_IO, "cannot read %s: it is not a regular file", path);
}

/* Reads until the end or until `room` is full; the number of bytes, or -1. */
static ssize_t read_all(int file, char *bytes, size_t room) {
    size_t length = 0;
    while (length < room) {
        const ssize_t got = read(file, bytes + length, room - length);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return -1;
        if (got == 0) break;
        length += (size_t)got;
    }
    return (ssize_t)length;
}

int lr_file_read(const char *path, size_t most, char **text, size_t *length, lr_error *error) {
    int file;
    size_t size = 0;
    const int code = open_to_read(path, &file, &size, error);
    if (code) return code;
    if (size > most) {
        close(file);
        return lr_fail(error, LR_E_ARGUMENT, "%s has %zu bytes, more than the %zu allowed", path, size, most);
    }
    char *bytes = malloc(size + 1);
    if (!bytes) {
        close(file);
        return lr_fail(error, LR_E_MEMORY, "no memory for the %zu bytes of %s", size, path);
    }
    const ssize_t got = read_all(file, bytes, size);
    const int reason = errno;
    close(file);
    if (got < 0) {
        free(bytes);
        return lr_fail(error, LR_E_IO, "cannot read %s: %s", path, strerror(reason));
    }
    bytes[got] = '\0';
    *text = bytes;
    *length = (size_t)got;
    return LR_OK;
}

/* ---- Writing ---- */

static int write_failed(lr_error *error, const char *path, int reason) {
    return lr_fail(error, LR_E_IO, "cannot write %s: %s", path, strerror(reason));
}

/* 0 or errno. */
static int write_all(int file, const char *bytes, size_t length) {
    while (length) {
        const ssize_t put = write(file, bytes, length);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return errno;
        bytes += put;
        length -= (size_t)put;
    }
    return fsync(file) ? errno : 0;
}

/* Makes a file that did not exist beside `path`. */
static int open_beside(const char *path, char name[PATH_MAX]) {
    for (int attempt = 0; attempt < 1000; attempt++) {
        if (snprintf(name, PATH_MAX, "%s.new-%ld-%d", path, (long)getpid(), attempt) >= PATH_MAX) {
            errno = ENAMETOOLONG;
            return -1;
        }
        const int file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file >= 0 || errno != EEXIST) return file;
    }
    return -1;
}

/* The rename itself lasts only once its folder is on the disk. File systems that cannot do that say EINVAL. */
static int sync_folder(const char *path) {
    char copy[PATH_MAX];
    snprintf(copy, sizeof copy, "%s", path);
    const int folder = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return errno;
    const int reason = fsync(folder) && errno != EINVAL ? errno : 0;
    close(folder);
    return reason;
}

int lr_file_write(const char *path, const char *bytes, size_t length, lr_error *error) {
    struct stat about;
    const bool exists = stat(path, &about) == 0;
    if (exists && !S_ISREG(about.st_mode))
        return lr_fail(error, LR_E_IO, "cannot write %s: it is not a regular file", path);
    char target[PATH_MAX], name[PATH_MAX]; /* a link stays a link: the file that it names is replaced */
    if (!exists || !realpath(path, target)) snprintf(target, sizeof target, "%s", path);
    if (strlen(path) >= PATH_MAX) return write_failed(error, path, ENAMETOOLONG);

    const int file = open_beside(target, name);
    if (file < 0) return write_failed(error, path, errno);
    int reason = write_all(file, bytes, length);
    if (exists && !reason && fchmod(file, about.st_mode & 07777)) reason = errno;
    if (close(file) && !reason) reason = errno;
    if (!reason && rename(name, target)) reason = errno;
    if (reason) {
        unlink(name);
        return write_failed(error, path, reason);
    }
    reason = sync_folder(target);
    return reason ? write_failed(error, path, reason) : LR_OK;
}
