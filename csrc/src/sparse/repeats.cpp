#include "wordodds/sparse/repeats.hpp"

#include <algorithm>
#include <atomic>
#include <vector>

#include "column_marks.hpp"

namespace wordodds {
namespace {

constexpr int64_t rows_per_chunk = 4096;
constexpr int64_t entries_per_check = 1 << 18;

using Marks = ColumnMarks<int32_t>;

// body(begin, end) over stretches short enough to check the token between them; stops at the first
// that returns false.
template <class Body>
bool holds_throughout(int64_t begin, int64_t end, StopToken& stop, Body body) {
    for (int64_t first = begin; first < end; first += entries_per_check) {
        if (first > begin) stop.check();
        if (!body(first, std::min(first + entries_per_check, end))) return false;
    }
    return true;
}

bool strictly_increases(const int32_t* indices, int64_t begin, int64_t end, StopToken& stop) {
    return holds_throughout(begin + 1, end, stop, [&](int64_t from, int64_t to) {
        bool increases = true;  // no way out of the loop, so that the compiler vectorises it
        for (int64_t i = from; i < to; ++i) increases &= indices[i - 1] < indices[i];
        return increases;
    });
}

bool all_differ(const int32_t* indices, int64_t begin, int64_t end, StopToken& stop, Marks& marks) {
    return holds_throughout(begin, end, stop, [&](int64_t from, int64_t to) {
        for (int64_t i = from; i < to; ++i) {
            if (!marks.add(indices[i])) return false;
        }
        return true;
    });
}

}  // namespace

bool csr_has_repeats(const CsrStructure& structure, const Execution& execution) {
    const FixedChunks chunks{structure.n_rows, rows_per_chunk};
    const int32_t* const indices = structure.indices.data();
    std::vector<Marks> marks(static_cast<size_t>(execution.n_jobs));
    std::atomic<bool> found{false};
    parallel_for(execution, chunks.count(), [&](int64_t chunk, int32_t worker) {
        Marks& own = marks[static_cast<size_t>(worker)];
        int64_t last_check = structure.indptr[static_cast<size_t>(chunks.begin(chunk))];
        for (int64_t row = chunks.begin(chunk); row < chunks.end(chunk); ++row) {
            if (found.load(std::memory_order_relaxed)) return;
            const int64_t begin = structure.indptr[static_cast<size_t>(row)];
            const int64_t end = structure.indptr[static_cast<size_t>(row) + 1];
            if (begin - last_check >= entries_per_check) {
                execution.stop->check();
                last_check = begin;
            }
            if (strictly_increases(indices, begin, end, *execution.stop)) continue;
            own.next_row(structure.n_cols);
            if (!all_differ(indices, begin, end, *execution.stop, own)) found.store(true);
        }
    });
    return found.load();
}

}  // namespace wordodds
