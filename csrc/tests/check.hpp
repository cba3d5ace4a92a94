// A test harness in one page: nothing to download, nothing to learn.
//
//     TEST("what must hold") {
//         CHECK(x > 0, x, n_jobs);              // prints x and n_jobs if it fails
//         CHECK_EQ(actual, expected, row);      // prints both sides, and row
//         CHECK_SAME(actuals, expecteds);       // two ranges; floating-point numbers bit by bit
//         CHECK_CLOSE(actual, expected, 1e-13);
//         CHECK_THROWS(std::invalid_argument, call());
//     }
//
// The first failed check ends its test; the others go on. A check may run on any thread that hands
// exceptions on (the body of a parallel_for), not in a bare std::thread.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <iomanip>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace wordodds::check {

struct Test {
    std::string name;  // family/topic/what must hold; tests/<family>/test_<topic>.cpp
    void (*run)();
};

inline std::vector<Test>& tests() {
    static std::vector<Test> all;
    return all;
}

struct Registration {
    Registration(std::string_view file, const char* name, void (*run)()) {
        const size_t slash = file.rfind('/');
        const size_t folder = file.rfind('/', slash - 1) + 1;
        const size_t topic = slash + std::string_view("/test_").size();
        tests().push_back({std::string(file.substr(folder, slash - folder)) + "/" +
                               std::string(file.substr(topic, file.rfind('.') - topic)) + "/" +
                               name,
                           run});
    }
};

// Not a std::exception, so that no handler in the code under test takes it for its own.
struct Failure {
    std::string message;
};

template <class T>
void show(std::ostream& out, const T& value) {
    if constexpr (std::is_enum_v<T>) {
        out << static_cast<int64_t>(value);
    } else if constexpr (std::is_floating_point_v<T>) {
        out << std::setprecision(21) << value;
    } else if constexpr (std::is_convertible_v<T, std::string_view>) {
        constexpr size_t shown_max = 200;
        out << '"';
        for (const char byte : std::string_view(value).substr(0, shown_max)) {
            if (byte >= ' ' && byte <= '~') {
                out << byte;
            } else {
                const int number = static_cast<uint8_t>(byte);
                out << "\\x" << std::hex << number << std::dec;
            }
        }
        out << '"';
    } else if constexpr (sizeof(T) == 1 && std::is_integral_v<T>) {
        out << static_cast<int>(value);
    } else if constexpr (requires { out << value; }) {
        out << value;
    } else {
        out << "(a value that cannot be printed)";
    }
}

template <class... Values>
[[noreturn, gnu::noinline, gnu::cold]] void fail(const char* file, int line,
                                                 const std::string& what, const char* names,
                                                 const Values&... values) {
    std::ostringstream out;
    out << file << ":" << line << ": " << what;
    if constexpr (sizeof...(values) > 0) {
        out << "\n    where " << names << " =";
        ((out << ' ', show(out, values)), ...);
    }
    throw Failure{out.str()};
}

// Where a comparison stands, and what was compared.
struct Place {
    const char* file;
    int line;
    const char* actual;
    const char* expected;
};

template <class A, class B>
[[gnu::noinline, gnu::cold]] std::string both(const Place& at, const char* relation,
                                              const A& actual, const B& expected) {
    std::ostringstream out;
    out << at.actual << relation << at.expected << "\n    actual   ";
    show(out, actual);
    out << "\n    expected ";
    show(out, expected);
    return out.str();
}

template <class A, class B>
bool same(const A& actual, const B& expected) {
    if constexpr (std::is_same_v<A, double> && std::is_same_v<B, double>) {
        return std::bit_cast<uint64_t>(actual) == std::bit_cast<uint64_t>(expected);
    } else {
        return actual == expected;
    }
}

// Functions, not macros: a temporary in the checked expression lives until they return.

template <class A, class B, class... Values>
void equal(const Place& at, const A& actual, const B& expected, const char* names,
           const Values&... values) {
    if (actual == expected) return;
    fail(at.file, at.line, both(at, " is not ", actual, expected), names, values...);
}

// |actual - expected| <= tolerance * max(1, |expected|); infinities must agree, NaN never does.
inline bool is_close(double actual, double expected, double tolerance) {
    if (!std::isfinite(actual) || !std::isfinite(expected)) return actual == expected;
    return std::abs(actual - expected) <= tolerance * std::max(1.0, std::abs(expected));
}

template <class... Values>
void close(const Place& at, double actual, double expected, double tolerance, const char* names,
           const Values&... values) {
    if (is_close(actual, expected, tolerance)) return;
    fail(at.file, at.line, both(at, " is not close to ", actual, expected), names, values...);
}

template <class A, class B, class... Values>
void same_elements(const Place& at, const A& actual, const B& expected, const char* names,
                   const Values&... values) {
    if (actual.size() != expected.size()) {
        const std::string what = both(at, " differs in size from ", actual.size(), expected.size());
        fail(at.file, at.line, what, names, values...);
    }
    for (size_t i = 0; i < actual.size(); ++i) {
        if (same(actual[i], expected[i])) continue;
        const std::string what = both(at, " differs from ", actual[i], expected[i]);
        fail(at.file, at.line, what + "\n    at element " + std::to_string(i), names, values...);
    }
}

}  // namespace wordodds::check

#define CHECK_JOIN_(x, y) x##y
#define CHECK_JOIN(x, y) CHECK_JOIN_(x, y)

#define TEST(name)                                                                    \
    static void CHECK_JOIN(test_, __LINE__)();                                        \
    static const ::wordodds::check::Registration CHECK_JOIN(registration_, __LINE__)( \
        __FILE__, name, CHECK_JOIN(test_, __LINE__));                                 \
    static void CHECK_JOIN(test_, __LINE__)()

#define CHECK_FAIL(what, ...) \
    ::wordodds::check::fail(__FILE__, __LINE__, what, #__VA_ARGS__ __VA_OPT__(, ) __VA_ARGS__)

#define CHECK(condition, ...)                                                                 \
    do {                                                                                      \
        if (!(condition)) CHECK_FAIL(#condition " does not hold" __VA_OPT__(, ) __VA_ARGS__); \
    } while (false)

#define CHECK_PLACE(actual, expected) \
    ::wordodds::check::Place { __FILE__, __LINE__, #actual, #expected }

#define CHECK_EQ(actual, expected, ...)                                       \
    ::wordodds::check::equal(CHECK_PLACE(actual, expected), actual, expected, \
                             #__VA_ARGS__ __VA_OPT__(, ) __VA_ARGS__)

#define CHECK_CLOSE(actual, expected, tolerance, ...)                                    \
    ::wordodds::check::close(CHECK_PLACE(actual, expected), actual, expected, tolerance, \
                             #__VA_ARGS__ __VA_OPT__(, ) __VA_ARGS__)

#define CHECK_SAME(actual, expected, ...)                                             \
    ::wordodds::check::same_elements(CHECK_PLACE(actual, expected), actual, expected, \
                                     #__VA_ARGS__ __VA_OPT__(, ) __VA_ARGS__)

#define CHECK_THROWS(Exception, ...)                                         \
    do {                                                                     \
        bool check_threw = false;                                            \
        try {                                                                \
            __VA_ARGS__;                                                     \
        } catch (const Exception&) {                                         \
            check_threw = true;                                              \
        }                                                                    \
        if (!check_threw) CHECK_FAIL(#__VA_ARGS__ " throws no " #Exception); \
    } while (false)
