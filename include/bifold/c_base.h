/** @file
 * What every part of the C interface speaks of: version, failures, the log, element types,
 * operators and maps. <bifold/bifold.h> includes it, and says what holds for all functions. */
#ifndef BIFOLD_C_BASE_H
#define BIFOLD_C_BASE_H

#include <stddef.h>
#include <stdint.h>

#include <bifold/export.hpp>

#ifdef __cplusplus
extern "C" {
#endif

/** @addtogroup c_errors
 * @{ */

#define BIFOLD_VERSION_MAJOR 0 /**< The first number of this header's version. */
#define BIFOLD_VERSION_MINOR 1 /**< The second number of this header's version. */
#define BIFOLD_VERSION_PATCH 0 /**< The third number of this header's version. */

/** How a call went: one of the numbers below. */
typedef int32_t bifold_status;
/** Statuses. */
enum {
  BIFOLD_OK = 0,               /**< It went well. */
  BIFOLD_INVALID_ARGUMENT = 1, /**< The call is wrong: ranges, types, handles. It wrote nothing. */
  BIFOLD_UNSUPPORTED = 2,      /**< The call is right, but this device or variant cannot do it. */
  BIFOLD_UNAVAILABLE = 3,      /**< No such backend or device on this machine. */
  BIFOLD_BUILD_FAILURE = 4,    /**< A kernel did not compile. */
  BIFOLD_OUT_OF_MEMORY = 5,    /**< The device, or the host, has no room. */
  BIFOLD_TIMEOUT = 6,          /**< A wait with a time limit passed it; the work goes on. */
  BIFOLD_DEVICE_LOST = 7,      /**< The device is gone; its handles can only be destroyed. */
  BIFOLD_BACKEND_FAILURE = 8   /**< Any other failure. */
};

/** What is known of a failure beyond its text; what does not apply is "" or 0. */
typedef struct bifold_error {
  size_t struct_size;      /**< sizeof(bifold_error). */
  bifold_status status;    /**< What the call returned. */
  const char* message;     /**< What happened, the driver's call and code included. */
  const char* backend;     /**< "cuda" or "opencl". */
  const char* call;        /**< The driver's entry point that failed. */
  int64_t native_code;     /**< The driver's own error code. */
  const char* native_name; /**< The driver's name of that code. */
  const char* log;         /**< BIFOLD_BUILD_FAILURE: what the compiler said. */
  const char* source;      /**< BIFOLD_BUILD_FAILURE: the text that it was given. */
} bifold_error;

/** The message of this thread's last failure, "" when there was none. Valid until its next one. */
BIFOLD_API const char* bifold_last_error(void);
/** All that is known of this thread's last failure, valid as long. */
BIFOLD_API bifold_status bifold_last_error_details(bifold_error* error);
/** "ok", "invalid_argument" and so on; "unknown" for another number. Lives for ever. */
BIFOLD_API const char* bifold_status_name(bifold_status status);

/** "MAJOR.MINOR.PATCH" of the library that runs, which may differ from the header's. Lives for
 * ever. */
BIFOLD_API const char* bifold_version(void);

/** How much a message matters. */
typedef int32_t bifold_log_level;
/** Levels, from the least on. */
enum {
  BIFOLD_LOG_DEBUG,   /**< Which variant was chosen and why, what was compiled. */
  BIFOLD_LOG_INFO,    /**< Between the two; no message has it today. */
  BIFOLD_LOG_WARNING, /**< What works around a problem. */
  BIFOLD_LOG_ERROR,   /**< Failures that no call could report. */
  BIFOLD_LOG_OFF      /**< Above every message. */
};
/** Receives a message, which is valid during the call. Called from whichever thread logs; must not
 * call into bifold. */
typedef void (*bifold_log_callback)(void* user, bifold_log_level level, const char* message);
/** Sends messages of at least `level` to `callback`, process-wide; NULL silences the library. */
BIFOLD_API bifold_status bifold_set_log(bifold_log_level level, bifold_log_callback callback,
                                        void* user);

/** @} */

/** @addtogroup c_types
 * @{ */

/** An element type: a built-in one, or a number from bifold_struct_type(). */
typedef int32_t bifold_type;
/** The built-in types. The 16-bit floating ones are for storage: elements that are read and
 * written, and computed with as BIFOLD_F32; no field, accumulator or operand of an operator is of
 * them. Complex ones are structs of `re` and `im`, which BIFOLD_PLUS and BIFOLD_MULTIPLIES combine;
 * no field is of them. */
enum {
  BIFOLD_I8,        /**< int8_t. */
  BIFOLD_I16,       /**< int16_t. */
  BIFOLD_I32,       /**< int32_t. */
  BIFOLD_I64,       /**< int64_t. */
  BIFOLD_U8,        /**< uint8_t. */
  BIFOLD_U16,       /**< uint16_t. */
  BIFOLD_U32,       /**< uint32_t. */
  BIFOLD_U64,       /**< uint64_t. */
  BIFOLD_F32,       /**< float, IEEE 754 binary32. */
  BIFOLD_F64,       /**< double, IEEE 754 binary64. */
  BIFOLD_F16,       /**< IEEE 754 binary16; for storage. */
  BIFOLD_BF16,      /**< The upper half of a binary32; for storage. */
  BIFOLD_COMPLEX64, /**< Two floats, as float _Complex. */
  BIFOLD_COMPLEX128 /**< Two doubles, as double _Complex. */
};

/** A field of a struct: of a built-in type, `offset` bytes from the struct's start. */
typedef struct bifold_field {
  const char* name; /**< What kernel texts call it. */
  bifold_type type; /**< A built-in type. */
  size_t offset;    /**< From the struct's start, in bytes. */
} bifold_field;

/** Makes a struct an element type. Kernel texts know it and its fields by these names, and make one
 * by make_NAME(first, second, ...). The table lists every field in order, 8 at most; a struct has
 * 64 bytes at most and the layout that C gives it. Equal definitions give equal types. Nothing is
 * to be destroyed: definitions are kept for the life of the process. */
BIFOLD_API bifold_status bifold_struct_type(const char* name, size_t size,
                                            const bifold_field* fields, size_t field_count,
                                            bifold_type* type);
/** Bytes of an element; 0 for no type. */
BIFOLD_API size_t bifold_type_size(bifold_type type);

/** A scalar that a text names beside its operands, such as "limit" in "x > limit", which is of
 * `type` there; of 16-bit floating types it is BIFOLD_F32. Every call brings a value, so that
 * another one compiles nothing. A text has 8 at most; no two names are the same, and none is a word
 * that texts know already. */
typedef struct bifold_scalar_type {
  const char* name; /**< An identifier. */
  bifold_type type; /**< Of the values. */
} bifold_scalar_type;

/** An associative binary operator. */
typedef struct bifold_operator bifold_operator;
/** Which built-in operator it is. */
typedef int32_t bifold_operator_kind;
/** The built-in operators. */
enum {
  BIFOLD_PLUS,        /**< Sum; integers wrap modulo 2^width. */
  BIFOLD_MULTIPLIES,  /**< Product; integers wrap modulo 2^width. */
  BIFOLD_MINIMUM,     /**< IEEE 754-2019: NaN propagates, -0 < +0. */
  BIFOLD_MAXIMUM,     /**< IEEE 754-2019: NaN propagates, -0 < +0. */
  BIFOLD_BIT_AND,     /**< Bitwise and, of integers. */
  BIFOLD_BIT_OR,      /**< Bitwise or, of integers. */
  BIFOLD_BIT_XOR,     /**< Bitwise exclusive or, of integers. */
  BIFOLD_LOGICAL_AND, /**< 1 when every operand is non-zero, else 0. */
  BIFOLD_LOGICAL_OR   /**< 1 when any operand is non-zero, else 0. */
};
/** Whether a user operator's operands may change places. */
typedef int32_t bifold_commutativity;
/** Commutativities. */
enum {
  BIFOLD_NON_COMMUTATIVE, /**< Operands are combined in index order. */
  BIFOLD_COMMUTATIVE      /**< Operands may be combined in any order. */
};

/** A built-in operator, not to be destroyed; NULL for a number that is none. */
BIFOLD_API const bifold_operator* bifold_builtin_operator(bifold_operator_kind kind);
/** An operator written once for every backend: an expression over `a`, the earlier operand, and
 * `b`, the later one. `identity` points to its neutral element, of `type`; NULL: it has none, and
 * what is absent is skipped, by rows in order v1 only. Operands keep their order unless it is
 * declared commutative. A text that is not one expression of the language of docs/operators.md, or
 * does not fit the type, is BIFOLD_INVALID_ARGUMENT; the message has the word and its column. */
BIFOLD_API bifold_status bifold_operator_create(const char* name, const char* expression,
                                                bifold_type type, const void* identity,
                                                bifold_commutativity commutativity,
                                                bifold_operator** op);
/** bifold_operator_create() of an expression that names `scalar_count` scalars, too. */
BIFOLD_API bifold_status bifold_operator_create_with_scalars(
    const char* name, const char* expression, bifold_type type, const void* identity,
    bifold_commutativity commutativity, const bifold_scalar_type* scalars, size_t scalar_count,
    bifold_operator** op);
/** Combines each field of a struct type by the built-in operator of the same place, as many as
 * there are fields; BIFOLD_INVALID_ARGUMENT where one is not defined on its field. */
BIFOLD_API bifold_status bifold_operator_create_fieldwise(bifold_type type,
                                                          const bifold_operator* const* operators,
                                                          size_t count, bifold_operator** op);
/** Writes the neutral element of `type`; BIFOLD_INVALID_ARGUMENT where the operator is not defined
 * on it, or has none. */
BIFOLD_API bifold_status bifold_operator_identity(const bifold_operator* op, bifold_type type,
                                                  void* identity);
/** Gives an operator back; not a built-in one. */
BIFOLD_API void bifold_operator_destroy(bifold_operator* op);

/** A function of one element: an expression over `x`, and over its index `i`, of 64 bits. Where two
 * arrays are reduced, `y` is the element of the second one. */
typedef struct bifold_map bifold_map;
/** A map of that text, which is BIFOLD_INVALID_ARGUMENT when it is not one expression of the
 * language of docs/operators.md. What does not fit the types is that at the first use. */
BIFOLD_API bifold_status bifold_map_create(const char* expression, bifold_map** map);
/** bifold_map_create() of an expression that names `scalar_count` scalars, too. */
BIFOLD_API bifold_status bifold_map_create_with_scalars(const char* expression,
                                                        const bifold_scalar_type* scalars,
                                                        size_t scalar_count, bifold_map** map);
/** Gives a map back. */
BIFOLD_API void bifold_map_destroy(bifold_map* map);

/** @} */

#ifdef __cplusplus
}
#endif

#endif
