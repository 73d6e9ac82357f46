/* Shared parts of the formats of printf and scanf. */
#ifndef CAIRN_FORMAT_H
#define CAIRN_FORMAT_H

/* Size of an integer argument. */
enum size { CHAR, SHORT, INT, LONG, LONG_LONG };

/* Parses a number: 0 if there is none, -1 if it is too large. */
int __cairn_m_format_number(const char **format);

/* Parses a length modifier. */
enum size __cairn_m_format_size(const char **format);

/* Stores a number in an object of this size. */
void __cairn_m_store(void *to, enum size size, unsigned long value);

#endif
