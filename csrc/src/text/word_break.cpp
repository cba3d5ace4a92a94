#include "word_break.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "utf8.hpp"
#include "wordodds/text/unicode.hpp"

namespace wordodds {

#include "word_break_tables.inc"

namespace {

constexpr int64_t bytes_per_check = 65536;

// All that the rules ask of the text on the left. Each state but the line ends and `space` may have
// characters behind it that WB4 ignores.
enum class State : uint8_t {
    other,  // a boundary follows, whatever comes
    cr,
    line_end,  // also the start of the text
    space,
    aletter,
    hebrew_letter,
    numeric,
    katakana,
    extend_num_let,
    odd_indicator,  // a regional indicator without a partner
    hebrew_quote,   // a Hebrew letter and a single quote
    // From here on the boundary before the last character is held: open until the next one comes.
    letter_mid,           // a letter and what may stand between letters
    hebrew_double_quote,  // a Hebrew letter and a double quote
    numeric_mid,          // a digit and what may stand between digits
};
constexpr int32_t n_states = 14;

constexpr bool is_held(State state) { return state >= State::letter_mid; }

enum class Action : uint8_t {
    join,        // no boundary before this character
    split,       // a boundary
    hold,        // the next one decides
    join_held,   // no boundary here nor at the held place
    split_held,  // a boundary at both
};

struct Step {
    State next;
    Action action;
};

// The state after a character before which there is a boundary.
constexpr State state_alone(WordBreak value) {
    switch (value) {
        case WordBreak::cr: return State::cr;
        case WordBreak::lf:
        case WordBreak::newline: return State::line_end;
        case WordBreak::wseg_space: return State::space;
        case WordBreak::aletter: return State::aletter;
        case WordBreak::hebrew_letter: return State::hebrew_letter;
        case WordBreak::numeric: return State::numeric;
        case WordBreak::katakana: return State::katakana;
        case WordBreak::extend_num_let: return State::extend_num_let;
        case WordBreak::regional_indicator: return State::odd_indicator;
        default: return State::other;
    }
}

// The rules, save WB3c, which step() adds. Instead of looking ahead they hold a boundary back, so
// that no run of ignored characters is read twice. WB3 and WB3b change no word (a line end holds no
// letter, and nothing below joins it); they are here to be complete.
constexpr Step decide(State left, WordBreak right) {
    using enum WordBreak;
    const State alone = state_alone(right);
    const Step split{alone, is_held(left) ? Action::split_held : Action::split};
    const Step join{alone, Action::join};
    const Step join_held{alone, Action::join_held};

    if (left == State::cr && right == lf) return join;                 // WB3
    if (left == State::cr || left == State::line_end) return split;    // WB3a
    if (right == cr || right == lf || right == newline) return split;  // WB3b
    if (left == State::space && right == wseg_space) return join;      // WB3d
    if (right == extend || right == format || right == zwj) {          // WB4
        return {left == State::space ? State::other : left, Action::join};
    }

    const bool letter = right == aletter || right == hebrew_letter;
    const bool letter_like = letter || right == numeric || right == extend_num_let;
    const bool quote_or_dot = right == single_quote || right == mid_num_let;
    switch (left) {
        case State::hebrew_letter:
            if (right == single_quote) return {State::hebrew_quote, Action::join};         // WB7a
            if (right == double_quote) return {State::hebrew_double_quote, Action::hold};  // WB7b
            [[fallthrough]];
        case State::aletter:
            if (right == mid_letter || quote_or_dot) {  // WB6
                return {State::letter_mid, Action::hold};
            }
            return letter_like ? join : split;                      // WB5, WB9, WB13a
        case State::hebrew_quote: return letter ? join : split;     // WB7
        case State::letter_mid: return letter ? join_held : split;  // WB7
        case State::hebrew_double_quote: return right == hebrew_letter ? join_held : split;  // WB7c
        case State::numeric:
            if (right == mid_num || quote_or_dot) {  // WB12
                return {State::numeric_mid, Action::hold};
            }
            return letter_like ? join : split;                                 // WB8, WB10, WB13a
        case State::numeric_mid: return right == numeric ? join_held : split;  // WB11
        case State::katakana:                                                  // WB13, WB13a
            return right == katakana || right == extend_num_let ? join : split;
        case State::extend_num_let:  // WB13a, WB13b
            return letter_like || right == katakana ? join : split;
        case State::odd_indicator:  // WB15, WB16: in pairs, so that the next one starts anew
            return right == regional_indicator ? Step{State::other, Action::join} : split;
        default: return split;  // WB999
    }
}

using Steps = std::array<std::array<Step, n_word_breaks>, n_states>;
constexpr Steps steps = [] {
    Steps table{};
    for (size_t state = 0; state < n_states; ++state) {
        for (size_t value = 0; value < n_word_breaks; ++value) {
            table[state][value] = decide(static_cast<State>(state), static_cast<WordBreak>(value));
        }
    }
    return table;
}();

// How many of the 8 bytes at `bytes` are ASCII letters or digits before the first that is not. All
// at once: a loop would mispredict the end of nearly every word.
int64_t count_alphanumeric(const char* bytes) {
    constexpr uint64_t ones = 0x0101010101010101;
    constexpr uint64_t high = 0x80 * ones;
    uint64_t x;
    std::memcpy(&x, bytes, sizeof x);
    // The high bit of each byte of the result: whether low <= value <= last. Both sums stay within
    // their byte, as the high bit of each value is clear.
    const auto in_range = [](uint64_t values, uint64_t low, uint64_t last) {
        return (values + (0x80 - low) * ones) & ~(values + (0x7F - last) * ones);
    };
    const uint64_t values = x & ~high;
    const uint64_t found = in_range(values | 0x20 * ones, 'a', 'z') | in_range(values, '0', '9');
    const uint64_t marks = (found & ~x) | ~high;
    constexpr bool little = std::endian::native == std::endian::little;
    return (little ? std::countr_one(marks) : std::countl_one(marks)) / 8;
}

// The state after an ASCII letter or digit; `other` for every other byte.
constexpr std::array<State, 256> alphanumeric = [] {
    std::array<State, 256> table{};
    for (size_t c = '0'; c <= '9'; ++c) table[c] = State::numeric;
    for (size_t c = 'a'; c <= 'z'; ++c) table[c] = table[c - 'a' + 'A'] = State::aletter;
    return table;
}();

class WordFinder {
   public:
    WordFinder(const char* bytes, Buffer<TokenSpan>& words_out)
        : bytes_(bytes), words_(words_out) {}

