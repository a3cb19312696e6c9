// A test in node of a bot in Python: `node --test`. PYTHON names the interpreter that has FastAPI.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { createWorld, expect } from 'switchboard-gateway/testkit';

const WEBHOOK_TOKEN = 'token-of-the-bot';
let world;
let bot;

before(async () => {
  world = await createWorld({ timeoutMs: 30_000 });
  bot = spawn(process.env.PYTHON ?? 'python3', ['-m', 'uvicorn', 'bot:app', '--port', '0'], {
    cwd: import.meta.dirname,
    env: { ...process.env, GATEWAY_URL: world.url, GATEWAY_TOKEN: world.token, WEBHOOK_TOKEN },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const webhookUrl = `${await addressOf(bot)}/webhook`;
  await world.session({ webhookUrl, webhookToken: WEBHOOK_TOKEN });
});

after(async () => {
  bot?.kill();
  await world?.close();
});

test('the bot greets a person by name', async () => {
  const bob = await world.phone('Bob');
  await bob.says('hi');
  await expect(bob).toReceive('Hello Bob, you wrote: hi');
});

/** The address that uvicorn prints when it listens. */
async function addressOf({ stderr }) {
  const lines = [];
  for await (const line of createInterface({ input: stderr })) {
    lines.push(line);
    const [address] = /http:\/\/[\d.]+:\d+/.exec(line) ?? [];
    if (address) {
      stderr.resume();
      return address;
    }
  }
  throw new Error(`the bot did not start:\n${lines.join('\n')}`);
}
