import { expect } from 'chai';
import {
  BALANCER_FILE,
  COMPOSE_FILE,
  clusterFaults,
  DATABASE_FILE,
  databaseFaults,
} from './support/compose.js';
import { broken, deployFile, type Files, openPaths } from './support/manifests.js';

/** File, what stands in it, what stands there instead, and what is said of it. */
const BREAKS: readonly (readonly [string, string, string, RegExp])[] = [
  [COMPOSE_FILE, 'read_only: true', 'readonly: true', /may change its own files/],
  [
    COMPOSE_FILE,
    'SWITCHBOARD_NODE_URL',
    'SWITCHBOARD_NODE_URI',
    /NODE_URI is no setting\n.*NODE_URL is missing/,
  ],
  [COMPOSE_FILE, ':-whatsapp}', ':-sms}', /SWITCHBOARD_NETWORK: /],
  [COMPOSE_FILE, 'SWITCHBOARD_LEASE_SECONDS: 20', 'SWITCHBOARD_LEASE_SECONDS: 1', /LEASE_SECONDS: /],
  [COMPOSE_FILE, '      <<: *settings\n', '', /SWITCHBOARD_TOKEN is missing/],
  [COMPOSE_FILE, 'http://node-2:3000', 'http://node-1:3000', /node-2: the others reach it at http:..node-1/],
  [COMPOSE_FILE, 'NODE_NAME: node-3', 'NODE_NAME: node-2', /node-3: its name is another one/],
  [
    COMPOSE_FILE,
    'NODE_NAME: node-3',
    'NODE_NAME: node-3\n      SWITCHBOARD_LEASE_SECONDS: 30',
    /the nodes differ in SWITCHBOARD_LEASE_SECONDS/,
  ],
  [COMPOSE_FILE, "'--replSet', 'rs0'", "'--replSet', 'rs1'", /mongodb is no replica set rs0/],
  [COMPOSE_FILE, ", '--keyFile', '/tmp/key'", '', /mongodb asks for no password/],
  [COMPOSE_FILE, 'MONGODB_PASSWORD: $', 'MONGODB_PASSWORD: x$', /a password that everybody can read/],
  [COMPOSE_FILE, '&authSource=admin', '', /no password for the database/],
  [COMPOSE_FILE, "role: 'readWrite'", "role: 'root'", /rights that Switchboard needs/],
  [DATABASE_FILE, "'127.0.0.1:27017:27017'", "'27017:27017'", /other machines reach/],
  [DATABASE_FILE, ", '--keyFile', '/tmp/key'", '', /mongodb asks for no password/],
  [COMPOSE_FILE, "host: 'mongodb:27017'", "host: '127.0.0.1:27017'", /not reached as mongodb:27017/],
  [
    COMPOSE_FILE,
    '127.0.0.1:3000/health/ready',
    '127.0.0.1:3001/health/ready',
    /health check asks no open route/,
  ],
  [COMPOSE_FILE, '/health/ready', '/fleet', /health check asks no open route/],
  [
    COMPOSE_FILE,
    'dockerfile: Dockerfile',
    'dockerfile: docs/deploy/Dockerfile',
    /Dockerfile is somewhere else/,
  ],
  [COMPOSE_FILE, 'stop_grace_period: 2m', 'stop_grace_period: 10s', /it is killed too early/],
  [COMPOSE_FILE, 'cap_drop: [ALL]', 'user: root', /rights that it does not need/],
  [COMPOSE_FILE, '  tmpfs: [/tmp]\n', '', /may change its own files/],
  [COMPOSE_FILE, '    <<: *node\n', "    <<: *node\n    ports: ['3000:3000']\n", /past the load balancer/],
  [BALANCER_FILE, ' node-3:3000', '', /the load balancer knows node-1:3000, node-2:3000$/m],
  [BALANCER_FILE, 'health_uri /health/ready', 'health_uri /health/live', /does not ask who is ready/],
  [BALANCER_FILE, 'max_size 140MB', 'max_size 100MB', /refuses uploads/],
  [BALANCER_FILE, ':8080 {', ':80 {', /listens on another port/],
  [COMPOSE_FILE, 'file: ./Caddyfile', 'file: ./caddy.conf', /is somewhere else/],
];

describe('the compose files', () => {
  let files: Files;
  let paths: ReadonlySet<string>;
  before(async () => {
    paths = await openPaths();
    const names = [COMPOSE_FILE, BALANCER_FILE, DATABASE_FILE];
    files = Object.fromEntries(names.map((name) => [name, deployFile(name)]));
  });

  it('are valid; the nodes of the cluster agree with each other, their balancer and the daemon', () => {
    expect([...clusterFaults(files, paths), ...databaseFaults(files)]).to.deep.equal([]);
  });

  for (const [name, text, instead, fault] of BREAKS) {
    it(`fail the check with ${JSON.stringify(instead)} in place of ${JSON.stringify(text)} in ${name}`, () => {
      const changed = broken(files, name, text, instead);
      expect([...clusterFaults(changed, paths), ...databaseFaults(changed)].join('\n')).to.match(fault);
    });
  }
});
