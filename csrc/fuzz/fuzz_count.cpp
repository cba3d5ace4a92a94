// Counting against its twin: documents cut at 0xFF, counted with a new vocabulary, with a given one
// (and columns for unknown features), and by hash. The columns and counts are those of the twin, in
// its order.
#include "fuzz.hpp"
#include "options.hpp"
#include "reference/text/hashing.hpp"
#include "tests/execution.hpp"
#include "tests/text/corpus.hpp"

using namespace wordodds;

FUZZ(input) {
    const AnalyzerOptions options = fuzz::options_of(input, 3);
    const TextKind wanted = input.one_of(text_kinds);
    const auto n_unknown = input.below(5);
    const HashingOptions hashing{static_cast<int32_t>(1 + input.byte()), input.flag()};
    const auto sets = available_instruction_sets();
    const Run run(1 + static_cast<int32_t>(input.below(3)),
                  sets[static_cast<size_t>(input.below(static_cast<int64_t>(sets.size())))]);
    Corpus corpus;
    const std::string bytes = input.rest();
    for (size_t at = 0; at <= bytes.size();) {
        const size_t end = std::min(bytes.find('\xFF', at), bytes.size());
        const std::u32string text = fuzz::text_of(bytes.substr(at, end - at));
        corpus.add(text, fuzz::kind_for(text, wanted));
        at = end + 1;
    }
    const auto stops = options.stop_words != nullptr ? stop_words() : reference::StopWords{};
    const auto features = reference::features_of(corpus.views(), options, stops);

    const reference::Counts growing = reference::count_growing(features);
    Vocabulary vocabulary(some_key);
    const CountedRows rows = documents_count_growing(corpus.views(), options, run, vocabulary);
    CHECK_EQ(vocabulary.size(), static_cast<int64_t>(growing.terms.size()));
    for (size_t i = 0; i < growing.terms.size(); ++i) {
        CHECK_EQ(vocabulary.term(static_cast<int64_t>(i)), growing.terms[i], i);
    }
    check_rows(rows, run, growing);

    std::vector<std::string> terms;  // every second one, and some that do not occur
    for (const std::string& term : growing.terms)
        terms.push_back(terms.size() % 2 == 0 ? term : term + "~");
    std::sort(terms.begin(), terms.end());
    terms.erase(std::unique(terms.begin(), terms.end()), terms.end());
    const Vocabulary frozen = packed_vocabulary(terms);
    check_rows(documents_count_frozen(corpus.views(), options, frozen, n_unknown, run), run,
               reference::count_frozen(features, terms, n_unknown));

    check_rows(documents_count_hashed(corpus.views(), options, hashing, run), run,
               reference::count_hashed(features, hashing.n_features, hashing.alternate_sign));
}
