import type { ExtraEventType, MessageEventType } from '../../../contract/events/catalogue.js';
import type { SampleFields } from '../../../contract/events/sample.js';
import type {
  Lease,
  ListenAnswer,
  ListenWish,
  MessageTrace,
  NewReceiver,
  Node,
  Receiver,
  ReceiverChanges,
  ResendAnswer,
  TestEventAnswer,
} from '../../../contract/index.js';
import type { ReasonFields } from '../../../domain/reasons.js';
import type { FailedDelivery, FailedFilter, KeptEvent, KeptFilter, KeptPlace } from '../../store/store.js';

/** The receivers of a session beside its webhook. Every method throws session_unknown. */
export interface Receivers {
  /** All receivers, without tokens; the webhook, if there is one, has id `1`. */
  list(clientId: string): Promise<Receiver[]>;
  /**
   * @param setBy the operator, or a tenant with the secret of the session
   * @throws receivers_full; forbidden if a tenant must not set this address
   */
  add(clientId: string, receiver: NewReceiver, setBy: 'operator' | 'tenant'): Promise<Receiver>;
  /** @throws receiver_unknown; invalid_request for the webhook; forbidden if a tenant must not set this address */
  change(
    clientId: string,
    id: string,
    changes: ReceiverChanges,
    setBy: 'operator' | 'tenant',
  ): Promise<Receiver>;
  /** @returns the number of events that waited for it @throws receiver_unknown, invalid_request for the webhook */
  remove(clientId: string, id: string): Promise<{ discarded: number }>;
}

export interface Deliveries {
  /**
   * Sends a realistic event of a type to the session's webhook, or to another receiver.
   * @throws session_unknown, webhook_missing, receiver_unknown, invalid_request for fields that such an event does not have
   */
  sendTestEvent(
    clientId: string,
    type: MessageEventType | ExtraEventType,
    fields?: SampleFields,
    receiver?: string,
  ): Promise<TestEventAnswer>;
  /** Newest first. */
  failed(filter: FailedFilter): Promise<FailedDelivery[]>;
  failedOne(id: string): Promise<FailedDelivery>;
  /**
   * Sends a failed delivery again with four new attempts. A delivery that succeeds leaves the list.
   * @throws delivery_unknown, webhook_missing, receiver_unknown
   */
  resend(id: string): Promise<ResendAnswer>;
}

/** Selects the kept events to send again, and their receiver. */
export interface ReplayWish extends Omit<KeptFilter, 'order'> {
  receiver: string;
  /** Includes events that do not pass the filter of the receiver. */
  ignoreFilter: boolean;
}

/** The result of a replay; `reason`: why the receiver did not take the last event. */
export interface ReplayResult extends Partial<ReasonFields> {
  replayed: number;
  filtered: number;
  missing?: string[];
  /** The last event that was processed, to continue after it; absent when none is left. */
  next?: KeptPlace;
}

/** The events that sessions keep to be sent again. Every method throws session_unknown. */
export interface Replays {
  /** Lists kept events, without their content. */
  list(filter: KeptFilter): Promise<Omit<KeptEvent, 'body'>[]>;
  /**
   * Sends kept events again to one receiver, the oldest first. Stops at the first event that the receiver does not accept,
   * and after some seconds.
   * @throws webhook_missing, receiver_unknown, receiver_paused, invalid_request
   */
  replay(wish: ReplayWish): Promise<ReplayResult>;
  /** Removes all kept events of a session that has turned `keepEvents` off. @throws store_unavailable */
  removeAll(clientId: string): Promise<void>;
}

/** The history of single messages. */
export interface MessageTraces {
  /** @throws session_unknown, message_unknown where nothing is known of it */
  of(clientId: string, messageId: string): Promise<MessageTrace>;
}

/** The listener of a session; without secrets. */
export type ListenerView = Omit<ListenAnswer, 'ok' | 'renewed'>;

/** Temporary receivers in front of the sessions' webhooks. */
export interface Listening {
  /**
   * Puts a receiver in front of the session's webhook, or renews it. A new receiver gets one test call first.
   * @throws session_unknown, webhook_taken while another one listens, webhook_unreachable when it does not answer 2xx
   */
  listen(wish: ListenWish): Promise<Omit<ListenAnswer, 'ok'>>;
  /** Removes the listener with that token, or any listener if no token is given. Returns false if there was none. @throws session_unknown */
  end(clientId: string, webhookToken?: string): boolean;
  /** Undefined when there is no listener. */
  view(clientId: string): ListenerView | undefined;
}

/** Backups of the whole store. */
export interface Backups {
  /**
   * The bytes of a backup, as its file has them: read while sends and messages go on, and only as fast as the caller
   * consumes them. A caller that stops early calls `return()`.
   * @throws backup_running, encryption_key_wrong, store_missing, store_unavailable
   */
  backUp(): AsyncGenerator<Uint8Array, void>;
}

/** The nodes that share the store, and the leases of sessions. All throw store_unavailable. */
export interface Nodes {
  /** Lists the nodes, sorted by name. */
  list(): Promise<Node[]>;
  /** Lists the leases, sorted by clientId, or only that of one session. Empty if the store has only one node. */
  leases(clientId?: string): Promise<Lease[]>;
  /** Sessions that no node holds, at most `limit`. */
  unheld(limit: number): Promise<string[]>;
  /**
   * Starts or ends a drain: the node gives its sessions away and takes no new ones, but still answers and forwards
   * requests.
   * @param name of the node, or its nodeId
   * @throws node_unknown, node_ambiguous where several have that name, nodes_unsupported where there is only one
   */
  drain(name: string, draining: boolean): Promise<Node>;
}
