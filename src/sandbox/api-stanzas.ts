/** A stanza as JSON, with at most one of `children`, `text` and `base64` (bytes). */
export interface StanzaJson {
  tag: string;
  attrs?: Record<string, string>;
  children?: StanzaJson[];
  text?: string;
  base64?: string;
}

/** A stanza that passed between the network and a client, as `GET /stream?stanzas=true` shows it. */
export interface StanzaEvent {
  type: 'stanza';
  /** Number of the device's owner; empty for a device that is not linked yet. */
  number: string;
  /** Id of the device; 0 for one that is not linked yet. */
  device: number;
  /** `in`: from the client to the network. */
  direction: 'in' | 'out';
  stanza: StanzaJson;
}
