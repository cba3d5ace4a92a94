// Terms for tests of the vocabulary, and how to ask it for them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "tests/documents.hpp"
#include "tests/text/corpus.hpp"
#include "wordodds/text/vocabulary.hpp"

namespace wordodds {

// A key needs 16 readable bytes from its start. What stands behind the term must not matter:
// 0xFF here, and the block ends there, for AddressSanitizer to watch.
class Padded {
   public:
    explicit Padded(const std::string& term)
        : length_(static_cast<uint32_t>(term.size())),
          bytes_(new char[std::max<size_t>(term.size(), token_head_bytes)]) {
        std::memset(bytes_.get(), 0xFF, std::max<size_t>(term.size(), token_head_bytes));
        std::copy(term.begin(), term.end(), bytes_.get());
    }

    TokenKey key(HashKey key) const { return make_token_key(bytes_.get(), length_, key); }

   private:
    uint32_t length_;
    std::unique_ptr<char[]> bytes_;
};

inline uint32_t find(const Vocabulary& vocabulary, const std::string& term) {
    vocabulary.prepare_lookups();
    return vocabulary.find(Padded(term).key(vocabulary.key()));
}

inline uint32_t insert(Vocabulary& vocabulary, const std::string& term) {
    vocabulary.prepare_lookups();
    return vocabulary.find_or_insert(Padded(term).key(vocabulary.key()));
}

inline std::vector<std::string> terms_of(const Vocabulary& vocabulary) {
    std::vector<std::string> terms;
    for (int64_t id = 0; id < vocabulary.size(); ++id) terms.emplace_back(vocabulary.term(id));
    return terms;
}

// Terms of 1 to 64 bytes, any byte, NUL among them; many share their first 16 bytes, many differ
// from another only in length or in zeros at the end.
inline std::string random_term(Random& random) {
    const auto length = static_cast<size_t>(1 + below(random, 64));
    std::string term(length, '\0');
    const bool plain = random() % 2 == 0;
    for (char& c : term) c = static_cast<char>(plain ? 'a' + below(random, 4) : below(random, 256));
    if (random() % 4 == 0) term.replace(0, std::min<size_t>(16, length), 16, 'x');
    if (random() % 8 == 0) term.append(static_cast<size_t>(below(random, 4)), '\0');
    if (term.size() > 64) term.resize(64);
    return term;
}

inline std::vector<std::string> distinct_terms(uint64_t seed, size_t n) {
    Random random(seed);
    std::unordered_map<std::string, size_t> seen;
    std::vector<std::string> terms;
    while (terms.size() < n) {
        const std::string term = random_term(random);
        if (seen.emplace(term, terms.size()).second) terms.push_back(term);
    }
    return terms;
}

inline Vocabulary vocabulary_of(const std::vector<std::string>& terms, HashKey key = some_key) {
    Vocabulary vocabulary(key);
    for (const std::string& term : terms) insert(vocabulary, term);
    return vocabulary;
}

struct Packed {
    std::vector<char> arena;
    std::vector<int64_t> offsets{0};

    explicit Packed(const std::vector<std::string>& terms) {
        for (const std::string& term : terms) {
            arena.insert(arena.end(), term.begin(), term.end());
            offsets.push_back(static_cast<int64_t>(arena.size()));
        }
        arena.shrink_to_fit();  // exact, so that a read past its end shows
    }
};

}  // namespace wordodds
