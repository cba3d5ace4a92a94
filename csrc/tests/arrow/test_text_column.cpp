#include <array>
#include <cstring>
#include <memory>
#include <optional>

#include "tests/check.hpp"
#include "tests/documents.hpp"
#include "tests/execution.hpp"
#include "wordodds/arrow/text_column.hpp"

namespace wordodds {
namespace {

using Values = std::vector<std::optional<std::string>>;

// What a producer keeps behind an array: buffers on the heap to the byte, for AddressSanitizer.
struct Produced {
    std::vector<std::unique_ptr<char[]>> memory;
    std::vector<const void*> buffers;
    std::unique_ptr<ArrowArray> dictionary;
    int64_t* n_alive = nullptr;

    template <class T>
    void add(const std::vector<T>& values) {
        const size_t n = values.size() * sizeof(T);
        memory.emplace_back(new char[n]);
        if (n > 0) std::memcpy(memory.back().get(), values.data(), n);
        buffers.push_back(memory.back().get());
    }
};

void release_array(ArrowArray* array) {
    auto* const produced = static_cast<Produced*>(array->private_data);
    if (produced->dictionary) produced->dictionary->release(produced->dictionary.get());
    --*produced->n_alive;
    delete produced;
    array->release = nullptr;
}

void release_schema(ArrowSchema* schema) { schema->release = nullptr; }

// Arrays in each layout; counts those not yet released.
struct Producer {
    int64_t n_alive = 0;

    ArrowArray finish(std::unique_ptr<Produced> produced, int64_t n, int64_t offset) {
        produced->n_alive = &n_alive;
        ++n_alive;
        ArrowArray array{};
        array.length = n - offset;
        array.null_count = -1;
        array.offset = offset;
        array.n_buffers = static_cast<int64_t>(produced->buffers.size());
        array.buffers = produced->buffers.data();
        array.dictionary = produced->dictionary.get();
        array.release = release_array;
        array.private_data = produced.release();
        return array;
    }

    static void add_validity(const Values& values, Produced& produced) {
        std::vector<uint8_t> bits((values.size() + 7) / 8, 0);
        for (size_t i = 0; i < values.size(); ++i) {
            if (values[i]) bits[i / 8] = static_cast<uint8_t>(bits[i / 8] | (1u << (i % 8)));
        }
        produced.add(bits);
    }

    template <class Offset>
    ArrowArray by_offsets(const Values& values, int64_t offset = 0) {
        auto produced = std::make_unique<Produced>();
        add_validity(values, *produced);
        std::vector<char> text(3, '#');  // the first offset need not be 0
        std::vector<Offset> offsets{3};
        for (const auto& value : values) {
            const std::string part = value.value_or("\xFF");  // text of a null is not looked at
            text.insert(text.end(), part.begin(), part.end());
            offsets.push_back(static_cast<Offset>(text.size()));
        }
        produced->add(offsets);
        produced->add(text);
        return finish(std::move(produced), static_cast<int64_t>(values.size()), offset);
    }

    ArrowArray views(const Values& values, int64_t offset = 0) {
        auto produced = std::make_unique<Produced>();
        add_validity(values, *produced);
        std::vector<std::array<char, 16>> views;
        std::array<std::vector<char>, 2> texts{};
        for (size_t i = 0; i < values.size(); ++i) {
            const std::string value = values[i].value_or("");
            std::array<char, 16> view{};
            if (!values[i]) view.fill('\x7F');  // nor is the view of a null
            const auto put = [&](size_t place, size_t number) {
                const auto narrow = static_cast<int32_t>(number);
                std::memcpy(view.data() + place, &narrow, 4);
            };
            if (values[i]) {
                put(0, value.size());
                std::memcpy(view.data() + 4, value.data(), std::min<size_t>(value.size(), 12));
            }
            if (value.size() > 12) {
                std::vector<char>& text = texts[i % 2];
                put(8, i % 2);
                put(12, text.size());
                text.insert(text.end(), value.begin(), value.end());
            }
            views.push_back(view);
        }
        produced->add(views);
        for (const auto& text : texts) produced->add(text);
        produced->add(std::vector<int64_t>{static_cast<int64_t>(texts[0].size()),
                                           static_cast<int64_t>(texts[1].size())});
        return finish(std::move(produced), static_cast<int64_t>(values.size()), offset);
    }

