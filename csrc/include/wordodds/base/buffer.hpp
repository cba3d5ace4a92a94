// A growing array that never writes what its user will overwrite.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace wordodds {

// Like std::vector, but new elements are left as they come (std::vector zeroes them first, which
// costs a second pass over fresh memory), and growth goes through realloc, which moves large
// blocks by remapping their pages instead of copying them.
template <class T>
class Buffer {
    static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= alignof(std::max_align_t));

   public:
    Buffer() = default;
    Buffer(Buffer&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)),
          size_(std::exchange(other.size_, 0)),
          capacity_(std::exchange(other.capacity_, 0)) {}
    Buffer& operator=(Buffer&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
        return *this;
    }
    ~Buffer() { std::free(data_); }

    T* data() { return data_; }
    const T* data() const { return data_; }
    int64_t size() const { return size_; }
    T& operator[](int64_t i) { return data_[i]; }
    const T& operator[](int64_t i) const { return data_[i]; }
    std::span<const T> span() const { return {data_, static_cast<size_t>(size_)}; }

    void reserve(int64_t capacity) {
        if (capacity <= capacity_) return;
        const int64_t wanted = capacity > 2 * capacity_ ? capacity : 2 * capacity_;
        void* grown = std::realloc(data_, static_cast<size_t>(wanted) * sizeof(T));
        if (grown == nullptr) throw std::bad_alloc();
        data_ = static_cast<T*>(grown);
        capacity_ = wanted;
    }

    // Room for n more elements behind the last; returns where they start.
    T* extend(int64_t n) {
        reserve(size_ + n);
        size_ += n;
        return data_ + size_ - n;
    }

    void push_back(T value) { *extend(1) = value; }
    // Gives back what extend took too much; never grows.
    void shrink(int64_t size) { size_ = size; }

   private:
    T* data_ = nullptr;
    int64_t size_ = 0;
    int64_t capacity_ = 0;
};

}  // namespace wordodds
