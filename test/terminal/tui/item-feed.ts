/** An async stream to which a test adds items one by one. */
export class ItemFeed<Item> implements AsyncIterable<Item> {
  readonly #waiting: Item[] = [];
  #wake: () => void = () => undefined;
  #ended = false;

  give(item: Item): void {
    this.#waiting.push(item);
    this.#wake();
  }

  end(): void {
    this.#ended = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item> {
    for (;;) {
      for (let item = this.#waiting.shift(); item !== undefined; item = this.#waiting.shift()) yield item;
      if (this.#ended) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
