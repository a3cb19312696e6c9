import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createServer, type Server } from 'node:tls';
import { expect } from 'chai';
import { newerNode } from '../../support/newer-node.js';
import { ended, printed } from '../../support/servers.js';
import { freePort } from '../../support/tcp-proxy.js';
import { makeTempDir, type TempDir } from '../../support/temp-dir.js';
import { selfSigned } from '../../terminal/cli/doctor/support/self-signed.js';
import { published } from './support/published.js';
import { eventOf, newSinks, resolvingTo } from './support/test-sinks.js';

/** The name in the certificate; only the look-up of the test knows it. */
const NAME = 'receiver.invalid';
const WRONG_NAME =
  "Hostname/IP does not match certificate's altnames: IP: 127.0.0.1 is not in the cert's list:";

describe('sinks over TLS', function () {
  this.timeout(120_000);
  let folder: TempDir;
  /** Ends what the test started. */
  const ends: (() => Promise<void>)[] = [];
  before(async () => {
    folder = await makeTempDir();
    await writeFile(join(folder.path, 'cert.pem'), selfSigned.cert);
    await writeFile(join(folder.path, 'key.pem'), selfSigned.key);
  });
  after(async () => {
    for (const end of ends) await end();
    await folder.remove();
  });

  const cert = () => join(folder.path, 'cert.pem');
  const key = () => join(folder.path, 'key.pem');

  async function started(program: string, options: string[], ready: string): Promise<void> {
    const server = spawn(program, options, { stdio: ['ignore', 'pipe', 'pipe'] });
    ends.push(() => ended(server, 'SIGTERM'));
    const [output, other] =
      program === 'redis-server' ? [server.stdout, server.stderr] : [server.stderr, server.stdout];
    other.resume();
    await printed(server, output, ready);
  }

  /** Answers of a process that trusts the certificate: `OUTCOME REASON` for each address. */
  async function publish(...urls: string[]): Promise<string[]> {
    const execArgv = [...resolvingTo('127.0.0.1'), '--throw-deprecation'];
    const process = {
      allowPrivate: true,
      execPath: newerNode(),
      execArgv,
      environment: { NODE_EXTRA_CA_CERTS: cert() },
    };
    const sinks = newSinks({ process });
    const answers: string[] = [];
    for (const url of urls) {
      const { outcome, reason } = await published(sinks, url, eventOf());
      answers.push(`${outcome} ${reason}`.trimEnd());
    }
    await sinks.stop();
    return answers;
  }

  it('connect to NATS only under the name in its certificate, even if the server itself demands TLS', async () => {
    const port = await freePort();
    const tls = ['--tls', '--tlscert', cert(), '--tlskey', key()];
    const place = ['-a', '127.0.0.1', '-p', String(port), '-js', '-sd', folder.path];
    await started('nats-server', [...place, ...tls], 'Server is ready');
    const reached = 'failed no stream takes the subject wa, or JetStream is off';
    expect(
      await publish(
        `tls://${NAME}:${port}/wa`,
        `nats://${NAME}:${port}/wa`,
        `tls://127.0.0.1:${port}/wa`,
        `nats://127.0.0.1:${port}/wa`,
      ),
    ).to.deep.equal([reached, reached, `failed ${WRONG_NAME}`, `failed ${WRONG_NAME}`]);
  });

  it('connect to Redis only under the name in its certificate', async () => {
    const port = await freePort();
    const tls = ['--port', '0', '--tls-port', String(port), '--tls-auth-clients', 'no'];
    const files = ['--tls-cert-file', cert(), '--tls-key-file', key(), '--tls-ca-cert-file', cert()];
    const place = ['--bind', '127.0.0.1', '--save', ''];
    await started('redis-server', [...place, ...tls, ...files], 'Ready to accept connections');
    expect(
      await publish(`rediss://${NAME}:${port}/0?stream=wa`, `rediss://127.0.0.1:${port}/0?stream=wa`),
    ).to.deep.equal(['delivered', `failed ${WRONG_NAME}`]);
  });

  it('connect to RabbitMQ and Kafka only under the name in their certificates', async () => {
    let taken = 0;
    const server: Server = createServer(selfSigned, (socket) => {
      taken++;
      socket.on('error', () => undefined).end();
    });
    server.on('tlsClientError', () => undefined).listen(0, '127.0.0.1');
    await once(server, 'listening');
    ends.push(async () => void server.close());
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const [amqp, kafka] = await publish(
      `amqps://127.0.0.1:${port}/?key=wa`,
      `kafka+ssl://127.0.0.1:${port}/wa`,
    );
    expect(amqp).to.equal(`failed ${WRONG_NAME}`);
    expect(kafka).to.equal(`failed ${WRONG_NAME}`);
    await publish(`amqps://${NAME}:${port}/?key=wa`);
    expect(taken).to.be.at.least(1);
    const before = taken;
    await publish(`kafka+ssl://${NAME}:${port}/wa`);
    expect(taken).to.be.above(before);
  });
});
