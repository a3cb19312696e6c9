import { callCommand } from '../../src/terminal/cli/call-command.js';

export default callCommand('deleteStatus', {
  summary: 'Delete an own status for everybody who got it',
  description:
    'The id is the one that `switchboard statuses post` has printed, or that the event `status_post` names for a status of the phone.',
  examples: ['acme 3EB0C767D097B7C6A3F1 --yes'],
  args: ['clientId', 'messageId'],
  confirm: (given) => `Delete ${given('messageId')} for everybody?`,
  print: (_, given) => `deleted ${given('messageId')}`,
});
