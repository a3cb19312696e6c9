import type { ListenAnswer, ListenWish } from '../../../../src/contract/index.js';
import { GatewayError } from '../../../../src/domain/errors.js';

/** Listeners in memory: every address is reachable, and none expires. */
export class FakeListening {
  readonly wishes: ListenWish[] = [];
  readonly #byClient = new Map<string, ListenWish>();
  readonly #sessions: { get(clientId: string): { webhookUrl: string } };

  constructor(sessions: { get(clientId: string): { webhookUrl: string } }) {
    this.#sessions = sessions;
  }

  async listen(wish: ListenWish): Promise<Omit<ListenAnswer, 'ok'>> {
    const { clientId, webhookToken, takeOver } = wish;
    this.#sessions.get(clientId);
    const other = this.#byClient.get(clientId);
    if (other && other.webhookToken !== webhookToken && !takeOver) {
      throw new GatewayError('webhook_taken', `somebody listens to session ${clientId} already`);
    }
    this.wishes.push(wish);
    this.#byClient.set(clientId, wish);
    return { ...this.#view(wish), renewed: other?.webhookToken === webhookToken };
  }

  end(clientId: string, webhookToken?: string): boolean {
    this.#sessions.get(clientId);
    const listener = this.#byClient.get(clientId);
    if (!listener || (webhookToken !== undefined && webhookToken !== listener.webhookToken)) return false;
    return this.#byClient.delete(clientId);
  }

  view(clientId: string): Omit<ListenAnswer, 'ok' | 'renewed'> | undefined {
    const listener = this.#byClient.get(clientId);
    return listener && this.#view(listener);
  }

  #view({ clientId, webhookUrl }: ListenWish): Omit<ListenAnswer, 'ok' | 'renewed'> {
    const { webhookUrl: registeredUrl } = this.#sessions.get(clientId);
    return { clientId, webhookUrl, registeredUrl, expiresAt: '2026-11-21T10:00:30.000Z' };
  }
}
