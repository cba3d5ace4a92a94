// How a caller interrupts a running kernel.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <thread>

namespace wordodds {

// Thrown by StopToken::check on whichever thread notices first; rethrown to the caller.
class Stopped : public std::exception {
   public:
    const char* what() const noexcept override { return "stopped by the caller"; }
};

// One per call. Kernels call check() once per chunk of about a millisecond or less. On the thread
// that made the token, check() also asks the caller's `poll` whether to stop, at most once per
// interval: a poll may be costly (it may have to take an interpreter lock).
class StopToken {
   public:
    using Poll = bool (*)(void* context);  // true: stop

    static constexpr std::chrono::milliseconds poll_interval{20};

    StopToken() = default;  // never stops by itself
    StopToken(Poll poll, void* context) : poll_(poll), context_(context) {}

    void request() noexcept { requested_.store(true, std::memory_order_relaxed); }
    bool requested() const noexcept { return requested_.load(std::memory_order_relaxed); }

    // How far the work has come, in units of the kernel's choice; a poll may tell the user.
    void advance() noexcept { done_.fetch_add(1, std::memory_order_relaxed); }
    int64_t done() const noexcept { return done_.load(std::memory_order_relaxed); }

    void check() {
        if (requested()) throw Stopped();
        if (poll_ == nullptr || std::this_thread::get_id() != owner_) return;
        const auto now = std::chrono::steady_clock::now();
        if (now - last_poll_ < poll_interval) return;
        last_poll_ = now;
        if (poll_(context_)) {
            request();
            throw Stopped();
        }
    }

   private:
    std::atomic<bool> requested_{false};
    std::atomic<int64_t> done_{0};
    Poll poll_ = nullptr;
    void* context_ = nullptr;
    std::thread::id owner_ = std::this_thread::get_id();
    std::chrono::steady_clock::time_point last_poll_ = std::chrono::steady_clock::now();
};

}  // namespace wordodds
