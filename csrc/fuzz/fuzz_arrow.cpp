// Arrow's columns from a hostile producer: values and nulls as a slow reader of the same
// description has them, or the refusal that it demands; everything is released once. The interface
// transmits no sizes of buffers, so these are true where the format leaves no way to check them:
// the last offset lies within the text, and lengths of text buffers are not above the real ones.
#include <array>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>

#include "fuzz.hpp"
#include "reference/text/utf8_check.hpp"
#include "tests/execution.hpp"
#include "wordodds/arrow/text_column.hpp"

using namespace wordodds;

namespace {

using Values = std::vector<std::optional<std::string>>;
using View = std::array<char, 16>;

struct Refused {};  // what the description demands

// One array, as its producer means it. A missing buffer is a null pointer.
struct Chunk {
    std::string format;
    int64_t length = 0, offset = 0, null_count = -1, n_buffers = 0;
    bool no_buffers = false;  // the pointer to them is null
    std::optional<std::vector<uint8_t>> validity;
    std::optional<std::vector<int64_t>> numbers;  // offsets or indices
    std::optional<std::string> text;
    std::optional<std::vector<View>> views;
    std::vector<std::optional<std::string>> texts;
    std::optional<std::vector<int64_t>> text_lengths;
    std::unique_ptr<Chunk> dictionary;
};

int64_t read_int32(const View& view, size_t place) {
    int32_t value;
    std::memcpy(&value, view.data() + 4 * place, 4);
    return value;
}

std::string read_view(const Chunk& chunk, const View& view) {
    const int64_t length = read_int32(view, 0), number = read_int32(view, 2),
                  begin = read_int32(view, 3);
    if (length < 0) throw Refused();
    if (length <= 12) return std::string(view.data() + 4, static_cast<size_t>(length));
    if (number < 0 || number >= static_cast<int64_t>(chunk.texts.size())) throw Refused();
    const auto& text = chunk.texts[static_cast<size_t>(number)];
    if (!text || begin < 0 || begin + length > (*chunk.text_lengths)[static_cast<size_t>(number)])
        throw Refused();
    return text->substr(static_cast<size_t>(begin), static_cast<size_t>(length));
}

// Row by row; throws Refused where the header of the kernel promises a refusal.
Values read_slowly(const Chunk& chunk) {
    if (chunk.length < 0 || chunk.offset < 0 || chunk.length >= INT64_MAX - chunk.offset)
        throw Refused();
    if (chunk.format == "n") return Values(static_cast<size_t>(chunk.length));
    const bool indexed = chunk.dictionary != nullptr, viewed = chunk.format == "vu";
    if (chunk.n_buffers < (indexed ? 2 : 3) || chunk.no_buffers) throw Refused();
    if (chunk.length == 0) return {};
    Values values;
    if (viewed ? !chunk.views : !chunk.numbers) throw Refused();
    if (viewed && !chunk.texts.empty() && !chunk.text_lengths) throw Refused();
    if (chunk.null_count > 0 && !chunk.validity) throw Refused();
    Values words;
    if (indexed) words = read_slowly(*chunk.dictionary);
    const auto first = static_cast<size_t>(chunk.offset),
               end = first + static_cast<size_t>(chunk.length);
    if (!viewed && !indexed) {  // offsets of null rows count too
        for (size_t i = first; i < end; ++i) {
            if ((*chunk.numbers)[i] < 0 || (*chunk.numbers)[i + 1] < (*chunk.numbers)[i])
                throw Refused();
        }
    }
    for (size_t i = first; i < end; ++i) {
        if (chunk.null_count != 0 && chunk.validity && !((*chunk.validity)[i / 8] >> (i % 8) & 1)) {
            values.emplace_back();
        } else if (viewed) {
            values.emplace_back(read_view(chunk, (*chunk.views)[i]));
        } else if (indexed) {
            const int64_t index = (*chunk.numbers)[i];
            if (index < 0 || index >= static_cast<int64_t>(words.size())) throw Refused();
            values.push_back(words[static_cast<size_t>(index)]);
        } else {
            const auto begin = static_cast<size_t>((*chunk.numbers)[i]);
            const auto n = static_cast<size_t>((*chunk.numbers)[i + 1]) - begin;
            if (n > 0 && !chunk.text) throw Refused();
            values.emplace_back(n == 0 ? "" : chunk.text->substr(begin, n));
        }
    }
    return values;
}

// The buffers of an array on the heap to the byte, for AddressSanitizer.
struct Produced {
    std::vector<std::unique_ptr<char[]>> memory;
    std::vector<const void*> buffers;
    std::unique_ptr<ArrowArray> dictionary;

