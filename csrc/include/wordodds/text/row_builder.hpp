// One row of counts out of the numbers of a document's features.
#pragma once

#include <cstdint>

#include "wordodds/base/buffer.hpp"
#include "wordodds/base/radix_sort.hpp"
#include "wordodds/text/count.hpp"

namespace wordodds {

// Collects numbers, then sorts them: equal ones stand together, so that each run is one entry and its
// length the count. Cheaper than looking up for each feature whether the row has it already, which
// is a coin toss to the branch predictor.
class RowBuilder {
   public:
    void clear() { ids_.shrink(0); }

    // Room for n more numbers; keep(m) then says that the first m of them were filled.
    uint32_t* extend(int64_t n) {
        kept_ = ids_.size();
        return ids_.extend(n);
    }
    void keep(int64_t m) { ids_.shrink(kept_ + m); }

    // Appends the row to part_out. Every number is below 2^key_bits. O(n), linear passes.
    void append_row(int key_bits, CountedPart& part_out) {
        append_runs(
            key_bits, part_out, [](uint32_t id) { return id; }, [](uint32_t) { return 1; });
    }

    // The same for numbers 2 * column + negative, as hashing gives them: the entries are columns, with
    // the sum of their signs.
    void append_signed_row(int key_bits, CountedPart& part_out) {
        append_runs(
            key_bits, part_out, [](uint32_t id) { return id >> 1; },
            [](uint32_t id) { return 1 - 2 * static_cast<int32_t>(id & 1); });
    }

   private:
    template <class TermOf, class ValueOf>
    void append_runs(int key_bits, CountedPart& part_out, TermOf term_of, ValueOf value_of) {
        const int64_t n = ids_.size();
        scratch_.reserve(n);
        radix_sort(ids_.data(), scratch_.data(), n, key_bits, [](uint32_t id) { return id; });
        const int64_t row_begin = part_out.terms.size();
        uint32_t* const terms = part_out.terms.extend(n);
        int32_t* const counts = part_out.counts.extend(n);
        int64_t n_entries = 0;
        int32_t sum = 0;
        for (int64_t i = 0; i < n; ++i) {
            // Written always, kept at the end of a run: no branch to mispredict.
            sum += value_of(ids_[i]);
            terms[n_entries] = term_of(ids_[i]);
            counts[n_entries] = sum;
            const bool run_ends = i + 1 == n || term_of(ids_[i + 1]) != term_of(ids_[i]);
            n_entries += run_ends;
            sum = run_ends ? 0 : sum;
        }
        part_out.terms.shrink(row_begin + n_entries);
        part_out.counts.shrink(row_begin + n_entries);
        part_out.row_ends.push_back(row_begin + n_entries);
    }

    int64_t kept_ = 0;
    Buffer<uint32_t> ids_;
    Buffer<uint32_t> scratch_;
};

}  // namespace wordodds
