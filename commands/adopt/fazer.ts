import { Flags } from '@oclif/core';
import { type AdoptAnswer, AdoptCommand } from '../../src/terminal/cli/adopt/adopt-command.js';

export default class AdoptFazer extends AdoptCommand {
  static override summary = 'Take over the numbers of fazer-ai/baileys-api';
  static override description =
    `Reads the Redis of baileys-api, with webhook and token of each number. Each number becomes a session with its digits as name. Stop \
the other program first: WhatsApp permits only one connection per link. Writes nothing to Redis.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> --redis redis://127.0.0.1:6379 --dry-run',
    '<%= config.bin %> <%= command.id %> --redis redis://:password@127.0.0.1:6379/0',
  ];
  static override flags = {
    redis: Flags.string({
      description: 'URL of the Redis of baileys-api',
      env: 'SWITCHBOARD_ADOPT_REDIS',
      helpValue: 'URL',
      required: true,
    }),
  };

  async run(): Promise<AdoptAnswer> {
    const { flags } = await this.parse(AdoptFazer);
    const { readFazer } = await import('../../src/terminal/cli/adopt/fazer-redis.js');
    const { RedisStore } = await import('../../src/terminal/cli/adopt/redis.js');
    const redis = await RedisStore.open(flags.redis, 1);
    try {
      return await this.perform(await readFazer(redis), flags);
    } finally {
      redis.close();
    }
  }
}
