/** Values by key, several for each key. A key without values is not kept. */
export class MultiMap<Value> {
  readonly #values = new Map<string, Set<Value>>();

  /** The values of a key, in the order in which they were added. */
  of(key: string): readonly Value[] {
    return [...(this.#values.get(key) ?? [])];
  }

  count(key: string): number {
    return this.#values.get(key)?.size ?? 0;
  }

  all(): Value[] {
    return [...this.#values.values()].flatMap((values) => [...values]);
  }

  add(key: string, value: Value): void {
    const values = this.#values.get(key) ?? new Set();
    values.add(value);
    this.#values.set(key, values);
  }

  delete(key: string, value: Value): void {
    const values = this.#values.get(key);
    values?.delete(value);
    if (values?.size === 0) this.#values.delete(key);
  }
}
