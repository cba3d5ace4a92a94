// Words and what each is to be replaced by: stems, found once for each distinct word.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string_view>

#include "wordodds/base/buffer.hpp"
#include "wordodds/text/vocabulary.hpp"

namespace wordodds {

// Word i of the vocabulary becomes `arena[offsets[i], offsets[i + 1])`. Any number of threads may
// read.
class WordMap {
   public:
    // Copies all it is given.
    // Throws std::invalid_argument if offsets are not monotone within the arena or not one per
    // word.
    WordMap(const Vocabulary& words, std::span<const char> arena, std::span<const int64_t> offsets)
        : words_(words.key(), words.arena(), words.offsets()) {
        if (static_cast<int64_t>(offsets.size()) != words_.size() + 1 || offsets.front() != 0 ||
            offsets.back() != static_cast<int64_t>(arena.size()) ||
            !std::is_sorted(offsets.begin(), offsets.end())) {
            throw std::invalid_argument("offsets of a word map must rise from 0, one per word");
        }
        std::copy(arena.begin(), arena.end(), arena_.extend(static_cast<int64_t>(arena.size())));
        std::copy(offsets.begin(), offsets.end(),
                  offsets_.extend(static_cast<int64_t>(offsets.size())));
    }

    HashKey key() const { return words_.key(); }

    // What the word becomes; the word itself if the map does not know it. O(length), expected.
    std::string_view find(const TokenKey& word) const {
        const uint32_t id = words_.find(word);
        if (id == Vocabulary::not_found) return {word.data, word.length};
        return {arena_.data() + offsets_[id], static_cast<size_t>(offsets_[id + 1] - offsets_[id])};
    }

   private:
    Vocabulary words_;
    Buffer<char> arena_;
    Buffer<int64_t> offsets_;
};

}  // namespace wordodds
