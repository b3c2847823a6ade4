// Random bytes for os.urandom and for seeding random: a counter through splitmix64's mixer
// (Steele, Lea and Flood 2014). Reproducible from the boot seed, so not for secrets.
#include "port.h"
#include "py/mphal.h"

static uint64_t random_state;

void gpusnek_random_start(void) {
    // An odd multiple of the index keeps interpreters of one launch far apart.
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
