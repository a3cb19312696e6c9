import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { createWorld, expect } from 'switchboard-gateway/testkit';
import { createBot } from './bot.js';

const WEBHOOK_TOKEN = 'token-of-the-bot';
let world;
let server;

before(async () => {
  world = await createWorld({ timeoutMs: 30_000 });
  const bot = createBot({ gatewayUrl: world.url, gatewayToken: world.token, webhookToken: WEBHOOK_TOKEN });
  server = bot.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const webhookUrl = `http://127.0.0.1:${server.address().port}/webhook`;
  await world.session({ webhookUrl, webhookToken: WEBHOOK_TOKEN });
});

after(async () => {
  await world.close();
  server.close();
});

test('the bot greets a person by name', async () => {
  const bob = await world.phone('Bob');
  await bob.says('hi');
  await expect(bob).toReceive('Hello Bob, you wrote: hi');
});
