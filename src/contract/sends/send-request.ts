import type { ObjectSchema } from 'joi';

/** The fields that every send route takes. */
export interface SendPayload {
  clientId: string;
  to: string;
  quotedMessageId?: string;
  mentions?: string[];
  metaData?: Record<string, unknown>;
  /** Keep the message until the session's policy allows it, if the policy refuses it for a time. */
  whenAllowed?: boolean;
}

/** The route by which a kind of message is sent. */
export interface SendRequest<Payload extends SendPayload = SendPayload> {
  /** Route path below the root, with its slash. */
  path: `/${string}`;
  /** One line for the API's documentation. */
  description: string;
  payload: ObjectSchema<Payload>;
  /** The request names an earlier message, whose id the answer repeats. */
  namesTarget?: true;
}
