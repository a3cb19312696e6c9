import { callCommand } from '../../src/terminal/cli/call-command.js';

export default callCommand('setStatusPrivacy', {
  summary: 'Set who may see the statuses of a linked number, on all its devices',
  description: 'The linked phone takes the setting over a moment later.',
  examples: ['acme contacts', 'acme except +15550000002', 'acme only +15550000002 +15550000003'],
  args: ['clientId', 'mode', 'people'],
  words: { people: 'who is left out, or the only ones: numbers with +, LIDs or jids' },
  print: (_, given) => {
    const people = given('people').split(',').filter(Boolean).length;
    const named = people > 0 ? ` ${people} ${people === 1 ? 'person' : 'people'}` : '';
    return `set the audience of ${given('clientId')}: ${given('mode')}${named}`;
  },
});
