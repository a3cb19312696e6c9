import { createBot } from './bot.js';

const { GATEWAY_URL, GATEWAY_TOKEN, WEBHOOK_TOKEN, PORT = '4000' } = process.env;
const bot = createBot({ gatewayUrl: GATEWAY_URL, gatewayToken: GATEWAY_TOKEN, webhookToken: WEBHOOK_TOKEN });

const server = bot.listen(Number(PORT), '127.0.0.1', () => {
  console.log(`the bot listens on port ${server.address().port}`);
});
