// Which columns a row has named so far.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "wordodds/base/zeroed_array.hpp"

namespace wordodds {

// Columns that bear the mark of the current row. A new row takes the next mark, so that nothing is
// cleared until a Mark can hold no more: every 2^31 - 1 rows for int32_t.
template <class Mark>
class ColumnMarks {
   public:
    void next_row(int64_t n_cols) {
        const bool used_up = mark_ == std::numeric_limits<Mark>::max();
        if (used_up || marks_.size() != static_cast<size_t>(n_cols)) {
            marks_ = ZeroedArray<Mark>(static_cast<size_t>(n_cols));
            mark_ = 0;
        }
        ++mark_;
    }

    // False if the row has named the column before.
    bool add(int64_t column) {
        Mark& mark = marks_[static_cast<size_t>(column)];
        if (mark == mark_) return false;
        mark = mark_;
        return true;
    }

   private:
    ZeroedArray<Mark> marks_;
    Mark mark_ = 0;
};

}  // namespace wordodds
