/** What the network says when it does not do something with a group. */
const REASONS = {
  400: 'bad-request',
  401: 'not-authorized',
  403: 'forbidden',
  404: 'item-not-found',
  406: 'not-acceptable',
  409: 'conflict',
} as const;

/** Something with a group that the network refuses. */
export class GroupRefusal extends Error {
  override name = 'GroupRefusal';
  /** 401 for people who were members once, 403 for who has no right to it, 404 for groups that do not exist. */
  readonly code: keyof typeof REASONS;

  constructor(code: GroupRefusal['code']) {
    super(REASONS[code]);
    this.code = code;
  }
}
