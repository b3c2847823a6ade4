// Pseudorandom numbers for os.urandom and for the seed of the module random: splitmix64 (Steele,
// Lea and Flood 2014). The sequence is a function of the boot seed and the interpreter's index, so
// it is reproducible and not fit for secrets.
#include "port.h"
#include "py/mphal.h"

static uint64_t random_state;

void gpusnek_random_start(void) {
    // The odd factor keeps the sequences of a launch's interpreters apart.
    random_state = gpusnek_boot.seed + (uint64_t)gpusnek_boot.index * 0xd1342543de82ef95u;
}

uint64_t gpusnek_random_u64(void) {
    random_state += 0x9e3779b97f4a7c15u;
    uint64_t mixed = random_state;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
    return mixed ^ (mixed >> 31);
}

void mp_hal_get_random(size_t size, uint8_t *bytes) {
    for (size_t i = 0; i < size; ++i) {
        bytes[i] = (uint8_t)(gpusnek_random_u64() >> 56);
    }
}
