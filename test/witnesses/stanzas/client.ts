/** Kinds of files that a client sends. */
export const FILE_KINDS = ['image', 'video', 'audio', 'document', 'sticker'] as const;
export type FileKind = (typeof FILE_KINDS)[number];

/** Somebody on the network. */
export interface Person {
  number: string;
  /** `…@lid` */
  lid: string;
}

/** A message that another one refers to. */
export interface Target {
  id: string;
  text: string;
}

/**
 * One client of the network, as the comparison drives it: what it does is the same for all, how it does it is its own. What a
 * client has no call for is left out.
 */
export interface ComparedClient {
  readonly name: string;
  readonly number: string;
  /** Registers by QR, up to the first login after the pairing. */
  link(): Promise<void>;
  /** Closes the connection and logs in again. */
  reconnect(): Promise<void>;
  /** @param to a person, or the jid of a group */
  text(to: Person | string, text: string): Promise<Target>;
  /** A text to the LID of a person, whom the client never looked up. */
  textToLid?(to: Person, text: string): Promise<void>;
  /** @param quoted a message that the person wrote */
  reply(to: Person, text: string, quoted: Target): Promise<void>;
  edit(to: Person, own: Target, text: string): Promise<void>;
  /** @param target a message that the person wrote */
  react(to: Person, target: Target): Promise<void>;
  poll(to: Person, question: string, options: string[]): Promise<void>;
  /** @returns undefined for a kind that it does not send */
  file(to: Person, kind: FileKind): Promise<void> | undefined;
  /** @param message what the person wrote */
  markRead(from: Person, message: Target): Promise<void>;
  appearOnline?(): Promise<void>;
  type(to: Person): Promise<void>;
  follow(person: Person): Promise<void>;
  /** @returns its jid */
  createGroup(subject: string, members: Person[]): Promise<string>;
  lookUp?(number: string): Promise<void>;
  archive(chat: Person, last: Target): Promise<void>;
  stop(): Promise<void>;
}
