// One row of counts out of the numbers of a document's features.
#pragma once

#include <cstdint>

#include "wordodds/base/buffer.hpp"
#include "wordodds/base/radix_sort.hpp"
#include "wordodds/text/count.hpp"

namespace wordodds {

// Sorts n numbers below 2^key_bits: equal terms then stand together. Writes the term of each run,
// and the sum of its values, in order; returns how many there are. terms_out may be the numbers
// themselves. Lengths: terms_out and sums_out n. O(n), linear passes.
template <class Sum, class TermOf, class ValueOf>
int64_t sum_runs(Buffer<uint32_t>& numbers, Buffer<uint32_t>& scratch, int key_bits, TermOf term_of,
                 ValueOf value_of, uint32_t* terms_out, Sum* sums_out) {
    const int64_t n = numbers.size();
    scratch.reserve(n);
    radix_sort(numbers.data(), scratch.data(), n, key_bits, [](uint32_t number) { return number; });
    const uint32_t* const sorted = numbers.data();
    int64_t n_runs = 0;
    Sum sum = 0;
    for (int64_t i = 0; i < n; ++i) {
        // Written always, kept at the end of a run: no branch to mispredict.
        const uint32_t term = term_of(sorted[i]);
        sum += value_of(sorted[i]);
        const bool run_ends = i + 1 == n || term_of(sorted[i + 1]) != term;
        terms_out[n_runs] = term;
        sums_out[n_runs] = sum;
        n_runs += run_ends;
        sum = run_ends ? 0 : sum;
    }
    return n_runs;
}

// Collects numbers, then sorts them: equal ones stand together, so that each run is one entry and
// its length the count. Cheaper than looking up for each feature whether the row has it already,
// which is a coin toss to the branch predictor.
class RowBuilder {
   public:
    void clear() { ids_.shrink(0); }

    // The numbers so far, to be appended to.
    Buffer<uint32_t>& ids() { return ids_; }

    // Appends the entries to part_out: a row, or one view of it. Every number is below 2^key_bits.
    // O(n), linear passes.
    void append_entries(int key_bits, CountedPart& part_out) {
        append_runs(key_bits, part_out, [](uint32_t id) { return id; }, [](uint32_t) { return 1; });
    }

    // The same for numbers 2 * column + negative, as hashing gives them: the entries are columns,
    // with the sum of their signs.
    void append_signed_entries(int key_bits, CountedPart& part_out) {
        append_runs(
            key_bits, part_out, [](uint32_t id) { return id >> 1; },
            [](uint32_t id) { return 1 - 2 * static_cast<int32_t>(id & 1); });
    }

   private:
    template <class TermOf, class ValueOf>
    void append_runs(int key_bits, CountedPart& part_out, TermOf term_of, ValueOf value_of) {
        const int64_t row_begin = part_out.terms.size();
        uint32_t* const terms = part_out.terms.extend(ids_.size());
        int32_t* const counts = part_out.counts.extend(ids_.size());
        const int64_t n_entries =
            sum_runs(ids_, scratch_, key_bits, term_of, value_of, terms, counts);
        part_out.terms.shrink(row_begin + n_entries);
        part_out.counts.shrink(row_begin + n_entries);
        part_out.ends.push_back(row_begin + n_entries);
    }

    Buffer<uint32_t> ids_;
    Buffer<uint32_t> scratch_;
};

}  // namespace wordodds
