#include <cmath>
#include <limits>

#include "tests/check.hpp"
#include "tests/documents.hpp"
#include "wordodds/base/elementary.hpp"
#include "wordodds/linear/margin_loss.hpp"

namespace wordodds {
namespace {

double relative_error(double actual, long double exact) {
    return static_cast<double>(std::abs((static_cast<long double>(actual) - exact) / exact));
}

TEST("exponentials and logarithms to about one unit in the last place") {
    Random random(80);
    for (int i = 0; i < 200'000; ++i) {
        const double x = -707.9 * std::pow(uniform(random), 4.0);
        const auto power = std::exp(static_cast<long double>(x));
        CHECK(relative_error(elementary::exp_of_negative(x), power) < 3e-16, x);
        const double e = std::pow(uniform(random), 1.0 + 20.0 * uniform(random));
        if (e > 0.0) {
            const auto logarithm = std::log1p(static_cast<long double>(e));
            CHECK(relative_error(elementary::log1p_of_fraction(e), logarithm) < 5e-16, e);
        }
    }
}

TEST("their ends") {
    CHECK_EQ(elementary::exp_of_negative(0.0), 1.0);
    CHECK_EQ(elementary::exp_of_negative(-0.0), 1.0);
    CHECK_EQ(elementary::exp_of_negative(-709.0), 0.0);
    CHECK_EQ(elementary::exp_of_negative(-1e300), 0.0);
    CHECK_EQ(elementary::exp_of_negative(-std::numeric_limits<double>::infinity()), 0.0);
    CHECK_EQ(elementary::log1p_of_fraction(0.0), 0.0);
    CHECK_CLOSE(elementary::log1p_of_fraction(1.0), std::log(2.0), 1e-16);
}

TEST("losses of huge scores are finite") {
    for (const double size : {1e3, 1e6, 1e150}) {
        const double scores[] = {size, -size, 0.0};
        double loss[3], slope[3];
        margin_losses(SgdLoss::log_loss, 3, 1, scores, loss, slope);
        CHECK_EQ(loss[0], size);
        CHECK_EQ(slope[0], 1.0);
        CHECK_EQ(loss[1], size);
        CHECK_EQ(slope[1], -1.0);
        CHECK_EQ(slope[2], 0.5);
        softmax_loss(3, 1, scores, loss, slope);
        CHECK_EQ(loss[1], 2 * size);
        CHECK_EQ(slope[0], 1.0);
        CHECK_EQ(slope[1], -1.0);
        CHECK_EQ(slope[2], 0.0);
    }
}

}  // namespace
}  // namespace wordodds
