/** The kinds of rows that the sandbox keeps. */
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
  | 'sender-key'
  | 'group-keys';

/**
 * What outlives a restart, as rows of text. Writes are collected and committed together a moment later, so that
 * a row that changes many times in that moment is written once; `value` is only called then.
 */
export interface State {
  /** All rows of a bucket, in the order of their keys. */
  rows(bucket: Bucket): [key: string, value: string][];
  put(bucket: Bucket, key: string, value: () => string): void;
  remove(bucket: Bucket, key: string): void;
  /** Commits everything that is waiting. */
  flush(): void;
  /** Commits and closes. */
  close(): void;
  /** True when rows were found and the last run did not get to `close`. */
  readonly interrupted: boolean;
}

/** State of a sandbox without a folder: nothing outlives the process. */
export const forgetfulState: State = {
  interrupted: false,
  rows: () => [],
  put: () => undefined,
  remove: () => undefined,
  flush: () => undefined,
  close: () => undefined,
};
