// fastText's arrays from a hostile file: whatever FastTextRows::check lets pass gives any text rows
// below size(), and reads nothing outside the arrays (AddressSanitizer).
#include <stdexcept>

#include "fuzz.hpp"
#include "tests/text/fasttext.hpp"

using namespace wordodds;

FUZZ(input) {
    const int64_t n_buckets = 1 + input.byte();
    reference::FastTextModel model{{{"good", 0}, {"a_word_longer_than_its_head", 1}, {"</s>", 2}},
                                   {"label"},
                                   3,
                                   1,
                                   4,
                                   n_buckets,
                                   input.flag(),
                                   {},
                                   input.flag()};
    for (int64_t bucket = 0; !model.has_all_buckets && bucket < n_buckets; bucket += 3)
        model.buckets.insert(bucket);
    FastTextArrays arrays(model);
    const int64_t n_patches = input.below(6);
    for (int64_t n = 0; n < n_patches; ++n) {
        const auto at = static_cast<size_t>(input.byte());
        switch (input.below(12)) {
            case 0: arrays.options.word_ngrams = input.number<int8_t>(); break;
            case 1: arrays.options.subword_min = input.number<int32_t>(); break;
            case 2: arrays.options.subword_max = input.number<int16_t>(); break;
            case 3: arrays.options.n_buckets = input.number<int32_t>(); break;
            case 4: arrays.options.n_buckets = input.number<int8_t>(); break;
            case 5: arrays.n_bucket_rows = input.number<int64_t>(); break;
            case 6: arrays.n_bucket_rows = arrays.options.n_buckets; break;
            case 7:
                if (!arrays.marks.empty())
                    arrays.marks[at % arrays.marks.size()] = input.number<uint64_t>();
                break;
            case 8:
                if (!arrays.ranks.empty())
                    arrays.ranks[at % arrays.ranks.size()] = input.number<uint32_t>();
                break;
            case 9: arrays.marks.resize(at % 8), arrays.ranks.resize(input.byte() % 8); break;
            case 10: arrays.words.resize(at % 8, FastTextWord{input.number<uint32_t>(), 1}); break;
            default:
                if (!arrays.words.empty())
                    arrays.words[at % arrays.words.size()] = {input.number<uint32_t>(),
                                                              input.number<uint32_t>()};
                break;
        }
    }
    arrays.marks.shrink_to_fit();
    arrays.ranks.shrink_to_fit();
    arrays.words.shrink_to_fit();
    const FastTextRows rows = arrays.view();
    try {
        rows.check();
    } catch (const std::invalid_argument&) {
        return;
    }
    const std::u32string text = U"good label </s >bad " + fuzz::text_of(input.rest());
    const OwnedDocument document(text, kind_of(text));
    FastTextBag bag(rows);
    Analyzer analyzer(separated_words, available_instruction_sets().back());
    StopToken stop;
    bag.start();
    analyzer.start(document.view());
    while (analyzer.next(stop) && bag.add(analyzer.bytes(), analyzer.features(), stop)) {
    }
    bag.finish(stop);
    for (const uint32_t id : bag.ids())
        CHECK(id < static_cast<uint64_t>(rows.size()), id, rows.size());
}
