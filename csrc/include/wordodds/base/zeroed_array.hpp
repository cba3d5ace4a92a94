// A large array of zeros that costs nothing until it is touched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace wordodds {

// n elements of zero bytes, straight from the operating system: no pass over the memory to clear
// it. Hash tables are touched at random, so large arrays ask for huge pages, which spare page
// faults and address translation misses.
template <class T>
class ZeroedArray {
    static_assert(std::is_trivially_copyable_v<T>);

   public:
    ZeroedArray() = default;
    explicit ZeroedArray(size_t n) : size_(n) {
        if (n > (static_cast<size_t>(-1) - padding) / sizeof(T)) throw std::bad_alloc();
        block_ = allocate(n * sizeof(T));
        data_ = reinterpret_cast<T*>((reinterpret_cast<uintptr_t>(block_) + alignof(T) - 1) /
                                     alignof(T) * alignof(T));
    }
    ZeroedArray(ZeroedArray&& other) noexcept
        : block_(std::exchange(other.block_, nullptr)),
          data_(std::exchange(other.data_, nullptr)),
          size_(std::exchange(other.size_, 0)) {}
    ZeroedArray& operator=(ZeroedArray&& other) noexcept {
        std::swap(block_, other.block_);
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        return *this;
    }
    ~ZeroedArray() { clear(); }

    size_t size() const { return size_; }
    T& operator[](size_t i) { return data_[i]; }
    const T& operator[](size_t i) const { return data_[i]; }
    T* begin() { return data_; }
    T* end() { return data_ + size_; }
    const T* begin() const { return data_; }
    const T* end() const { return data_ + size_; }

    // Gives the memory back.
    void clear() {
        if (block_ != nullptr) release(block_, size_ * sizeof(T));
        block_ = nullptr;
        data_ = nullptr;
        size_ = 0;
    }

   private:
    // calloc aligns for the language's own types only.
    static constexpr size_t padding = alignof(T) > alignof(std::max_align_t) ? alignof(T) : 0;

#if defined(__linux__)
    static constexpr size_t mapped_min = size_t{1} << 22;  // two huge pages

    static void* allocate(size_t n_bytes) {
        if (n_bytes < mapped_min) return calloc_or_throw(n_bytes);
        void* const data =
            mmap(nullptr, n_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (data == MAP_FAILED) throw std::bad_alloc();
        // A wish: where it is not granted, the array works the same.
        static_cast<void>(madvise(data, n_bytes, MADV_HUGEPAGE));
        return data;
    }
    static void release(void* data, size_t n_bytes) {
        if (n_bytes < mapped_min) {
            std::free(data);
        } else {
            munmap(data, n_bytes);
        }
    }
#else
    static void* allocate(size_t n_bytes) { return calloc_or_throw(n_bytes); }
    static void release(void* data, size_t) { std::free(data); }
#endif

    static void* calloc_or_throw(size_t n_bytes) {
        void* const data = std::calloc(n_bytes + padding > 0 ? n_bytes + padding : 1, 1);
        if (data == nullptr) throw std::bad_alloc();
        return data;
    }

    void* block_ = nullptr;  // as it was allocated
    T* data_ = nullptr;
    size_t size_ = 0;
};

}  // namespace wordodds
