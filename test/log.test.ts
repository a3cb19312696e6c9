import { Writable } from 'node:stream';
import { expect } from 'chai';
import { loadConfig, summarize } from '../src/config/index.js';
import { createLog } from '../src/log.js';
import { makeTempDir } from './support/temp-dir.js';

describe('the log', () => {
  function capture() {
    let text = '';
    const destination = new Writable({
      write(chunk, _encoding, done) {
        text += chunk;
        done();
      },
    });
    return { log: createLog({ level: 'info', pretty: false, destination }), text: () => text };
  }

  it('never shows secrets or words of people, however deep they stand', () => {
    const { log, text } = capture();
    log.info({
      mediaKey: 'SECRET1',
      a: { token: 'SECRET2', b: { webhookToken: 'SECRET3' } },
      body: 'SECRET4',
    });
    log.info({ headers: { authorization: 'Bearer SECRET5' } }, 'request');
    expect(text()).not.to.include('SECRET');
    expect(text()).to.include('[redacted]');
  });

  it('shows the settings of a start, secrets only as "set"', async () => {
    const folder = await makeTempDir();
    const config = await loadConfig({ flags: {}, env: {}, defaultDataDir: folder.path });
    const { log, text } = capture();
    log.info({ settings: summarize(config) }, 'starting');
    const { settings } = JSON.parse(text());
    expect(settings).to.include({ token: 'set', 'encryption-key': 'set', store: 'sqlite', port: '3000' });
    expect(text()).not.to.include(config.token);
    await folder.remove();
  });
});
