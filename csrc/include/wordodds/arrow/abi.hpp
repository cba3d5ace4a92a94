// The structures of the Arrow C data interface and C stream interface, as their specification lays
// them out in memory, and an owner for them.
#pragma once

#include <cstdint>
#include <utility>

namespace wordodds {

struct ArrowSchema {
    const char* format;
    const char* name;
    const char* metadata;
    int64_t flags;
    int64_t n_children;
    ArrowSchema** children;
    ArrowSchema* dictionary;
    void (*release)(ArrowSchema*);
    void* private_data;
};

struct ArrowArray {
    int64_t length;
    int64_t null_count;  // -1: not known
    int64_t offset;      // rows to skip in the buffers
    int64_t n_buffers;
    int64_t n_children;
    const void** buffers;
    ArrowArray** children;
    ArrowArray* dictionary;
    void (*release)(ArrowArray*);
    void* private_data;
};

struct ArrowArrayStream {
    int (*get_schema)(ArrowArrayStream*, ArrowSchema* out);
    int (*get_next)(ArrowArrayStream*, ArrowArray* out);  // out.release is null after the last one
    const char* (*get_last_error)(ArrowArrayStream*);
    void (*release)(ArrowArrayStream*);
    void* private_data;
};

// Owns one of the above: releases it once, unless it was moved on. A structure whose `release` is
// null holds nothing.
template <class Struct>
class ArrowOwned {
   public:
    ArrowOwned() = default;
    // Moves out of *source, as the specification has it: a copy of the bytes, and source lets go.
    explicit ArrowOwned(Struct* source) : held_(*source) { source->release = nullptr; }
    ArrowOwned(ArrowOwned&& other) noexcept : ArrowOwned(&other.held_) {}
    ArrowOwned& operator=(ArrowOwned&& other) noexcept {
        std::swap(held_, other.held_);
        return *this;
    }
    ~ArrowOwned() {
        if (held_.release != nullptr) held_.release(&held_);
    }

    bool released() const { return held_.release == nullptr; }
    Struct* get() { return &held_; }
    const Struct* get() const { return &held_; }

   private:
    Struct held_{};
};

}  // namespace wordodds
