import { Flags } from '@oclif/core';
import { type AdoptAnswer, AdoptCommand } from '../../src/terminal/cli/adopt/adopt-command.js';

export default class AdoptEvolution extends AdoptCommand {
  static override summary = 'Take over the numbers of Evolution API 2';
  static override description =
    `Reads Evolution API's PostgreSQL with the webhook of each instance, and the Signal keys from its Redis, or from its folder instances \
if it has no Redis. The name of each instance, without characters other than letters and digits, becomes the session. Stop Evolution API \
first: WhatsApp permits only one connection per link. Writes nothing to its stores.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> --postgres postgresql://localhost/evolution --redis redis://localhost/6',
    '<%= config.bin %> <%= command.id %> --postgres postgresql://localhost/evolution --instances ./instances',
  ];
  static override flags = {
    postgres: Flags.string({
      description: "URL of Evolution API's PostgreSQL",
      env: 'SWITCHBOARD_ADOPT_POSTGRES',
      helpValue: 'URL',
      required: true,
    }),
    redis: Flags.string({
      description: "URL of Evolution API's Redis, if it uses one",
      env: 'SWITCHBOARD_ADOPT_REDIS',
      helpValue: 'URL',
      exclusive: ['instances'],
    }),
    'redis-prefix': Flags.string({
      description: "Evolution API's setting CACHE_REDIS_PREFIX_KEY",
      default: 'evolution-cache',
    }),
    instances: Flags.directory({
      description: "Evolution API's folder instances, if it uses no Redis",
      exists: true,
    }),
  };

  async run(): Promise<AdoptAnswer> {
    const { flags } = await this.parse(AdoptEvolution);
    const { readEvolution } = await import('../../src/terminal/cli/adopt/evolution.js');
    const { RedisStore } = await import('../../src/terminal/cli/adopt/redis.js');
    const redis = flags.redis === undefined ? undefined : await RedisStore.open(flags.redis, 2);
    try {
      const numbers = await readEvolution(flags.postgres, {
        redis: redis && { store: redis, prefix: flags['redis-prefix'] },
        folder: flags.instances,
      });
      return await this.perform(numbers, flags);
    } finally {
      redis?.close();
    }
  }
}
