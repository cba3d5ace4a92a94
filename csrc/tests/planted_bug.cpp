// Errors on purpose: run in a sanitizer build, each must end the process with a report.
//
// usage: wordodds_planted_bug heap | signed-overflow
#include <cstdio>
#include <limits>
#include <string_view>
#include <vector>

#include "wordodds/score/linear.hpp"

namespace {

// The kernel trusts its caller (validation belongs to the border); here the caller lies.
int read_past_the_heap() {
    const int64_t n_cols = 3;
    const int64_t n_classes = 2;
    const int64_t stride = wordodds::class_stride(n_classes);
    const std::vector<int64_t> indptr{0, 1};
    const std::vector<int32_t> indices{static_cast<int32_t>(n_cols)};  // one too far
    const std::vector<double> data{1.0};
    const std::vector<double> weights(static_cast<size_t>(n_cols * stride), 1.0);
    const std::vector<double> bias(static_cast<size_t>(n_classes), 0.0);
    std::vector<double> scores(static_cast<size_t>(n_classes));
    wordodds::StopToken stop;
    wordodds::csr_score_classes<double>({{1, n_cols, indptr, indices}, data},
                                        {weights, bias, stride},
                                        {1, wordodds::InstructionSet::baseline, &stop}, scores);
    std::printf("score %g: the read past the heap went unnoticed\n", scores[0]);
    return 0;
}

// `one` comes from the command line, so the compiler cannot work out the sum.
int overflow_a_signed_sum(int32_t one) {
    const int32_t sum = std::numeric_limits<int32_t>::max() + one;
    std::printf("sum %d: the overflow went unnoticed\n", sum);
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string_view bug = argc == 2 ? argv[1] : "";
    if (bug == "heap") return read_past_the_heap();
    if (bug == "signed-overflow") return overflow_a_signed_sum(argc - 1);
    std::fprintf(stderr, "usage: wordodds_planted_bug heap | signed-overflow\n");
    // Zero: CI requires that the planted tests fail, and a wrong argument must not look like that.
    return 0;
}
