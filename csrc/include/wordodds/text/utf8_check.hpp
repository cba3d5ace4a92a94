// Is this UTF-8? Asked once, where bytes come in; all that reads TextKind::utf8 then trusts it.
#pragma once

#include <cstdint>
#include <span>

#include "wordodds/base/parallel.hpp"
#include "wordodds/text/document.hpp"

namespace wordodds {

enum class Utf8Check : int32_t {
    ascii,  // all bytes below 0x80
    utf8,   // valid, with at least one character of several bytes
    invalid,
};

// Strict, as RFC 3629 and Python's decoder have it: no surrogates, no longer form than needed,
// nothing above U+10FFFF. bytes has length n and may be null if n is 0. O(n); no allocation.
Utf8Check utf8_check(const char* bytes, int64_t n);

// Sets the kind of each document, whatever it was, to ascii or utf8, and returns -1; or the lowest
// index of one that is not UTF-8, with the kinds undefined then. Precondition: data holds length
// bytes. O(bytes); documents are shared out among the threads, 256 at a time.
int64_t documents_check_utf8(std::span<Document> documents, const Execution& execution);

}  // namespace wordodds
