/**
 * Messages that are on their way to being remembered. What refers to one of them (a vote, a reaction) often comes in the
 * same moment, and waits here for it instead of not finding it.
 */
export class Arrivals {
  readonly #arriving = new Map<string, Promise<void>>();

  /** From now on others wait for this message, until the returned function is called. */
  begin(clientId: string, messageId: string): () => void {
    const key = keyOf(clientId, messageId);
    let end: () => void = () => undefined;
    const arrived = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.#arriving.set(key, arrived);
    return () => {
      if (this.#arriving.get(key) === arrived) this.#arriving.delete(key);
      end();
    };
  }

  /** Resolves when the message is not on its way (any more). */
  async settled(clientId: string, messageId: string): Promise<void> {
    await this.#arriving.get(keyOf(clientId, messageId));
  }
}

function keyOf(clientId: string, messageId: string): string {
  return `${clientId} ${messageId}`;
}
