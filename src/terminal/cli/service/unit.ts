import { xmlText } from '../text.js';

/** How a service is run. */
export interface ServicePlan {
  /** Service of this user, or of the whole machine. */
  scope: 'user' | 'system';
  /** The words that start the daemon. */
  command: readonly string[];
  /** Folder of the daemon's data; the platform's own if undefined. */
  dataDir: string | undefined;
  /** True if Node or the program is in a home folder. */
  needsHome: boolean;
}

/** Name of the service. */
export const SERVICE = 'switchboard';

/** Options that need root, because they change mount namespaces. */
const SYSTEM_HARDENING = [
  'CapabilityBoundingSet=',
  'PrivateDevices=yes',
  'PrivateTmp=yes',
  'ProtectClock=yes',
  'ProtectControlGroups=yes',
  'ProtectHostname=yes',
  'ProtectKernelLogs=yes',
  'ProtectKernelModules=yes',
  'ProtectKernelTunables=yes',
  'ProtectProc=invisible',
  'ProtectSystem=strict',
];

/** Hardening options; without MemoryDenyWriteExecute, because Node compiles JavaScript at run time. */
const HARDENING = [
  'LockPersonality=yes',
  'NoNewPrivileges=yes',
  'RestrictAddressFamilies=AF_INET AF_INET6 AF_NETLINK AF_UNIX',
  // needed by the programs that inspect files, which run in a separate network namespace
  'RestrictNamespaces=user net',
  'RestrictRealtime=yes',
  'RestrictSUIDSGID=yes',
  'SystemCallArchitectures=native',
  'UMask=0077',
];

/** The systemd unit. The daemon sends readiness and watchdog notifications, so that systemd restarts it if it hangs. */
export function systemdUnit({ scope, command, dataDir, needsHome }: ServicePlan): string {
  const isSystem = scope === 'system';
  const data = dataDir ?? (isSystem ? `/var/lib/${SERVICE}` : undefined);
  const isOwnFolder = data === `/var/lib/${SERVICE}`;
  const lines = [
    '# written by `switchboard service install`',
    '[Unit]',
    'Description=Switchboard, a WhatsApp gateway',
    ...(isSystem ? ['Wants=network-online.target', 'After=network-online.target'] : []),
    '',
    '[Service]',
    'Type=notify',
    // notifications come from systemd-notify, a child process
    'NotifyAccess=all',
    `ExecStart=${command.map((word) => quoted(word).replaceAll('$', '$$$$')).join(' ')}`,
    'Restart=on-failure',
    'RestartSec=2',
    'WatchdogSec=60',
    'TimeoutStartSec=120',
    // in a cluster the node first hands its sessions over
    'TimeoutStopSec=150',
    ...(data ? [`Environment=${quoted(`SWITCHBOARD_DATA_DIR=${data}`)}`] : []),
    ...(isSystem ? [`EnvironmentFile=-/etc/${SERVICE}/${SERVICE}.env`] : []),
    ...(isSystem && isOwnFolder
      ? ['DynamicUser=yes', `User=${SERVICE}`, `StateDirectory=${SERVICE}`, 'StateDirectoryMode=0700']
      : []),
    ...(isSystem && !isOwnFolder && data ? [`ReadWritePaths=${quoted(data)}`] : []),
    ...(isSystem ? [...SYSTEM_HARDENING, `ProtectHome=${needsHome ? 'read-only' : 'yes'}`] : []),
    ...HARDENING,
    '',
    '[Install]',
    `WantedBy=${isSystem ? 'multi-user' : 'default'}.target`,
  ];
  return `${lines.join('\n')}\n`;
}

/** Quotes a word for systemd, and escapes `%`. `$` is special only in ExecStart. */
function quoted(word: string): string {
  const escaped = word.replaceAll('%', '%%');
  return /^[\w./:=@%+,-]+$/.test(word) ? escaped : `"${escaped.replace(/["\\]/g, '\\$&')}"`;
}

/** Label of the service for launchd. */
export const LABEL = 'dev.switchboard.gateway';

/** The launchd property list. @param logPath file for standard output and standard error */
export function launchdPlist({ command, dataDir }: ServicePlan, logPath: string): string {
  const variables = dataDir ? { SWITCHBOARD_DATA_DIR: dataDir } : {};
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key><string>${LABEL}</string>
  <key>ProgramArguments</key>
  <array>
${command.map((word) => `    <string>${xmlText(word)}</string>`).join('\n')}
  </array>
  <key>EnvironmentVariables</key>
  <dict>
${Object.entries(variables)
  .map(([name, value]) => `    <key>${name}</key><string>${xmlText(value)}</string>`)
  .join('\n')}
  </dict>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>
  <key>Umask</key><integer>63</integer>
  <key>StandardOutPath</key><string>${xmlText(logPath)}</string>
  <key>StandardErrorPath</key><string>${xmlText(logPath)}</string>
</dict>
</plist>
`;
}
