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
    if (!hashing_ && n_views_ > 1) bytes_.push_back(view_name_space(view_));
    append_utf8(feature, bytes_);
    const auto length = static_cast<uint32_t>(bytes_.size());
    bytes_.reserve(bytes_.size() + token_head_bytes);  // what hashes may read
    if (hashing_) {
        const auto first =
            static_cast<uint32_t>(2 * view_) * static_cast<uint32_t>(hashing_->n_features);
        row_.ids().push_back(first +
                             hashed_signed_column(murmur3_32(bytes_.data(), length), *hashing_));
        return;
    }
    const TokenKey token = make_token_key(bytes_.data(), length, vocabulary().key());
    uint32_t id = own_ ? own_->find_or_insert(token) : frozen_->find(token);
    if (id == Vocabulary::not_found) id = unknown_column(token, vocabulary(), n_unknown_);
    if (id != Vocabulary::not_found) row_.ids().push_back(id);
}

void FeatureCounter::end_view() {
    if (hashing_) {
        const int64_t n_columns = hashed_columns(*hashing_, static_cast<int64_t>(n_views_));
        row_.append_signed_entries(key_bits_for(2 * n_columns), part_);
    } else {
        row_.append_entries(key_bits_for(vocabulary().size() + n_unknown_), part_);
    }
    row_.clear();
    view_ = (view_ + 1) % n_views_;
}

CountedRows FeatureCounter::finish(const Execution& execution, Vocabulary& vocabulary_out) {
    CountedRows rows;
    rows.n_views = static_cast<int64_t>(n_views_);
    rows.n_rows = part_.ends.size() / rows.n_views;
    rows.nnz = part_.terms.size();
    if (own_) {
        rows.columns = own_->sort(execution);
        vocabulary_out = std::move(*own_);
    }
    rows.parts.push_back(std::move(part_));
    return rows;
}

}  // namespace wordodds
