// From features to numbers, by looking each of them up.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "wordodds/base/buffer.hpp"
#include "wordodds/text/analyze.hpp"
#include "wordodds/text/key.hpp"
#include "wordodds/text/term_table.hpp"

namespace wordodds {

// Writes identify(key of feature) for each feature of the analyzer's batch, in their order, but for
// those that are term_not_found; returns how many. `table` offers prefetch(hash). Between making a
// key, which prefetches its slot, and looking it up lies a batch of others. Length: ids_out as many
// as there are features. O(bytes of the features), expected.
template <class Table, class Identify>
int64_t features_identify(const Analyzer& analyzer, HashKey key, const Table& table,
                          Identify identify, uint32_t* ids_out) {
    constexpr size_t batch_size = 64;
    TokenKey keys[batch_size];
    const auto features = analyzer.features();
    uint32_t* out = ids_out;
    for (size_t first = 0; first < features.size(); first += batch_size) {
        const size_t n = std::min(batch_size, features.size() - first);
        for (size_t i = 0; i < n; ++i) {
            const TokenSpan span = features[first + i];
            keys[i] = make_token_key(analyzer.bytes() + span.begin, span.length, key);
            table.prefetch(keys[i].hash);
        }
        for (size_t i = 0; i < n; ++i) {
            *out = identify(keys[i]);
            out += *out != term_not_found;
        }
    }
    return out - ids_out;
}

// The same, appended to ids_out.
template <class Table, class Identify>
void features_append(const Analyzer& analyzer, HashKey key, const Table& table, Identify identify,
                     Buffer<uint32_t>& ids_out) {
    const int64_t before = ids_out.size();
    uint32_t* const out = ids_out.extend(static_cast<int64_t>(analyzer.features().size()));
    ids_out.shrink(before + features_identify(analyzer, key, table, identify, out));
}

}  // namespace wordodds
