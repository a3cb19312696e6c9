/** Routes that messages of the daemon name, and the command that does the same. */
const COMMANDS: Readonly<Record<string, string>> = {
  '/start': 'switchboard pair',
  '/pair-phone': 'switchboard pair --phone',
  '/reconnect': 'switchboard sessions reconnect',
  '/disconnect': 'switchboard sessions disconnect',
  '/export': 'switchboard sessions export',
  '/set-webhook': 'switchboard sessions webhook',
  '/set-proxy': 'switchboard sessions proxy',
  '/set-org-id': 'switchboard sessions org',
  '/check-state': 'switchboard sessions state',
  '/chatrooms': 'switchboard rooms list',
  'GET /outbox': 'switchboard outbox list',
};

const PHRASES: readonly [RegExp, string][] = [
  [/\bunknown clientId (\S+); call \/start first/g, 'there is no session $1'],
  [/\bunknown clientId\b/g, 'there is no such session'],
  [/(a valid token is required): Authorization: Bearer .*$/g, '$1'],
  [/\bhas no webhookUrl\b/g, 'has no webhook'],
  [/\bin its extraEvents\b/g, 'in its extra events'],
  [
    /\bmentions\[\d+\] with value "?([^\s"]+)"? fails to match the LID or phone digits pattern/g,
    'the mention $1 is neither a LID nor a phone number',
  ],
  [/^messageId: (\S+ has no text; only texts)/g, 'message $1'],
  [/\/set-webhook and an empty webhookUrl/g, '/set-webhook, with `--off`'],
  [/\/set-webhook or \/pause-webhook/g, '/set-webhook, also to pause it'],
  [/; name it in \/set-webhook/g, ': name it with /set-webhook, flag `--extra-event`'],
];

const ROUTE = new RegExp(
  `\\b([Cc])all (${Object.keys(COMMANDS).join('|')})\\b(?:, then (${Object.keys(COMMANDS).join('|')})\\b)?`,
  'g',
);
const BARE_ROUTE = new RegExp(`(?<![\\w/.-])(${Object.keys(COMMANDS).join('|')})(?![\\w/-])`, 'g');

/**
 * A message of the daemon in the words of the command line: names commands in place of routes.
 *
 * @param clientId the session that the message is about; the commands then name it
 */
export function inCommands(message: string, clientId?: string): string {
  const command = (route: string) => commandOf(route, clientId);
  const phrased = PHRASES.reduce((text, [api, ours]) => text.replace(api, ours), message);
  return phrased
    .replace(ROUTE, (_, letter: string, first: string, second?: string) => {
      const then = second && second !== first ? `, then \`${command(second)}\`` : '';
      return `${letter === 'C' ? 'Run' : 'run'} \`${command(first)}\`${then}`;
    })
    .replace(BARE_ROUTE, (route) => `\`${command(route)}\``);
}

/** The name of the session is the first argument of each of these commands. */
function commandOf(route: string, clientId: string | undefined): string {
  const [command = '', flags] = (COMMANDS[route] ?? '').split(' --');
  const named = clientId === undefined ? command : `${command} ${clientId}`;
  return flags === undefined ? named : `${named} --${flags}`;
}
