import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { DOCKERFILE, IGNORE_FILE, imageFaults, readImage } from './support/image.js';
import { broken, type Files, openPaths, ROOT } from './support/manifests.js';

/** File, what stands in it, what stands there instead, and what is said of it. */
const BREAKS: readonly (readonly [string, string, string, RegExp])[] = [
  [
    DOCKERFILE,
    '0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6\n',
    '00\n',
    /different bases/,
  ],
  [DOCKERFILE, '@sha256:', '#sha256:', /is not pinned/],
  [DOCKERFILE, 'node:24.21.0-', 'node:18.20.8-', /no version that the program runs on/],
  [DOCKERFILE, 'node:24.21.0-', 'node:24-', /no version that the program runs on/],
  [DOCKERFILE, 'COPY src src', 'COPY sources src', /there is no sources\n.*sources is not sent/],
  [DOCKERFILE, 'COPY --from=build /app/dist dist\n', '', /the image lacks dist/],
  [DOCKERFILE, 'COPY package.json LICENSE ./', 'COPY package.json LICENSE src ./', /the image has src/],
  [IGNORE_FILE, '!tsconfig.json\n', '', /tsconfig.json is not sent/],
  [IGNORE_FILE, '!src', '!src\n!test', /test is sent, and not used/],
  [IGNORE_FILE, '*\n', 'node_modules\n', /everything is sent/],
  [DOCKERFILE, 'USER 1000:1000', 'USER node', /it runs as node/],
  [DOCKERFILE, 'USER 1000:1000\n', '', /it runs as root/],
  [DOCKERFILE, '["node", "/app/bin/run.js"]', 'node /app/bin/run.js', /entry point .* in a shell/],
  [DOCKERFILE, '/app/bin/run.js"]', '/app/bin/main.js"]', /entry point is no program/],
  [DOCKERFILE, 'CMD ["start"]', 'CMD ["serve"]', /there is no command "serve"/],
  [DOCKERFILE, 'STOPSIGNAL SIGTERM', 'STOPSIGNAL SIGQUIT', /a signal that the daemon does not know/],
  [DOCKERFILE, '/health/live', '/health', /health check asks no open route/],
  [DOCKERFILE, 'EXPOSE 3000', 'EXPOSE 3001', /exposes another port/],
  [DOCKERFILE, 'VOLUME /data', 'VOLUME /var/data', /its data is no volume/],
  [DOCKERFILE, 'SWITCHBOARD_HOST=0.0.0.0', 'SWITCHBOARD_HOST=127.0.0.1', /nobody outside/],
  [DOCKERFILE, 'SWITCHBOARD_PORT=', 'SWITCHBOARD_PROT=', /SWITCHBOARD_PROT is no setting/],
  [DOCKERFILE, 'NODE_ENV=production', 'SWITCHBOARD_TOKEN=0123456789abcdef', /it holds a secret/],
];

describe('the image', () => {
  let files: Files;
  let paths: ReadonlySet<string>;
  before(async () => {
    paths = await openPaths();
    files = {
      [DOCKERFILE]: readFileSync(ROOT + DOCKERFILE, 'utf8'),
      [IGNORE_FILE]: readFileSync(ROOT + IGNORE_FILE, 'utf8'),
    };
  });

  it('is small, does not run as root, stops at its signal, and is built from files that exist', async () => {
    expect(await imageFaults(files, paths)).to.deep.equal([]);
  });

  for (const [name, text, instead, fault] of BREAKS) {
    it(`fails the check with ${JSON.stringify(instead)} in place of ${JSON.stringify(text)} in ${name}`, async () => {
      const faults = await imageFaults(broken(files, name, text, instead), paths);
      expect(faults.join('\n')).to.match(fault);
    });
  }

  it('is healthy while the daemon answers, and unhealthy when the daemon fails or is gone', async () => {
    let status = 200;
    const server = createServer((_request, response) => response.writeHead(status).end()).listen(
      0,
      '127.0.0.1',
    );
    await once(server, 'listening');
    const { port }: AddressInfo = Object(server.address());
    const [program = '', ...words] = readImage(files[DOCKERFILE] ?? '').healthcheck;
    const check = async () => {
      const env = { ...process.env, SWITCHBOARD_PORT: String(port) };
      const [code] = await once(spawn(program, words, { env, stdio: 'ignore' }), 'exit');
      return code;
    };
    expect(await check()).to.equal(0);
    status = 503;
    expect(await check()).to.equal(1);
    server.close();
    await once(server, 'close');
    expect(await check()).to.equal(1);
  });
});
