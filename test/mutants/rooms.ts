/** A room of the code, and the tests that hold its rules. */
export interface Room {
  /** Files whose mutants are made. */
  mutate: readonly string[];
  /**
   * Test files, or folders of them, that must notice the mutants; they run in this order, so quick ones come first. Tests that
   * start processes of their own cannot notice a mutant.
   */
  specs: readonly string[];
}

/** The rooms where a mistake loses, doubles or leaks something. */
export const ROOMS: Readonly<Record<string, Room>> = {
  sessions: {
    mutate: ['src/domain/session.ts', 'src/gateway/services/sessions/*.ts'],
    specs: [
      'test/domain/domain.test.ts',
      'test/gateway/services/sessions/api-secret.test.ts',
      'test/gateway/services/sessions/session.test.ts',
      'test/gateway/services/sessions/session-directory.test.ts',
      'test/gateway/services/sessions/sessions.test.ts',
      'test/gateway/http/linking.test.ts',
      'test/api/sessions.test.ts',
    ],
  },
  delivery: {
    mutate: ['src/gateway/delivery/!(guard).ts'],
    specs: [
      'test/gateway/delivery',
      'test/gateway/services/receivers/deliveries.test.ts',
      'test/gateway/services/receivers/listeners.test.ts',
      'test/gateway/http/events.test.ts',
    ],
  },
  messages: {
    mutate: [
      'src/gateway/services/access.ts',
      'src/gateway/services/{receiving,policies,sending,chats}/*.ts',
      'src/gateway/services/receivers/announce.ts',
      'src/gateway/services/spans.ts',
    ],
    specs: [
      'test/gateway/services/receiving',
      'test/gateway/services/policies',
      'test/gateway/services/sending',
      'test/gateway/services/receivers/announce.test.ts',
      'test/api/chats.test.ts',
      'test/api/message-actions.test.ts',
      'test/api/sending.test.ts',
      'test/api/unreadable.test.ts',
      'test/api/messages-out.test.ts',
      'test/api/library.test.ts',
      'test/api/group-messages.test.ts',
      'test/api/polls.test.ts',
    ],
  },
  journal: {
    mutate: [
      'src/gateway/link/baileys/{journal,unreadable}.ts',
      'src/gateway/services/history/{envelope,traces}.ts',
      'src/gateway/services/receiving/origin.ts',
      'src/gateway/services/store-retry.ts',
    ],
    specs: [
      'test/gateway/services/store-retry.test.ts',
      'test/gateway/services/receiving/events.test.ts',
      'test/gateway/services/receiving/receive.test.ts',
      'test/gateway/services/receiving/journal.test.ts',
      'test/gateway/services/receiving/votes.test.ts',
      'test/gateway/services/receiving/changes.test.ts',
      'test/gateway/link/journal.test.ts',
      'test/gateway/link/messages.test.ts',
      'test/gateway/link/key-bundles.test.ts',
      'test/gateway/link/unreadable.test.ts',
      'test/api/unreadable.test.ts',
      'test/api/messages-in.test.ts',
    ],
  },
  sealing: {
    mutate: ['src/gateway/store/sealing/*.ts'],
    specs: [
      'test/gateway/store/sealing',
      'test/gateway/store/open.test.ts',
      'test/gateway/store/sqlite/contract.test.ts',
    ],
  },
  cluster: {
    mutate: ['src/gateway/cluster/*.ts'],
    specs: [
      // the other tests of this folder are of whole processes
      'test/gateway/cluster/node-auth.test.ts',
      'test/gateway/cluster/owners.test.ts',
      'test/gateway/cluster/leases.test.ts',
      'test/gateway/cluster/cluster.test.ts',
      'test/gateway/cluster/registry.test.ts',
      'test/gateway/http/owner.test.ts',
      'test/gateway/http/owner-unsettled.test.ts',
      'test/gateway/http/nodes.test.ts',
    ],
  },
  authentication: {
    mutate: [
      'src/gateway/http/plugins/auth.ts',
      'src/gateway/http/wrong-tokens.ts',
      'src/gateway/http/caller.ts',
      'src/gateway/services/sessions/api-secret.ts',
    ],
    specs: [
      'test/gateway/http/auth.test.ts',
      'test/gateway/http/misuse.test.ts',
      'test/gateway/http/openapi.test.ts',
      'test/gateway/http/linking.test.ts',
      'test/gateway/services/sessions/api-secret.test.ts',
    ],
  },
  guard: {
    mutate: ['src/gateway/delivery/guard.ts', 'src/gateway/services/files/url-fetcher.ts'],
    specs: [
      'test/gateway/delivery/guard.test.ts',
      'test/gateway/services/files/url-fetcher.test.ts',
      'test/gateway/services/files/link-previews.test.ts',
    ],
  },
};
