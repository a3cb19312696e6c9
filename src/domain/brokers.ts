/** URL schemes of message brokers, with the colon. */
export const BROKER_SCHEMES: readonly string[] = [
  ...['nats:', 'tls:', 'kafka:', 'kafka+ssl:', 'amqp:', 'amqps:', 'redis:', 'rediss:'],
];

/** True for an address with the scheme of a broker. */
export function isBrokerUrl(url: string): boolean {
  return URL.canParse(url) && BROKER_SCHEMES.includes(new URL(url).protocol);
}
