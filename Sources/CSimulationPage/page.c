#include "CSimulationPage.h"

// In C, since Swift's compiler needs seconds for an array literal of as many bytes.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const char html[] = {
#embed "Page/top.html"
    ,
#embed "Page/page.html"
    , 0};

static const char experiments[] = {
#embed "Page/top.html"
    ,
#embed "Page/experiments.html"
    , 0};

static const char css[] = {
#embed "Page/page.css"
    , 0};

// One script, in pieces: what is used comes first.
static const char js[] = {
#embed "Page/script/elements.js"
    ,
#embed "Page/script/words.js"
    ,
#embed "Page/script/tables.js"
    ,
#embed "Page/script/charts.js"
    ,
#embed "Page/script/dates.js"
    ,
#embed "Page/script/timeline.js"
    ,
#embed "Page/script/people.js"
    ,
#embed "Page/script/rules.js"
    ,
#embed "Page/script/week.js"
    ,
#embed "Page/script/differences.js"
    ,
#embed "Page/script/campaigns.js"
    ,
#embed "Page/script/main.js"
    ,
    0};

const char *belfry_page_html(void) { return html; }
const char *belfry_experiments_html(void) { return experiments; }
const char *belfry_page_css(void) { return css; }
const char *belfry_page_js(void) { return js; }
