import { existsSync, readFileSync } from 'node:fs';
import { commandFaults, type Files, localAddresses, ROOT, settingFaults } from './manifests.js';

export const DOCKERFILE = 'Dockerfile';
export const IGNORE_FILE = '.dockerignore';

/** What the image holds beside the packages. */
const SHIPPED = ['bin', 'dist', 'node_modules', 'package.json', 'oclif.manifest.json', 'LICENSE'];

/** One instruction of a Dockerfile: its keyword, and its arguments as written. */
interface Instruction {
  keyword: string;
  content: string;
}

/** The last stage of a Dockerfile. */
export interface Image {
  /** `user:group` as written. */
  user: string;
  environment: Record<string, string>;
  /** The health check's program and arguments; empty if it needs a shell. */
  healthcheck: string[];
  entrypoint: string[];
  command: string[];
  /** The arguments of each instruction, by keyword. */
  last: ReadonlyMap<string, string>;
}

export function readImage(text: string): Image {
  const instructions = instructionsOf(text);
  const stage = instructions.slice(instructions.findLastIndex(({ keyword }) => keyword === 'FROM'));
  const last = new Map(stage.map(({ keyword, content }) => [keyword, content]));
  const variables = contentsOf(instructions, 'ENV').flatMap((content) => content.split(/\s+/));
  return {
    user: last.get('USER') ?? 'root',
    environment: Object.fromEntries(
      variables.map((variable) => {
        const [name = '', ...value] = variable.split('=');
        return [name, value.join('=')];
      }),
    ),
    healthcheck: execForm(last.get('HEALTHCHECK')),
    entrypoint: execForm(last.get('ENTRYPOINT')),
    command: execForm(last.get('CMD')),
    last,
  };
}

/** Everything in the Dockerfile and `.dockerignore` that does not fit the project. */
export async function imageFaults(files: Files, openPaths: ReadonlySet<string>): Promise<string[]> {
  const text = files[DOCKERFILE] ?? '';
  const image = readImage(text);
  return [
    ...baseFaults(text),
    ...contextFaults(text, files[IGNORE_FILE] ?? ''),
    ...contentFaults(text),
    ...runFaults(image, openPaths),
    ...settingFaults(image.environment),
    ...(await commandFaults(image.command)),
  ];
}

function instructionsOf(text: string): Instruction[] {
  const lines = text
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n/g, ' ')
    .split('\n');
  return lines.flatMap((line) => {
    const [, keyword, content] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
    return keyword && content ? [{ keyword, content: content.trim() }] : [];
  });
}

function contentsOf(instructions: readonly Instruction[], wanted: string): string[] {
  return instructions.filter(({ keyword }) => keyword === wanted).map(({ content }) => content);
}

/** The words of an instruction that needs no shell; none when it does. */
function execForm(content = ''): string[] {
  const json = /\[.*\]/s.exec(content)?.[0];
  return json ? JSON.parse(json) : [];
}

/** What COPY instructions take from the project, or from another stage. */
function copied(instructions: readonly Instruction[], { fromStage }: { fromStage: boolean }): string[] {
  return contentsOf(instructions, 'COPY')
    .filter((content) => content.startsWith('--from=') === fromStage)
    .flatMap((content) =>
      content
        .replace(/^--from=\S+\s+/, '')
        .split(/\s+/)
        .slice(0, -1),
    );
}

/** Natively compiled packages run only where they were compiled: both stages have the very same base. */
function baseFaults(text: string): string[] {
  const { engines }: { engines: { node: string } } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8'));
  const oldest = Number(/\d+\.\d+/.exec(engines.node)?.[0]);
  const images = contentsOf(instructionsOf(text), 'FROM').map((content) => content.split(/\s+/)[0] ?? '');
  const version = /^node:(\d+\.\d+)\.\d+-/.exec(images[0] ?? '')?.[1];
  return [
    ...images
      .filter((name) => !/@sha256:[0-9a-f]{64}$/.test(name))
      .map((name) => `${name} is not pinned: its tag may name another image tomorrow`),
    ...(version && Number(version) >= oldest
      ? []
      : [`${images[0]} names no version that the program runs on`]),
    ...(new Set(images).size === 1 ? [] : [`the stages have different bases: ${images.join(', ')}`]),
  ];
}

/** What is copied from the project exists and is sent to the build, and nothing else is. */
function contextFaults(text: string, ignore: string): string[] {
  const names = copied(instructionsOf(text), { fromStage: false });
  const [first, ...patterns] = ignore.split('\n').filter((line) => line && !line.startsWith('#'));
  const sent = patterns.map((pattern) => pattern.replace(/^!/, ''));
  return [
    ...(first === '*' ? [] : ['everything is sent to the build']),
    ...names.filter((name) => !existsSync(ROOT + name)).map((name) => `there is no ${name}`),
    ...names.filter((name) => !sent.includes(name)).map((name) => `${name} is not sent to the build`),
    ...sent.filter((name) => !names.includes(name)).map((name) => `${name} is sent, and not used`),
  ];
}

function contentFaults(text: string): string[] {
  const instructions = instructionsOf(text);
  const stage = instructions.slice(instructions.findLastIndex(({ keyword }) => keyword === 'FROM'));
  const names = [...copied(stage, { fromStage: false }), ...copied(stage, { fromStage: true })].map((name) =>
    name.replace(/^\/app\//, ''),
  );
  return [
    ...SHIPPED.filter((name) => !names.includes(name)).map((name) => `the image lacks ${name}`),
    ...names.filter((name) => !SHIPPED.includes(name)).map((name) => `the image has ${name}`),
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
