// The web console's files, as they lie in web/: part of the program, so that it stays one file.
#pragma once

#include <stddef.h>

struct console_file {
    const char *name;
    const unsigned char *octets;
    size_t count;
};

extern const size_t console_file_count;

/// The file at `index`, which is below `console_file_count`.
struct console_file console_file_at(size_t index);
