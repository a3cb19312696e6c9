import { plainLine } from '../../src/domain/text.js';
import { callCommand } from '../../src/terminal/cli/call-command.js';

export default callCommand('getChannel', {
  summary: 'Show a channel, also one that the number does not follow',
  description: 'The channel is named by its jid, or by its link.',
  examples: [
    'acme 120363040000000001@newsletter',
    'acme https://whatsapp.com/channel/0029VaAbCdEfGhIjKlMnOp',
  ],
  args: ['clientId', 'channel'],
  part: ({ channel }) => channel,
  print: ({ channel }) => ({
    fields: {
      channel: plainLine(channel.name),
      jid: channel.jid,
      description: plainLine(channel.description),
      role: channel.role,
      followers: channel.followers === undefined ? 'unknown' : String(channel.followers),
      settings: [channel.isVerified && 'verified', channel.isMuted && 'muted'].filter(Boolean).join(', '),
      link: channel.link,
      created: channel.createdAt,
    },
  }),
});
