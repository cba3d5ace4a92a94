// Slow twin of tally/terms: a map from each term to its two counts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "reference/text/count.hpp"

namespace wordodds::reference {

struct Tally {
    struct Term {
        int64_t n_documents = 0;
        int64_t n_occurrences = 0;
    };
    std::map<std::string, Term> terms;
    int64_t n_documents = 0;
    int64_t undercount = 0;

    void add(const Features& documents) {
        for (const std::vector<std::string>& features : documents) {
            for (const std::string& term : features) ++terms[term].n_occurrences;
            const std::set<std::string> distinct(features.begin(), features.end());
            for (const std::string& term : distinct) ++terms[term].n_documents;
            ++n_documents;
        }
    }

    // The count that stands at place max_terms, the largest at place 0, is the largest that is not
    // kept.
    void prune(int64_t max_terms) {
        const auto n = static_cast<size_t>(max_terms);
        if (terms.size() <= n) return;
        std::vector<int64_t> counts;
        for (const auto& [term, numbers] : terms) counts.push_back(numbers.n_documents);
        std::sort(counts.begin(), counts.end(), std::greater<>());
        std::erase_if(terms,
                      [&](const auto& entry) { return entry.second.n_documents <= counts[n]; });
        undercount += counts[n];
    }
};

inline Tally tally_of(const Features& documents) {
    Tally tally;
    tally.add(documents);
    return tally;
}

}  // namespace wordodds::reference
