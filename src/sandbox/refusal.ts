/** A request that the control API refuses; `message` is shown to the caller. */
export class Refusal extends Error {
  override name = 'Refusal';
  /** HTTP status. */
  readonly status: 400 | 401 | 403 | 404 | 409 | 410 | 413 | 500 | 503 | 504;

  constructor(status: Refusal['status'], message: string) {
    super(message);
    this.status = status;
  }
}
