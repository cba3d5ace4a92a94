// What fastText's reading is made of: hashes, remainders, subwords of terms, and arrays from files.
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/check.hpp"
#include "tests/text/fasttext.hpp"

namespace wordodds {
namespace {

TEST("hashes that others publish, and those of fastText itself") {
    struct Known {
        const char* bytes;
        uint32_t hash;
    };
    // Of ASCII as in the test suite of FNV's authors. Beyond it fastText extends the signs of
    // bytes.
    for (const Known& known :
         {Known{"", 0x811C9DC5u}, Known{"a", 0xE40C292Cu}, Known{"foobar", 0xBF9CF968u},
          Known{"</s>", 0xD79C9359u}, Known{"\xC3\xA9t\xC3\xA9", 0x0BEEA017u},
          Known{"\xE4\xB8\xAD\xE6\x96\x87", 0x71B86245u}}) {
        CHECK_EQ(fasttext_hash(known.bytes), known.hash, known.bytes);
        CHECK_EQ(reference::fasttext_hash(known.bytes), int64_t{known.hash}, known.bytes);
    }
}

TEST("hashes and subwords of terms") {
    Random random(58);
    for (const TextKind kind : text_kinds) {
        for_each_model(
            random, kind, [&](const auto& model, const FastTextRows& rows, const Lexicon&) {
                const auto& [key, arena, offsets, slots] = rows.terms;
                std::vector<int64_t> hashes, buckets{42}, ends;
                std::vector<uint32_t> found_hashes(static_cast<size_t>(rows.terms.size()), 7);
                for (size_t i = 0; i < found_hashes.size(); ++i) {
                    const std::string term(arena.begin() + offsets[i],
                                           arena.begin() + offsets[i + 1]);
                    hashes.push_back(reference::fasttext_hash(term));
                    if (model.n_buckets == 0) continue;
                    const std::u32string word = reference::decode_utf8(term);
                    reference::append(buckets, reference::subword_buckets(model, word));
                    ends.push_back(static_cast<int64_t>(buckets.size()));
                }
                fasttext_hash_terms(arena, offsets, found_hashes);
                CHECK_SAME(found_hashes, hashes);
                if (model.n_buckets == 0) return;
                Buffer<uint32_t> found_buckets;
                Buffer<int64_t> found_ends;
                found_buckets.push_back(42);  // what is there stays
                StopToken stop;
                fasttext_find_subwords(arena, offsets, rows.options, stop, found_buckets,
                                       found_ends);
                CHECK_SAME(found_buckets.span(), buckets, model.subword_min, model.subword_max);
                CHECK_SAME(found_ends.span(), ends, model.subword_min, model.subword_max);
            });
    }
}

TEST("remainders of every divisor, at the ends of the range as well") {
    Random random(59);
    constexpr uint64_t last = std::numeric_limits<uint64_t>::max();
    std::vector<uint32_t> divisors{1, 2, 3, 7, 10, 64, 2'000'000};
    for (const uint32_t large : {0x7FFFFFFFu, 0x80000000u, 0x80000001u, 0xFFFFFFFFu}) {
        divisors.push_back(large);
    }
    while (divisors.size() < 500) {
        divisors.push_back(static_cast<uint32_t>(random() >> (32 + random() % 31)) | 1);
    }
    for (const uint32_t divisor : divisors) {
        const Remainder remainder(divisor);
        const uint64_t d = divisor, highest = last / d * d;  // the last multiple
        std::vector<uint64_t> numbers{0, 1, d - 1, d, d + 1, 2 * d - 1, 2 * d, d * d - 1, d * d};
        for (const uint64_t n : {last, last - 1, last - d, highest, highest - 1, highest - d,
                                 uint64_t{1} << 63, uint64_t{1} << 32, uint64_t{0xFFFFFFFFu}}) {
            numbers.push_back(n);
        }
        if (highest < last) numbers.push_back(highest + 1);
        for (int i = 0; i < 100; ++i) {
            const uint64_t n = random() >> random() % 64;
            for (const uint64_t each : {n, n / d * d, n / d * d - 1, last - n})
                numbers.push_back(each);
        }
        for (const uint64_t n : numbers) CHECK_EQ(remainder(n), n % d, n, divisor);
    }
}

template <class Damage>
void check_refused(Damage damage, bool has_marks = true, int line = __builtin_LINE()) {
    Random random(60);
    const Lexicon lexicon = fasttext_lexicon(random, TextKind::ascii);
    const auto model =
        random_model(random, lexicon, {2, 2, 4, 200}, true, has_marks ? 2 : -1, false);
    FastTextArrays arrays(model);
    arrays.view().check();
    damage(arrays);
    bool refused = false;
    try {
        arrays.view().check();
    } catch (const std::invalid_argument&) {
        refused = true;
    }
    CHECK(refused, line, has_marks);
}

TEST("rows that would lead astray are refused") {
    using Arrays = FastTextArrays;
    check_refused([](Arrays& a) { a.words.resize(a.packed.offsets.size(), a.words[0]); });
    check_refused([](Arrays& a) { a.options.word_ngrams = 0; });
    check_refused([](Arrays& a) { a.options.word_ngrams = -1; });
    check_refused([](Arrays& a) { a.options.subword_min = -1; });
    check_refused([](Arrays& a) { a.options.subword_max = -1; });
    check_refused([](Arrays& a) { a.options.n_buckets = -1; });
    check_refused([](Arrays& a) { a.options.n_buckets = -64; });
    check_refused([](Arrays& a) { a.marks.pop_back(); });
    check_refused([](Arrays& a) { a.ranks.pop_back(); });
    check_refused([](Arrays& a) { a.ranks.clear(); });
    check_refused([](Arrays& a) { a.marks.clear(); });
    check_refused([](Arrays& a) { a.marks.clear(), a.ranks.clear(); });
    check_refused([](Arrays& a) { a.marks.push_back(0), a.ranks.push_back(a.ranks.back()); });
    check_refused([](Arrays& a) { a.marks.pop_back(), a.ranks.pop_back(); });
    check_refused([](Arrays& a) { a.options.n_buckets = 257; });
    check_refused([](Arrays& a) { a.ranks[0] = 1; });
    check_refused([](Arrays& a) { a.ranks[2] += 1; });
    check_refused([](Arrays& a) { a.ranks.back() -= 1; });
    check_refused([](Arrays& a) { a.marks[1] ^= 1; });
    check_refused([](Arrays& a) { a.marks.back() ^= 1; });
    check_refused([](Arrays& a) { a.n_bucket_rows += 1; });
    check_refused([](Arrays& a) { a.n_bucket_rows -= 1; });
    const auto ask_no_buckets = [](Arrays& a) {
        a.options.word_ngrams = 1, a.options.subword_max = 0;
    };
    check_refused(
        [&](Arrays& a) { ask_no_buckets(a), a.options.n_buckets = -1, a.n_bucket_rows = -1; },
        false);
    for (const bool has_marks : {false, true}) {
        for (const int64_t n : {int64_t{-1}, int64_t{0}, int64_t{201}, int64_t{1} << 32,
                                int64_t{1} << 62, std::numeric_limits<int64_t>::min()}) {
            check_refused([&](Arrays& a) { a.n_bucket_rows = n; }, has_marks);
        }
        const auto drop_buckets = [](Arrays& a) {
            a.options.n_buckets = 0;
            a.n_bucket_rows = 0;
            a.marks.clear(), a.ranks.clear();
        };
        check_refused([&](Arrays& a) { drop_buckets(a); }, has_marks);
        check_refused([&](Arrays& a) { drop_buckets(a), a.options.word_ngrams = 1; }, has_marks);
        check_refused([&](Arrays& a) { drop_buckets(a), a.options.subword_max = 0; }, has_marks);
    }
}

}  // namespace
}  // namespace wordodds
