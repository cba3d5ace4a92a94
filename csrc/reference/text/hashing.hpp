// Slow twin of hashed counting.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "reference/text/count.hpp"
#include "reference/text/murmur.hpp"

namespace wordodds::reference {

// Column |h| mod n_features, sign of h, for the signed hash h; sums of zero stay.
inline Counts count_hashed(const Features& documents, int64_t n_features, bool alternate_sign) {
    Counts counts;
    for (const auto& features : documents) {
        std::map<int64_t, int64_t> row;
        for (const std::string& feature : features) {
            int64_t hash = murmur3_32(feature);
            if (hash >= int64_t{1} << 31) hash -= int64_t{1} << 32;
            const int64_t magnitude = hash < 0 ? -hash : hash;
            row[magnitude % n_features] += alternate_sign && hash < 0 ? -1 : 1;
        }
        append_row(row, counts);
    }
    return counts;
}

}  // namespace wordodds::reference
