#include <limits>

#include "reference/linear/link_losses.hpp"
#include "tests/check.hpp"
#include "tests/documents.hpp"
#include "tests/execution.hpp"
#include "wordodds/linear/loss.hpp"

namespace wordodds {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct NamedLink {
    const char* name;
    ScalarLoss loss;
    reference::LinkLoss (*twin)(bool, long double);
    double least, largest;  // scores where the twin in long double is exact enough
};

const NamedLink links[] = {
    {"logit", logit_loss, reference::logit_loss, -700, 700},
    {"probit", probit_loss, reference::probit_loss, -37, 37},
    {"cloglog", cloglog_loss, reference::cloglog_loss, -8, 6.5},
    {"noisy_or", noisy_or_loss, reference::noisy_or_loss, 1e-100, 700},
};

// NaN shows whatever is not overwritten.
struct Found {
    double loss = nan, gradient = nan, hessian = nan;
};

Found found(ScalarLoss loss, double y, double raw) {
    Found f;
    loss(1, &y, &raw, &f.loss, &f.gradient, &f.hessian);
    return f;
}

void check_relative(double actual, long double expected, const char* link, double y, double raw) {
    const double wanted = static_cast<double>(expected);
    CHECK(std::abs(actual - wanted) <= 2e-13 * std::abs(wanted), actual, wanted, link, y, raw);
}

void check_link(const NamedLink& link, double raw) {
    if (raw < link.least || raw > link.largest) return;
    for (const double y : {0.0, 1.0}) {
        const auto expected = link.twin(y > 0.5, raw);
        const Found actual = found(link.loss, y, raw);
        check_relative(actual.loss, expected.loss, link.name, y, raw);
        check_relative(actual.gradient, expected.gradient, link.name, y, raw);
        check_relative(actual.hessian, expected.hessian, link.name, y, raw);
    }
}

TEST("losses of the links agree with the twins, relative to their size in both tails") {
    Random random(80);
    for (const NamedLink& link : links) {
        for (double raw = -40.0; raw <= 40.0; raw += 0.0625) check_link(link, raw);
        for (double size = 1e-99; size < 1e3; size *= 7.0) {
            check_link(link, size);
            check_link(link, -size);
        }
        for (int i = 0; i < 2000; ++i) check_link(link, 12.0 * uniform(random) - 6.0);
    }
}

TEST("far out, losses are infinite or zero and derivatives are numbers") {
    for (const NamedLink& link : links) {
        for (const double raw : {1e3, 1e6, 1e100, 1e200}) {
            for (const double sign : {-1.0, 1.0}) {
                for (const double y : {0.0, 1.0}) {
                    const Found f = found(link.loss, y, sign * raw);
                    CHECK(f.loss >= 0.0, link.name, y, sign * raw);
                    CHECK(!std::isnan(f.gradient), link.name, y, sign * raw);
                    CHECK(f.hessian >= 0.0, link.name, y, sign * raw);
                }
            }
        }
    }
    CHECK_EQ(found(logit_loss, 1.0, -1e6).loss, 1e6);
    CHECK_CLOSE(found(probit_loss, 1.0, -1e6).loss, 5e11, 1e-9);
    CHECK_EQ(found(cloglog_loss, 1.0, -1e6).loss, 1e6);
    CHECK_EQ(found(cloglog_loss, 0.0, 1e6).loss, infinity);
    CHECK_EQ(found(noisy_or_loss, 0.0, 1e6).loss, 1e6);
}

TEST("noisy-OR is infinite outside its domain, and large but finite at its border") {
    CHECK_EQ(found(noisy_or_loss, 0.0, -1e-300).loss, infinity);
    CHECK_EQ(found(noisy_or_loss, 1.0, -1.0).loss, infinity);
    CHECK_EQ(found(noisy_or_loss, 1.0, 0.0).loss, infinity);
    CHECK_EQ(found(noisy_or_loss, 1.0, 0.0).gradient, 0.0);
    CHECK_EQ(found(noisy_or_loss, 0.0, 0.0).loss, 0.0);
    CHECK_EQ(found(noisy_or_loss, 0.0, 0.0).gradient, 1.0);
    CHECK(std::isfinite(found(noisy_or_loss, 1.0, 1e-300).hessian));
}

TEST("one by one: the same bits for any number of jobs, and it stops when asked") {
    Random random(81);
    const size_t n = 50'000;
    std::vector<double> y(n), raw(n), loss(n), gradient(n), hessian(n);
    for (size_t i = 0; i < n; ++i) {
        y[i] = static_cast<double>(random() % 2);
        raw[i] = 20.0 * uniform(random) - 10.0;
    }
    for (const NamedLink& link : links) {
        link.loss(static_cast<int64_t>(n), y.data(), raw.data(), loss.data(), gradient.data(),
                  hessian.data());
        for_each_execution([&](const Execution& execution) {
            std::vector<double> a(n, nan), b(n, nan), c(n, nan);
            scores_scalar_loss(y, raw, link.loss, execution, a, b, c);
            CHECK_SAME(a, loss, link.name, execution.n_jobs);
            CHECK_SAME(b, gradient, link.name, execution.n_jobs);
            CHECK_SAME(c, hessian, link.name, execution.n_jobs);
        });
    }
    Run run;
    run.stop().request();
    CHECK_THROWS(Stopped, scores_scalar_loss(y, raw, logit_loss, run, loss, gradient, hessian));
}

}  // namespace
}  // namespace wordodds
