import { isObject, parseJson } from './json.js';

/** By which setting the people of a status were chosen, in the network's words. */
export type StatusSetting = 'contacts' | 'allowlist' | 'denylist';

/** Who gets a status. */
export interface StatusAudience {
  setting: StatusSetting;
  /** Jids of the people, without the account itself. */
  people: readonly string[];
}

/** The modes of the account's privacy setting. */
export const STATUS_PRIVACY_MODES = ['contacts', 'except', 'only'] as const;
/** Who may see the statuses of an account: all contacts, all but some, or only some. */
export type StatusPrivacyMode = (typeof STATUS_PRIVACY_MODES)[number];

/** The stored form of an audience. */
export function writeAudience({ setting, people }: StatusAudience): string {
  return JSON.stringify({ setting, people });
}

/** Undefined for a message that is no status. */
export function readAudience(stored: string | undefined): StatusAudience | undefined {
  const value = stored ? parseJson(stored) : undefined;
  if (!isObject(value) || !Array.isArray(value.people)) return undefined;
  const setting = value.setting === 'allowlist' || value.setting === 'denylist' ? value.setting : 'contacts';
  return { setting, people: value.people.filter((jid) => typeof jid === 'string') };
}
