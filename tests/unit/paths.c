/*
 * paths.c - tests joining and normalising paths as compilers write them.
 */
#include "graph/build.h"
#include "unit.h"

static struct unit_log message;
static struct cg_diag diag = { .report = unit_report, .arg = &message };

static void
test_join(void)
{
	static const struct {
		const char *dir, *name, *path;
	} cases[] = {
		{ "/b", "a.c", "/b/a.c" },
		{ "/b", "/usr/x.h", "/usr/x.h" },
		{ "/b/c/", "./src//../a.c", "/b/c/a.c" },
		{ "/b/c", "../../a.c", "/a.c" },
		{ "/b/c", "../../../../a.c", "/a.c" },
		{ "/", "a.c", "/a.c" },
		{ "/b", "..", "/" },
		{ "/", "..", "/" },
		{ "/b", ".", "/b" },
		{ "", "a.c", "a.c" },
		{ "", "./a/./b.c", "a/b.c" },
		{ "", "a/../b.c", "b.c" },
		{ "", "../a.c", "../a.c" },
		{ "", "a/../../b.c", "../b.c" },
		{ "", "../../b.c", "../../b.c" },
		{ "", "a/..", "." },
		{ "out", "../a.c", "a.c" },
		{ "out", "/a", "/a" },
		{ "/x/..y", "..z/a", "/x/..y/..z/a" },
		{ "", "<built-in>", "<built-in>" },
	};
	char room[64];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct cg_slice dir = cg_slice(cases[i].dir);
		struct cg_slice name = cg_slice(cases[i].name), path;
		size_t size = dir.len + name.len + CG_JOIN_MORE;

		memset(room, '#', sizeof(room));
		path.ptr = room;
		path.len = (size_t)(cg_join_path(room, dir, name) - room);
		if (!CHECK(cg_equal(path, cases[i].path)))
			fprintf(stderr, "... %.*s\n", (int)path.len, path.ptr);
		CHECK(room[size] == '#');
	}
}

static void
test_add(void)
{
	int fault = CG_OK;
	struct cg_graph *graph = cg_graph_new(&diag, &fault);
	struct cg_slice dir = cg_slice("/b");
	struct cg_build build;
	cg_file file;

	if (!graph)
		exit(1);
	cg_build_init(&build, graph, CG_PARTS_KEEP);
	CHECK(cg_add_file_in(&build, dir, cg_slice("")) == 0);
	file = cg_add_file_in(&build, dir, cg_slice("./a.c"));
	CHECK(cg_equal(cg_file_path(graph, file), "/b/a.c"));
	CHECK(cg_equal(cg_file_given(graph, file), "./a.c"));
	file = cg_add_file_in(&build, dir, cg_slice("/c/d.h"));
	CHECK(cg_equal(cg_file_path(graph, file), "/c/d.h"));
	CHECK(cg_equal(cg_file_given(graph, file), ""));
	CHECK(cg_build_status(&build) == CG_OK);
	cg_build_free(&build);
	cg_graph_free(graph);
}

int
main(void)
{
	test_join();
	test_add();
	return unit_end();
}
