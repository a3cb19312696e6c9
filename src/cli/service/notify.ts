import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);
/** Milliseconds after which a notice counts as lost. */
const NOTICE_MS = 10_000;

/** Tells systemd how the daemon is. */
export interface Notifier {
  ready(): void;
  stopping(): void;
}

const NOBODY: Notifier = { ready: () => undefined, stopping: () => undefined };

/**
 * Tells the service manager that started this process, by `systemd-notify`: Node has no datagram sockets of Unix. After
 * `ready`, tells twice in each watchdog interval that the event loop is not blocked (sd_notify(3)).
 * @param env `NOTIFY_SOCKET` and `WATCHDOG_USEC` (microseconds), as systemd sets them; without the first, does nothing
 */
export function createNotifier(env: NodeJS.ProcessEnv, onTrouble: (error: unknown) => void): Notifier {
  if (!env.NOTIFY_SOCKET) return NOBODY;
  const tell = (...words: string[]) => {
    run('systemd-notify', words, { timeout: NOTICE_MS }).catch(onTrouble);
  };
  const intervalMs = Number(env.WATCHDOG_USEC ?? 0) / 1000 / 2;
  let timer: NodeJS.Timeout | undefined;
  return {
    ready() {
      tell('--ready');
      if (intervalMs > 0) timer = setInterval(() => tell('WATCHDOG=1'), intervalMs).unref();
    },
    stopping() {
      clearInterval(timer);
      tell('STOPPING=1');
    },
  };
}
