/* driver.c: feeds files, or all files of folders, to a fuzz target where libFuzzer is not there: ctest replays the
 * corpora with it under every compiler. Usage: fuzz_NAME FILE|FOLDER...
 * It fails when there is nothing to feed, so that a lost corpus cannot pass for a clean one. */
#include "fuzz.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The whole file in memory of its exact size, so that a sanitizer sees a read beyond the end. */
static int feed_file(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) return perror(path), 0;
    struct stat about;
    if (fstat(fileno(file), &about) || !S_ISREG(about.st_mode)) return fclose(file), 0;
    const size_t size = (size_t)about.st_size;
    uint8_t *bytes = malloc(size ? size : 1);
    const bool whole = bytes && fread(bytes, 1, size, file) == size;
    fclose(file);
    if (whole) LLVMFuzzerTestOneInput(bytes, size);
    if (!whole) perror(path);
    free(bytes);
    return whole;
}

static int feed_folder(const char *path) {
    DIR *folder = opendir(path);
    if (!folder) return feed_file(path);
    int fed = 0;
    for (struct dirent *entry; (entry = readdir(folder));) {
        char inside[PATH_MAX];
        if (entry->d_name[0] == '.' || snprintf(inside, sizeof inside, "%s/%s", path, entry->d_name) >= PATH_MAX)
            continue;
        fed += feed_file(inside);
    }
    closedir(folder);
    return fed;
}

int main(int count, char **arguments) {
    int fed = 0;
    for (int i = 1; i < count; i++) fed += feed_folder(arguments[i]);
    printf("%d files\n", fed);
    return fed ? EXIT_SUCCESS : EXIT_FAILURE;
}
