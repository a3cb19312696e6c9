import { expect } from 'chai';
import { drawChart } from './charts.js';
import { absolute, judge, report } from './report.js';

describe('the charts of the benchmark', () => {
  const sends = judge({
    name: 'text sends <1 & 2>',
    unit: 'sends/s',
    gateway: { rounds: [300, 200, 100] },
    raw: { rounds: [400] },
    method: 'a test',
  });
  const memory = judge(absolute({ name: 'memory', unit: 'MB', method: 'a test' }, 100));
  const results = report([sends, memory]);

  it('draw the medians of both sides, the longer one over the whole width', () => {
    const svg = drawChart(results, 'light');
    const widths = [...svg.matchAll(/<rect x="\d+" y="\d+" width="([\d.]+)"/g)].map(([, width]) =>
      Number(width),
    );
    expect(widths).to.have.lengthOf(2);
    expect(widths[0]).to.be.closeTo((widths[1] ?? 0) / 2, 0.1);
    expect(svg).to.contain('200 (× 0.50)').and.contain('>400<').and.contain('&#60;1 &#38; 2&#62;');
  });

  it('omit figures without a counterpart, and have a light and a dark form', () => {
    expect(drawChart(results, 'dark')).to.not.contain('memory');
    expect(drawChart(results, 'dark')).to.not.equal(drawChart(results, 'light'));
  });
});
