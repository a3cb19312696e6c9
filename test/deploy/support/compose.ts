import { existsSync } from 'node:fs';
import { parse } from 'yaml';
import { LIMITS } from '../../../src/domain/limits.js';
import { type Files, localAddresses, missingVariables, ROOT, settingFaults } from './manifests.js';

export const COMPOSE_FILE = 'docker-compose.cluster.yml';
export const DATABASE_FILE = 'docker-compose.mongodb.yml';
export const BALANCER_FILE = 'Caddyfile';

/** What those who follow the head of the compose file have in cluster.env. */
const GIVEN: Readonly<Record<string, string>> = {
  SWITCHBOARD_TOKEN: 'f'.repeat(64),
  SWITCHBOARD_ENCRYPTION_KEY: 'a'.repeat(64),
  MONGODB_PASSWORD: 'b'.repeat(64),
  MONGODB_ADMIN_KEY: 'c'.repeat(64),
};

interface Service {
  image: string;
  build?: { context: string; dockerfile: string };
  command?: string[];
  environment?: Record<string, string | number>;
  ports?: string[];
  healthcheck?: { test: string[] };
  stop_grace_period?: string;
  read_only?: boolean;
  cap_drop?: string[];
  tmpfs?: string[];
  user?: string;
}

interface Compose {
  services: Record<string, Service>;
  configs?: Record<string, { file: string }>;
}

/** Everything that is wrong with the compose file of a cluster and with its load balancer. */
export function clusterFaults(files: Files, openPaths: ReadonlySet<string>): string[] {
  const text = files[COMPOSE_FILE] ?? '';
  const compose: Compose = parse(interpolated(text), { merge: true });
  const all = Object.entries(compose.services);
  const nodes = all.filter(([, { environment }]) => environment?.SWITCHBOARD_NODE_NAME);
  return [
    ...nodes.flatMap(([name, node]) => nodeFaults(name, node, compose, openPaths)),
    ...togetherFaults(nodes.map(([, node]) => node)),
    ...balancerFaults(
      files[BALANCER_FILE] ?? '',
      compose,
      nodes.map(([name]) => name),
      openPaths,
    ),
  ];
}

/** `${NAME:?message}`, `${NAME:-default}` and `${NAME}` as compose puts values in their place. */
function interpolated(text: string): string {
  return text.replace(
    /\$\{(\w+)(?::-([^}]*)|:\?[^}]*)?\}/g,
    (_whole, name: string, byDefault: string | undefined) => GIVEN[name] ?? byDefault ?? '',
  );
}

function unless(right: boolean, fault: string): string[] {
  return right ? [] : [fault];
}

function nodeFaults(name: string, node: Service, compose: Compose, openPaths: ReadonlySet<string>): string[] {
  const { environment = {}, build, healthcheck, user } = node;
  const asked = localAddresses(healthcheck?.test.join(' ') ?? '');
  const faults = [
    ...settingFaults(environment),
    ...missingVariables(environment),
    ...storeFaults(String(environment.SWITCHBOARD_STORE), compose),
    ...unless(environment.SWITCHBOARD_NODE_NAME === name, 'its name is another one than its service has'),
    ...unless(
      environment.SWITCHBOARD_NODE_URL === `http://${name}:3000`,
      `the others reach it at ${environment.SWITCHBOARD_NODE_URL}`,
    ),
    ...unless(
      asked.length > 0 && asked.every(({ port, path }) => port === '3000' && openPaths.has(path)),
      'its health check asks no open route of it',
    ),
    ...unless(
      build !== undefined && existsSync(`${ROOT}docs/deploy/${build.context}/${build.dockerfile}`),
      'its Dockerfile is somewhere else',
    ),
    ...unless(
      stopSeconds(node) * 1_000 >= LIMITS.handOverMs + 3 * LIMITS.stopGraceMs,
      'it is killed too early',
    ),
    ...unless(
      node.read_only === true && node.tmpfs?.includes('/tmp') === true,
      'it may change its own files',
    ),
    ...unless(
      node.cap_drop?.includes('ALL') === true && user === undefined,
      'it has rights that it does not need',
    ),
    ...unless(!node.ports, 'it is reached past the load balancer'),
  ];
  return faults.map((fault) => `${name}: ${fault}`);
}

/** Everything that is wrong with the compose file of a database for a daemon on the same machine. */
export function databaseFaults(files: Files): string[] {
  const { services }: Compose = parse(interpolated(files[DATABASE_FILE] ?? ''));
  return Object.entries(services).flatMap(([name, service]) => [
    ...passwordFaults(name, service),
    ...(service.ports ?? [])
      .filter((port) => !port.startsWith('127.0.0.1:'))
      .map((port) => `${name}: other machines reach ${port}`),
  ]);
}

