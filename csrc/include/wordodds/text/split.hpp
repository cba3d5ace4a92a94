// Cutting a corpus into stretches of documents for threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "wordodds/base/parallel.hpp"
#include "wordodds/text/document.hpp"

namespace wordodds {

// Below this a second thread costs more to start than it saves.
inline constexpr int64_t part_units_min = 1 << 17;

// Borders of at most n_parts stretches of documents of about equal length in all.
inline std::vector<size_t> split_by_length(std::span<const Document> documents, int64_t n_parts) {
    int64_t total = 0;
    for (const Document& document : documents) total += document.length;
    n_parts = std::clamp<int64_t>(n_parts, 1, total / part_units_min + 1);
    std::vector<size_t> borders{0};
    int64_t before = 0;
    for (size_t i = 0; i < documents.size(); ++i) {
        before += documents[i].length;
        const auto done = static_cast<int64_t>(borders.size());
        if (done < n_parts && before >= total / n_parts * done) borders.push_back(i + 1);
    }
    borders.push_back(documents.size());
    return borders;
}

// Where stretches are independent: more of them than threads, so that a thread with easy text takes
// over from one with hard text.
inline std::vector<size_t> split_finely(std::span<const Document> documents,
                                        const Execution& execution) {
    constexpr int64_t parts_per_job = 4;
    return split_by_length(documents, execution.n_jobs == 1 ? 1 : parts_per_job * execution.n_jobs);
}

// Distinct words of a corpus grow with about the square root of its length; this starts a table
// that few corpora outgrow more than once.
inline int64_t expected_terms(std::span<const Document> documents) {
    int64_t total = 0;
    for (const Document& document : documents) total += document.length;
    return std::min<int64_t>(total / 256, 1 << 16);
}

}  // namespace wordodds
