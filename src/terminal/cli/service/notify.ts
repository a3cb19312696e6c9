import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);
/** Milliseconds after which a notice counts as lost. */
const NOTICE_MS = 10_000;

/** Notifies systemd of the daemon's state. */
export interface Notifier {
  ready(): void;
  stopping(): void;
}

const NOBODY: Notifier = { ready: () => undefined, stopping: () => undefined };

/**
 * Notifies the service manager with `systemd-notify`, because Node has no Unix datagram sockets. After `ready`, notifies
 * twice per watchdog interval that the event loop is not blocked (sd_notify(3)).
 * @param env `NOTIFY_SOCKET` and `WATCHDOG_USEC` (microseconds), as systemd sets them; without `NOTIFY_SOCKET` this does
 * nothing
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
