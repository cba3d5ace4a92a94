#include "wordodds/sparse/binarize.hpp"

#include <type_traits>

#include "wordodds/sparse/repeats.hpp"

namespace wordodds {
namespace {

constexpr int64_t entries_per_chunk = 1 << 18;

}  // namespace

template <class Value>
bool csr_binarize(const CsrView<Value>& matrix, double threshold, const Execution& execution,
                  std::span<float> data_out) {
    // 0.1f is no more than 0.1: both are the same number to whoever wrote them.
    using Compared = std::conditional_t<std::is_same_v<Value, float>, float, double>;
    const auto limit = static_cast<Compared>(threshold);
    const Value* const data = matrix.data.data();
    float* const out = data_out.data();
    const FixedChunks chunks{static_cast<int64_t>(matrix.data.size()), entries_per_chunk};
    parallel_for(execution, chunks.count(), [&](int64_t chunk, int32_t) {
        for (int64_t k = chunks.begin(chunk); k < chunks.end(chunk); ++k) {
            out[k] = static_cast<Compared>(data[k]) > limit ? 1.0f : 0.0f;
        }
    });
    return csr_has_repeats(matrix, execution);
}

#define WORDODDS_INSTANTIATE(Value)                                                    \
    template bool csr_binarize<Value>(const CsrView<Value>&, double, const Execution&, \
                                      std::span<float>);
WORDODDS_FOR_EACH_NUMBER(WORDODDS_INSTANTIATE)
#undef WORDODDS_INSTANTIATE

}  // namespace wordodds
