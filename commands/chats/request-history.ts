import { Flags } from '@oclif/core';
import { LIMITS } from '../../src/domain/limits.js';
import { DaemonCommand } from '../../src/terminal/cli/command.js';
import { roomArgs } from '../../src/terminal/cli/flags.js';

export default class ChatsRequestHistory extends DaemonCommand {
  static override summary = 'Ask the phone for older messages of a room';
  static override description =
    'Stores the messages before the oldest stored one. The phone must be switched on; the command waits up to 30 seconds for its answer. Then ' +
    '`switchboard messages list` shows them.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme +15550000002',
    '<%= config.bin %> <%= command.id %> acme "Weekend plans" --count 20',
  ];
  static override args = roomArgs();
  static override flags = {
    count: Flags.integer({
      description: 'messages to ask for',
      default: LIMITS.requestedMessages,
      min: 1,
      max: LIMITS.requestedMessages,
    }),
  };

  async run(): Promise<{ ok: boolean; messages: number; more?: boolean }> {
    const { args, flags } = await this.parse(ChatsRequestHistory);
    const { findRoom } = await import('../../src/terminal/cli/history.js');
    const { roomItem } = await import('../../src/terminal/cli/inbox/room-item.js');
    const { clientId } = args;
    const client = await this.daemon(flags);
    const room = await findRoom(client, clientId, args.room);
    const { chatRoomId } = room;
    const answer = await client.requestHistory({ clientId, chatRoomId, count: flags.count });
    const { messages, more } = answer;
    const stored = `stored ${messages === 1 ? '1 older message' : `${messages} older messages`}`;
    const left = { true: '; the phone holds more', false: '; the phone holds no older ones' };
    const end = more === undefined ? '' : left[`${more}`];
    if (!this.jsonEnabled()) this.output.line(`${stored} of the chat with ${roomItem(room).name}${end}`);
    return answer;
  }
}
