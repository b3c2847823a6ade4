// Freestanding <stdnoreturn.h>.
#ifndef PORTER_STDNORETURN_H
#define PORTER_STDNORETURN_H

#define noreturn _Noreturn

#endif
