// Slow twin of text/count and text/feature_counter: maps of strings, one row after the other.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "reference/text/analyze.hpp"
#include "reference/text/murmur.hpp"
#include "reference/text/tokenize.hpp"

namespace wordodds::reference {

struct Counts {
    std::vector<std::string> terms;  // by column
    std::vector<int64_t> indptr{0};
    std::vector<int64_t> indices;
    std::vector<int64_t> data;
};

// The features of each document, in their order.
using Features = std::vector<std::vector<std::string>>;

inline Features features_of(std::span<const Document> documents,
                            const AnalyzerOptions& options = {}, const StopWords& stop_words = {},
                            const Stems& stems = {}) {
    Features features;
    for (const Document& document : documents) {
        features.push_back(encode_each(analyze(decode(document), options, stop_words, stems)));
    }
    return features;
}

// Ascending by key.
inline void append_row(const std::map<int64_t, int64_t>& row, Counts& counts_out) {
    for (const auto& [column, count] : row) {
        counts_out.indices.push_back(column);
        counts_out.data.push_back(count);
    }
    counts_out.indptr.push_back(static_cast<int64_t>(counts_out.data.size()));
}

// Columns in byte order; entries of a row in the order in which their features first occur
// anywhere.
inline Counts count_growing(const Features& documents) {
    std::map<std::string, int64_t> first_seen;
    Counts counts;
    for (const auto& features : documents) {
        std::map<int64_t, int64_t> row;  // order of first occurrence -> count
        for (const std::string& feature : features) {
            const auto order = static_cast<int64_t>(first_seen.size());
            ++row[first_seen.try_emplace(feature, order).first->second];
        }
        append_row(row, counts);
    }
    std::vector<int64_t> column_of(first_seen.size());
    for (const auto& [feature, order] : first_seen) {  // a std::map: ascending
        column_of[static_cast<size_t>(order)] = static_cast<int64_t>(counts.terms.size());
        counts.terms.push_back(feature);
    }
    for (int64_t& index : counts.indices) index = column_of[static_cast<size_t>(index)];
    return counts;
}

inline Counts count_growing(std::span<const Document> documents) {
    return count_growing(features_of(documents));
}

// Columns as `terms` numbers them; entries of a row in ascending column order. Other features in
// n_unknown columns behind those, by their hash, or nowhere.
inline Counts count_frozen(const Features& documents, std::vector<std::string> terms,
                           int64_t n_unknown = 0) {
    std::map<std::string, int64_t> column_of;
    for (size_t i = 0; i < terms.size(); ++i) column_of[terms[i]] = static_cast<int64_t>(i);
    Counts counts;
    counts.terms = std::move(terms);
    for (const auto& features : documents) {
        std::map<int64_t, int64_t> row;
        for (const std::string& feature : features) {
            const auto found = column_of.find(feature);
            if (found != column_of.end()) {
                ++row[found->second];
            } else if (n_unknown > 0) {
                const auto n_known = static_cast<int64_t>(column_of.size());
                ++row[n_known + int64_t{murmur3_32(feature)} % n_unknown];
            }
        }
        append_row(row, counts);
    }
    return counts;
}

inline Counts count_frozen(std::span<const Document> documents, std::vector<std::string> terms) {
    return count_frozen(features_of(documents), std::move(terms));
}

}  // namespace wordodds::reference
