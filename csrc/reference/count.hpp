// Slow twin of text/count: maps of strings, one row after the other.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "reference/tokenize.hpp"

namespace wordodds::reference {

struct Counts {
    std::vector<std::string> terms;  // by column
    std::vector<int64_t> indptr{0};
    std::vector<int64_t> indices;
    std::vector<int64_t> data;
};

// Columns in byte order; entries of a row in the order in which their words first occur anywhere.
inline Counts count_growing(std::span<const Document> documents) {
    std::map<std::string, int64_t> first_seen;
    std::vector<std::map<int64_t, int64_t>> rows;  // order of first occurrence -> count
    for (const Document& document : documents) {
        auto& row = rows.emplace_back();
        for (const std::string& word : tokenize(decode(document))) {
            const auto order = static_cast<int64_t>(first_seen.size());
            ++row[first_seen.try_emplace(word, order).first->second];
        }
    }
    Counts counts;
    std::vector<int64_t> column_of(first_seen.size());
    for (const auto& [word, order] : first_seen) {  // a std::map: ascending
        column_of[static_cast<size_t>(order)] = static_cast<int64_t>(counts.terms.size());
        counts.terms.push_back(word);
    }
    for (const auto& row : rows) {
        for (const auto& [order, count] : row) {
            counts.indices.push_back(column_of[static_cast<size_t>(order)]);
            counts.data.push_back(count);
        }
        counts.indptr.push_back(static_cast<int64_t>(counts.data.size()));
    }
    return counts;
}

// Columns as `terms` numbers them; entries of a row in ascending column order.
inline Counts count_frozen(std::span<const Document> documents, std::vector<std::string> terms) {
    std::map<std::string, int64_t> column_of;
    for (size_t i = 0; i < terms.size(); ++i) column_of[terms[i]] = static_cast<int64_t>(i);
    Counts counts;
    counts.terms = std::move(terms);
    for (const Document& document : documents) {
        std::map<int64_t, int64_t> row;
        for (const std::string& word : tokenize(decode(document))) {
            const auto found = column_of.find(word);
            if (found != column_of.end()) ++row[found->second];
        }
        for (const auto& [column, count] : row) {
            counts.indices.push_back(column);
            counts.data.push_back(count);
        }
        counts.indptr.push_back(static_cast<int64_t>(counts.data.size()));
    }
    return counts;
}

}  // namespace wordodds::reference