/** The database knows users, and the one of the nodes has a password that only the file with the secrets contains. */
function passwordFaults(name: string, { command = [], environment = {}, healthcheck }: Service): string[] {
  const script = healthcheck?.test.join(' ') ?? '';
  return [
    ...unless(command.includes('--keyFile'), `${name} asks for no password`),
    ...unless(
      environment.MONGODB_PASSWORD === GIVEN.MONGODB_PASSWORD &&
        environment.MONGODB_ADMIN_KEY === GIVEN.MONGODB_ADMIN_KEY,
      `${name} has a password that everybody can read`,
    ),
    ...unless(
      /user: 'switchboard', pwd: process\.env\.MONGODB_PASSWORD/.test(script) &&
        script.includes("role: 'readWrite', db: 'switchboard'"),
      `${name} has no user with the rights that Switchboard needs`,
    ),
  ];
}

/** The database is one of the services, a replica set of that name, whose member is named as the nodes reach it. */
function storeFaults(url: string, { services }: Compose): string[] {
  // what is wrong with the address itself is said by its setting
  if (!URL.canParse(url)) return [];
  const { host, hostname, username, password, searchParams } = new URL(url);
  const database = services[hostname];
  const { command = [], healthcheck } = database ?? {};
  const set = searchParams.get('replicaSet') ?? '';
  return [
    ...(database ? passwordFaults(hostname, database) : []),
    ...unless(
      username === 'switchboard' &&
        password === GIVEN.MONGODB_PASSWORD &&
        searchParams.get('authSource') === 'admin',
      'it has no password for the database',
    ),
    ...unless(command[command.indexOf('--replSet') + 1] === set, `${hostname} is no replica set ${set}`),
    ...unless(
      healthcheck?.test.join(' ').includes(`host: '${host}'`) === true,
      `the member of the replica set is not reached as ${host}`,
    ),
  ];
}

function stopSeconds({ stop_grace_period: period = '10s' }: Service): number {
  const [, minutes = 0, seconds = 0] = /^(?:(\d+)m)?(?:(\d+)s)?$/.exec(period) ?? [];
  return Number(minutes) * 60 + Number(seconds);
}

/** What must be the same on all nodes. */
function togetherFaults(nodes: readonly Service[]): string[] {
  const same = ['STORE', 'TOKEN', 'ENCRYPTION_KEY', 'LEASE_SECONDS', 'NETWORK', 'PUBLIC_URL'];
  const differing = same
    .map((name) => `SWITCHBOARD_${name}`)
    .filter((name) => new Set(nodes.map(({ environment }) => environment?.[name])).size > 1);
  return [
    ...unless(nodes.length >= 2, 'one node is no cluster'),
    ...differing.map((name) => `the nodes differ in ${name}`),
  ];
}

/** The load balancer knows every node, asks each whether it is ready, and lets uploads through. */
function balancerFaults(
  text: string,
  { services, configs }: Compose,
  nodes: readonly string[],
  openPaths: ReadonlySet<string>,
): string[] {
  const word = (pattern: RegExp) => pattern.exec(text)?.[1]?.trim() ?? '';
  const upstreams = word(/^\s*reverse_proxy (.*) \{$/m).split(' ');
  const published = Object.values(services).flatMap(({ ports = [] }) => ports);
  const megabytes = Number(word(/max_size (\d+)MB/));
  return [
    ...unless(
      [...upstreams].sort().join() ===
        [...nodes]
          .sort()
          .map((name) => `${name}:3000`)
          .join(),
      `the load balancer knows ${upstreams.join(', ')}`,
    ),
    ...unless(
      word(/health_uri (\S+)/) === '/health/ready' && openPaths.has(word(/health_uri (\S+)/)),
      'the load balancer does not ask who is ready',
    ),
    ...unless(
      megabytes * 1_000_000 > LIMITS.uploadBytes,
      'the load balancer refuses uploads that a node takes',
    ),
    ...unless(
      published.some((port) => port.endsWith(word(/^(:\d+) \{$/m))),
      'the load balancer listens on another port than is published',
    ),
    ...unless(
      Object.values(configs ?? {}).every(({ file }) => existsSync(`${ROOT}docs/deploy/${file}`)),
      'the configuration of the load balancer is somewhere else',
    ),
  ];
}
