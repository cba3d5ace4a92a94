// Slow twin of text/utf8_check: decode each character, then ask whether its value may be written
// so.
#pragma once

#include <cstdint>
#include <string>

#include "wordodds/text/utf8_check.hpp"

namespace wordodds::reference {

inline Utf8Check utf8_check(const std::string& text) {
    const uint32_t smallest[] = {0x0, 0x80, 0x800, 0x10000};  // with this many bytes after the lead
    bool ascii = true;
    for (size_t i = 0; i < text.size();) {
        const auto byte = [&](size_t k) {
            return static_cast<uint32_t>(static_cast<uint8_t>(text[k]));
        };
        const uint32_t lead = byte(i);
        size_t n_more = 0;
        if (lead >= 0x80) {
            ascii = false;
            if (lead / 0x20 == 0x6)
                n_more = 1;  // 110.....
            else if (lead / 0x10 == 0xE)
                n_more = 2;  // 1110....
            else if (lead / 0x08 == 0x1E)
                n_more = 3;  // 11110...
            else
                return Utf8Check::invalid;
        }
        uint32_t value = n_more == 0 ? lead : lead % (0x40u >> n_more);
        for (size_t k = 1; k <= n_more; ++k) {
            if (i + k >= text.size() || byte(i + k) / 0x40 != 0x2) return Utf8Check::invalid;
            value = value * 0x40 + byte(i + k) % 0x40;
        }
        const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
        if (value < smallest[n_more] || surrogate || value > 0x10FFFF) return Utf8Check::invalid;
        i += 1 + n_more;
    }
    return ascii ? Utf8Check::ascii : Utf8Check::utf8;
}

}  // namespace wordodds::reference
