#!/usr/bin/env python3
"""Opens the page of `bifold-bench compare --html` in a browser without a window, and looks at it.

  page_test.py bifold-bench RESULTS

Exit status 77: there is no browser that can be run so, or the tool has no charts.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

BROWSERS = ("chromium-headless-shell", "chromium", "google-chrome")
# What the page says of itself once it is drawn, as seen from inside.
PROBE = """<script>
window.addEventListener('load', () => setTimeout(() => {
  const painted = (canvas) => {
    const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
    let seen = 0;
    for (let i = 3; i < pixels.length; i += 4) seen += pixels[i] > 0 ? 1 : 0;
    return seen;
  };
  const canvases = [...document.querySelectorAll('canvas')];
  const before = canvases.map(painted);
  const select = document.getElementById('algorithm');
  select.selectedIndex = 1;
  select.dispatchEvent(new Event('change'));
  const report = {
    before, error: window.failed ?? null,
    changed: painted(canvases[0]) !== before[0],
    labels: canvases.every((canvas) => canvas.getAttribute('role') === 'img' &&
                                       canvas.getAttribute('aria-label').length > 10),
    selects: [...document.querySelectorAll('select')].every((one) => one.labels.length === 1),
    scopes: [...document.querySelectorAll('th')].every((cell) => cell.scope),
    captions: [...document.querySelectorAll('table')].every((table) => table.caption),
    regions: [...document.querySelectorAll('.scroll')].every((one) => one.tabIndex === 0),
    texts: canvases.map((canvas) => {
      const chart = Chart.getChart(canvas);
      const options = document.querySelectorAll(`#${canvas.id}-row option`);
      return [chart.options.plugins.title.text, chart.data.labels,
              chart.data.datasets.map((set) => set.label),
              [...options].map((option) => option.textContent)].flat(3).join('; ');
    }),
    names: new Set([...document.querySelectorAll('[id]')].map((one) => one.id)).size ===
           document.querySelectorAll('[id]').length,
    wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    paper: getComputedStyle(document.body).backgroundColor,
    ink: getComputedStyle(document.body).color,
    loaded: performance.getEntriesByType('resource').length,
  };
  const out = document.createElement('pre');
  out.textContent = 'REPORT' + JSON.stringify(report) + 'END';
  document.body.append(out);
}, 200));
</script>"""
# The second GPU of that run.
OTHER = "NVIDIA H300"
CATCH = "<script>window.addEventListener('error', (e) => { window.failed = e.message; });</script>"


def luminance(colour):
    parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
              for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def run_with_everything(results, folder):
    """A kept run of an H200 with every field, a second GPU and a made-up peer half as fast."""
    run = json.loads((results / "standard" / "nvidia-h200-cuda-13.0-opencl-580.json").read_text())
    for part, field in ("devices", "selector"), ("results", "device"):
        other = json.loads(json.dumps(run[part]))
        for one in other:
            one[field] = one[field][:-1] + "7"
            if part == "devices":
                one["name"] = OTHER
        run[part] += other
    for result in run["results"]:
        result["digest"] = f"{result['n']:016x}"
        if result["outcome"] != "timed":
            continue
        timing = {name: result[name] for name in
                  ("samples", "calls_per_sample", "median_s", "p10_s", "p90_s")}
        result["regimes"] = {name: timing for name in ("back_to_back", "isolated", "blocking")}
        result["enqueue_s"] = result["median_s"] / 3
        slower = {name: timing[name] * (2 if name.endswith("_s") else 1) for name in timing}
        result["peers"] = [{"name": "CUB", "outcome": "timed", "verified": True,
                            "only_blocks": False,
                            "regimes": {name: slower | {"ratio": 2.0}
                                        for name in result["regimes"]}}]
    run["peers"] = [{"module": "cub", "available": True, "name": "CUB", "version": "made up"}]
    start = {"open_s": 0.1, "first_call_s": 0.5, "second_call_s": 1e-5, "compiled": 1,
             "from_disk": 0, "compile_seconds": 0.3}
    run["starts"] = [{"device": device["selector"], "algorithm": "scan", "type": "f32",
                      "outcome": "timed", "cold": start, "warm": start}
                     for device in run["devices"]]
    rank = {"host": 0, "device": "cuda:0", "name": "NVIDIA H200", "elements": 500,
            "slice": timing, "exchange_s": 1e-6}
    run["groups"] = [{"scaling": "strong", "transport": "mpi", "algorithm": "reduce", "order": "v1",
                      "type": "f32", "operator": "plus", "n": n, "data": "rounding",
                      "ranks": ranks * [rank], "digest": 16 * "0", "one_device_digest": 16 * "0",
                      "outcome": "timed", "verified": True, "group": timing, "one_device": timing,
                      "exchange_s": 1e-6, "share_of_slice": 1.0, "speedup": 1.0,
                      "transport_calls": 1, "sent_bytes": 1, "peers": []}
                     for n in (500, 1000) for ranks in (1, 2, 4)]
    path = folder / "run.json"
    path.write_text(json.dumps(run))
    return path


def look(browser, page, width, dark):
    flags = ["--no-sandbox", "--disable-gpu", "--virtual-time-budget=4000", "--dump-dom",
             f"--window-size={width},1000",
             f"--blink-settings=preferredColorScheme={0 if dark else 1}"]
    if "headless-shell" not in browser:
        flags.append("--headless")
    done = subprocess.run([browser, *flags, page.as_uri()], capture_output=True, text=True)
    found = re.search(r"REPORT(\{.*?\})END</pre>", done.stdout, re.S)
    if not found:
        raise SystemExit(f"{browser} ended with {done.returncode} and no report:\n{done.stderr}")
    return json.loads(found[1].replace("&amp;", "&"))


def main(tool, results):
    browser = next((path for path in map(shutil.which, BROWSERS) if path), None)
    if browser is None:
        print(f"SKIPPED: none of these browsers is here: {', '.join(BROWSERS)}")
        return 77
    wrong = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        page = folder / "page.html"
        done = subprocess.run(
            [tool, "compare", run_with_everything(results, folder),
             results / "gallery-nvidia-h200-cuda-13.0-opencl-580.json", "--html", page],
            capture_output=True, text=True)
        if "built without Chart.js" in done.stderr:
            print("SKIPPED: the tool was built without Chart.js")
            return 77
        if done.returncode != 0:
            raise SystemExit(f"compare ended with {done.returncode}: {done.stderr}")
        text = page.read_text()
        text = text.replace("<head>", "<head>" + CATCH)
        page.write_text(text.replace("</body>", PROBE + "</body>"))
        for width, dark in ((1200, False), (390, True)):
            seen = look(browser, page, width, dark)
            where = f"at {width} pixels, {'dark' if dark else 'light'}"
            if seen["error"]:
                wrong.append(f"{where}: {seen['error']}")
            if len(seen["before"]) != 5 or min(seen["before"]) < 500:
                wrong.append(f"{where}: charts with these many pixels: {seen['before']}")
            for part in ("changed", "labels", "selects", "scopes", "captions", "regions", "names"):
                if not seen[part]:
                    wrong.append(f"{where}: {part}")
            # Bandwidth, starts and splits; groups and the papers' rows were measured on one device.
            for texts in seen["texts"][:3]:
                if OTHER not in texts or "NVIDIA H200" not in texts:
                    wrong.append(f"{where}: a chart does not name both devices: {texts}")
            for texts, words in ((seen["texts"][3], "strong, reduce f32, NVIDIA H200, mpi"),
                                 (seen["texts"][3], "1,000 elements"),
                                 (seen["texts"][4], "NVIDIA H200")):
                if words not in texts:
                    wrong.append(f"{where}: a chart does not say {words}: {texts}")
            if seen["wide"] > 0:
                wrong.append(f"{where}: {seen['wide']} pixels too wide")
            if seen["loaded"] != 0:
                wrong.append(f"{where}: loads {seen['loaded']} other things")
            paper, ink = luminance(seen["paper"]), luminance(seen["ink"])
            if (paper < ink) != dark:
                wrong.append(f"{where}: {seen['ink']} on {seen['paper']}")
            contrast = (max(paper, ink) + 0.05) / (min(paper, ink) + 0.05)
            if contrast < 7:
                wrong.append(f"{where}: contrast {contrast:.1f}")
    for line in wrong:
        print(line)
    return int(bool(wrong))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], pathlib.Path(sys.argv[2])))
