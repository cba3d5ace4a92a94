#include "wordodds/text/feature_counter.hpp"

#include <algorithm>

#include "utf8.hpp"
#include "wordodds/text/murmur.hpp"

namespace wordodds {
namespace {

template <class Unit>
void append_units(const Document& text, Buffer<char>& out) {
    const auto* units = static_cast<const Unit*>(text.data);
    char* const begin = out.extend(utf8_max_bytes * text.length);
    char* end = begin;
    for (int64_t i = 0; i < text.length; ++i) end += utf8_encode(units[i], end);
    out.shrink(out.size() - utf8_max_bytes * text.length + (end - begin));
}

void append_utf8(const Document& text, Buffer<char>& out) {
    switch (text.kind) {
        case TextKind::ascii:
        case TextKind::latin1: return append_units<uint8_t>(text, out);
        case TextKind::ucs2: return append_units<uint16_t>(text, out);
        case TextKind::ucs4: return append_units<uint32_t>(text, out);
        case TextKind::utf8:
            std::copy_n(static_cast<const char*>(text.data), text.length, out.extend(text.length));
            return;
    }
}

}  // namespace

void FeatureCounter::add(const Document& feature) {
    bytes_.shrink(0);
    append_utf8(feature, bytes_);
    const auto length = static_cast<uint32_t>(bytes_.size());
    bytes_.reserve(bytes_.size() + token_head_bytes);  // what hashes may read
    uint32_t* const id = row_.extend(1);
    if (hashing_) {
        *id = hashed_signed_column(murmur3_32(bytes_.data(), length), *hashing_);
    } else {
        const TokenKey token = make_token_key(bytes_.data(), length, vocabulary().key());
        *id = own_ ? own_->find_or_insert(token) : frozen_->find(token);
        if (*id == Vocabulary::not_found) *id = unknown_column(token, vocabulary(), n_unknown_);
    }
    row_.keep(hashing_ || *id != Vocabulary::not_found);
}

void FeatureCounter::end_row() {
    if (hashing_) {
        row_.append_signed_row(key_bits_for(2 * int64_t{hashing_->n_features}), part_);
    } else {
        row_.append_row(key_bits_for(vocabulary().size() + n_unknown_), part_);
    }
    row_.clear();
}

CountedRows FeatureCounter::finish(const Execution& execution, Vocabulary& vocabulary_out) {
    CountedRows rows;
    rows.n_rows = part_.row_ends.size();
    rows.nnz = part_.terms.size();
    if (own_) {
        rows.columns = own_->sort(execution);
        vocabulary_out = std::move(*own_);
    }
    rows.parts.push_back(std::move(part_));
    return rows;
}

}  // namespace wordodds