    template <class T>
    void add(const T* values, size_t n) {
        memory.emplace_back(new char[n * sizeof(T)]);
        if (n > 0) std::memcpy(memory.back().get(), values, n * sizeof(T));
        buffers.push_back(memory.back().get());
    }
    template <class List>
    void add(const std::optional<List>& values) {
        if (values) {
            add(values->data(), values->size());
        } else {
            buffers.push_back(nullptr);
        }
    }
    template <class Number>
    void add_as(const std::optional<std::vector<int64_t>>& numbers) {
        if (!numbers) return buffers.push_back(nullptr);
        std::vector<Number> narrow;
        for (const int64_t number : *numbers) narrow.push_back(static_cast<Number>(number));
        add(narrow.data(), narrow.size());
    }
};

int64_t n_alive = 0;

void release_array(ArrowArray* array) {
    auto* const produced = static_cast<Produced*>(array->private_data);
    if (produced->dictionary) produced->dictionary->release(produced->dictionary.get());
    delete produced;
    --n_alive;
    array->release = nullptr;
}

ArrowArray produce(const Chunk& chunk) {
    auto produced = std::make_unique<Produced>();
    produced->add(chunk.validity);
    if (chunk.format == "vu") {
        produced->add(chunk.views);
        for (const auto& text : chunk.texts) produced->add(text);
        produced->add(chunk.text_lengths);
    } else {
        switch (chunk.format.empty() ? '\0' : chunk.format[0]) {
            case 'c': produced->add_as<int8_t>(chunk.numbers); break;
            case 'C': produced->add_as<uint8_t>(chunk.numbers); break;
            case 's': produced->add_as<int16_t>(chunk.numbers); break;
            case 'S': produced->add_as<uint16_t>(chunk.numbers); break;
            case 'u':
            case 'i': produced->add_as<int32_t>(chunk.numbers); break;
            case 'I': produced->add_as<uint32_t>(chunk.numbers); break;
            case 'L': produced->add_as<uint64_t>(chunk.numbers); break;
            default: produced->add_as<int64_t>(chunk.numbers); break;
        }
        if (!chunk.dictionary) produced->add(chunk.text);
    }
    if (chunk.dictionary)
        produced->dictionary = std::make_unique<ArrowArray>(produce(*chunk.dictionary));
    ArrowArray array{};
    array.length = chunk.length;
    array.null_count = chunk.null_count;
    array.offset = chunk.offset;
    array.n_buffers = chunk.n_buffers;
    array.buffers = chunk.no_buffers ? nullptr : produced->buffers.data();
    array.dictionary = produced->dictionary.get();
    array.release = release_array;
    array.private_data = produced.release();
    ++n_alive;
    return array;
}

bool rarely(fuzz::Input& input) { return input.byte() >= 248; }

template <class T>
std::optional<T> mostly(fuzz::Input& input, T value) {
    if (rarely(input)) return std::nullopt;
    return value;
}

// What the type of the numbers keeps of any number.
int64_t narrowed(const std::string& format, int64_t number) {
    switch (format[0]) {
        case 'c': return static_cast<int8_t>(number);
        case 'C': return static_cast<uint8_t>(number);
        case 's': return static_cast<int16_t>(number);
        case 'S': return static_cast<uint16_t>(number);
        case 'u':
        case 'i': return static_cast<int32_t>(number);
        case 'I': return static_cast<uint32_t>(number);
        default: return number;
    }
}

void describe_offsets(fuzz::Input& input, int64_t n_rows, Chunk& chunk) {
    std::string text;
    std::vector<int64_t> offsets{0};
    for (int64_t i = 0; i < n_rows; ++i) {
        text += input.take(static_cast<size_t>(input.below(20)));
        offsets.push_back(static_cast<int64_t>(text.size()));
    }
    const auto last = static_cast<size_t>(
        std::clamp<int64_t>(chunk.offset + std::max<int64_t>(chunk.length, 0), 0, n_rows));
    while (rarely(input)) {
        const size_t at = input.byte() % offsets.size();
        // The last one that is read must lie within the text, or nothing could show that it does
        // not.
        if (at < last) offsets[at] = narrowed(chunk.format, input.number<int64_t>());
        if (at == last)
            offsets[at] =
                input.below(1 + std::min<int64_t>(255, static_cast<int64_t>(text.size())));
    }
    chunk.numbers = mostly(input, offsets);
    chunk.text = mostly(input, text);
    chunk.n_buffers = rarely(input) ? input.below(3) : 3;
}

void describe_views(fuzz::Input& input, int64_t n_rows, Chunk& chunk) {
    const int64_t n_texts = input.below(3);
    std::vector<int64_t> lengths;
    for (int64_t i = 0; i < n_texts; ++i) {
        const std::string text = input.take(static_cast<size_t>(input.below(60)));
        lengths.push_back(rarely(input) ? -input.byte() : static_cast<int64_t>(text.size()));
        chunk.texts.push_back(mostly(input, text));
    }
    std::vector<View> views;
    for (int64_t i = 0; i < n_rows; ++i) {
        View view{};
        const auto put = [&](size_t place, int64_t number) {
            const auto narrow = static_cast<int32_t>(number);
            std::memcpy(view.data() + 4 * place, &narrow, 4);
        };
        const int64_t length = input.below(40);
        put(0, length);
        if (length <= 12) {
            const std::string inlined = input.take(static_cast<size_t>(length));
            std::copy(inlined.begin(), inlined.end(), view.begin() + 4);
        } else {
            put(2, input.below(3));
            put(3, input.below(30));
        }
        while (rarely(input)) view[input.byte() % view.size()] = static_cast<char>(input.byte());
        views.push_back(view);
    }
    chunk.views = mostly(input, views);
    chunk.text_lengths = mostly(input, lengths);
    chunk.n_buffers = rarely(input) ? input.below(3) : 3 + n_texts;
}

Chunk describe(fuzz::Input& input, const std::string& format, const std::string* dictionary) {
    Chunk chunk;
    chunk.format = format;
    const int64_t n_rows = input.below(12);
    chunk.offset = input.below(n_rows + 1);
    chunk.length = input.below(n_rows - chunk.offset + 1);
    if (rarely(input)) chunk.offset = input.flag() ? -1 - input.byte() : INT64_MIN;
    // Not the type null: as many rows as it claims to have are made.
    if (rarely(input)) chunk.length = input.flag() ? -1 - input.byte() : INT64_MIN;
    chunk.null_count = static_cast<int64_t>(input.below(4)) - 1;
    if (input.flag()) {
        chunk.validity.emplace(static_cast<size_t>((n_rows + 7) / 8));
        for (uint8_t& bits : *chunk.validity) bits = input.byte();
    }
    chunk.no_buffers = rarely(input);
    if (dictionary != nullptr) {
        std::vector<int64_t> indices;
        for (int64_t i = 0; i < n_rows; ++i) {
            indices.push_back(
                narrowed(format, rarely(input) ? input.number<int64_t>() : input.below(6)));
        }
        chunk.numbers = mostly(input, indices);
        chunk.dictionary = std::make_unique<Chunk>(describe(input, *dictionary, nullptr));
        chunk.n_buffers = rarely(input) ? input.below(2) : 2;
    } else if (format == "vu") {
        describe_views(input, n_rows, chunk);
    } else if (format != "n") {
        describe_offsets(input, n_rows, chunk);
    }
    return chunk;
}

// The arrays one after the other, then the end or a failure.
struct Stream {
    std::vector<Chunk>& chunks;
    ArrowSchema schema;
    size_t next = 0;
    int failure = 0;

