// scikit-learn's default analyzer, in the options of each stage.
#pragma once

#include "wordodds/text/analyze.hpp"

namespace wordodds {

inline constexpr LowerOptions default_lower{true, Accents::keep, CharacterClass::word};
inline constexpr TokenizerOptions default_tokens{default_lower, 2};
inline constexpr AnalyzerOptions default_words{};

}  // namespace wordodds
