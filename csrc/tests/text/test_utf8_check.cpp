#include <memory>

#include "reference/text/tokenize.hpp"
#include "reference/text/utf8_check.hpp"
#include "tests/check.hpp"
#include "tests/documents.hpp"
#include "tests/execution.hpp"

namespace wordodds {
namespace {

// Over a heap buffer of exactly that size, for AddressSanitizer.
Utf8Check run(const std::string& text) {
    const std::unique_ptr<char[]> exact(new char[text.size()]);
    std::copy(text.begin(), text.end(), exact.get());
    return utf8_check(exact.get(), static_cast<int64_t>(text.size()));
}

void check_text(const std::string& text) { CHECK_EQ(run(text), reference::utf8_check(text), text); }

std::string bytes_of(std::initializer_list<int> values) {
    std::string text;
    for (const int value : values) text += static_cast<char>(value);
    return text;
}

TEST("known texts, written out by hand") {
    CHECK_EQ(utf8_check(nullptr, 0), Utf8Check::ascii);
    CHECK_EQ(run(std::string(1, '\0')), Utf8Check::ascii);
    CHECK_EQ(run("\x7F"), Utf8Check::ascii);
    for (const char* good : {"\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80", "\xED\x9F\xBF", "\xEE\x80\x80",
                             "\xEF\xBF\xBF", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF"}) {
        CHECK_EQ(run(good), Utf8Check::utf8, good);
    }
    for (const char* bad :
         {"\x80", "\xBF", "\xC0\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xED\xBF\xBF",
          "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xF8\x88\x80\x80\x80",
          "\xFE", "\xFF", "\xC3", "\xE4\xB8", "\xF0\x9F\x98"}) {
        CHECK_EQ(run(bad), Utf8Check::invalid, bad);
    }
}

TEST("all texts of one and two bytes, alone and before a letter") {
    for (int first = 0; first < 256; ++first) {
        check_text(bytes_of({first}));
        for (int second = 0; second < 256; ++second) {
            check_text(bytes_of({first, second}));
            check_text(bytes_of({first, second, 'a'}));
        }
    }
}

TEST("texts of three and four bytes, around every border") {
    const int borders[] = {0x00, 0x41, 0x7F, 0x80, 0x81, 0x8F, 0x90, 0x91, 0x9F,
                           0xA0, 0xA1, 0xBF, 0xC0, 0xC2, 0xE0, 0xED, 0xF0, 0xFF};
    for (int first = 0x7F; first < 256; ++first) {
        for (int second = 0x70; second < 256; ++second) {
            for (const int third : borders) {
                check_text(bytes_of({first, second, third}));
                if (first < 0xE0) continue;
                for (const int fourth : borders)
                    check_text(bytes_of({first, second, third, fourth}));
            }
        }
    }
}

TEST("every code point, and the same with its last byte missing") {
    for (char32_t c = 0; c < 0x110000; ++c) {
        std::string text;
        reference::append_utf8(c, text);
        const bool surrogate = c >= 0xD800 && c < 0xE000;
        const Utf8Check expected = c < 0x80    ? Utf8Check::ascii
                                   : surrogate ? Utf8Check::invalid
                                               : Utf8Check::utf8;
        CHECK_EQ(utf8_check(text.data(), static_cast<int64_t>(text.size())), expected,
                 static_cast<uint32_t>(c));
        if (c >= 0x80) {
            CHECK_EQ(utf8_check(text.data(), static_cast<int64_t>(text.size()) - 1),
                     Utf8Check::invalid, static_cast<uint32_t>(c));
        }
    }
}

TEST("a character, whole and cut, at every place of texts around one and two blocks") {
    const std::string fillers[] = {"a", "\xC3\xA9", "\xE4\xB8\xAD"};
    const std::string probes[] = {
        "\xC3\xA9",     "\xE4\xB8\xAD",    "\xF0\x9F\x98\x80", "\x80", "\xC3",
        "\xE4\xB8",     "\xF0\x9F\x98",    "\xED\xA0\x80",     "\xFF", "z",
        "\xE0\x80\x80", "\xF4\x90\x80\x80"};
    for (const size_t n : {60u, 63u, 64u, 65u, 67u, 127u, 128u, 129u, 131u, 192u, 200u}) {
        for (const std::string& filler : fillers) {
            std::string ground;
            while (ground.size() < n) ground += filler;
            check_text(ground);
            for (size_t at = 0; at <= ground.size(); ++at) {
                for (const std::string& probe : probes) {
                    check_text(ground.substr(0, at) + probe + ground.substr(at));
                    check_text(ground.substr(0, at) + probe);
                    std::string replaced = ground;
                    check_text(replaced.replace(at, probe.size(), probe));
                }
            }
        }
    }
}

TEST("random bytes and random text, of every length to 300") {
    Random random(11);
    for (int64_t n = 0; n <= 300; ++n) {
        for (int repeat = 0; repeat < 10; ++repeat) {
            std::string text = reference::encode(random_text(random, n, TextKind::ucs4));
            check_text(text);  // surrogates among it
            std::erase_if(text, [](char c) { return static_cast<uint8_t>(c) == 0xED; });
            check_text(text);
            if (!text.empty()) text[random() % text.size()] = static_cast<char>(random() % 256);
            check_text(text);
        }
    }
}

// Documents that share one buffer, as in a column.
struct Column {
    std::string text;
    std::vector<Document> documents;

    explicit Column(const std::vector<std::string>& parts) {
        for (const std::string& part : parts) text += part;
        const char* next = text.data();
        for (const std::string& part : parts) {
            documents.push_back({next, static_cast<int64_t>(part.size()), TextKind::ucs4});
            next += part.size();
        }
    }
};

TEST("documents get their kind, for any number of threads") {
    Random random(12);
    std::vector<std::string> parts;
    for (int i = 0; i < 3000; ++i) {
        const TextKind kind = i % 3 ? TextKind::ascii : TextKind::latin1;
        parts.push_back(reference::encode(random_text(random, below(random, 90), kind)));
    }
    for (const int32_t n_jobs : job_counts) {
        Column column(parts);
        CHECK_EQ(documents_check_utf8(column.documents, Run(n_jobs)), -1);
        for (size_t i = 0; i < parts.size(); ++i) {
            const bool ascii = reference::utf8_check(parts[i]) == Utf8Check::ascii;
            CHECK_EQ(column.documents[i].kind, ascii ? TextKind::ascii : TextKind::utf8, i, n_jobs);
        }
    }
    CHECK_EQ(documents_check_utf8({}, Run(2)), -1);
}

TEST("the first invalid document is named, for any number of threads") {
    for (const size_t bad : {0u, 1u, 255u, 256u, 700u, 1999u}) {
        std::vector<std::string> parts(2000, "d\xC3\xA9j\xC3\xA0");
        parts[bad] = std::string("d\xC3");
        parts[1999] = std::string("\xA9");  // with the one before it a character, but not alone
        for (const int32_t n_jobs : job_counts) {
            Column column(parts);
            CHECK_EQ(documents_check_utf8(column.documents, Run(n_jobs)), static_cast<int64_t>(bad),
                     n_jobs);
        }
    }
}

TEST("a document of several windows, whatever lies across their border") {
    constexpr size_t window = size_t{1} << 20;
    const std::string probes[] = {"\xC3\xA9",
                                  "\xE4\xB8\xAD",
                                  "\xF0\x9F\x98\x80",
                                  "\xC3",
                                  "\x80\x80\x80\x80\x80\x80",
                                  "\xF0\x9F\x98",
                                  "zz"};
    for (const std::string& probe : probes) {
        for (size_t before = 0; before <= 6; ++before) {
            std::string text(2 * window + 100, 'a');
            text.replace(window - before, probe.size(), probe);
            Column column({"x", text});
            const Utf8Check expected = reference::utf8_check(probe);
            const int64_t invalid = documents_check_utf8(column.documents, Run(2));
            CHECK_EQ(invalid, expected == Utf8Check::invalid ? 1 : -1, probe, before);
            if (invalid < 0) {
                const bool ascii = expected == Utf8Check::ascii;
                CHECK_EQ(column.documents[1].kind, ascii ? TextKind::ascii : TextKind::utf8, probe);
            }
        }
    }
}

TEST("a stop ends the check") {
    Column column(std::vector<std::string>(1000, "text"));
    Run run;
    run.stop().request();
    CHECK_THROWS(Stopped, documents_check_utf8(column.documents, run));
}

}  // namespace
}  // namespace wordodds
