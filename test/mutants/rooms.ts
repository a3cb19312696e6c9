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
    mutate: ['src/domain/session.ts', 'src/services/sessions/*.ts'],
    specs: [
      'test/domain/domain.test.ts',
      'test/services/api-secret.test.ts',
      'test/services/session.test.ts',
      'test/services/session-directory.test.ts',
      'test/services/sessions.test.ts',
      'test/http/linking.test.ts',
      'test/api/sessions.test.ts',
    ],
  },
  delivery: {
    mutate: ['src/delivery/!(guard).ts'],
    specs: [
      'test/delivery',
      'test/services/deliveries.test.ts',
      'test/services/listeners.test.ts',
      'test/http/events.test.ts',
    ],
  },
  messages: {
    mutate: ['src/services/access.ts', 'src/services/messages/*.ts'],
    specs: [
      'test/services/messages',
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
      'src/link/baileys/{journal,unreadable}.ts',
      'src/services/incoming/*.ts',
      'src/services/store-retry.ts',
    ],
    specs: [
      'test/services/store-retry.test.ts',
      'test/services/messages/events.test.ts',
      'test/services/messages/receive.test.ts',
      'test/services/messages/journal.test.ts',
      'test/services/messages/votes.test.ts',
      'test/services/messages/changes.test.ts',
      'test/link/journal.test.ts',
      'test/link/messages.test.ts',
      'test/link/key-bundles.test.ts',
      'test/link/unreadable.test.ts',
      'test/api/unreadable.test.ts',
      'test/api/messages-in.test.ts',
    ],
  },
  sealing: {
    mutate: ['src/store/sealing/*.ts'],
    specs: ['test/store/sealing', 'test/store/open.test.ts', 'test/store/sqlite/contract.test.ts'],
  },
  cluster: {
    mutate: ['src/cluster/*.ts'],
    specs: [
      // the other tests of this folder are of whole processes
      'test/cluster/node-auth.test.ts',
      'test/cluster/owners.test.ts',
      'test/cluster/leases.test.ts',
      'test/cluster/cluster.test.ts',
      'test/cluster/registry.test.ts',
      'test/http/owner.test.ts',
      'test/http/owner-unsettled.test.ts',
      'test/http/nodes.test.ts',
    ],
  },
  authentication: {
    mutate: [
      'src/http/plugins/auth.ts',
      'src/http/wrong-tokens.ts',
      'src/http/caller.ts',
      'src/services/sessions/api-secret.ts',
    ],
    specs: [
      'test/http/auth.test.ts',
      'test/http/misuse.test.ts',
      'test/http/openapi.test.ts',
      'test/http/linking.test.ts',
      'test/services/api-secret.test.ts',
    ],
  },
  guard: {
    mutate: ['src/delivery/guard.ts', 'src/services/files/url-fetcher.ts'],
    specs: [
      'test/delivery/guard.test.ts',
      'test/services/files/url-fetcher.test.ts',
      'test/services/files/link-previews.test.ts',
    ],
  },
};
