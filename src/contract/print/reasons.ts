import { CALLS, REASONS, type Words } from '../../domain/reason-table.js';

const INTRODUCTION = `# Reasons

Printed by \`npm run openapi\`; do not edit.

Every place that says why something is as it is says it twice: in words, which may change, and as data.

| field | meaning |
|---|---|
| \`reason\` (of an error: \`error\`) | a sentence for people, in the words of the HTTP API |
| \`reasonCode\` | a code of the table below; codes are never renamed |
| \`reasonValues\` | the values that the words name; \`kind\` tells causes of one code apart. A value can be a reason: \`{code, values}\` |
| \`advice\` | calls that help, in their order: \`operation\` is an \`operationId\` of [openapi.json](openapi.json), \`arguments\` are its fields as far as they are known |

Sessions in \`/health/clients\`, \`/fleet\` and \`session_status\` carry them, and the last end of a link as \`lastDisconnectCode\` and
\`lastDisconnectValues\`; so do \`/qr\`, \`/check-state\`, attempts to deliver and failed deliveries. An error whose words name a call has them as JSON in the header
\`X-SN-Reason\`; its body is \`{"error": …}\` alone. Read the code: a later release may add codes and kinds. \`former_words\` is what an earlier release stored without a code.

| code | kind | words |
|---|---|---|
`;

/** The page about reasons, from their table. */
export function reasonsPage(): string {
  const rows = Object.entries(REASONS).flatMap(([code, row]) => {
    const kinds: Readonly<Record<string, Words>> =
      typeof row === 'object' && 'kinds' in row ? row.kinds : { '': row };
    return Object.entries(kinds).map(
      ([kind, words]) => `| \`${code}\` | ${kind && `\`${kind}\``} | ${shown(words)} |`,
    );
  });
  return `${INTRODUCTION}${rows.join('\n')}\n`;
}

/** The words with the calls of the API in the place of their names, and values in braces. */
function shown(words: Words): string {
  const { says, advice = '' } = typeof words === 'string' ? { says: words } : words;
  const names = Object.entries(CALLS).reduce(
    (text, [name, call]) =>
      text
        .replaceAll(`{call ${name}}`, `call ${call}`)
        .replaceAll(`{Call ${name}}`, `Call ${call}`)
        .replaceAll(`{name ${name}}`, call),
    [says, advice].filter(Boolean).join(' '),
  );
  return names.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}
