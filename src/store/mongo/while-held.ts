import type {
  ContactStore,
  ExpectedFileStore,
  FailedDeliveryStore,
  FileStore,
  IdempotencyStore,
  PictureStore,
  SendStore,
  TraceStore,
} from '../store.js';
import type { Fences } from './fences.js';

/** What a session writes besides its keys, its journal and its history. */
interface Parts {
  contacts: ContactStore;
  sends: SendStore;
  traces: TraceStore;
  files: FileStore;
  expectedFiles: ExpectedFileStore;
  pictures: PictureStore;
  idempotency: IdempotencyStore;
  failedDeliveries: FailedDeliveryStore;
}

/**
 * The same parts, of which what a session writes is refused as soon as this process knows that it does not hold it. The
 * server does not look again: a request of before that arrives late adds a document that the next owner adds as well or
 * never asks for, or replaces one by what was true a moment ago. What names no session, deletes what is old, or is asked by
 * people on any node, is as it was.
 */
export function whileHeld(fences: Fences, parts: Parts): Parts {
  const { contacts, sends, traces, files, expectedFiles, pictures, idempotency, failedDeliveries } = parts;
  const held =
    <A extends unknown[], R>(write: (clientId: string, ...rest: A) => Promise<R>) =>
    (clientId: string, ...rest: A): Promise<R> =>
      fences.run(clientId, () => write(clientId, ...rest));
  const heldBy =
    <O extends { clientId: string }, A extends unknown[], R>(write: (what: O, ...rest: A) => Promise<R>) =>
    (what: O, ...rest: A): Promise<R> =>
      fences.run(what.clientId, () => write(what, ...rest));
  return {
    contacts: { ...contacts, learn: held(contacts.learn) },
    sends: {
      ...sends,
      put: held(sends.put),
      acknowledge: held(sends.acknowledge),
      close: held(sends.close),
    },
    traces: { ...traces, add: held(traces.add), rekey: held(traces.rekey) },
    files: {
      ...files,
      async write(file, source) {
        try {
          // a release does not wait for bytes that come from far away
          fences.require(file.clientId);
          return await files.write(file, source);
        } finally {
          source.destroy();
        }
      },
    },
    expectedFiles: { ...expectedFiles, add: heldBy(expectedFiles.add) },
    pictures: { ...pictures, put: held(pictures.put) },
    idempotency: {
      ...idempotency,
      claim: held(idempotency.claim),
      answer: held(idempotency.answer),
    },
    failedDeliveries: { ...failedDeliveries, add: heldBy(failedDeliveries.add) },
  };
}