    // Reads the characters that begin in [position, end); returns where the next one begins.
    int64_t read(int64_t position, int64_t end) {
        while (position < end) {
            const uint8_t byte = at(position);
            if (byte < 0x80) {
                step(word_break_stage2[byte], position++);
                if (alphanumeric[byte] != State::other) position = read_run(position, end);
            } else {
                const uint32_t code_point = utf8_decode(bytes_ + position);
                step(word_break_record(code_point), position);
                // Not asked again once one is found: that saves most of the look-ups.
                is_word_ = is_word_ || (unicode_record(code_point).flags & unicode_word) != 0;
                position += utf8_length(bytes_[position]);
            }
        }
        return position;
    }

    void finish(int64_t n) {
        if (is_held(state_)) close_held();
        close(n);
    }

   private:
    uint8_t at(int64_t position) const { return static_cast<uint8_t>(bytes_[position]); }

    // Behind a first letter or digit: between the others there is no boundary.
    int64_t read_run(int64_t position, int64_t end) {
        is_word_ = true;
        for (int64_t n = 8; n == 8 && position + 8 <= end; position += n) {
            n = count_alphanumeric(bytes_ + position);
        }
        while (position < end && alphanumeric[at(position)] != State::other) ++position;
        state_ = alphanumeric[at(position - 1)];
        return position;
    }

    void step(uint8_t record, int64_t position) {
        const auto [next, action] =
            steps[static_cast<size_t>(state_)][static_cast<size_t>(word_break_of(record))];
        state_ = next;
        switch (action) {
            case Action::join: return;
            case Action::hold:
                held_ = position;
                held_is_word_ = is_word_;
                is_word_ = false;
                return;
            case Action::join_held: is_word_ = is_word_ || held_is_word_; return;
            case Action::split_held: close_held(); [[fallthrough]];
            case Action::split:
                if (record & word_break_pictographic && is_behind_zwj(position)) return;  // WB3c
                close(position);
        }
    }

    bool is_behind_zwj(int64_t position) const {
        return position >= 3 && at(position - 3) == 0xE2 && at(position - 2) == 0x80 &&
               at(position - 1) == 0x8D;
    }

    // The segment ends here, and the next begins.
    void close(int64_t end) {
        if (is_word_) {
            words_.push_back({static_cast<uint32_t>(begin_), static_cast<uint32_t>(end - begin_)});
        }
        begin_ = end;
        is_word_ = false;
    }

    // The same at the held boundary: what is known of the text behind it stays.
    void close_held() {
        const bool is_word_behind = is_word_;
        is_word_ = held_is_word_;
        close(held_);
        is_word_ = is_word_behind;
    }

    const char* const bytes_;
    Buffer<TokenSpan>& words_;
    State state_ = State::line_end;
    int64_t begin_ = 0;     // of the segment
    bool is_word_ = false;  // whether it holds a letter or digit; behind the held boundary, if any
    int64_t held_ = 0;
    bool held_is_word_ = false;  // the same before the held boundary
};

}  // namespace

void utf8_find_words(const char* bytes, int64_t n, StopToken& stop, Buffer<TokenSpan>& words_out) {
    WordFinder finder(bytes, words_out);
    for (int64_t position = 0; position < n;) {
        stop.check();
        position = finder.read(position, std::min(n, position + bytes_per_check));
    }
    finder.finish(n);
}

}  // namespace wordodds
