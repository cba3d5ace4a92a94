#include "wordodds/arrow/text_column.hpp"

#include <cstring>
#include <limits>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "wordodds/text/utf8_check.hpp"

namespace wordodds {
namespace {

constexpr int64_t rows_per_check = int64_t{1} << 16;  // of the stop token: less than a millisecond
constexpr int64_t view_bytes = 16;
constexpr int64_t inlined_max_bytes = 12;

enum class Layout { not_text, no_values, offsets32, offsets64, views };

struct ColumnType {
    Layout text;
    char index;  // the format of the indices, NUL without a dictionary
};

Layout text_layout(const ArrowSchema& schema) {
    const std::string_view format(schema.format != nullptr ? schema.format : "");
    if (schema.dictionary != nullptr) return Layout::not_text;
    if (format == "u") return Layout::offsets32;
    if (format == "U") return Layout::offsets64;
    if (format == "vu") return Layout::views;
    return format == "n" ? Layout::no_values : Layout::not_text;
}

ColumnType column_type(const ArrowSchema& schema) {
    if (schema.dictionary == nullptr) return {text_layout(schema), '\0'};
    const std::string_view format(schema.format != nullptr ? schema.format : "");
    const bool integer = format.size() == 1 &&
                         std::string_view("cCsSiIlL").find(format[0]) != std::string_view::npos;
    return {integer ? text_layout(*schema.dictionary) : Layout::not_text,
            integer ? format[0] : '\0'};
}

// Buffers need not be aligned.
template <class T>
T load(const void* buffer, int64_t i) {
    T value;
    std::memcpy(&value, static_cast<const char*>(buffer) + i * static_cast<int64_t>(sizeof(T)),
                sizeof(T));
    return value;
}

// Documents as rows of the column or as values of a dictionary; what errors call the i-th.
struct Rows {
    std::vector<Document>& documents;
    std::vector<int64_t>& nulls;
    const char* name;

    int64_t next() const { return static_cast<int64_t>(documents.size()); }
    void add(const void* data, int64_t length) {
        // Never a null pointer, even where there is nothing to point at.
        documents.push_back({length > 0 ? data : "", length, TextKind::ascii});
    }
    void add_null() {
        nulls.push_back(next());
        add(nullptr, 0);
    }
    [[noreturn]] void fail(const char* defect) const { fail_at(next(), defect); }
    [[noreturn]] void fail_at(int64_t row, const char* defect) const {
        throw std::invalid_argument(name + (" " + std::to_string(row)) + defect +
                                    "; the Arrow column is damaged");
    }
};

[[noreturn]] void fail_column(const std::string& defect) {
    throw std::invalid_argument("the Arrow column is damaged: " + defect);
}

// Which rows of an array are null.
class Validity {
   public:
    explicit Validity(const ArrowArray& array)
        : bits_(array.null_count == 0 ? nullptr : static_cast<const uint8_t*>(array.buffers[0])) {
        if (bits_ == nullptr && array.null_count > 0)
            fail_column("nulls without a validity bitmap");
    }
    bool is_null(int64_t i) const { return bits_ != nullptr && !((bits_[i / 8] >> (i % 8)) & 1); }