    template <class Index>
    ArrowArray encoded(const std::vector<Index>& indices, const ArrowArray& dictionary,
                       int64_t offset = 0) {
        auto produced = std::make_unique<Produced>();
        produced->buffers.push_back(nullptr);
        produced->add(indices);
        produced->dictionary = std::make_unique<ArrowArray>(dictionary);
        return finish(std::move(produced), static_cast<int64_t>(indices.size()), offset);
    }
};

ArrowSchema schema_of(const char* format, ArrowSchema* dictionary = nullptr) {
    ArrowSchema schema{};
    schema.format = format;
    schema.dictionary = dictionary;
    schema.release = release_schema;
    return schema;
}

TextColumn read(const char* format, ArrowArray array, const char* dictionary = nullptr,
                int32_t n_jobs = 1) {
    ArrowSchema values = schema_of(dictionary ? dictionary : "");
    ArrowSchema schema = schema_of(format, dictionary ? &values : nullptr);
    TextColumn column;
    CHECK(text_column_read_array(ArrowOwned(&schema), ArrowOwned(&array), Run(n_jobs), column));
    return column;
}

Values values_of(const TextColumn& column) {
    Values values;
    for (const Document& document : column.documents) {
        values.emplace_back(std::string(static_cast<const char*>(document.data),
                                        static_cast<size_t>(document.length)));
    }
    for (const int64_t row : column.null_rows) {
        CHECK_EQ(column.documents[static_cast<size_t>(row)].length, 0, row);
        values[static_cast<size_t>(row)].reset();
    }
    return values;
}

Values random_values(Random& random, int64_t n) {
    Values values;
    for (int64_t i = 0; i < n; ++i) {
        values.emplace_back(std::string(static_cast<size_t>(below(random, 30)), 'a'));
        if (below(random, 4) == 0) values.back().reset();
        if (below(random, 4) == 0) values.back() = "d\xC3\xA9j\xC3\xA0";
    }
    return values;
}

TEST("every layout, cut at every row") {
    Random random(3);
    for (const int64_t n : {0, 1, 7, 8, 9, 40}) {
        const Values values = random_values(random, n);
        for (int64_t offset = 0; offset <= n; ++offset) {
            Producer producer;
            const Values expected(values.begin() + offset, values.end());
            CHECK(values_of(read("u", producer.by_offsets<int32_t>(values, offset))) == expected,
                  n);
            CHECK(values_of(read("U", producer.by_offsets<int64_t>(values, offset))) == expected,
                  n);
            CHECK(values_of(read("vu", producer.views(values, offset), nullptr, 2)) == expected, n);
            CHECK_EQ(producer.n_alive, 0);
        }
    }
}

template <class Index>
void check_encoded(const char* format) {
    const Values words{"a", std::nullopt, "a text too long for a view", ""};
    const std::vector<Index> indices{3, 2, 2, 1, 0};
    const Values expected{words[2], words[2], std::nullopt, words[0]};
    Producer producer;
    const auto read_with = [&](const char* values, const ArrowArray& dictionary) {
        return values_of(read(format, producer.encoded<Index>(indices, dictionary, 1), values));
    };
    CHECK(read_with("u", producer.by_offsets<int32_t>(words)) == expected, format);
    CHECK(read_with("U", producer.by_offsets<int64_t>(words)) == expected, format);
    CHECK(read_with("vu", producer.views(words)) == expected, format);
    for (const int bad : {4, 100, -1}) {
        const std::vector<Index> outside{0, static_cast<Index>(bad)};
        CHECK_THROWS(std::invalid_argument,
                     read(format, producer.encoded(outside, producer.views(words)), "vu"));
    }
    CHECK_EQ(producer.n_alive, 0);
}

TEST("dictionaries with indices of every type") {
    check_encoded<int8_t>("c");
    check_encoded<uint8_t>("C");
    check_encoded<int16_t>("s");
    check_encoded<uint16_t>("S");
    check_encoded<int32_t>("i");
    check_encoded<uint32_t>("I");
    check_encoded<int64_t>("l");
    check_encoded<uint64_t>("L");
}

// damage(array) must make the reading throw, and everything be released.
template <class Damage>
void check_damage(const char* format, ArrowArray (*make)(Producer&), Damage damage) {
    Producer producer;
    ArrowArray array = make(producer);
    damage(array);
    CHECK_THROWS(std::invalid_argument, read(format, array));
    CHECK_EQ(producer.n_alive, 0);
}

template <class T>
void poke(const ArrowArray& array, int64_t buffer, size_t place, T value) {
    char* const bytes = static_cast<char*>(const_cast<void*>(array.buffers[buffer]));
    std::memcpy(bytes + place * sizeof(T), &value, sizeof(T));
}

const Values three{"first", "a second that is no short one", "third"};

TEST("damaged arrays with offsets are refused and released") {
    const auto make = [](Producer& p) { return p.by_offsets<int32_t>(three); };
    check_damage("u", make, [](ArrowArray& a) { poke<int32_t>(a, 1, 0, -1); });
    check_damage("u", make, [](ArrowArray& a) { poke<int32_t>(a, 1, 1, 1 << 30); });
    check_damage("u", make, [](ArrowArray& a) { poke<int32_t>(a, 1, 3, 0); });
    check_damage("u", make, [](ArrowArray& a) { poke<char>(a, 2, 4, '\xFF'); });
    check_damage("u", make, [](ArrowArray& a) { a.length = -1; });
    check_damage("u", make, [](ArrowArray& a) { a.offset = -1; });
    check_damage("u", make, [](ArrowArray& a) { a.n_buffers = 2; });
    check_damage("u", make, [](ArrowArray& a) { a.buffers = nullptr; });
    check_damage("u", make, [](ArrowArray& a) { a.buffers[1] = nullptr; });
    check_damage("u", make, [](ArrowArray& a) { a.buffers[2] = nullptr; });
    check_damage("u", make, [](ArrowArray& a) { a.buffers[0] = nullptr, a.null_count = 1; });
    // An offset beyond the text that only the end of a null row gives away.
    const auto with_null = [](Producer& p) {
        return p.by_offsets<int64_t>({"a", std::nullopt, "b"});
    };
    check_damage("U", with_null, [](ArrowArray& a) { poke(a, 1, 1, int64_t{1} << 29); });
}

TEST("damaged views are refused and released") {
    const auto make = [](Producer& p) { return p.views(three); };
    check_damage("vu", make, [](ArrowArray& a) { poke<int32_t>(a, 1, 0, -1); });
    check_damage("vu", make, [](ArrowArray& a) { poke<int32_t>(a, 1, 4, 30); });
    check_damage("vu", make, [](ArrowArray& a) { poke<int32_t>(a, 1, 6, 2); });
    check_damage("vu", make, [](ArrowArray& a) { poke<int32_t>(a, 1, 6, 0); });
    check_damage("vu", make, [](ArrowArray& a) { poke<int32_t>(a, 1, 6, -1); });
    check_damage("vu", make, [](ArrowArray& a) { poke<int32_t>(a, 1, 7, -1); });
    check_damage("vu", make, [](ArrowArray& a) { poke<int32_t>(a, 1, 7, 1); });
    check_damage("vu", make, [](ArrowArray& a) { poke<int64_t>(a, 4, 1, 28); });
    check_damage("vu", make, [](ArrowArray& a) { poke<char>(a, 1, 5, '\xC3'); });
    check_damage("vu", make, [](ArrowArray& a) { a.buffers[1] = nullptr; });
    check_damage("vu", make, [](ArrowArray& a) { a.buffers[3] = nullptr; });
    check_damage("vu", make, [](ArrowArray& a) { a.buffers[4] = nullptr; });
    check_damage("vu", make, [](ArrowArray& a) { a.n_buffers = 2; });
}

TEST("arrays without buffers: empty ones, and the type null") {
    for (const char* format : {"u", "U", "vu"}) {
        Producer producer;
        auto produced = std::make_unique<Produced>();
        produced->buffers.resize(3, nullptr);
        CHECK_EQ(read(format, producer.finish(std::move(produced), 0, 0)).documents.size(), 0u);
        CHECK_EQ(producer.n_alive, 0);
    }
    Producer producer;
    const TextColumn column = read("n", producer.finish(std::make_unique<Produced>(), 3, 0));
    CHECK(values_of(column) == Values(3));
}

TEST("a document too long is named before it is read") {
    Producer producer;
    ArrowArray array = producer.by_offsets<int64_t>({"a", "b"});
    poke<int64_t>(array, 1, 2, int64_t{4} + document_max_length + 1);
    try {
        read("U", array);
        CHECK(false);
    } catch (const std::invalid_argument& error) {
        CHECK_EQ(std::string(error.what()), "document 1 has 2**30 characters or more; split it");
    }
}

// A stream of equal arrays that may fail.
struct Streamed {
    Producer producer;
    const char* format = "u";
    int n_left = 3;
    int failure = 0;  // when nothing is left
    int n_released = 0;

