import { callCommand } from '../../src/terminal/cli/call-command.js';
import { TIMERS, timerName } from '../../src/terminal/cli/timer.js';

export default callCommand('setDisappearingMessages', {
  summary: 'Set the time after which messages of a chat disappear',
  description: `Applies to everyone in the chat, and to new messages only. \`switchboard profile set\` sets the timer of new chats.`,
  examples: ['acme +15550000002 7d', 'acme 120363040000000001@g.us off'],
  args: ['clientId', 'to', 'seconds'],
  names: { seconds: 'timer' },
  words: { seconds: 'time until messages disappear' },
  choices: { seconds: { values: TIMERS } },
  print: (_, given) => {
    const time = timerName(Number(given('seconds')));
    const text = time === 'off' ? 'messages stay' : `messages disappear after ${time}`;
    return `in the chat with ${given('to')}, ${text}`;
  },
});
