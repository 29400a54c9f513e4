#pragma once

#include <stddef.h>

/// One file of the API document.
struct api_document_file {
    const unsigned char *octets;
    size_t count;
};

/// The parts of the document; `paths` and `schemas` have a file for each resource.
enum api_document_part {
    api_document_head,
    api_document_paths,
    api_document_schemas,
    api_document_parameters,
    api_document_headers,
    /// The fields that every response has, beside its own.
    api_document_every_answer,
    api_document_responses,
    api_document_security,
    api_document_problems,
};

/// The file at `index` of a part; its count is 0 behind the last.
struct api_document_file api_document_get(enum api_document_part part, size_t index);
