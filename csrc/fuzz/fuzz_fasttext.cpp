// fastText's reading of a text against its twin: a model decoded from the first bytes (words,
// labels, n-grams, subwords, buckets with and without rows), then a text in any storage. Rows and
// number of features are the twin's.
#include "fuzz.hpp"
#include "tests/execution.hpp"
#include "tests/text/fasttext.hpp"

using namespace wordodds;

namespace {

// Words of the model and of the text are cut from the same bytes, so that they meet.
reference::FastTextModel model_of(fuzz::Input& input) {
    const int64_t word_ngrams = 1 + input.below(5);
    const int64_t subword_min = input.below(5), subword_max = input.below(7);
    const bool needs_buckets = word_ngrams > 1 || subword_max > 0;
    const int64_t n_buckets = needs_buckets ? 1 + input.byte() : 0;
    const uint8_t flags = input.byte();
    reference::FastTextModel model{{},
                                   {"__label__known", "label"},
                                   word_ngrams,
                                   subword_min,
                                   subword_max,
                                   n_buckets,
                                   true,
                                   {},
                                   (flags & 2) != 0};
    if (flags & 1 && n_buckets > 0) {
        model.has_all_buckets = false;
        const int64_t one_in = 1 + flags / 8 % 4;
        for (int64_t bucket = flags / 32; bucket < n_buckets; bucket += one_in)
            model.buckets.insert(bucket);
    }
    for (int64_t n = input.below(8); n > 0; --n) {
        const std::u32string raw =
            fuzz::text_of(input.take(static_cast<size_t>(1 + input.below(40))));
        for (const std::u32string& word : reference::separate(raw)) {
            const std::string name = reference::encode(word);
            if (model.labels.count(name) == 0) {
                model.words.try_emplace(name, static_cast<int64_t>(model.words.size()));
            }
        }
    }
    if (flags & 4) model.words.try_emplace("</s>", static_cast<int64_t>(model.words.size()));
    return model;
}

}  // namespace

FUZZ(input) {
    const reference::FastTextModel model = model_of(input);
    const TextKind wanted = input.one_of(text_kinds);
    const FastTextArrays arrays(model);
    const FastTextRows rows = arrays.view();
    rows.terms.check();
    rows.check();
    const std::u32string text = fuzz::text_of(input.rest());
    const OwnedDocument document(text, fuzz::kind_for(text, wanted));
    const reference::FastTextLine line = reference::read_line(model, text);
    const std::vector<int64_t> expected = reference::rows_of(model, line);
    for (const InstructionSet set : available_instruction_sets()) {
        FastTextBag bag(rows);
        Analyzer analyzer(separated_words, set);
        StopToken stop;
        bag.start();
        analyzer.start(document.view());
        while (analyzer.next(stop) && bag.add(analyzer.bytes(), analyzer.features(), stop)) {
        }
        bag.finish(stop);
        std::vector<int64_t> found(bag.ids().begin(), bag.ids().end());
        std::sort(found.begin(), found.end());
        CHECK_SAME(found, expected, reference::encode(text), instruction_set_name(set));
        CHECK_EQ(bag.n_features(), reference::count_features(model, line), reference::encode(text));
    }
}
