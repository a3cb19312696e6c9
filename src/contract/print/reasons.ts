import { everyReason, textOf } from '../../domain/reasons.js';

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

/** The page about reasons, from their table: names in braces stand for values. */
export function reasonsPage(): string {
  const rows = everyReason((name) => `{${name}}`).map((reason) => {
    const { kind } = reason.values;
    const words = textOf(reason).replaceAll('|', '\\|').replaceAll('<', '&lt;');
    return `| \`${reason.code}\` | ${typeof kind === 'string' ? `\`${kind}\`` : ''} | ${words} |`;
  });
  return `${INTRODUCTION}${rows.join('\n')}\n`;
}
