import { plainLine } from '../../src/domain/text.js';
import { callCommand } from '../../src/terminal/cli/call-command.js';
import { ageText } from '../../src/terminal/cli/text.js';

export default callCommand('listChannelPosts', {
  summary: 'List the newest posts of a channel',
  description: 'Asks WhatsApp; oldest first. The number need not follow the channel.',
  examples: [
    'acme 120363040000000001@newsletter --limit 10',
    'acme 120363040000000001@newsletter --json | jq -r ".posts[].body"',
  ],
  args: ['clientId', 'channelJid'],
  print: ({ posts, next }) => ({
    table: {
      head: ['AGE', 'KIND', 'VIEWS', 'REACTIONS', 'MESSAGE', 'TEXT'],
      rows: posts.map(({ timestamp, kind, views, reactions, messageId, body }) => [
        ageText(timestamp, Date.now()),
        kind,
        String(views),
        reactions.map(({ emoji, count }) => `${plainLine(emoji)} ${count}`).join(' '),
        plainLine(messageId),
        plainLine(body),
      ]),
      none: 'no posts',
    },
    note: next === undefined ? undefined : `older posts: --before ${next}`,
  }),
});
