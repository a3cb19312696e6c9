import { type ExecFileOptions, execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Milliseconds that each program has. */
const TIMEOUT_MS = 10_000;
/** Bytes of what a program prints. */
const MAX_OUTPUT = 1024 * 1024;
/** Pixels of a thumbnail's longer side. */
const THUMBNAIL_SIDE = 128;
/** Real films from this very file only: play lists would make the programs read other files and addresses. */
const SAFE_INPUT = [
  ...['-protocol_whitelist', 'file'],
  ...['-format_whitelist', 'mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mpegts,flv,ogg'],
];
const FACTS = 'stream=width,height:stream_side_data=rotation:format=duration';

/** What a phone shows of a film before it has it; absent is what could not be told. */
export interface FilmFacts {
  /** Pixels, as it is looked at. */
  width?: number;
  height?: number;
  /** Seconds, with their fraction. */
  seconds?: number;
  /** Small JPEG of the first picture. */
  thumbnail?: Uint8Array;
}

/** The programs that look at films. */
export interface Programs {
  /** Folders in which they are looked for. */
  searchPath: string;
  /** Ends them: nobody would end them later. */
  signal: AbortSignal;
}

/** What ffprobe prints, as far as it is asked for. */
interface Probe {
  streams?: { width?: number; height?: number; side_data_list?: { rotation?: number }[] }[];
  format?: { duration?: string };
}

/**
 * Looks at a film with ffprobe and ffmpeg.
 * @returns undefined when they are not there or can do nothing with it
 */
export async function film(path: string, programs: Programs): Promise<FilmFacts | undefined> {
  const facts = await probe(path, programs).catch(() => undefined);
  if (!facts) return undefined;
  const thumbnail = await firstPicture(path, programs).catch(() => undefined);
  return { ...facts, ...(thumbnail?.length && { thumbnail }) };
}

async function probe(path: string, programs: Programs): Promise<FilmFacts> {
  const asked = ['-v', 'error', '-select_streams', 'v:0', '-show_entries', FACTS, '-of', 'json'];
  const { stdout } = await run('ffprobe', [...asked, ...SAFE_INPUT, `file:${path}`], optionsOf(programs));
  const { streams: [picture] = [], format }: Probe = JSON.parse(stdout.toString());
  const seconds = Number(format?.duration);
  const turned = picture?.side_data_list?.some(({ rotation = 0 }) => Math.abs(rotation) % 180 === 90);
  const { width, height } = picture ?? {};
  return {
    ...(seconds > 0 && { seconds }),
    ...(width && height && (turned ? { width: height, height: width } : { width, height })),
  };
}

async function firstPicture(path: string, programs: Programs): Promise<Uint8Array> {
  const input = ['-nostdin', '-v', 'error', '-threads', '1', ...SAFE_INPUT, '-i', `file:${path}`];
  const scale = `scale=${THUMBNAIL_SIDE}:${THUMBNAIL_SIDE}:force_original_aspect_ratio=decrease`;
  const output = [
    '-an',
    '-sn',
    '-frames:v',
    '1',
    '-vf',
    scale,
    '-c:v',
    'mjpeg',
    '-f',
    'image2pipe',
    'pipe:1',
  ];
  const { stdout } = await run('ffmpeg', [...input, ...output], optionsOf(programs));
  return stdout;
}

function optionsOf({ searchPath, signal }: Programs): ExecFileOptions & { encoding: 'buffer' } {
  return {
    encoding: 'buffer',
    env: { PATH: searchPath },
    killSignal: 'SIGKILL',
    maxBuffer: MAX_OUTPUT,
    signal,
    timeout: TIMEOUT_MS,
  };
}
