import { Readable } from 'node:stream';
import PQueue from 'p-queue';
import type { Clock } from '../../../domain/clock.js';
import { nextFileSlice } from '../../../domain/file-slices.js';
import { LIMITS } from '../../../domain/limits.js';
import { shownUrl } from '../../../domain/text.js';
import type { LinkPreview } from '../../kinds/kind.js';
import type { Logger } from '../../log.js';
import { essenceOf } from './file-types.js';
import type { Inspector } from './inspect/inspector.js';
import type { Spool } from './spool.js';
import type { UrlFetcher } from './url-fetcher.js';

/** Previews that are fetched in parallel: each holds a page or a picture in memory. */
const AT_ONCE = 8;
const PAGE_TYPES: ReadonlySet<string> = new Set(['text/html', 'application/xhtml+xml']);
/** Characters of a page that are parsed without a break. */
const SLICE_LENGTH = 32 * 1024;
/** Characters that phones show at most. */
const MAX_TITLE = 300;
const MAX_DESCRIPTION = 1_000;

/**
 * Fetches what a link leads to: the title, the description and the picture that its page names for previews. Page and picture
 * come through the guard against private addresses, within one time limit. Without its picture a preview has no thumbnail.
 */
export class LinkPreviews {
  readonly #options;
  readonly #queue = new PQueue({ concurrency: AT_ONCE });

  constructor(options: {
    fetcher: Pick<UrlFetcher, 'beginning'>;
    spool: Pick<Spool, 'write'>;
    inspector: Pick<Inspector, 'look'>;
    clock: Clock;
    log: Logger;
  }) {
    this.#options = options;
  }

  /** Undefined when the link has no preview, or it could not be fetched in time. Never throws. */
  async of(clientId: string, url: string): Promise<LinkPreview | undefined> {
    const { clock, log } = this.#options;
    const deadline = new AbortController();
    const late = new Error(`it took longer than ${LIMITS.linkPreviewMs / 1_000} s`);
    const cancel = clock.after(LIMITS.linkPreviewMs, () => deadline.abort(late));
    try {
      return await this.#queue.add(() => this.#fetch(clientId, url, deadline.signal));
    } catch (error) {
      log.info({ err: error, url: shownUrl(url) }, 'no link preview; the text is sent without it');
      return undefined;
    } finally {
      cancel();
    }
  }

  async #fetch(clientId: string, url: string, signal: AbortSignal): Promise<LinkPreview | undefined> {
    signal.throwIfAborted();
    const maxBytes = LIMITS.linkPreviewPageBytes;
    const page = await this.#options.fetcher.beginning(url, { maxBytes, signal });
    if (!PAGE_TYPES.has(essenceOf(page.contentType))) return undefined;
    const { title, description, picture } = await readPage(page.bytes, page.contentType);
    if (!title) return undefined;
    const thumbnail = URL.canParse(picture, page.url)
      ? await this.#thumbnail(clientId, new URL(picture, page.url).href, signal)
      : undefined;
    return { url, title, description, ...(thumbnail && { thumbnail }) };
  }

  /** A small JPEG; undefined when the picture cannot be fetched or read. */
  async #thumbnail(clientId: string, url: string, signal: AbortSignal): Promise<Uint8Array | undefined> {
    const { fetcher, spool, inspector, log } = this.#options;
    try {
      const maxBytes = LIMITS.linkPreviewPictureBytes;
      const { bytes, isWhole, contentType } = await fetcher.beginning(url, { maxBytes, signal });
      if (!isWhole || !essenceOf(contentType).startsWith('image/')) return undefined;
      const file = await spool.write(clientId, Readable.from([bytes]), (source) => source);
      const looking = inspector.look(clientId, file.path, contentType, false);
      const { thumbnail } = await looking.finally(file.discard);
      return thumbnail;
    } catch (error) {
      log.info({ err: error, url: shownUrl(url) }, 'no picture for a link preview');
      return undefined;
    }
  }
}

/** The facts that a page tells about itself; empty where it tells none. */
interface PageFacts {
  title: string;
  description: string;
  /** Address, perhaps relative. */
  picture: string;
}

/** The names of `<meta>` that tell each fact, the best first. */
const META: Readonly<Record<keyof PageFacts, readonly string[]>> = {
  title: ['og:title', 'twitter:title'],
  description: ['og:description', 'twitter:description', 'description'],
  picture: ['og:image:secure_url', 'og:image', 'og:image:url', 'twitter:image', 'twitter:image:src'],
};

async function readPage(bytes: Buffer, contentType: string): Promise<PageFacts> {
  const ofHeader = /charset=["']?([\w-]+)/i.exec(contentType)?.[1];
  const parsed = await parse(decode(bytes, ofHeader));
  // only the page itself may say how it is encoded
  const { meta, title } = ofHeader || !parsed.charset ? parsed : await parse(decode(bytes, parsed.charset));
  const first = (fact: keyof PageFacts) => META[fact].map((name) => meta.get(name)).find(Boolean) ?? '';
  return {
    title: beginningOf(first('title') || title, MAX_TITLE),
    description: beginningOf(first('description'), MAX_DESCRIPTION),
    picture: first('picture'),
  };
}

/** So many characters at most, and never half of a surrogate pair. */
function beginningOf(text: string, length: number): string {
  const beginning = text.slice(0, length);
  return beginning.isWellFormed() ? beginning : beginning.slice(0, -1);
}

/** UTF-8 unless a known encoding is named. */
function decode(bytes: Buffer, charset = 'utf-8'): string {
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

/** The first value of each `<meta>`, the text of `<title>`, and the encoding that the page names. */
async function parse(html: string): Promise<{ meta: Map<string, string>; title: string; charset: string }> {
  const { Parser } = await import('htmlparser2');
  const meta = new Map<string, string>();
  let charset = '';
  let title = '';
  let inTitle = false;
  const parser = new Parser({
    onopentag(tag, { property, name, content = '', charset: named }) {
      if (tag === 'title') inTitle = title === '';
      if (tag !== 'meta') return;
      charset ||= named ?? '';
      const key = (property ?? name ?? '').toLowerCase();
      if (key && content.trim() && !meta.has(key)) meta.set(key, oneLine(content));
    },
    ontext(text) {
      if (inTitle) title += text;
    },
    onclosetag(tag) {
      if (tag === 'title') inTitle = false;
    },
  });
  for (let start = 0; start < html.length; start += SLICE_LENGTH) {
    // a page of tags alone would hold up all other requests for a quarter of a second
    await nextFileSlice();
    parser.write(html.slice(start, start + SLICE_LENGTH));
  }
  parser.end();
  return { meta, title: oneLine(title), charset };
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
