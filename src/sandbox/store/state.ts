/** The kinds of stored rows. */
export type Bucket =
  | 'network'
  | 'account'
  | 'companion'
  | 'shelf'
  | 'phone-prekey'
  | 'session'
  | 'message'
  | 'change'
  | 'receipt'
  | 'mailbox'
  | 'app-state'
  | 'group'
  | 'channel'
  | 'channel-post'
  | 'sender-key'
  | 'group-keys';

/**
 * The stored state, as rows of text. Writes are collected and committed together a moment later, so that a row that
 * changes many times in that moment is written once; `value` is only called at the commit.
 */
export interface State {
  /** All rows of a bucket, ordered by key. */
  rows(bucket: Bucket): [key: string, value: string][];
  put(bucket: Bucket, key: string, value: () => string): void;
  remove(bucket: Bucket, key: string): void;
  /** Commits the collected writes now. */
  flush(): void;
  /** Commits and closes. */
  close(): void;
  /** True when rows were found and the last run did not get to `close`. */
  readonly interrupted: boolean;
}

/** The state of a sandbox without a folder: stores nothing. */
export const forgetfulState: State = {
  interrupted: false,
  rows: () => [],
  put: () => undefined,
  remove: () => undefined,
  flush: () => undefined,
  close: () => undefined,
};
