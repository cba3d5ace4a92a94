#include <limits>

#include "reference/linear/vectors.hpp"
#include "tests/check.hpp"
#include "tests/documents.hpp"
#include "tests/execution.hpp"
#include "wordodds/linear/vectors.hpp"

namespace wordodds {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr int64_t chunk = 1 << 15;  // of the kernels
constexpr int64_t lengths[] = {0, 1, 7, 8, 9, chunk - 1, chunk, chunk + 1, 3 * chunk + 5};

std::vector<double> random_doubles(Random& random, int64_t n) {
    std::vector<double> numbers(static_cast<size_t>(n));
    for (double& number : numbers) number = 2.0 * uniform(random) - 1.0;
    return numbers;
}

TEST("the inner product is that of the twin; the same bits for any execution") {
    Random random(93);
    for (const int64_t n : lengths) {
        const auto a = random_doubles(random, n), b = random_doubles(random, n);
        const double first = vectors_dot(a, b, Run());
        CHECK_CLOSE(first, reference::vectors_dot(a, b), 1e-12, n);
        for_each_execution([&](const Execution& execution) {
            CHECK_SAME((std::vector{vectors_dot(a, b, execution)}), (std::vector{first}), n);
        });
    }
}

TEST("y + t x and x + t y are those of a plain loop") {
    Random random(94);
    for (const int64_t n : lengths) {
        const auto x = random_doubles(random, n), y = random_doubles(random, n);
        const double t = uniform(random);
        std::vector<double> added, scaled;
        for (size_t i = 0; i < x.size(); ++i) {
            added.push_back(y[i] + t * x[i]);
            scaled.push_back(x[i] + t * y[i]);
        }
        for_each_execution([&](const Execution& execution) {
            auto actual = y;
            vectors_add(t, x, execution, actual);
            CHECK_SAME(actual, added, n, execution.n_jobs);
            actual = y;
            vectors_scale_add(x, t, execution, actual);
            CHECK_SAME(actual, scaled, n, execution.n_jobs);
        });
    }
}

TEST("a step of conjugate gradients is that of the twin; the same bits for any execution") {
    Random random(95);
    for (const int64_t n : lengths) {
        const auto direction = random_doubles(random, n), product = random_doubles(random, n);
        const auto inverse = random_doubles(random, n), solution = random_doubles(random, n);
        const auto residual = random_doubles(random, n);
        const auto expected =
            reference::vectors_cg_step(0.7, direction, product, inverse, solution, residual);
        std::vector<double> norms;
        for_each_execution([&](const Execution& execution) {
            auto x = solution, r = residual, z = std::vector<double>(residual.size(), nan);
            const auto found =
                vectors_cg_step(0.7, direction, product, inverse, execution, x, r, z);
            CHECK_SAME(x, expected.solution, n);
            CHECK_SAME(r, expected.residual, n);
            CHECK_SAME(z, expected.preconditioned, n);
            if (norms.empty()) norms = {found.squared, found.preconditioned};
            CHECK_SAME((std::vector{found.squared, found.preconditioned}), norms, n);
        });
        CHECK_CLOSE(norms[0], expected.squared, 1e-12, n);
        CHECK_CLOSE(norms[1], expected.energy, 1e-12, n);
    }
}

TEST("arithmetic on long vectors stops when asked, and looks at the token often") {
    std::vector<double> x(4 * chunk, 1.0), y = x, z = x, r = x;
    const auto each = [&](auto use) {
        use([&](const Execution& execution) { vectors_dot(x, y, execution); });
        use([&](const Execution& execution) { vectors_add(1.0, x, execution, y); });
        use([&](const Execution& execution) { vectors_scale_add(x, 1.0, execution, y); });
        use([&](const Execution& execution) { vectors_cg_step(1.0, x, x, x, execution, y, r, z); });
    };
    each([](auto run) {
        for (const int32_t n_jobs : job_counts) {
            Run stopped(n_jobs);
            stopped.stop().request();
            CHECK_THROWS(Stopped, run(stopped));
        }
        CHECK_EQ(count_looks(run), 4);
    });
}

}  // namespace
}  // namespace wordodds