    ArrowArrayStream make() {
        ArrowArrayStream made{};
        made.private_data = this;
        made.get_schema = [](ArrowArrayStream* s, ArrowSchema* out) {
            *out = static_cast<Stream*>(s->private_data)->schema;
            return 0;
        };
        made.get_next = [](ArrowArrayStream* s, ArrowArray* out) {
            auto& self = *static_cast<Stream*>(s->private_data);
            if (self.next == self.chunks.size()) return self.failure;
            *out = produce(self.chunks[self.next++]);
            return 0;
        };
        made.get_last_error = [](ArrowArrayStream*) -> const char* { return nullptr; };
        made.release = [](ArrowArrayStream* s) { s->release = nullptr; };
        return made;
    }
};

// All rows of all arrays, or nothing where one must be refused.
std::optional<Values> expected_of(const std::vector<Chunk>& chunks) {
    Values all;
    try {
        for (const Chunk& chunk : chunks) {
            for (auto& value : read_slowly(chunk)) {
                if (value && reference::utf8_check(*value) == Utf8Check::invalid) throw Refused();
                all.push_back(std::move(value));
            }
        }
    } catch (const Refused&) {
        return std::nullopt;
    }
    return all;
}

void check_column(const TextColumn& column, const Values& expected) {
    CHECK_EQ(column.documents.size(), expected.size());
    std::vector<int64_t> nulls;
    for (size_t i = 0; i < expected.size(); ++i) {
        const Document& document = column.documents[i];
        const std::string text(static_cast<const char*>(document.data),
                               static_cast<size_t>(document.length));
        CHECK_EQ(text, expected[i].value_or(""), i);
        if (!expected[i]) nulls.push_back(static_cast<int64_t>(i));
    }
    CHECK_SAME(column.null_rows, nulls);
}

void release_schema(ArrowSchema* schema) { schema->release = nullptr; }

}  // namespace

