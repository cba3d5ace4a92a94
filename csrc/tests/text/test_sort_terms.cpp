#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "src/text/sort_terms.hpp"
#include "tests/check.hpp"
#include "tests/documents.hpp"
#include "tests/execution.hpp"
#include "tests/text/terms.hpp"

namespace wordodds {
namespace {

std::vector<std::string> ordered(const std::vector<std::string>& terms,
                                 const std::vector<uint32_t>& order) {
    std::vector<std::string> out;
    for (const uint32_t id : order) out.push_back(terms.at(id));
    return out;
}

// Precondition: distinct.
void check_once(const std::vector<std::string>& terms, int32_t n_jobs) {
    std::vector<std::string> expected = terms;
    std::sort(expected.begin(), expected.end());  // std::string compares bytes as unsigned
    const Packed packed(terms);
    const auto order = sort_terms(packed.arena, packed.offsets, Run(n_jobs));
    CHECK_SAME(ordered(terms, order), expected, n_jobs);
}

// As they come, backwards, shuffled.
void check_sort(std::vector<std::string> terms) {
    Random random(120);
    check_once(terms, 1);
    std::reverse(terms.begin(), terms.end());
    check_once(terms, 2);
    std::shuffle(terms.begin(), terms.end(), random);
    for (const int32_t n_jobs : job_counts) check_once(terms, n_jobs);
}

void check_sort(const std::set<std::string>& terms) {
    check_sort(std::vector<std::string>(terms.begin(), terms.end()));
}

// Few letters, NUL and the last byte among them: many terms share much.
std::string random_tail(Random& random, int64_t max_length) {
    static constexpr char letters[] = {'\0', '\1', 'a', 'b', '\x7F', '\x80', '\xFF'};
    std::string tail(static_cast<size_t>(below(random, max_length + 1)), '\0');
    for (char& c : tail) c = letters[random() % std::size(letters)];
    return tail;
}

TEST("nothing, one term, the empty term") {
    check_sort(std::vector<std::string>{});
    check_sort(std::vector<std::string>{""});
    check_sort(std::vector<std::string>{"term"});
    check_sort(std::vector<std::string>{"", std::string(1, '\0')});
    check_sort(std::vector<std::string>{"b", "", "a"});
}

TEST("terms that share their first 0 to 40 bytes") {
    Random random(121);
    std::set<std::string> all;
    for (size_t shared = 0; shared <= 40; ++shared) {
        for (const size_t n : {20U, 24U, 25U, 300U}) {  // insertion_max is 24
            std::set<std::string> terms;
            while (terms.size() < n)
                terms.insert(std::string(shared, 'x') + random_tail(random, 20));
            std::vector<std::string> shuffled(terms.begin(), terms.end());
            std::shuffle(shuffled.begin(), shuffled.end(), random);
            check_once(shuffled, 1);
            all.merge(terms);
        }
    }
    check_sort(all);
}

TEST("terms that differ only in the zeros at their end") {
    std::set<std::string> all;
    for (const size_t length : {0U, 1U, 2U, 3U, 7U, 8U, 9U, 15U, 16U, 17U, 24U}) {
        std::set<std::string> terms;
        for (size_t n_zeros = 0; n_zeros <= 60; ++n_zeros) {
            const std::string term = std::string(length, 'a') + std::string(n_zeros, '\0');
            terms.insert({term, term + 'b'});
        }
        check_sort(terms);
        all.merge(terms);
    }
    check_sort(all);
}

TEST("each term the start of the next, 3000 times over") {
    std::set<std::string> terms, branched;
    for (size_t length = 1; length <= 3000; ++length) terms.insert(std::string(length, 'a'));
    check_sort(terms);
    for (size_t length = 0; length < 600; ++length) {
        for (const char c : {'\0', 'a', 'z', '\xFF'}) branched.insert(std::string(length, 'a') + c);
    }
    check_sort(branched);
}

TEST("many terms in a few deep groups") {
    Random random(122);
    std::set<std::string> terms;
    for (int group = 0; group < 12; ++group) {
        const std::string lead(static_cast<size_t>(8 * (group % 4) + group / 4), 'k');
        const std::string more = random_tail(random, 30);
        for (int i = 0; i < 300; ++i) terms.insert(lead + more + random_tail(random, 3));
        for (int i = 0; i < 300; ++i) terms.insert(lead + more + std::to_string(i));
    }
    check_sort(terms);
}

TEST("all terms of up to two bytes") {
    std::vector<std::string> terms{""};
    for (int x = 0; x < 256; ++x) {
        terms.push_back(std::string(1, static_cast<char>(x)));
        for (int y = 0; y < 256; ++y) terms.push_back({static_cast<char>(x), static_cast<char>(y)});
    }
    CHECK_EQ(terms.size(), size_t{1 + 256 + 65'536});
    check_sort(terms);
}

TEST("200,000 random terms") {
    const std::vector<std::string> terms = distinct_terms(123, 200'000);
    for (const int32_t n_jobs : job_counts) check_once(terms, n_jobs);
}

TEST("a request stops the sort") {
    const Packed packed(distinct_terms(124, 3000));
    for (const int32_t n_jobs : job_counts) {
        Run run(n_jobs);
        run.stop().request();
        CHECK_THROWS(Stopped, sort_terms(packed.arena, packed.offsets, run));
    }
}

}  // namespace
}  // namespace wordodds