   private:
    const uint8_t* bits_;
};

void check_shape(const ArrowArray& array, int64_t n_buffers_min) {
    if (array.length < 0 || array.offset < 0 ||
        array.length >= std::numeric_limits<int64_t>::max() - array.offset) {
        fail_column("a negative length or offset");
    }
    if (array.n_buffers < n_buffers_min || (n_buffers_min > 0 && array.buffers == nullptr)) {
        fail_column(std::to_string(array.n_buffers) + " buffers instead of " +
                    std::to_string(n_buffers_min));
    }
}

// add(i) or rows.add_null() for each row, i counting from the start of the buffers.
template <class Add>
void for_each_row(const ArrowArray& array, StopToken& stop, Rows& rows, Add add) {
    const Validity validity(array);
    for (int64_t row = 0; row < array.length; ++row) {
        if (row % rows_per_check == 0) stop.check();
        const int64_t i = array.offset + row;
        if (validity.is_null(i)) {
            rows.add_null();
        } else {
            add(i);
        }
    }
}

// All of them before any is used, those of null rows too: an offset beyond the text shows only by
// the fall after it.
template <class Offset>
void check_offsets(const ArrowArray& array, StopToken& stop, const Rows& rows) {
    const void* const offsets = array.buffers[1];
    if (offsets == nullptr) fail_column("no offsets");
    auto begin = load<Offset>(offsets, array.offset);
    if (begin < 0) rows.fail(" has a negative offset");
    for (int64_t row = 0; row < array.length; ++row) {
        if (row % rows_per_check == 0) stop.check();
        const auto end = load<Offset>(offsets, array.offset + row + 1);
        if (end < begin) rows.fail_at(rows.next() + row, " ends before it begins");
        begin = end;
    }
}

template <class Offset>
void append_by_offsets(const ArrowArray& array, StopToken& stop, Rows& rows) {
    check_shape(array, 3);
    if (array.length == 0) return;  // then there may be no buffers at all
    check_offsets<Offset>(array, stop, rows);
    const auto* const text = static_cast<const char*>(array.buffers[2]);
    for_each_row(array, stop, rows, [&](int64_t i) {
        const int64_t begin = load<Offset>(array.buffers[1], i);
        const int64_t length = load<Offset>(array.buffers[1], i + 1) - begin;
        if (length == 0) return rows.add(nullptr, 0);
        if (text == nullptr) rows.fail(" has no text buffer");
        rows.add(text + begin, length);
    });
}

void append_views(const ArrowArray& array, StopToken& stop, Rows& rows) {
    check_shape(array, 3);
    if (array.length == 0) return;
    const auto* const views = static_cast<const char*>(array.buffers[1]);
    const int64_t n_texts = array.n_buffers - 3;  // without validity, views, lengths of the texts
    const void* const text_lengths = array.buffers[array.n_buffers - 1];
    if (views == nullptr) fail_column("no views");
    if (text_lengths == nullptr && n_texts > 0) fail_column("no lengths of text buffers");
    for_each_row(array, stop, rows, [&](int64_t i) {
        const char* const view = views + i * view_bytes;
        const int64_t length = load<int32_t>(view, 0);
        if (length < 0) rows.fail(" has a negative length");
        // Short text lies in the view itself, in the place of prefix, buffer number and offset.
        if (length <= inlined_max_bytes) return rows.add(view + 4, length);
        const int64_t number = load<int32_t>(view, 2);
        const int64_t begin = load<int32_t>(view, 3);
        if (number < 0 || number >= n_texts) rows.fail(" points to a missing text buffer");
        const auto* const text = static_cast<const char*>(array.buffers[2 + number]);
        const int64_t text_length = load<int64_t>(text_lengths, number);
        if (begin < 0 || text == nullptr || begin + length > text_length) {
            rows.fail(" reaches past its text buffer");
        }
        rows.add(text + begin, length);
    });
}

void append_nulls(const ArrowArray& array, StopToken& stop, Rows& rows) {
    check_shape(array, 0);
    for (int64_t row = 0; row < array.length; ++row) {
        if (row % rows_per_check == 0) stop.check();
        rows.add_null();
    }
}

void append_text(const ArrowArray& array, Layout layout, StopToken& stop, Rows& rows) {
    switch (layout) {
        case Layout::not_text: return;
        case Layout::no_values: return append_nulls(array, stop, rows);
        case Layout::offsets32: return append_by_offsets<int32_t>(array, stop, rows);
        case Layout::offsets64: return append_by_offsets<int64_t>(array, stop, rows);
        case Layout::views: return append_views(array, stop, rows);
    }
}

template <class Index>
void append_indexed(const ArrowArray& array, const std::vector<Document>& values,
                    const std::vector<bool>& value_is_null, StopToken& stop, Rows& rows) {
    const void* const indices = array.buffers[1];
    if (indices == nullptr) fail_column("no indices");
    for_each_row(array, stop, rows, [&](int64_t i) {
        const auto index = load<Index>(indices, i);
        // A negative index becomes a large one.
        const auto value = static_cast<uint64_t>(index);
        if (value >= values.size()) rows.fail(" points to a missing dictionary value");
        if (value_is_null[value]) return rows.add_null();
        rows.add(values[value].data, values[value].length);
    });
}

void append_encoded(const ArrowArray& array, ColumnType type, StopToken& stop, Rows& rows) {
    check_shape(array, 2);
    if (array.length == 0) return;
    if (array.dictionary == nullptr) fail_column("no dictionary");
    std::vector<Document> values;
    std::vector<int64_t> nulls;
    Rows value_rows{values, nulls, "dictionary value"};
    append_text(*array.dictionary, type.text, stop, value_rows);
    std::vector<bool> is_null(values.size(), false);
    for (const int64_t value : nulls) is_null[static_cast<size_t>(value)] = true;
    switch (type.index) {
        case 'c': return append_indexed<int8_t>(array, values, is_null, stop, rows);
        case 'C': return append_indexed<uint8_t>(array, values, is_null, stop, rows);
        case 's': return append_indexed<int16_t>(array, values, is_null, stop, rows);
        case 'S': return append_indexed<uint16_t>(array, values, is_null, stop, rows);
        case 'i': return append_indexed<int32_t>(array, values, is_null, stop, rows);
        case 'I': return append_indexed<uint32_t>(array, values, is_null, stop, rows);
        case 'l': return append_indexed<int64_t>(array, values, is_null, stop, rows);
        default: return append_indexed<uint64_t>(array, values, is_null, stop, rows);
    }
}

// Exactly, so that no growth doubles the memory.
void reserve_documents(TextColumn& column) {
    size_t n_rows = 0;
    for (const auto& array : column.arrays) {
        const int64_t length = array.get()->length;
        if (length < 0) fail_column("a negative length or offset");
        if (static_cast<size_t>(length) > column.documents.max_size() - n_rows) {
            throw std::bad_alloc();
        }
        n_rows += static_cast<size_t>(length);
    }
    column.documents.reserve(n_rows);
}

void check_documents(const Execution& execution, TextColumn& column) {
    for (size_t row = 0; row < column.documents.size(); ++row) {
        const int64_t length = column.documents[row].length;
        if (length > document_max_length) {
            throw std::invalid_argument("document " + std::to_string(row) +
                                        " has 2**30 characters or more; split it");
        }
        column.n_bytes += length;
    }
    const int64_t invalid = documents_check_utf8(column.documents, execution);
    if (invalid >= 0) {
        throw std::invalid_argument("document " + std::to_string(invalid) +
                                    " is not valid UTF-8; decode or drop it");
    }
}

void read_arrays(ColumnType type, const Execution& execution, TextColumn& column) {
    reserve_documents(column);
    Rows rows{column.documents, column.null_rows, "document"};
    for (const auto& array : column.arrays) {
        if (type.index != '\0') {
            append_encoded(*array.get(), type, *execution.stop, rows);
        } else {
            append_text(*array.get(), type.text, *execution.stop, rows);
        }
    }
    check_documents(execution, column);
}

void check_stream(int code, ArrowArrayStream& stream) {
    if (code == 0) return;
    const char* const words =
        stream.get_last_error != nullptr ? stream.get_last_error(&stream) : nullptr;
    throw std::runtime_error("the Arrow stream failed with code " + std::to_string(code) + ": " +
                             (words != nullptr ? words : "no reason given"));
}

}  // namespace

bool text_column_read_array(ArrowOwned<ArrowSchema> schema, ArrowOwned<ArrowArray> array,
                            const Execution& execution, TextColumn& column_out) {
    if (schema.released() || array.released()) {
        throw std::invalid_argument("the Arrow array was already released; export it anew");
    }
    const ColumnType type = column_type(*schema.get());
    if (type.text == Layout::not_text) return false;
    column_out.arrays.push_back(std::move(array));
    read_arrays(type, execution, column_out);
    return true;
}

bool text_column_read_stream(ArrowOwned<ArrowArrayStream> stream, const Execution& execution,
                             TextColumn& column_out) {
    if (stream.released()) {
        throw std::invalid_argument("the Arrow stream was already read; export it anew");
    }
    ArrowArrayStream& source = *stream.get();
    ArrowOwned<ArrowSchema> schema;
    check_stream(source.get_schema(&source, schema.get()), source);
    if (schema.released()) fail_column("a stream without a schema");
    const ColumnType type = column_type(*schema.get());
    if (type.text == Layout::not_text) return false;
    for (;;) {
        execution.stop->check();
        ArrowOwned<ArrowArray> array;
        check_stream(source.get_next(&source, array.get()), source);
        if (array.released()) break;
        column_out.arrays.push_back(std::move(array));
    }
    read_arrays(type, execution, column_out);
    return true;
}

}  // namespace wordodds
