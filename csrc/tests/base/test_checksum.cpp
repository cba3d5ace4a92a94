#include <string>
#include <vector>

#include "tests/check.hpp"
#include "tests/documents.hpp"
#include "wordodds/base/checksum.hpp"

namespace wordodds {
namespace {

// Over a heap buffer exactly as long.
uint64_t checksum_of(const std::string& text) {
    const std::vector<char> bytes(text.begin(), text.end());
    return checksum(bytes);
}

TEST("XXH64 of well-known strings") {
    CHECK_EQ(checksum_of(""), 0xEF46DB3751D8E999u);
    CHECK_EQ(checksum_of("a"), 0xD24EC4F1A98C6E5Bu);
    CHECK_EQ(checksum_of("abc"), 0x44BC2CF5AD770999u);
    CHECK_EQ(checksum_of("Nobody inspects the spammish repetition"), 0xFBCEA83C8A378BF1u);
}

TEST("every changed byte and every cut shows") {
    Random random(7);
    for (const size_t n : {1u, 7u, 8u, 31u, 32u, 33u, 100u, 257u}) {
        std::string bytes(n, '\0');
        for (char& byte : bytes) byte = static_cast<char>(random() % 256);
        const uint64_t whole = checksum_of(bytes);
        for (size_t i = 0; i < n; ++i) {
            CHECK(checksum_of(bytes.substr(0, i)) != whole, n, i);
            for (int bit = 0; bit < 8; ++bit) {
                std::string damaged = bytes;
                damaged[i] = static_cast<char>(damaged[i] ^ (1 << bit));
                CHECK(checksum_of(damaged) != whole, n, i, bit);
            }
        }
    }
}

}  // namespace
}  // namespace wordodds
