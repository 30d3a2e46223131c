/* libintl.h - messages of libraries are not translated. */
#define dgettext(domain, text) ((char *)(text))
