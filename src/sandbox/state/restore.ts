import { Account, parseAccount, parsePair, serialisePair } from '../account.js';
import { Companion, parseCompanion } from '../companion.js';
import type { Network } from '../network.js';
import { chatOf } from '../phone/targets.js';
import { type Authority, createAuthority } from '../wire/certificate.js';
import type { State } from './state.js';

const AUTHORITY_KEY = 'authority';

/** The kept authority, or a new one that is kept from now on. */
export function restoreAuthority(state: State): Authority {
  const [row] = state.rows('network').filter(([key]) => key === AUTHORITY_KEY);
  if (row) {
    const { root, intermediate, server } = JSON.parse(row[1]);
    return { root: parsePair(root), intermediate: parsePair(intermediate), server: parsePair(server) };
  }
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

/** Puts everybody back where the kept state has them. Rows of people or devices that are gone are dropped. */
export async function restorePeople(network: Network, state: State): Promise<void> {
  for (const [, value] of state.rows('account'))
    network.registry.add(new Account(parseAccount(value), state));
  for (const [, value] of state.rows('group')) network.groups.restore(value);
  restoreCompanions(network, state);
  await restoreSignal(network, state);
  restoreHeld(network, state);
}

function restoreCompanions(network: Network, state: State): void {
  for (const [row, value] of state.rows('companion')) {
    const account = network.registry.byKey(row.split(':')[0] ?? '');
    if (!account) continue;
    const companion = new Companion(account, parseCompanion(value), state);
    account.companions.set(companion.id, companion);
  }
  for (const [row, value] of state.rows('shelf')) companionOf(network, row)?.restoreShelf(value);
  for (const [row, value] of state.rows('mailbox'))
    companionOf(network, head(row))?.mailbox.restore(row, value);
}

async function restoreSignal(network: Network, state: State): Promise<void> {
  for (const [row, value] of state.rows('phone-prekey')) {
    signalOf(network, row)?.restorePreKey(Number(tail(row)), value);
  }
  for (const [row, value] of state.rows('session')) {
    await signalOf(network, row)?.restoreSession(tail(row), value, state.interrupted);
  }
  for (const [row, value] of state.rows('sender-key'))
    network.senderKeys.restore(row, value, state.interrupted);
  for (const [row, value] of state.rows('group-keys')) {
    const account = network.registry.byKey(head(row));
    if (account) network.phone(account).groupKeys.restore(tail(row), value, state.interrupted);
  }
}

function restoreHeld(network: Network, state: State): void {
  for (const [row, value] of state.rows('message')) {
    const account = network.registry.byKey(head(row));
    if (!account) continue;
    const phone = network.phone(account);
    const message = phone.held.restoreMessage(row, value);
    phone.meet(chatOf(message));
  }
  for (const [row, value] of state.rows('change')) {
    const account = network.registry.byKey(head(row));
    if (account) network.phone(account).changes.restore(row, value);
  }
  for (const [row, value] of state.rows('app-state')) {
    const account = network.registry.byKey(head(row));
    if (account) network.settings.of(account).restore(tail(row), value);
  }
  for (const [row, value] of state.rows('receipt')) {
    const account = network.registry.byKey(head(row));
    if (account) network.phone(account).held.restoreReceipts(tail(row), value);
  }
}

function companionOf(network: Network, row: string): Companion | undefined {
  const [key = '', id = ''] = row.split(':');
  return network.registry.byKey(key)?.companions.get(Number(id));
}

function signalOf(network: Network, row: string) {
  const account = network.registry.byKey(head(row));
  return account && network.phone(account).signal;
}

/** Rows are `owner/rest`. */
function head(row: string): string {
  return row.slice(0, row.indexOf('/'));
}

function tail(row: string): string {
  return row.slice(row.indexOf('/') + 1);
}
