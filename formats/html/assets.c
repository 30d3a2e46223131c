/*
 * assets.c - the page's script and style. The Makefile turns each file next to
 * this one into a list of its bytes.
 */
#include "html.h"

/* In this order: later ones use what earlier ones define. */
/* clang-format off */
static const char script[] = {
#include <formats/html/base.js.inc>
#include <formats/html/inflate.js.inc>
#include <formats/html/data.js.inc>
#include <formats/html/state.js.inc>
#include <formats/html/table.js.inc>
#include <formats/html/layout.js.inc>
#include <formats/html/flame.js.inc>
#include <formats/html/overview.js.inc>
#include <formats/html/functions.js.inc>
#include <formats/html/function.js.inc>
#include <formats/html/source.js.inc>
#include <formats/html/coverage.js.inc>
#include <formats/html/app.js.inc>
};
/* clang-format on */

static const char style[] = {
#include <formats/html/app.css.inc>
};

const struct cg_slice html_script = { script, sizeof(script) };
const struct cg_slice html_style = { style, sizeof(style) };