    ArrowArrayStream stream() {
        ArrowArrayStream made{};
        made.private_data = this;
        made.get_schema = [](ArrowArrayStream* s, ArrowSchema* out) {
            *out = schema_of(static_cast<Streamed*>(s->private_data)->format);
            return 0;
        };
        made.get_next = [](ArrowArrayStream* s, ArrowArray* out) {
            auto& self = *static_cast<Streamed*>(s->private_data);
            if (self.n_left == 0) return self.failure;
            --self.n_left;
            *out = self.producer.by_offsets<int32_t>(three);
            return 0;
        };
        made.get_last_error = [](ArrowArrayStream*) { return "the disk is on fire"; };
        made.release = [](ArrowArrayStream* s) {
            ++static_cast<Streamed*>(s->private_data)->n_released;
            s->release = nullptr;
        };
        return made;
    }
};

TEST("streams are read to their end, and released once") {
    for (const int failure : {0, 5}) {
        for (const char* format : {"u", "l", "+s", "z", ""}) {
            Streamed source;
            source.failure = failure;
            source.format = format;
            ArrowArrayStream stream = source.stream();
            {
                TextColumn column;
                const bool text = format[0] == 'u';
                if (text && failure) {
                    CHECK_THROWS(std::runtime_error,
                                 text_column_read_stream(ArrowOwned(&stream), Run(), column));
                } else {
                    CHECK_EQ(text_column_read_stream(ArrowOwned(&stream), Run(), column), text);
                    CHECK_EQ(column.documents.size(), text ? 9u : 0u);
                }
                CHECK_EQ(source.producer.n_alive, text ? 3 : 0);
            }
            CHECK_EQ(source.producer.n_alive, 0);
            CHECK_EQ(source.n_released, 1);
            TextColumn again;
            CHECK_THROWS(std::invalid_argument,
                         text_column_read_stream(ArrowOwned(&stream), Run(), again));
        }
    }
}

}  // namespace
}  // namespace wordodds
