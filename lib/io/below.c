/*
 * below.c - opens directories below another one, component by component and
 * without following links: others who can write there cannot redirect an
 * output. (Linux' openat2() would follow links that stay below; other systems
 * have no such call. One rule for all systems is easier to explain.)
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/platform.h"
#include "io/io.h"

#define DIRECTORY (CG_O_SEARCH | O_DIRECTORY | O_CLOEXEC)

static int
open_entry(int directory, const char *name)
{
	int fd = openat(directory, name, DIRECTORY | O_NOFOLLOW);
	struct stat st;

	/* Linux sets ENOTDIR for a link, too. */
	if (fd < 0 && errno == ENOTDIR &&
	    fstatat(directory, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
		errno = S_ISLNK(st.st_mode) ? ELOOP : ENOTDIR;
	return fd;
}

/*
 * Opens the subdirectory `name` of the directory with this descriptor, creates
 * it if it is missing, and closes the descriptor `directory`. Returns the new
 * descriptor; negative: failed, with errno (EXDEV for "..", which would lead
 * out).
 */
static int
enter(int directory, const char *name)
{
	int fd = -1, error;

	if (strcmp(name, "..") == 0)
		errno = EXDEV;
	else
		fd = open_entry(directory, name);
	if (fd < 0 && errno == ENOENT &&
	    (mkdirat(directory, name, 0777) == 0 || errno == EEXIST))
		fd = open_entry(directory, name);
	error = errno;
	(void)close(directory);
	errno = error;
	return fd;
}

/*
 * Returns the rest of path after root (n bytes) and the slashes that follow
 * root; NULL: path is not below root.
 */
static const char *
strip_root(const char *root, size_t n, const char *path)
{
	if (strncmp(root, path, n) != 0 || path[n] != '/')
		return NULL;
	return path + n + strspn(path + n, "/");
}

int
cg_open_below(const char *root, const char *path, const char **name)
{
	size_t n = strlen(root);
	char *copy, *at, *slash;
	int fd;

	while (n > 0 && root[n - 1] == '/')
		n--;
	*name = strip_root(root, n, path);
	if (*name == NULL) {
		errno = EXDEV;
		return -1;
	}
	copy = strdup(path);
	if (!copy)
		return -1;
	at = copy + (*name - path);
	at[-1] = '\0';
	fd = open(n > 0 ? copy : "/", DIRECTORY);
	for (; fd >= 0 && (slash = strchr(at, '/')); at = slash + 1) {
		*slash = '\0';
		if (slash > at)
			fd = enter(fd, at);
	}
	*name = path + (at - copy);
	free(copy);
	return fd;
}
