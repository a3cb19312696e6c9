import { initial } from './001-initial.js';
import { openSends } from './002-open-sends.js';
import { history } from './003-history.js';
import { files } from './004-files.js';
import { expectedFiles } from './005-expected-files.js';
import { people } from './006-people.js';
import { messageStatus } from './007-message-status.js';
import { sessionSince } from './008-session-since.js';

/**
 * The schema's history: SQL whose first line is `-- vN (compatible with vM+)`. N counts up by one; a database at N may
 * still be used by programs that know M or later. A released migration is never edited.
 */
export const MIGRATIONS: readonly string[] = [
  initial,
  openSends,
  history,
  files,
  expectedFiles,
  people,
  messageStatus,
  sessionSince,
];
