/* Arrays in files of NumPy's format (numpy.lib.format, versions 1 to 3). */

#ifndef NPY_H
#define NPY_H

#include "host.h"

#include <ctype.h>
#include <math.h>
#include <stdint.h>

/* An array, dense, its last dimension fastest. */
struct npy {
    const char* type; /* as NumPy calls it: "f4" are floats of 4 bytes */
    int rank;
    const size_t* shape;
    size_t bytes;
    char* data;
    char* memory; /* what is to be freed */
};

/* How this machine orders the bytes of a number, as NumPy writes it. */
static inline char npy_order(void)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first ? '<' : '>';
}

static inline size_t npy_element(const struct npy* array)
{
    return (size_t)(array->type[1] - '0');
}

/* An array that has no memory yet. The shape must outlive it. */
static inline struct npy npy_of(const char* type, int rank, const size_t* shape)
{
    struct npy array = {type, rank, shape, 0, NULL, NULL};
    size_t bytes = npy_element(&array);
    for (int k = 0; k < rank; k++) {
        if (shape[k] > 0 && bytes > SIZE_MAX / shape[k]) {
            fail("an array is larger than this machine's address space");
        }
        bytes *= shape[k];
    }
    array.bytes = bytes;
    return array;
}

/* An array whose elements are yet to be written. */
static inline struct npy npy_new(const char* type, int rank, const size_t* shape)
{
    struct npy array = npy_of(type, rank, shape);
    array.data = array.memory = host_memory(NULL, array.bytes);
    return array;
}

static inline void npy_free(struct npy* array)
{
    free(array->memory);
    array->memory = array->data = NULL;
}

/* Writes as Python does: (), (3,), (3, 4). */
static inline int npy_shape(char* text, size_t room, int rank, const size_t* shape)
{
    int length = snprintf(text, room, "(");
    for (int k = 0; k < rank; k++) {
        size_t left = (size_t)length < room ? room - (size_t)length : 0;
        const char* after = k + 1 < rank ? ", " : rank == 1 ? "," : "";
        length += snprintf(left ? text + length : NULL, left, "%zu%s", shape[k], after);
    }
    size_t left = (size_t)length < room ? room - (size_t)length : 0;
    return length + snprintf(left ? text + length : NULL, left, ")");
}

static inline const char* npy_skip(const char* at)
{
    while (isspace((unsigned char)*at)) {
        at++;
    }
    return at;
}

/* The value of a key in `{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }`. */
static inline const char* npy_value(const char* path, const char* header, const char* key)
{
    const char* at = strstr(header, key);
    at = at == NULL ? NULL : npy_skip(at + strlen(key));
    if (at == NULL || *at != ':') {
        fail("%s: its header says nothing of %s", path, key);
    }
    return npy_skip(at + 1);
}

static inline void npy_check_type(const char* path, const char* header, const char* type)
{
    const char* at = npy_value(path, header, "'descr'");
    /* A record is a list. */
    int length = *at == '\'' ? (int)strcspn(at + 1, "'") : (int)strcspn(at, "}");
    at += *at == '\'';
    bool ordered = type[1] == '1' || *at == npy_order() || *at == '=';
    if (length != 3 || !ordered || strncmp(at + 1, type, 2) != 0) {
        char order = type[1] == '1' ? '|' : npy_order();
        fail("%s: it holds elements of type %.*s, but %c%s is expected", path, length, at, order, type);
    }
}

static inline void npy_check_shape(const char* path, const char* header, int rank, const size_t* shape)
{
    const char* start = npy_value(path, header, "'shape'");
    const char* at = npy_skip(start + (*start == '('));
    bool same = true;
    int dimensions = 0;
    while (isdigit((unsigned char)*at)) {
        char* end;
        unsigned long long length = strtoull(at, &end, 10);
        same = same && dimensions < rank && length == shape[dimensions];
        dimensions++;
        at = npy_skip(end);
        at = npy_skip(at + (*at == ','));
    }
    if (*start != '(' || *at != ')') {
        fail("%s: its header gives no shape", path);
    }
    if (!same || dimensions != rank) {
        char expected[1024];
        npy_shape(expected, sizeof expected, rank, shape);
        fail("%s: its shape is %.*s, but %s is expected", path, (int)(at + 1 - start), start, expected);
    }
}

static inline void npy_check_header(const char* path, const char* header, const struct npy* array)
{
    npy_check_type(path, header, array->type);
    npy_check_shape(path, header, array->rank, array->shape);
    const char* fortran = npy_value(path, header, "'fortran_order'");
    if (strncmp(fortran, "False", 5) != 0 && array->rank > 1) {
        fail("%s: it is in Fortran's order; numpy.ascontiguousarray puts it in C's", path);
    }
}

/* The array of a file, which must have this type and shape. */
static inline struct npy npy_read(const char* path, const char* type, int rank, const size_t* shape)
{
    struct npy array = npy_of(type, rank, shape);
    size_t length;
    /* NumPy's headers have a few hundred bytes. */
    const size_t header_room = (size_t)1 << 20;
    size_t most = array.bytes < SIZE_MAX - header_room ? array.bytes + header_room : SIZE_MAX;
    array.memory = host_file(path, most, &length);
    const unsigned char* bytes = (const unsigned char*)array.memory;
    if (length < 12 || memcmp(bytes, "\x93NUMPY", 6) != 0 || bytes[6] < 1 || bytes[6] > 3) {
        fail("%s: it is no .npy file of version 1, 2 or 3", path);
    }
    /* How long the header is, in 2 or 4 bytes, the lowest first. */
    size_t size = bytes[6] == 1 ? 2 : 4;
    size_t start = 8 + size;
    size_t header_bytes = 0;
    for (size_t k = size; k-- > 0;) {
        header_bytes = header_bytes << 8 | bytes[8 + k];
    }
    if (length - start < header_bytes) {
        fail("%s: it ends in its header", path);
    }
    char* header = host_memory(NULL, header_bytes + 1);
    memcpy(header, array.memory + start, header_bytes);
    header[header_bytes] = 0;
    npy_check_header(path, header, &array);
    free(header);
    size_t rest = length - start - header_bytes;
    if (rest != array.bytes) {
        fail("%s: it holds %zu bytes of elements, but its shape makes %zu", path, rest, array.bytes);
    }
    array.data = array.memory + start + header_bytes;
    return array;
}

