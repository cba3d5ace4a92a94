#include "wordodds/text/write_rows.hpp"

#include <algorithm>

#include "wordodds/base/radix_sort.hpp"
#include "wordodds/base/types.hpp"
#include "wordodds/text/count.hpp"

namespace wordodds {
namespace {

// Writes one part; its rows start at entry `first` of the output.
template <class Value>
class PartWriter {
   public:
    PartWriter(const CountedRows& rows, const CountedPart& part, int64_t first, bool binary,
               std::span<int64_t> indptr_out, std::span<int32_t> indices_out,
               std::span<Value> data_out)
        : rows_(rows),
          part_(part),
          first_(first),
          binary_(binary),
          indptr_(indptr_out),
          indices_(indices_out),
          data_(data_out) {}

    void write(StopToken& stop) {
        constexpr int64_t rows_per_check = 4096;
        int64_t begin = 0, row = part_.first_row;
        for (int64_t i = 0; i < part_.ends.size(); ++row) {
            if (row % rows_per_check == 0) stop.check();
            for (int64_t view = 0; view < rows_.n_views; ++view, ++i) {
                const int64_t end = part_.ends[i];
                if (part_.ids.empty()) {
                    write_in_order(begin, end);
                } else {
                    write_renumbered(begin, end);
                }
                begin = end;
            }
            indptr_[static_cast<size_t>(row + 1)] = first_ + begin;
        }
    }

   private:
    int32_t column(uint32_t id) const {
        return static_cast<int32_t>(rows_.columns.empty() ? id : rows_.columns[id]);
    }

    Value value(int32_t count) const { return binary_ ? Value{1} : static_cast<Value>(count); }

    void write_in_order(int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
            indices_[static_cast<size_t>(first_ + i)] = column(part_.terms[i]);
            data_[static_cast<size_t>(first_ + i)] = value(part_.counts[i]);
        }
    }

    // The numbers over all parts rise in another order than the part's own.
    void write_renumbered(int64_t begin, int64_t end) {
        const int64_t n = end - begin;
        entries_.reserve(n);
        scratch_.reserve(n);
        for (int64_t i = 0; i < n; ++i) {
            entries_[i] = {part_.ids[part_.terms[begin + i]], part_.counts[begin + i]};
        }
        const int key_bits = key_bits_for(static_cast<int64_t>(rows_.columns.size()));
        radix_sort(entries_.data(), scratch_.data(), n, key_bits,
                   [](const Entry& entry) { return entry.id; });
        for (int64_t i = 0; i < n; ++i) {
            indices_[static_cast<size_t>(first_ + begin + i)] = column(entries_[i].id);
            data_[static_cast<size_t>(first_ + begin + i)] = value(entries_[i].count);
        }
    }

    struct Entry {
        uint32_t id;
        int32_t count;
    };
    const CountedRows& rows_;
    const CountedPart& part_;
    int64_t first_;
    bool binary_;
    std::span<int64_t> indptr_;
    std::span<int32_t> indices_;
    std::span<Value> data_;
    Buffer<Entry> entries_;
    Buffer<Entry> scratch_;
};

}  // namespace

template <class Value>
void counted_rows_write(const CountedRows& rows, bool binary, const Execution& execution,
                        std::span<int64_t> indptr_out, std::span<int32_t> indices_out,
                        std::span<Value> data_out) {
    indptr_out[0] = 0;
    std::vector<int64_t> first(rows.parts.size() + 1, 0);
    for (size_t p = 0; p < rows.parts.size(); ++p) {
        first[p + 1] = first[p] + rows.parts[p].terms.size();
    }
    parallel_for(execution, static_cast<int64_t>(rows.parts.size()), [&](int64_t chunk, int32_t) {
        const auto p = static_cast<size_t>(chunk);
        PartWriter<Value>(rows, rows.parts[p], first[p], binary, indptr_out, indices_out, data_out)
            .write(*execution.stop);
    });
}

#define WORDODDS_INSTANTIATE(Value)                                                     \
    template void counted_rows_write<Value>(const CountedRows&, bool, const Execution&, \
                                            std::span<int64_t>, std::span<int32_t>,     \
                                            std::span<Value>);
WORDODDS_FOR_EACH_NUMBER(WORDODDS_INSTANTIATE)
#undef WORDODDS_INSTANTIATE

}  // namespace wordodds
