import { existsSync, readFileSync } from 'node:fs';
import { DockerfileParser, type Instruction } from 'dockerfile-ast';
import { validate } from 'dockerfile-utils';
import { commandFaults } from './commands.js';
import { type Files, ROOT } from './files.js';
import { localAddresses } from './probes.js';
import { settingFaults } from './settings.js';

export const DOCKERFILE = 'Dockerfile';
export const IGNORE_FILE = '.dockerignore';

/** What the image has to hold beside the packages. */
const SHIPPED = ['bin', 'dist', 'node_modules', 'package.json', 'oclif.manifest.json', 'LICENSE'];

/** What a Dockerfile makes. */
export interface Image {
  /** As it stands there: a number each for user and group. */
  user: string;
  environment: Record<string, string>;
  /** The program that tells whether it is well, with its arguments; empty when it runs in a shell. */
  healthcheck: string[];
  entrypoint: string[];
  command: string[];
  /** Arguments of the instructions of the last stage, by instruction. */
  last: ReadonlyMap<string, string>;
}

/** Reads the last stage of a Dockerfile. */
export function readImage(text: string): Image {
  const instructions = lastStage(text);
  const last = new Map(instructions.map((found) => [found.getKeyword(), found.getArgumentsContent() ?? '']));
  const stage = DockerfileParser.parse(text).getENVs();
  const environment = stage.flatMap((env) => env.getProperties());
  return {
    user: last.get('USER') ?? 'root',
    environment: Object.fromEntries(environment.map((found) => [found.getName(), found.getValue() ?? ''])),
    healthcheck: words(last.get('HEALTHCHECK')),
    entrypoint: words(last.get('ENTRYPOINT')),
    command: words(last.get('CMD')),
    last,
  };
}

/** Everything that is wrong with the Dockerfile and with what it is built of. */
export async function imageFaults(files: Files, openPaths: ReadonlySet<string>): Promise<string[]> {
  const text = files[DOCKERFILE] ?? '';
  const image = readImage(text);
  return [
    ...validate(text).map(({ message }) => String(message)),
    ...baseFaults(text),
    ...contextFaults(text, files[IGNORE_FILE] ?? ''),
    ...contentFaults(text),
    ...runFaults(image, openPaths),
    ...settingFaults(image.environment),
    ...(await commandFaults(image.command)),
  ];
}

function lastStage(text: string): Instruction[] {
  const instructions = DockerfileParser.parse(text).getInstructions();
  return instructions.slice(instructions.findLastIndex((found) => found.getKeyword() === 'FROM'));
}

/** The words of an instruction that needs no shell; none when it does. */
function words(content = ''): string[] {
  const json = /\[.*\]/s.exec(content)?.[0];
  return json ? JSON.parse(json) : [];
}

/** Natively compiled packages run only where they were compiled: both stages have the very same base. */
function baseFaults(text: string): string[] {
  const { engines }: { engines: { node: string } } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8'));
  const oldest = Number(/\d+\.\d+/.exec(engines.node)?.[0]);
  const images = DockerfileParser.parse(text)
    .getFROMs()
    .map((from) => from.getImage() ?? '');
  const version = /^node:(\d+\.\d+)\.\d+-/.exec(images[0] ?? '')?.[1];
  return [
    ...(version && Number(version) >= oldest
      ? []
      : [`${images[0]} names no version that the program runs on`]),
    ...(new Set(images).size === 1 ? [] : [`the stages have different bases: ${images.join(', ')}`]),
  ];
}

/** What is copied from the project exists and is let through, and nothing else is. */
function contextFaults(text: string, ignore: string): string[] {
  const copies = DockerfileParser.parse(text).getCOPYs();
  const copied = copies
    .filter((copy) => !copy.getFromFlag())
    .flatMap((copy) => copy.getArguments().slice(0, -1))
    .map((argument) => argument.getValue());
  const [first, ...patterns] = ignore.split('\n').filter((line) => line && !line.startsWith('#'));
  const letThrough = patterns.map((pattern) => pattern.replace(/^!/, ''));
  return [
    ...(first === '*' ? [] : ['everything is sent to the build']),
    ...copied.filter((name) => !existsSync(ROOT + name)).map((name) => `there is no ${name}`),
    ...copied.filter((name) => !letThrough.includes(name)).map((name) => `${name} is not sent to the build`),
    ...letThrough.filter((name) => !copied.includes(name)).map((name) => `${name} is sent, and not used`),
  ];
}

function contentFaults(text: string): string[] {
  const copied = lastStage(text)
    .filter((found) => found.getKeyword() === 'COPY')
    .flatMap((found) => found.getArguments().slice(0, -1))
    .map((argument) => argument.getValue().replace(/^\/app\//, ''));
  const spare = copied.filter((name) => !SHIPPED.includes(name));
  return [
    ...SHIPPED.filter((name) => !copied.includes(name)).map((name) => `the image lacks ${name}`),
    ...spare.map((name) => `the image has ${name}`),
  ];
}

function runFaults(image: Image, openPaths: ReadonlySet<string>): string[] {
  const { user, environment, healthcheck, entrypoint, last } = image;
  const script = entrypoint[1]?.replace(/^\/app\//, '') ?? '';
  const asked = localAddresses(healthcheck.join(' ')).map(({ path }) => path);
  const rules: readonly (readonly [boolean, string])[] = [
    [/^[1-9]\d*:[1-9]\d*$/.test(user), `it runs as ${user}, which Kubernetes cannot tell from root`],
    [entrypoint[0] === 'node' && existsSync(ROOT + script), 'the entry point is no program, or in a shell'],
    [last.get('STOPSIGNAL') === 'SIGTERM', 'it is stopped by a signal that the daemon does not know'],
    [asked.length > 0 && asked.every((path) => openPaths.has(path)), 'the health check asks no open route'],
    [last.get('EXPOSE') === environment.SWITCHBOARD_PORT, 'it exposes another port than it listens on'],
    [last.get('VOLUME') === environment.SWITCHBOARD_DATA_DIR, 'its data is no volume'],
    [environment.SWITCHBOARD_HOST === '0.0.0.0', 'nobody outside can reach it'],
    [!environment.SWITCHBOARD_TOKEN && !environment.SWITCHBOARD_ENCRYPTION_KEY, 'it holds a secret'],
  ];
  return rules.flatMap(([right, fault]) => (right ? [] : [fault]));
}
