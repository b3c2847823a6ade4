// The port's float conversions for many numbers at once, without MicroPython (conftest.py).
#include <stdlib.h>
#include <string.h>

#include "decimal.h"

static gpusnek_binary_t take_apart(uint64_t bits, int mantissa_bits, int lowest) {
    const uint64_t hidden = (uint64_t)1 << (mantissa_bits - 1);
    const int exponent = (int)(bits / hidden);
    const uint64_t fraction = bits % hidden;
    return (gpusnek_binary_t) {
        exponent > 0 ? hidden | fraction : fraction,
        lowest + (exponent > 0 ? exponent - 1 : 0),
        fraction == 0 && exponent > 1,
    };
}

// Writes a line for each of `count` numbers, given as their bits without sign. Returns the bytes.
size_t format_all(const uint64_t *numbers, size_t count, int mantissa_bits, int lowest, char style,
    int precision, int point, char *lines) {
    char *at = lines;
    for (size_t i = 0; i < count; ++i) {
        const gpusnek_binary_t binary = take_apart(numbers[i], mantissa_bits, lowest);
        const gpusnek_binary_t *number = numbers[i] == 0 ? NULL : &binary;
        gpusnek_layout_t layout;
        char *digits = malloc(gpusnek_digits_room(number, style, precision));
        const size_t size = gpusnek_lay_out(&layout, number, style, precision, point, digits);
        gpusnek_write_layout(&layout, 'e', at);
        free(digits);
        at[size] = '\n';
        at += size + 1;
    }
    return (size_t)(at - lines);
}

// Reads `count` lines of unsigned decimal numbers. `most`: digits are read while their value is
// below it, as in upstream's reader.
void read_all(const char *lines, size_t count, int mantissa_bits, int lowest, int highest,
    uint64_t most, uint64_t *numbers) {
    const gpusnek_format_t format = {mantissa_bits, lowest, highest};
    for (size_t i = 0; i < count; ++i) {
        const char *end = strchr(lines, '\n');
        gpusnek_numeral_t numeral = {0, 0, false, lines, end};
        bool fraction = false;
        for (const char *at = lines; at < end; ++at) {
            if (*at == '.') {
                fraction = true;
            } else if (*at == 'e') {
                numeral.exponent += atoi(at + 1);
                break;
            } else if (numeral.digits < most) {
                numeral.digits = numeral.digits * 10 + (uint64_t)(*at - '0');
                numeral.exponent -= fraction;
            } else {
                numeral.exponent += !fraction;
            }
        }
        numeral.cut = numeral.digits >= most;
        numbers[i] = gpusnek_nearest(&numeral, &format);
        lines = end + 1;
    }
}
