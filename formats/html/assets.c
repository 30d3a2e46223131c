/*
 * assets.c - the page's script and style, and their hashes, by which its policy
 * allows them. The Makefile makes lists of bytes of the files next to this one.
 */
#include "html.h"

static const char script[] = {
#include <formats/html/page.js.inc>
};
static const unsigned char script_hash[] = {
#include <formats/html/page.js.sha256>
};
static const char style[] = {
#include <formats/html/page.css.inc>
};
static const unsigned char style_hash[] = {
#include <formats/html/page.css.sha256>
};

const struct html_asset html_script = {
	{ script, sizeof(script) },
	{ (const char *)script_hash, sizeof(script_hash) },
};
const struct html_asset html_style = {
	{ style, sizeof(style) },
	{ (const char *)style_hash, sizeof(style_hash) },
};
