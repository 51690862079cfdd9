/// The pages of `belfry simulate --report` and `belfry experiments report --page` before anything is filled in: the files of the folder Page, as texts. The compiler
/// takes them into the object, so that the command needs no file beside it.
#pragma once

/// The page, with `{name}` where something is filled in.
const char *belfry_page_html(void);
const char *belfry_experiments_html(void);
const char *belfry_page_css(void);
const char *belfry_page_js(void);
