import type { ExtraEventType } from '../../events/catalogue.js';

/** Somebody who wants to take a session's events for a while. */
export interface ListenWish {
  clientId: string;
  webhookUrl: string;
  /** Carried by each call; also tells one listener from another. */
  webhookToken: string;
  /** Opt-in events that it takes beside those that the session asked for. */
  extraEvents: ExtraEventType[];
  /** For how long, unless it is renewed. */
  seconds: number;
  /** Also when somebody else listens. */
  takeOver: boolean;
}

/** Who takes a session's events at the moment; never with secrets. */
export interface ListenerView {
  clientId: string;
  webhookUrl: string;
  /** The session's own webhook, which is used again afterwards; empty when it has none. */
  registeredUrl: string;
  /** RFC 3339. */
  expiresAt: string;
}

/** What came of the wish to listen. */
export interface ListenAnswer extends ListenerView {
  /** False when nobody of that token and address listened: events of before went elsewhere. */
  renewed: boolean;
}

/** Temporary receivers in front of the sessions' webhooks. */
export interface Listening {
  /**
   * Puts a receiver in front of the session's webhook, or renews it. A new one is called once first.
   * @throws session_unknown, webhook_taken while another one listens, webhook_unreachable when it does not answer 2xx
   */
  listen(wish: ListenWish): Promise<ListenAnswer>;
  /** Takes it away: the one with that token, or whoever listens. False when there was none. @throws session_unknown */
  end(clientId: string, webhookToken?: string): boolean;
  /** Who listens; undefined when nobody does. */
  view(clientId: string): ListenerView | undefined;
}
