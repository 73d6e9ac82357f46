/* What the formats of printf and scanf have in common. */
#ifndef CAIRN_FORMAT_H
#define CAIRN_FORMAT_H

/* How large an object is. */
enum size { CHAR, SHORT, INT, LONG, LONG_LONG };

/* Reads a number, -1 if it is too large; 0 if there is none. */
int __cairn_m_format_number(const char **format);

/* Reads a length modifier. */
enum size __cairn_m_format_size(const char **format);

/* Stores a number in an object of this size. */
void __cairn_m_store(void *to, enum size size, unsigned long value);

#endif
