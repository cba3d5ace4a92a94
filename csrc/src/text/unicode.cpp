#include "wordodds/text/unicode.hpp"

namespace wordodds {

#include "unicode_tables.inc"

}  // namespace wordodds
