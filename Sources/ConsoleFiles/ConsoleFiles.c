// C23 has a way to take files in; until the compiler's C is that by default it is an extension of clang. A file that is
// added to web/ needs its two places here; `Tests/browser` notices one that has none.
#include "ConsoleFiles.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char api_js[] = {
#embed "web/api.js"
};
static const unsigned char arrange_js[] = {
#embed "web/arrange.js"
};
static const unsigned char catalog_form_js[] = {
#embed "web/catalog.form.js"
};
static const unsigned char cell_js[] = {
#embed "web/cell.js"
};
static const unsigned char charts_js[] = {
#embed "web/charts.js"
};
static const unsigned char console_css[] = {
#embed "web/console.css"
};
static const unsigned char console_html[] = {
#embed "web/console.html"
};
static const unsigned char console_js[] = {
#embed "web/console.js"
};
static const unsigned char differences_js[] = {
#embed "web/differences.js"
};
static const unsigned char docs_css[] = {
#embed "web/docs.css"
};
static const unsigned char docs_html[] = {
#embed "web/docs.html"
};
static const unsigned char docs_js[] = {
#embed "web/docs.js"
};
static const unsigned char dom_js[] = {
#embed "web/dom.js"
};
static const unsigned char drag_js[] = {
#embed "web/drag.js"
};
static const unsigned char editor_js[] = {
#embed "web/editor.js"
};
static const unsigned char explain_js[] = {
#embed "web/explain.js"
};
static const unsigned char icons_svg[] = {
#embed "web/icons.svg"
};
static const unsigned char logo_svg[] = {
#embed "web/logo.svg"
};
static const unsigned char look_css[] = {
#embed "web/look.css"
};
static const unsigned char preview_js[] = {
#embed "web/preview.js"
};
static const unsigned char rail_js[] = {
#embed "web/rail.js"
};
static const unsigned char rules_js[] = {
#embed "web/rules.js"
};
static const unsigned char signin_js[] = {
#embed "web/signin.js"
};
static const unsigned char sync_js[] = {
#embed "web/sync.js"
};
static const unsigned char view_api_js[] = {
#embed "web/view.api.js"
};
static const unsigned char view_catalog_js[] = {
#embed "web/view.catalog.js"
};
static const unsigned char view_editor_js[] = {
#embed "web/view.editor.js"
};
static const unsigned char view_statistics_js[] = {
#embed "web/view.statistics.js"
};
static const unsigned char view_support_js[] = {
#embed "web/view.support.js"
};
static const unsigned char words_de_js[] = {
#embed "web/words.de.js"
};
static const unsigned char words_en_js[] = {
#embed "web/words.en.js"
};
static const unsigned char words_js[] = {
#embed "web/words.js"
};
static const unsigned char words_zh_Hans_js[] = {
#embed "web/words.zh-Hans.js"
};

#define ENTRY(name, octets) {name, octets, sizeof octets}

static const struct console_file files[] = {
    ENTRY("api.js", api_js),
    ENTRY("arrange.js", arrange_js),
    ENTRY("catalog.form.js", catalog_form_js),
    ENTRY("cell.js", cell_js),
    ENTRY("charts.js", charts_js),
    ENTRY("console.css", console_css),
    ENTRY("console.html", console_html),
    ENTRY("console.js", console_js),
    ENTRY("differences.js", differences_js),
    ENTRY("docs.css", docs_css),
    ENTRY("docs.html", docs_html),
    ENTRY("docs.js", docs_js),
    ENTRY("dom.js", dom_js),
    ENTRY("drag.js", drag_js),
    ENTRY("editor.js", editor_js),
    ENTRY("explain.js", explain_js),
    ENTRY("icons.svg", icons_svg),
    ENTRY("logo.svg", logo_svg),
    ENTRY("look.css", look_css),
    ENTRY("preview.js", preview_js),
    ENTRY("rail.js", rail_js),
    ENTRY("rules.js", rules_js),
    ENTRY("signin.js", signin_js),
    ENTRY("sync.js", sync_js),
    ENTRY("view.api.js", view_api_js),
    ENTRY("view.catalog.js", view_catalog_js),
    ENTRY("view.editor.js", view_editor_js),
    ENTRY("view.statistics.js", view_statistics_js),
    ENTRY("view.support.js", view_support_js),
    ENTRY("words.de.js", words_de_js),
    ENTRY("words.en.js", words_en_js),
    ENTRY("words.js", words_js),
    ENTRY("words.zh-Hans.js", words_zh_Hans_js),
};
const size_t console_file_count = sizeof files / sizeof *files;

struct console_file console_file_at(size_t index) { return files[index]; }
