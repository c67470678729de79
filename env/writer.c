/* writer.c: text built piece by piece into a caller's buffer: what fits is written and terminated, all is
 * counted, so a caller may ask for the length first (size 0) and for the text afterwards. */
#include "game.h"

#include <stdarg.h>
#include <stdio.h>

void lr_write(struct lr_writer *writer, const char *format, ...) {
    const bool room = writer->length < writer->size;
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(room ? writer->text + writer->length : NULL, room ? writer->size - writer->length : 0,
                                 format, arguments);
    va_end(arguments);
    if (length > 0) writer->length += (size_t)length;
}
