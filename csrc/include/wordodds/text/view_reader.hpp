// One view of a document into the numbers of its features.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "wordodds/base/buffer.hpp"
#include "wordodds/text/analyze.hpp"
#include "wordodds/text/document.hpp"
#include "wordodds/text/identify.hpp"
#include "wordodds/text/word_memo.hpp"

namespace wordodds {

// Whether a word comes again often enough for remembering it to pay. Setting up the table costs
// more than it spares on a short text; the border, a few pages, is a guess that was not tuned.
inline bool is_worth_remembering(std::span<const Document> documents) {
    constexpr int64_t units_min = 1 << 14;
    int64_t n_units = 0;
    for (const Document& document : documents) {
        n_units += document.length;
        if (n_units >= units_min) return true;
    }
    return false;
}

// Serves one thread and any number of documents, all looked up in one table.
class ViewReader {
   public:
    // `remembers`: whether the numbers of a word's features are kept for when it comes again, which
    // pays for long text. The numbers are the same.
    ViewReader(const AnalyzerOptions& options, bool remembers, InstructionSet instruction_set)
        : analyzer_(options, instruction_set), remembers_(remembers && analyzer_.is_by_word()) {}

    // Appends identify(key of feature) for each feature of the document, in their order, but for
    // those that are term_not_found. Keys are made under `key`; `table` offers prefetch(hash).
    // O(length of the document), expected.
    template <class Table, class Identify>
    void read(const Document& document, HashKey key, const Table& table, Identify identify,
              StopToken& stop, Buffer<uint32_t>& ids_out) {
        analyzer_.start(document);
        if (remembers_) {
            if (!memo_) memo_.emplace(key);
            while (analyzer_.next_words_alone(stop)) {
                memo_->append(analyzer_, table, identify, ids_out);
            }
            return;
        }
        while (analyzer_.next(stop)) features_append(analyzer_, key, table, identify, ids_out);
    }

    // For callers that identify features themselves.
    Analyzer& analyzer() { return analyzer_; }

   private:
    Analyzer analyzer_;
    bool remembers_;
    std::optional<WordMemo> memo_;
};

}  // namespace wordodds
