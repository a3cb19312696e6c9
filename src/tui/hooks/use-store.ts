import { useSyncExternalStore } from 'react';

/** Something that changes over time and says so: each change makes a new `state`. */
export interface Store<State> {
  readonly state: State;
  /** Calls back after every change; the returned function ends it. */
  subscribe(listener: () => void): () => void;
}

/** The state of a store, now and after each change. */
export function useStore<State>(store: Store<State>): State {
  return useSyncExternalStore(
    (listener) => store.subscribe(listener),
    () => store.state,
  );
}
