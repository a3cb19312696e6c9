import { expect } from 'chai';
import {
  idsOfMessage,
  readTrace,
  readTraceHeaders,
  traceHeaders,
  writeTrace,
} from '../../src/domain/tracing.js';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';
const NOTHING = '0'.repeat(32);
const read = { traceId: TRACE, spanId: SPAN, isSampled: true, state: '' };

describe('a trace context', () => {
  it('is read from the headers of a request', () => {
    expect(readTraceHeaders({ traceparent: `00-${TRACE}-${SPAN}-01` })).to.deep.equal(read);
    expect(readTraceHeaders({ traceparent: `00-${TRACE}-${SPAN}-00` })).to.include({ isSampled: false });
    // flags of later versions, and further fields
    expect(readTraceHeaders({ traceparent: `cc-${TRACE}-${SPAN}-03-more` })).to.deep.equal(read);
    const tracestate = ['a=1', 'b=2'];
    expect(readTraceHeaders({ traceparent: `00-${TRACE}-${SPAN}-01`, tracestate })).to.include({
      state: 'a=1,b=2',
    });
  });

  for (const [what, traceparent] of [
    ['none', undefined],
    ['another form', 'hello'],
    ['capitals', `00-${TRACE.toUpperCase()}-${SPAN}-01`],
    ['the forbidden version', `ff-${TRACE}-${SPAN}-01`],
    ['more than version 0 has', `00-${TRACE}-${SPAN}-01-more`],
    ['no trace', `00-${NOTHING}-${SPAN}-01`],
    ['no span', `00-${TRACE}-${NOTHING.slice(16)}-01`],
    ['two', [`00-${TRACE}-${SPAN}-01`, `00-${TRACE}-${SPAN}-01`]],
  ] as const) {
    it(`is not read from a bad traceparent: ${what}`, () => {
      expect(readTraceHeaders({ traceparent, tracestate: 'a=1' })).to.equal(undefined);
    });
  }

  it('loses a tracestate that is too long or cannot be a header', () => {
    for (const tracestate of ['a='.padEnd(513, 'x'), 'a=ü', 'a=1\nb: 2'])
      expect(readTraceHeaders({ traceparent: `00-${TRACE}-${SPAN}-01`, tracestate })).to.deep.equal(read);
  });

  it('is written to headers and to records as it was read', () => {
    for (const context of [read, { ...read, isSampled: false, state: 'a=1, b=2' }]) {
      expect(readTraceHeaders(traceHeaders(context))).to.deep.equal(context);
      expect(readTrace(writeTrace(context))).to.deep.equal(context);
    }
    expect(traceHeaders(undefined)).to.deep.equal({});
    expect(readTrace('')).to.equal(undefined);
  });

  it('is derived for a message from its session and its id', () => {
    const { traceId, spanId } = idsOfMessage('acme', 'M1');
    expect(readTraceHeaders({ traceparent: `00-${traceId}-${spanId}-01` })).to.include({ traceId, spanId });
    expect(idsOfMessage('acme', 'M1')).to.deep.equal({ traceId, spanId });
    expect(idsOfMessage('acme', 'M2').traceId).not.to.equal(traceId);
    expect(idsOfMessage('other', 'M1').traceId).not.to.equal(traceId);
  });
});