/* Writes an array; what can't be written whole is removed. */
static inline void npy_write(const char* path, const struct npy* array)
{
    char shape[1024];
    if (npy_shape(shape, sizeof shape, array->rank, array->shape) >= (int)sizeof shape) {
        fail("%s: it has too many dimensions for a file", path);
    }
    char header[1280];
    char order = array->type[1] == '1' ? '|' : npy_order();
    int length = snprintf(header, sizeof header, "{'descr': '%c%s', 'fortran_order': False, 'shape': %s, }",
                          order, array->type, shape);
    /* Spaces and a newline, so that the elements begin at a multiple of 64. */
    int padded = (10 + length + 1 + 63) / 64 * 64 - 10;
    unsigned char start[10] = "\x93NUMPY\x01";
    start[8] = (unsigned char)(padded & 255);
    start[9] = (unsigned char)(padded >> 8);
    FILE* file = fopen(path, "wb");
    if (file == NULL) {
        fail("%s: %s", path, strerror(errno));
    }
    bool whole = fwrite(start, sizeof start, 1, file) == 1
        && fprintf(file, "%-*s\n", padded - 1, header) == padded
        && fwrite(array->data, 1, array->bytes, file) == array->bytes;
    if (fclose(file) != 0 || !whole) {
        int error = errno;
        remove(path);
        fail("%s: %s", path, strerror(error));
    }
}

static inline double npy_half(uint16_t bits)
{
    int exponent = bits >> 10 & 31;
    int mantissa = bits & 1023;
    double value = exponent == 31 ? (mantissa ? NAN : INFINITY)
        : exponent > 0            ? ldexp(1024 + mantissa, exponent - 25)
                                  : ldexp(mantissa, -24);
    return bits >> 15 ? -value : value;
}

/* An element as a number. */
static inline double npy_number(const struct npy* array, size_t index)
{
    const char* at = array->data + index * npy_element(array);
#define NPY_NUMBER(name, ctype) \
    if (strcmp(array->type, name) == 0) { \
        ctype number; \
        memcpy(&number, at, sizeof number); \
        return (double)number; \
    }
    NPY_NUMBER("b1", uint8_t)
    NPY_NUMBER("i1", int8_t)
    NPY_NUMBER("u1", uint8_t)
    NPY_NUMBER("i2", int16_t)
    NPY_NUMBER("u2", uint16_t)
    NPY_NUMBER("i4", int32_t)
    NPY_NUMBER("u4", uint32_t)
    NPY_NUMBER("i8", int64_t)
    NPY_NUMBER("u8", uint64_t)
    NPY_NUMBER("f4", float)
    NPY_NUMBER("f8", double)
#undef NPY_NUMBER
    uint16_t half;
    memcpy(&half, at, sizeof half);
    return npy_half(half);
}

/* How far two numbers are apart; infinitely, if one of them alone is not a number. */
static inline double npy_apart(double a, double b)
{
    if (a == b || (isnan(a) && isnan(b))) {
        return 0;
    }
    double apart = fabs(a - b);
    return isnan(apart) ? INFINITY : apart;
}

/* Is it the array of a file? Integers must be equal. Floats may be off by a part of the largest that is
 * expected: `tolerance`, or a usual one where that is negative. */
static inline bool npy_compare(const char* name, const struct npy* got, const char* path, double tolerance)
{
    struct npy expected = npy_read(path, got->type, got->rank, got->shape);
    const size_t element = npy_element(got);
    const size_t count = got->bytes / element;
    const bool exact = got->type[0] != 'f';
    double largest = 0;
    double worst = 0;
    size_t where = 0;
    for (size_t k = 0; k < count; k++) {
        double a = npy_number(got, k);
        double b = npy_number(&expected, k);
        double apart = npy_apart(a, b);
        /* Large integers may be the same as numbers without being so. */
        if (exact && apart < 1 && memcmp(got->data + k * element, expected.data + k * element, element) != 0) {
            apart = 1;
        }
        if (apart > worst) {
            worst = apart;
            where = k;
        }
        if (isfinite(b) && fabs(b) > largest) {
            largest = fabs(b);
        }
    }
    if (exact) {
        tolerance = 0;
    } else if (tolerance < 0) {
        tolerance = element == 2 ? 1e-2 : element == 4 ? 1e-4 : 1e-12;
    }
    const bool same = worst <= tolerance * largest;
    if (same) {
        printf("%s is as in %s", name, path);
        printf(worst > 0 ? ", up to %.1e of the largest number\n" : "\n", worst / largest);
    } else {
        fprintf(stderr, "error: %s differs from %s: element %zu is %.9g instead of %.9g\n", name, path, where,
                npy_number(got, where), npy_number(&expected, where));
    }
    npy_free(&expected);
    return same;
}

#endif
