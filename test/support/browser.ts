import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';

/** Chromium as Debian packages it. */
const EXECUTABLE = process.env.CHROMIUM ?? '/usr/bin/chromium';
/** No sandbox, because containers run the tests as root; nothing that calls other hosts. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export type { Page } from 'playwright-core';
export type Theme = 'light' | 'dark';

/** A browser with a profile of its own. */
export class TestBrowser {
  readonly #context: BrowserContext;
  readonly #profile: string;

  private constructor(context: BrowserContext, profile: string) {
    this.#context = context;
    this.#profile = profile;
  }

  /** @param theme of the system; the window is as narrow as a small phone */
  static async start(theme: Theme): Promise<TestBrowser> {
    const profile = await mkdtemp(join(tmpdir(), 'browser-'));
    const context = await chromium.launchPersistentContext(profile, {
      executablePath: EXECUTABLE,
      args: FLAGS,
      viewport: { width: 360, height: 740 },
      deviceScaleFactor: 2,
      colorScheme: theme,
    });
    return new TestBrowser(context, profile);
  }

  open(): Promise<Page> {
    return this.#context.newPage();
  }

  async stop(): Promise<void> {
    await this.#context.close();
    await rm(this.#profile, { recursive: true, force: true });
  }
}
