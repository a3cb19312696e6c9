import Joi from 'joi';
import type { Phones } from './phone/phone.js';
import { Companion } from './state/account.js';
import type { Network } from './state/network.js';
import { parseAccount, parseCompanion, serialisePair } from './state/records.js';
import type { State } from './store/state.js';
import { readRow, storedPair } from './store/stored-row.js';
import { type Authority, createAuthority } from './wire/keys.js';

const AUTHORITY_KEY = 'authority';
const AUTHORITY = Joi.object<Authority>({ root: storedPair, intermediate: storedPair, server: storedPair });

/** The stored authority, or a new one that is stored. */
export function restoreAuthority(state: State): Authority {
  const [row] = state.rows('network').filter(([key]) => key === AUTHORITY_KEY);
  if (row) return readRow(AUTHORITY, row[1]);
  const authority = createAuthority();
  const { root, intermediate, server } = authority;
  const value = {
    root: serialisePair(root),
    intermediate: serialisePair(intermediate),
    server: serialisePair(server),
  };
  state.put('network', AUTHORITY_KEY, () => JSON.stringify(value));
  return authority;
}

/** Restores all people, devices, groups and messages. Skips rows of people or devices that no longer exist. */
export async function restorePeople(network: Network, phones: Phones, state: State): Promise<void> {
  for (const [, value] of state.rows('account')) phones.restore(parseAccount(value));
  for (const [, value] of state.rows('group')) network.directory.groups.restore(value);
  for (const [, value] of state.rows('channel')) network.directory.channels.restore(value);
  for (const [row, value] of state.rows('channel-post'))
    network.directory.channels.restorePost(head(row), value);
  restoreCompanions(network, state);
  await restoreSignal(network, phones, state);
  restoreHeld(network, phones, state);
}

function restoreCompanions(network: Network, state: State): void {
  for (const [row, value] of state.rows('companion')) {
    const account = network.directory.byKey(row.split(':')[0] ?? '');
    if (!account) continue;
    const companion = new Companion(account, parseCompanion(value), state);
    account.companions.set(companion.id, companion);
  }
  for (const [row, value] of state.rows('shelf')) companionOf(network, row)?.restorePreKeys(value);
  for (const [row, value] of state.rows('mailbox'))
    companionOf(network, head(row))?.mailbox.restore(row, value);
}

async function restoreSignal(network: Network, phones: Phones, state: State): Promise<void> {
  for (const [row, value] of state.rows('phone-prekey')) {
    signalOf(network, phones, row)?.restorePreKey(Number(tail(row)), value);
  }
  for (const [row, value] of state.rows('session')) {
    await signalOf(network, phones, row)?.restoreSession(tail(row), value, state.interrupted);
  }
  for (const [row, value] of state.rows('sender-key'))
    phones.senderKeys.restore(row, value, state.interrupted);
  for (const [row, value] of state.rows('group-keys')) {
    const account = network.directory.byKey(head(row));
    if (account) phones.of(account).groupKeys.restore(tail(row), value, state.interrupted);
  }
}

function restoreHeld(network: Network, phones: Phones, state: State): void {
  for (const [row, value] of state.rows('message')) {
    const account = network.directory.byKey(head(row));
    if (!account) continue;
    const phone = phones.of(account);
    const message = phone.messages.restoreMessage(row, value);
    phone.noteChat(message);
  }
  for (const [row, value] of state.rows('change')) {
    const account = network.directory.byKey(head(row));
    if (account) phones.of(account).changes.restore(row, value);
  }
  for (const [row, value] of state.rows('app-state')) {
    const account = network.directory.byKey(head(row));
    if (account) phones.of(account).settings.restore(tail(row), value);
  }
  for (const [row, value] of state.rows('receipt')) {
    const account = network.directory.byKey(head(row));
    if (account) phones.of(account).messages.restoreReceipts(tail(row), value);
  }
}

function companionOf(network: Network, row: string): Companion | undefined {
  const [key = '', id = ''] = row.split(':');
  return network.directory.byKey(key)?.companions.get(Number(id));
}

function signalOf(network: Network, phones: Phones, row: string) {
  const account = network.directory.byKey(head(row));
  return account && phones.of(account).signal;
}

/** Rows are `owner/rest`. */
function head(row: string): string {
  return row.slice(0, row.indexOf('/'));
}

function tail(row: string): string {
  return row.slice(row.indexOf('/') + 1);
}
