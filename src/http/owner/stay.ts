import type { Lifecycle } from '@hapi/hapi';

declare module '@hapi/hapi' {
  interface PluginsStates {
    /** Set on a request that is answered here because this node holds its session. */
    stay?: Stay;
  }
}

/** A request that is under way here: until it is answered and the work for it is done, which may go on without a caller. */
export class Stay {
  readonly #leave: () => void;
  #atWork = 0;
  #isAnswered = false;

  /** @param leave called once, at the end */
  constructor(leave: () => void) {
    this.#leave = leave;
  }

  /** Does some of the work. */
  async during(work: () => Lifecycle.ReturnValue): Promise<Lifecycle.ReturnValueTypes> {
    this.#atWork += 1;
    try {
      return await work();
    } finally {
      this.#atWork -= 1;
      if (this.#isAnswered) this.#leaveWhenDone();
    }
  }

  /** It is answered, or its caller is gone. Called once. */
  answered(): void {
    this.#isAnswered = true;
    this.#leaveWhenDone();
  }

  #leaveWhenDone(): void {
    if (this.#atWork === 0) this.#leave();
  }
}
