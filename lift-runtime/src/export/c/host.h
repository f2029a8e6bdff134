/* What any program of the command line needs: messages, memory, files and options. */

#ifndef HOST_H
#define HOST_H

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__unix__) || defined(__APPLE__)
#include <sys/stat.h>
#endif

/* Ends the program with a message, written as by printf. */
static inline void fail(const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("error: ", stderr);
    vfprintf(stderr, format, arguments);
    fputs("\n", stderr);
    va_end(arguments);
    exit(EXIT_FAILURE);
}

/* At least one byte, so that there is an address also for arrays without elements. */
static inline void* host_memory(void* old, size_t bytes)
{
    void* memory = realloc(old, bytes > 0 ? bytes : 1);
    if (memory == NULL) {
        fail("this machine has no memory for %zu bytes", bytes);
    }
    return memory;
}

/* Fails unless it is a regular file: a pipe would be waited for, and a device may never end. */
static inline void host_check_file(const char* path)
{
#if defined(__unix__) || defined(__APPLE__)
    struct stat about;
    if (stat(path, &about) != 0) {
        fail("%s: %s", path, strerror(errno));
    }
    if (!S_ISREG(about.st_mode)) {
        fail("%s: it is no regular file", path);
    }
#else
    (void)path;
#endif
}

/* All of a file of no more bytes than this, and a byte 0 after it. */
static inline char* host_file(const char* path, size_t most, size_t* bytes)
{
    host_check_file(path);
    FILE* file = fopen(path, "rb");
    if (file == NULL) {
        fail("%s: %s", path, strerror(errno));
    }
    size_t room = 1 << 16;
    char* text = host_memory(NULL, room);
    *bytes = 0;
    for (;;) {
        *bytes += fread(text + *bytes, 1, room - *bytes, file);
        if (*bytes > most) {
            fail("%s: it has more than %zu bytes", path, most);
        }
        if (*bytes < room) {
            break;
        }
        room = room > SIZE_MAX / 2 ? SIZE_MAX : 2 * room;
        text = host_memory(text, room);
    }
    if (ferror(file)) {
        fail("%s: %s", path, strerror(errno));
    }
    fclose(file);
    text[*bytes] = 0;
    return text;
}

struct options {
    bool list;
    const char* device;    /* part of a name; NULL for any device */
    long repeat;           /* timed runs after the first */
    double tolerance;      /* negative if none is given */
    const char** expected; /* a file for each of the first results */
    int files;
};

static inline void options_usage(FILE* to, const char* program)
{
    fprintf(to, "usage: %s [OPTION]...\n", program);
    fputs("  --device TEXT    the first device with this in what --list prints of it\n"
          "                   (else the first GPU, else the first device)\n"
          "  --list           print all devices\n"
          "  --repeat N       run N times more, and print the median times\n"
          "  --expect FILE    compare the result with this one; for the second result again\n"
          "  --tolerance X    how far floats may be off, as part of the largest that is expected\n",
          to);
}

static inline struct options options_of(int argc, char** argv, int results)
{
    struct options options = {.tolerance = -1};
    options.expected = host_memory(NULL, (size_t)argc * sizeof(char*));
    for (int k = 1; k < argc; k++) {
        const char* name = argv[k];
        if (strcmp(name, "--help") == 0) {
            options_usage(stdout, argv[0]);
            exit(EXIT_SUCCESS);
        }
        if (strcmp(name, "--list") == 0) {
            options.list = true;
            continue;
        }
        const char* value = k + 1 < argc ? argv[++k] : NULL;
        char* end = NULL;
        bool known = value != NULL;
        if (known && strcmp(name, "--device") == 0) {
            options.device = value;
        } else if (known && strcmp(name, "--repeat") == 0) {
            options.repeat = strtol(value, &end, 10);
            known = end != value && *end == 0 && options.repeat >= 0 && options.repeat <= 1000000;
        } else if (known && strcmp(name, "--tolerance") == 0) {
            options.tolerance = strtod(value, &end);
            known = end != value && *end == 0 && options.tolerance >= 0;
        } else if (known && strcmp(name, "--expect") == 0 && options.files < results) {
            options.expected[options.files++] = value;
        } else {
            known = false;
        }
        if (!known) {
            const char* space = value == NULL ? "" : " ";
            fprintf(stderr, "error: `%s%s%s` can't be understood\n", name, space, value == NULL ? "" : value);
            options_usage(stderr, argv[0]);
            exit(EXIT_FAILURE);
        }
    }
    return options;
}

#endif
