import type { DaemonClient } from '../../terminal/cli/client.js';
import type { Lab } from './lab.js';
import type { FaultWindow, Kept, Observations, ReceiverLog, Written } from './observations.js';

const PAGE = 200;
const FAILED_PAGE = 1_000;
/** The guarantees in the docs for receivers with durable retries, and for brokers. */
const DURABLE = { ordered: true, mayGiveUp: false } as const;

/** Reads every place where the messages of a drill must be. */
export async function collect(
  lab: Lab,
  written: readonly Written[],
  faults: readonly FaultWindow[],
): Promise<Observations> {
  const { client } = lab.node(0);
  const phones = new Map<string, Kept[]>();
  for (const number of new Set(written.flatMap((message) => message.phones))) {
    const held = await lab.phones.messages(number);
    phones.set(
      number,
      held.map(({ messageId, text }) => ({ messageId, token: text })),
    );
  }
  const history = new Map<string, Kept[]>();
  const waiting = new Set<string>();
  for (const { clientId } of lab.cast.sessions) {
    history.set(clientId, await historyOf(client, clientId));
    for (const id of await outboxOf(client, clientId)) waiting.add(id);
  }
  return { written, phones, history, waiting, receivers: await receiverLogs(lab, client), faults };
}

/** The logs of all receivers. Each keeps the order of each chat, except the webhook with the contract's retries. */
async function receiverLogs(lab: Lab, client: DaemonClient): Promise<ReceiverLog[]> {
  const { webhook, durable } = lab.receivers;
  const ids = new Map([
    ['webhook', '1'],
    ['durable', '2'],
    ...lab.brokers.map(({ name }, index): [string, string] => [name, String(index + 3)]),
  ]);
  const failed = new Map<string, Map<string, Set<string>>>();
  for (const [name, receiver] of ids) {
    const bySession = new Map<string, Set<string>>();
    for (const { clientId } of lab.cast.sessions)
      bySession.set(clientId, await failedOf(client, clientId, receiver));
    failed.set(name, bySession);
  }
  const failedOfReceiver = (name: string) => failed.get(name) ?? new Map<string, Set<string>>();
  const brokers: ReceiverLog[] = [];
  for (const broker of lab.brokers) {
    const { name } = broker;
    const arrivals = await broker.arrivals();
    brokers.push({ name, ...DURABLE, arrivals, failed: failedOfReceiver(name) });
  }
  return [
    {
      name: 'webhook',
      ordered: false,
      mayGiveUp: true,
      arrivals: [...webhook.arrivals],
      failed: failedOfReceiver('webhook'),
    },
    { name: 'durable', ...DURABLE, arrivals: [...durable.arrivals], failed: failedOfReceiver('durable') },
    ...brokers,
  ];
}

async function historyOf(client: DaemonClient, clientId: string): Promise<Kept[]> {
  const { chatRooms } = await client.listChatRooms({ clientId });
  const all: Kept[] = [];
  for (const { chatRoomId } of chatRooms) {
    let before: string | undefined;
    do {
      const { messages } = await client.listMessages({
        clientId,
        chatRoomId,
        limit: PAGE,
        before,
      });
      all.push(...messages.map(({ messageId, body }) => ({ messageId, token: body })));
      before = messages.length === PAGE ? messages[0]?.messageId : undefined;
    } while (before !== undefined);
  }
  return all;
}

async function outboxOf(client: DaemonClient, clientId: string): Promise<string[]> {
  const ids: string[] = [];
  let after: string | undefined;
  do {
    const page = await client.listOutbox({ clientId, after });
    ids.push(...page.messages.map(({ messageId }) => messageId));
    after = page.next;
  } while (after !== undefined);
  return ids;
}

/** Message ids in the failed list of a receiver. */
async function failedOf(client: DaemonClient, clientId: string, receiver: string): Promise<Set<string>> {
  const ids = new Set<string>();
  let before: string | undefined;
  do {
    const page = await client.listFailedDeliveries({
      clientId,
      receiver,
      limit: FAILED_PAGE,
      before,
    });
    for (const { messageId } of page.failedDeliveries) ids.add(messageId);
    before = page.next;
  } while (before !== undefined);
  return ids;
}
