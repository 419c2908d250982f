'use strict';
// The tables are in the page already; this draws the charts above them.
(() => {
  const data = JSON.parse(document.getElementById('data').textContent);
  const dark = window.matchMedia('(prefers-color-scheme: dark)');
  const colours = {
    light: ['#0550ae', '#bc4c00', '#116329', '#8250df', '#a40e26', '#6f5500'],
    dark: ['#79b8ff', '#ffab70', '#6fdd8b', '#d2a8ff', '#ff8e99', '#e3c45c'],
  };
  const styles = ['circle', 'rect', 'triangle', 'rectRot', 'star', 'cross'];
  const charts = new Map();

  const colour = (i) => {
    const list = dark.matches ? colours.dark : colours.light;
    return list[i % list.length];
  };
  const ink = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const power = (value) => {
    const exponent = Math.log2(value);
    return Number.isInteger(exponent) ? `2^${exponent}` : `${value}`;
  };

  function draw(id, config) {
    charts.get(id)?.destroy();
    Chart.defaults.color = ink('--ink');
    Chart.defaults.borderColor = ink('--line');
    config.options = { animation: false, maintainAspectRatio: false, ...config.options };
    charts.set(id, new Chart(document.getElementById(id), config));
    document.documentElement.dataset.charts = charts.size;
  }

  function bandwidth() {
    const algorithm = document.getElementById('algorithm').value;
    const type = document.getElementById('type').value;
    const datasets = [];
    data.sides.forEach((side, i) => {
      const rows = data.rows.filter((row) => row.algorithm === algorithm && row.type === type &&
                                             row.cells[i]);
      if (!rows.length) return;
      const line = (label, value, extra) => ({
        label, data: rows.map((row) => ({ x: row.n, y: value(row.cells[i]) })),
        borderColor: colour(i), backgroundColor: colour(i), ...extra,
      });
      datasets.push(line(`${side.letter}: ${side.name}`, (cell) => cell.gb_per_s,
                         { pointStyle: styles[i % styles.length], pointRadius: 5 }));
      datasets.push(line(`${side.letter}: its limit`, (cell) => cell.limit, {
        borderDash: [6, 4], borderWidth: 1.5, pointStyle: 'line', pointRadius: 0,
      }));
    });
    const all = datasets.flatMap((set) => set.data.map((point) => point.x));
    const sizes = [...new Set(all)].sort((a, b) => a - b);
    draw('bandwidth', {
      type: 'line',
      data: { datasets },
      options: {
        scales: {
          x: { type: 'logarithmic', title: { display: true, text: 'elements' },
               min: sizes[0], max: sizes.at(-1),
               ticks: { callback: power }, afterBuildTicks: (axis) => {
                 axis.ticks = sizes.map((value) => ({ value }));
               } },
          y: { type: 'logarithmic', title: { display: true, text: 'GB/s' } },
        },
        plugins: { title: { display: true, text: `${algorithm}, ${type}` },
                   legend: { labels: { usePointStyle: true } } },
      },
    });
    document.getElementById('bandwidth').setAttribute('aria-label',
      `Bandwidth of ${algorithm} of ${type} over the number of elements; the figures are in the ` +
      'table "At every size".');
  }

  function split() {
    const key = document.getElementById('split-row').value;
    const rows = data.splits.filter((row) => row.key === key);
    const parts = [['launch', 'launch_s'], ['kernels', 'kernel_s'],
                   ['until the result', 'blocking_s'], ['per call, back to back', 'call_s']];
    const labels = rows.flatMap((row) =>
      row.sides.map((side) => `${power(row.n)} ${side.letter} ${side.backend}`));
    draw('split', {
      type: 'bar',
      data: { labels, datasets: parts.map(([label, field], i) => ({
        label, backgroundColor: colour(i),
        data: rows.flatMap((row) => row.sides.map((side) => side[field] * 1e6)),
      })) },
      options: {
        scales: { y: { type: 'logarithmic', title: { display: true, text: 'us' } } },
        plugins: { title: { display: true, text: key } },
      },
    });
  }

  function starts() {
    const parts = [['compiling', 'compile_s'], ['the rest of the first call', 'rest_s'],
                   ['first call with kernels on disk', 'warm_s']];
    draw('starts', {
      type: 'bar',
      data: {
        labels: data.starts.map((start) => [start.label, start.device]),
        datasets: parts.map(([label, field], i) => ({
          label, backgroundColor: colour(i), stack: i < 2 ? 'cold' : 'warm',
          data: data.starts.map((start) => start[field] * 1e3),
        })),
      },
      options: {
        scales: { x: { stacked: true },
                  y: { stacked: true, title: { display: true, text: 'ms' } } },
      },
    });
  }

  function paper() {
    const table = data.papers[Number(document.getElementById('paper').value)];
    const bars = (label, field, i) => ({
      label, backgroundColor: colour(i), data: table.lines.map((line) => line[field] || null),
    });
    draw('paper-chart', {
      type: 'bar',
      data: {
        labels: table.lines.map((line) => line.variant),
        datasets: [bars('the paper', 'paper_speedup', 0),
                   bars(`here, ${table.device}`, 'our_speedup', 1)],
      },
      options: {
        indexAxis: 'y',
        scales: { x: { title: { display: true, text: 'speed-up over the baseline' } } },
      },
    });
  }

  function scaling() {
    const key = document.getElementById('scaling-row').value;
    const points = data.scaling.filter((point) => point.key === key);
    const lines = [...new Set(points.map((point) => point.line))];
    const ranks = [...new Set(points.map((point) => point.ranks))].sort((a, b) => a - b);
    const datasets = lines.map((label, i) => ({
      label, borderColor: colour(i), backgroundColor: colour(i),
      pointStyle: styles[i % styles.length], pointRadius: 5,
      data: points.filter((point) => point.line === label)
        .map((point) => ({ x: point.ranks, y: point.speedup })),
    }));
    datasets.push({ label: 'as many times one device', borderColor: ink('--ink'),
                    borderDash: [6, 4], borderWidth: 1.5, pointStyle: 'line', pointRadius: 0,
                    data: ranks.map((x) => ({ x, y: x })) });
    draw('scaling', {
      type: 'line',
      data: { datasets },
      options: {
        scales: {
          x: { type: 'linear', title: { display: true, text: 'devices' },
               afterBuildTicks: (axis) => { axis.ticks = ranks.map((value) => ({ value })); } },
          y: { beginAtZero: true, title: { display: true, text: 'speed-up over one device' } },
        },
        plugins: { title: { display: true, text: key },
                   legend: { labels: { usePointStyle: true } } },
      },
    });
  }

  const drawings = [];
  const when = (id, drawing) => {
    if (!document.getElementById(id)) return;
    drawings.push(drawing);
  };
  when('bandwidth', bandwidth);
  when('split', split);
  when('starts', starts);
  when('paper-chart', paper);
  when('scaling', scaling);
  const all = () => drawings.forEach((drawing) => drawing());
  document.querySelectorAll('select').forEach((select) => select.addEventListener('change', all));
  dark.addEventListener('change', all);
  all();
})();
