import BelfryModel

/// What holds for every page that people can read.
extension Browser {
    /// Opens all that can be opened.
    func openEverything() throws {
        try see(
            """
            for (const details of document.querySelectorAll("details")) details.open = true;
            for (const button of document.querySelectorAll(".rest:not([hidden]) button, .open-row")) button.click();
            await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
            """)
    }

    /// What sticks out to the right of a window of this many pixels, and out of nothing that scrolls within it. (A phone shows
    /// a page that is too wide in a window that is as wide.)
    func overflow(of width: Int64) throws -> Value? {
        try see(
            """
            document.documentElement.scrollWidth <= \(width) ? [] :
              [...document.querySelectorAll("body *")].filter((element) => element.getBoundingClientRect().right > \(width))
                .map((element) => element.tagName + " " + element.textContent.slice(0, 40))
            """)
    }

    /// Texts whose contrast with what is behind them is below 4.5 (WCAG 2, AA), each with its contrast; and how many were
    /// looked at.
    func contrast() throws -> (poor: Value?, count: Int64) {
        try see(
            """
            {
              const dot = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
              const known = new Map();
              const channels = (color) => {
                if (!known.has(color)) known.set(color, paint(color));
                return known.get(color);
              };
              const paint = (color) => {
                dot.clearRect(0, 0, 1, 1);
                dot.fillStyle = color;
                dot.fillRect(0, 0, 1, 1);
                return [...dot.getImageData(0, 0, 1, 1).data];
              };
              const light = (color) => channels(color).slice(0, 3).map((n) => n / 255)
                .map((n) => n <= 0.04045 ? n / 12.92 : ((n + 0.055) / 1.055) ** 2.4)
                .reduce((sum, n, i) => sum + n * [0.2126, 0.7152, 0.0722][i], 0);
              const behind = (element) => {
                for (; element; element = element.parentElement) {
                  const color = getComputedStyle(element).backgroundColor;
                  if (channels(color)[3] > 0) return color;
                }
                return "white";
              };
              const poor = [];
              let count = 0;
              const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
              while (texts.nextNode()) {
                const element = texts.currentNode.parentElement;
                const isSeen = element.checkVisibility() && !element.closest(".quiet, script, noscript");
                if (!isSeen || !texts.currentNode.data.trim()) continue;
                const style = getComputedStyle(element);
                const [a, b] = [light(element.closest("svg") ? style.fill : style.color), light(behind(element))].sort();
                const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
                count += 1;
                if (contrast < 4.5) poor.push(contrast.toFixed(2) + " " + texts.currentNode.data.slice(0, 40));
              }
              globalThis.contrast = { poor, count }
            }
            """)
        return (try see("contrast.poor"), try see("contrast.count")?.integer ?? 0)
    }

    /// Presses Tab until the end of the page.
    ///
    /// - Returns: how many things it came by; what can be operated and was not come by; what was come by and did not show it.
    func goThroughByTab() throws -> (count: Int64, missed: Value?, unseen: Value?) {
        try see(
            """
            globalThis.visited = new Set();
            globalThis.unseen = [];
            const words = (element) => element.tagName + " " + (element.id || element.textContent.slice(0, 40));
            globalThis.visit = () => {
              const element = document.activeElement;
              if (element === document.body || visited.has(element)) return false;
              visited.add(element);
              const shown = element.type === "radio" ? element.nextElementSibling : element;
              const style = getComputedStyle(shown);
              if (style.outlineStyle === "none" || parseFloat(style.outlineWidth) < 2) unseen.push(words(element));
              return true;
            };
            globalThis.missed = () => {
              const all = document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0']");
              const isGroup = (element) => [...visited].some((one) => one.type === "radio" && one.name === element.name);
              return [...all].filter((element) => element.checkVisibility() && !element.disabled && !visited.has(element) && !isGroup(element)).map(words);
            };
            // Whatever had the focus before, Tab begins at the top.
            document.body.tabIndex = -1; document.body.focus(); document.body.removeAttribute("tabindex"); scrollTo(0, 0)
            """)
        repeat { try press("Tab") } while try see("visit()") == true
        return (try see("visited.size")?.integer ?? 0, try see("missed()"), try see("unseen"))
    }
}
