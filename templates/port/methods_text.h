// Methods of str, bytes and bytearray (methods_*.c) that methods.c lists or that
// patches call in py/objstr.c.
#ifndef GPUSNEK_METHODS_TEXT_H
#define GPUSNEK_METHODS_TEXT_H

#include "py/obj.h"

// The characters of a str, or the bytes of a bytes or bytearray object.
typedef struct {
    const byte *data;
    size_t size; // in bytes
    const mp_obj_type_t *type; // str, bytes or bytearray
    bool is_str;
} gpusnek_text_t;

// Returns the content of a str, bytes or bytearray object. Raises TypeError for other objects.
gpusnek_text_t gpusnek_text(mp_obj_t object);
// Returns an argument of a method of `self` that must be of a related type. Raises TypeError.
gpusnek_text_t gpusnek_text_argument(gpusnek_text_t self, mp_obj_t argument);
// Returns the object of a type whose content is in `vstr`.
mp_obj_t gpusnek_new_text(const mp_obj_type_t *type, vstr_t *vstr);
// Returns the character or byte at *at, and moves *at behind it.
unichar gpusnek_next(const byte **at, bool is_str);
// Returns the number of characters or bytes.
size_t gpusnek_length(gpusnek_text_t text);

// str.center without and with a fill character.
mp_obj_t gpusnek_text_center(mp_obj_t self, mp_obj_t width);
extern const mp_obj_fun_builtin_var_t gpusnek_text_center_obj;

// str.lower and str.upper.
mp_obj_t gpusnek_text_lower(mp_obj_t self);
mp_obj_t gpusnek_text_upper(mp_obj_t self);
mp_obj_t gpusnek_text_capitalize(mp_obj_t self);
mp_obj_t gpusnek_text_casefold(mp_obj_t self);
mp_obj_t gpusnek_text_swapcase(mp_obj_t self);
mp_obj_t gpusnek_text_title(mp_obj_t self);
// Return whether the text is not empty and each character has one of the properties.
mp_obj_t gpusnek_text_isalnum(mp_obj_t self);
mp_obj_t gpusnek_text_isalpha(mp_obj_t self);
mp_obj_t gpusnek_text_isdecimal(mp_obj_t self);
mp_obj_t gpusnek_text_isdigit(mp_obj_t self);
mp_obj_t gpusnek_text_isnumeric(mp_obj_t self);
mp_obj_t gpusnek_text_isspace(mp_obj_t self);
mp_obj_t gpusnek_text_isascii(mp_obj_t self);
mp_obj_t gpusnek_text_isidentifier(mp_obj_t self);
mp_obj_t gpusnek_text_isprintable(mp_obj_t self);
mp_obj_t gpusnek_text_islower(mp_obj_t self);
mp_obj_t gpusnek_text_isupper(mp_obj_t self);
mp_obj_t gpusnek_text_istitle(mp_obj_t self);

// Returns str.strip(), lstrip() or rstrip() of Unicode's white space, or of characters of which some
// are not ASCII. Returns MP_OBJ_NULL for other arguments, which upstream's code handles.
mp_obj_t gpusnek_text_strip(bool left, bool right, size_t n_args, const mp_obj_t *args);

// Returns str.split() at white space, or MP_OBJ_NULL for another separator.
mp_obj_t gpusnek_text_split(size_t n_args, const mp_obj_t *args);
// Returns str.rsplit() with a limit, or MP_OBJ_NULL for arguments that split() handles.
mp_obj_t gpusnek_text_rsplit(size_t n_args, const mp_obj_t *args);
// Returns whether args[2] and args[3], a start and an end in the text args[0], leave not even an empty
// range.
bool gpusnek_no_range(size_t n_args, const mp_obj_t *args);
// Returns the arguments of a search in a text. `copy` holds up to four: an int that is searched for in
// bytes is replaced by the byte. Raises ValueError if it is no byte.
const mp_obj_t *gpusnek_needle(size_t n_args, const mp_obj_t *args, mp_obj_t *copy);
// Returns bytes.hex() with a separator, as a str or bytes object.
mp_obj_t gpusnek_hex(size_t n_args, const mp_obj_t *args, const mp_obj_type_t *type);

// Methods of bytearray that change it, and `copy` (methods_bytearray.c).
extern const mp_obj_fun_builtin_fixed_t gpusnek_bytearray_clear_obj, gpusnek_bytearray_copy_obj,
    gpusnek_bytearray_insert_obj, gpusnek_bytearray_remove_obj, gpusnek_bytearray_reverse_obj;
extern const mp_obj_fun_builtin_var_t gpusnek_bytearray_pop_obj;

// Returns the size of a line end of Unicode other than CR and LF at `at` of a str, or 0. The text ends
// with NUL.
size_t gpusnek_line_end(const byte *at);

// Prints a str as JSON: with quotes, and escapes for control characters, quotes and backslashes.
void gpusnek_print_json(const mp_print_t *print, const byte *data, size_t size);

// Prints the repr of a str.
void gpusnek_print_quoted(const mp_print_t *print, const byte *data, size_t size);
// Returns the value of a replacement field's attributes and items, such as `.name[0]`.
mp_obj_t gpusnek_field_value(mp_obj_t value, const char *path, size_t size);

#endif
