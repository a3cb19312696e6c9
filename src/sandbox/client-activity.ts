import type { CallAction, CallView, NetworkEvent, PresenceView, RingRequest, TypingRequest } from './api.js';
import type { ControlHttp } from './client-http.js';

const WAIT_MS = 10_000;

/** Calls, typing and presence of a sandbox's people. */
export class ActivityClient {
  readonly #http: ControlHttp;

  constructor(http: ControlHttp) {
    this.#http = http;
  }

  /** The person calls somebody, or a group. */
  ring(number: string, request: RingRequest): Promise<CallView> {
    return this.#http.ask('POST', pathOf(number, 'calls'), request);
  }

  /** The caller or a called person ends or accepts the call on the phone. */
  act(number: string, callId: string, action: CallAction): Promise<CallView> {
    return this.#http.ask('POST', pathOf(number, 'calls', callId), { action });
  }

  /** The calls that the person made or got, oldest first. */
  async calls(number: string): Promise<CallView[]> {
    return (await this.#http.ask<{ calls: CallView[] }>('GET', pathOf(number, 'calls'))).calls;
  }

  /** Waits until a call of the person matches, or returns the one that does. */
  waitForCall(number: string, matches: (call: CallView) => boolean, timeoutMs = WAIT_MS): Promise<CallView> {
    const known = async () => (await this.calls(number)).find(matches);
    const pick = (event: NetworkEvent) =>
      event.type === 'call' && event.number === number && matches(event.call) ? event.call : undefined;
    return this.#http.find(known, pick, timeoutMs);
  }

  /** The person types on the phone. */
  async type(number: string, request: TypingRequest): Promise<void> {
    await this.#http.ask('POST', pathOf(number, 'typing'), request);
  }

  /** The person takes the phone up, or puts it away. */
  setOnline(number: string, online: boolean): Promise<PresenceView> {
    return this.#http.ask('POST', pathOf(number, 'presence'), { online });
  }

  presence(number: string): Promise<PresenceView> {
    return this.#http.ask('GET', pathOf(number, 'presence'));
  }

  /** Waits until the presence of the person matches. */
  waitForPresence(
    number: string,
    matches: (presence: PresenceView) => boolean,
    timeoutMs = WAIT_MS,
  ): Promise<PresenceView> {
    const known = async () => {
      const presence = await this.presence(number);
      return matches(presence) ? presence : undefined;
    };
    const pick = (event: NetworkEvent) =>
      event.type === 'presence' && event.number === number && matches(event.presence)
        ? event.presence
        : undefined;
    return this.#http.find(known, pick, timeoutMs);
  }
}

function pathOf(number: string, ...rest: string[]): string {
  return ['', 'phones', number, ...rest].map(encodeURIComponent).join('/');
}
