import { DEFAULT_CONNECTION_CONFIG, type proto } from '@whiskeysockets/baileys';
import Joi from 'joi';
import type { NetworkUpdate, NetworkView } from '../../contract/sandbox/index.js';
import type { State } from '../store/state.js';
import { readRow } from '../store/stored-row.js';

const RULES_KEY = 'rules';
const RULES = Joi.object<NetworkUpdate>({
  minVersion: Joi.string().allow(null),
  checkDisplay: Joi.boolean(),
}).unknown();
const PRIMARY = 2;
const SECONDARY = 3000;

/** Demands of the network on every client. The control API changes it while the network runs. */
export class NetworkRules {
  readonly #state: State;
  #rules: Pick<NetworkView, 'minVersion' | 'checkDisplay'> = { minVersion: null, checkDisplay: true };

  constructor(state: State) {
    this.#state = state;
    const [row] = state.rows('network').filter(([key]) => key === RULES_KEY);
    if (row) this.#rules = { ...this.#rules, ...readRow(RULES, row[1]) };
  }

  get checkDisplay(): boolean {
    return this.#rules.checkDisplay;
  }

  change(update: NetworkUpdate): void {
    this.#rules = { ...this.#rules, ...update };
    this.#state.put('network', RULES_KEY, () => JSON.stringify(this.#rules));
  }

  view(): NetworkView {
    return { ...this.#rules, currentVersion: [PRIMARY, SECONDARY, this.revision].join('.') };
  }

  /** The revision that `sw.js` names: the floor, or the library's version if that is newer. */
  get revision(): number {
    return Math.max(DEFAULT_CONNECTION_CONFIG.version[2] ?? 0, this.#floor[2] ?? 0);
  }

  /** False for a version below the floor. */
  accepts(version: proto.ClientPayload.UserAgent.IAppVersion | null | undefined): boolean {
    const shown = [version?.primary ?? 0, version?.secondary ?? 0, version?.tertiary ?? 0];
    const place = this.#floor.findIndex((least, index) => shown[index] !== least);
    return place === -1 || (shown[place] ?? 0) > (this.#floor[place] ?? 0);
  }

  get #floor(): number[] {
    return this.#rules.minVersion?.split('.').map(Number) ?? [];
  }
}

/**
 * The service worker of web.whatsapp.com, as far as clients read it: they look for `"client_revision":N` with or
 * without escaped quotes (whatsmeow `update.go`, zapo `wa-version-fetcher.ts`, Baileys `fetchLatestWaWebVersion`).
 */
export function serviceWorker(revision: number): string {
  const data = JSON.stringify({ dynamic_data: { SiteData: { client_revision: revision } } });
  return `self.__swData=JSON.parse(${JSON.stringify(data)});\n`;
}
