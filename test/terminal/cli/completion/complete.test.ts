import { expect } from 'chai';
import { complete, type Grammar } from '../../../../src/terminal/cli/completion/complete.js';

const JSON_FLAG = { name: 'json', description: 'as JSON', repeatable: false };
const GRAMMAR: Grammar = {
  topics: [{ name: 'sessions', description: 'linked numbers' }],
  commands: [
    {
      words: ['send', 'text'],
      description: 'a text',
      args: [{ kind: 'session' }, { kind: 'chat' }],
      flags: [JSON_FLAG],
    },
    { words: ['doctor'], description: 'finds faults', args: [], flags: [JSON_FLAG] },
    {
      words: ['sessions', 'show'],
      description: 'one of them',
      args: [{ kind: 'session' }],
      flags: [JSON_FLAG],
    },
    {
      words: ['sessions', 'webhook'],
      description: 'where events go',
      args: [{ kind: 'session' }, { kind: 'any' }, { kind: 'words', words: ['on', 'off'] }],
      flags: [
        JSON_FLAG,
        {
          name: 'extra-event',
          char: 'e',
          description: 'more of them',
          value: { kind: 'words', words: ['message_status', 'session_status'] },
          repeatable: true,
        },
        { name: 'data-dir', description: 'a folder', value: { kind: 'file' }, repeatable: false },
      ],
    },
  ],
};

/** The completions of the words, without their descriptions. */
function texts(...words: string[]): string[] {
  return complete(GRAMMAR, words).candidates.map(({ text }) => text);
}

describe('completion', () => {
  it('completes topics and commands', () => {
    expect(complete(GRAMMAR, ['']).candidates).to.deep.equal([
      { text: 'doctor', description: 'finds faults' },
      { text: 'sessions', description: 'linked numbers' },
    ]);
    expect(texts('se')).to.deep.equal(['sessions']);
  });

  it('completes the commands of a topic', () => {
    expect(texts('sessions', '')).to.deep.equal(['show', 'webhook']);
    expect(texts('sessions', 'w')).to.deep.equal(['webhook']);
  });

  it('asks for session names where one is expected', () => {
    expect(complete(GRAMMAR, ['sessions', 'show', 'a'])).to.deep.equal({ candidates: [], also: 'session' });
  });

  it('asks for the chats of the session where a name or an address is expected', () => {
    expect(complete(GRAMMAR, ['send', 'text', '--json', 'acme', 'B'])).to.deep.equal({
      candidates: [],
      also: 'chat',
      clientId: 'acme',
    });
  });

  it('completes the options of an argument, after any flags', () => {
    const argv = ['sessions', 'webhook', '--json', 'acme', '--data-dir', '/tmp', 'https://x'];
    expect(texts(...argv, '')).to.deep.equal(['on', 'off']);
    expect(texts(...argv, 'of')).to.deep.equal(['off']);
  });

  it('completes flags after a dash, and where nothing else fits', () => {
    expect(texts('sessions', 'webhook', 'acme', '--d')).to.deep.equal(['--data-dir']);
    expect(texts('doctor', '')).to.deep.equal(['--json']);
  });

  it('offers a flag again only where it may be repeated', () => {
    const argv = ['sessions', 'webhook', '--json', '-e', 'message_status', '-'];
    expect(texts(...argv)).to.deep.equal(['--extra-event', '--data-dir']);
  });

  it('completes the values of flags', () => {
    expect(texts('sessions', 'webhook', '--extra-event', 's')).to.deep.equal(['session_status']);
    expect(texts('sessions', 'webhook', '-e', 'm')).to.deep.equal(['message_status']);
    expect(complete(GRAMMAR, ['sessions', 'webhook', '--data-dir', '']).also).to.equal('file');
  });

  it('completes values after =, which bash splits off', () => {
    expect(texts('sessions', 'webhook', '--extra-event=s')).to.deep.equal(['--extra-event=session_status']);
    expect(texts('sessions', 'webhook', '--extra-event', '=', 's')).to.deep.equal(['session_status']);
    expect(texts('sessions', 'webhook', '--extra-event', '=')).to.have.length(2);
  });

  it('offers nothing after a complete command line', () => {
    expect(complete(GRAMMAR, ['sessions', 'webhook', 'acme', 'x', 'on', 'more'])).to.deep.equal({
      candidates: [],
    });
    expect(texts('nonsense', '')).to.deep.equal([]);
  });
});
