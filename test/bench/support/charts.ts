import type { Report, Verdict } from './report.js';
import { median } from './rounds.js';

const WIDTH = 760;
const LABEL = 300;
const VALUE = 130;
const BAR = 16;
const ROW = 62;
const TOP = 48;

const THEMES = {
  light: { ground: '#ffffff', text: '#1f2328', quiet: '#656d76', own: '#0969da', other: '#9aa4af' },
  dark: { ground: '#0d1117', text: '#e6edf3', quiet: '#8d96a0', own: '#4493f8', other: '#57606a' },
};

export type Theme = keyof typeof THEMES;

/**
 * Draws the comparisons of a report as bars, each pair on its own scale: the gateway's median above the other side's.
 * Figures that are compared with nothing are left out.
 * @returns an SVG document
 */
export function drawChart({ at, node, machine, results }: Report, theme: Theme): string {
  const { ground, text, quiet, own, other } = THEMES[theme];
  const compared = results.filter(({ rawIs }) => rawIs !== '');
  const height = TOP + compared.length * ROW + 16;
  const rows = compared.flatMap((result, index) => {
    const sides = [
      { name: 'Switchboard', value: median(result.gateway.rounds), color: own },
      { name: result.rawIs ?? 'bare Baileys', value: median(result.raw.rounds), color: other },
    ];
    const longest = Math.max(...sides.map(({ value }) => value));
    const y = TOP + index * ROW;
    return [
      line(16, y + 14, text, `${result.name}, ${result.unit}`, 'font-weight="600"'),
      ...sides.flatMap(({ name, value, color }, side) => {
        const at = y + 20 + side * (BAR + 2);
        const width = ((WIDTH - LABEL - VALUE) * value) / longest;
        return [
          line(16, at + 12, quiet, name),
          `<rect x="${LABEL}" y="${at}" width="${width.toFixed(1)}" height="${BAR}" rx="2" fill="${color}"/>`,
          line(LABEL + width + 8, at + 12, text, figure(value) + (side === 0 ? verdict(result) : '')),
        ];
      }),
    ];
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" role="img"`,
    `  font-family="system-ui, sans-serif" font-size="12">`,
    `<rect width="100%" height="100%" fill="${ground}"/>`,
    line(16, 26, quiet, `Measured ${at.slice(0, 10)}, Node ${node.replace(/^v/, '')}, ${machine}; medians`),
    ...rows,
    '</svg>',
    '',
  ].join('\n');
}

function line(x: number, y: number, color: string, content: string, more = ''): string {
  const escaped = content.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);
  return `<text x="${x.toFixed(1)}" y="${y}" fill="${color}"${more && ` ${more}`}>${escaped}</text>`;
}

function figure(value: number): string {
  return value < 10 ? value.toFixed(2) : value.toFixed(0);
}

function verdict({ ratio }: Verdict): string {
  return ` (× ${ratio.toFixed(2)})`;
}