FUZZ(input) {
    // Those of text come first and several times, as the others only ask for a refusal.
    static const std::string formats[] = {"u",  "U", "vu", "n", "u",  "U",
                                          "vu", "z", "+s", "",  "uu", "vz"};
    static const std::string index_formats[] = {"c", "C", "s", "S", "i",  "I",
                                                "l", "L", "f", "b", "ii", ""};
    const std::string& text_format = input.one_of(formats);
    const bool indexed = input.flag();
    const std::string& format = indexed ? input.one_of(index_formats) : text_format;
    const bool text =
        text_format == "u" || text_format == "U" || text_format == "vu" || text_format == "n";
    const bool readable =
        text && (!indexed || std::string("cCsSiIlL").find(format) < 8) && !format.empty();
    std::vector<Chunk> chunks;
    const bool streamed = input.flag();
    const int failure = streamed && rarely(input) ? 5 : 0;
    for (int64_t n = readable ? (streamed ? input.below(4) : 1) : 0; n > 0; --n) {
        chunks.push_back(describe(input, format, indexed ? &text_format : nullptr));
    }
    if (!readable && !streamed) chunks.emplace_back();

    ArrowSchema values{}, schema{};
    values.format = text_format.c_str();
    values.release = schema.release = release_schema;
    schema.format = format.c_str();
    schema.dictionary = indexed ? &values : nullptr;
    const std::optional<Values> expected = expected_of(chunks);
    {
        TextColumn column;
        bool refused = false, read = false;
        try {
            if (streamed) {
                Stream source{chunks, schema, 0, failure};
                ArrowArrayStream stream = source.make();
                read = text_column_read_stream(ArrowOwned(&stream), Run(), column);
            } else {
                ArrowArray array = produce(chunks[0]);
                read =
                    text_column_read_array(ArrowOwned(&schema), ArrowOwned(&array), Run(), column);
            }
        } catch (const std::invalid_argument&) {
            refused = true;
        } catch (const std::runtime_error&) {
            CHECK_EQ(failure, 5);
            refused = true;
        }
        if (!readable) {
            CHECK(!read && !refused, read, refused);
        } else {
            CHECK_EQ(refused, !expected || failure != 0);
            if (!refused) check_column(column, *expected);
        }
    }
    CHECK_EQ(n_alive, 0);
}
