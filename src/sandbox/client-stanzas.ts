import type { StanzaEvent, StanzaJson } from './api-stanzas.js';
import type { ControlHttp } from './client-http.js';

/** The stanzas between the network of a sandbox and its clients. */
export class StanzasClient {
  readonly #http: ControlHttp;

  constructor(http: ControlHttp) {
    this.#http = http;
  }

  /** Sends a stanza to a connected device, as it stands. @returns the stanza as it left */
  async send(number: string, device: number, stanza: StanzaJson): Promise<StanzaJson> {
    const path = `/phones/${encodeURIComponent(number)}/devices/${device}/stanza`;
    return (await this.#http.ask<{ stanza: StanzaJson }>('POST', path, stanza)).stanza;
  }

  /** Opens the stream of all stanzas; later ones are not missed. @param signal ends it */
  async watch(signal: AbortSignal): Promise<AsyncGenerator<StanzaEvent>> {
    const { events } = await this.#http.open(signal, { stanzas: true });
    return onlyStanzas(events);
  }
}

async function* onlyStanzas(events: AsyncIterable<{ type: string }>): AsyncGenerator<StanzaEvent> {
  for await (const event of events) if (isStanza(event)) yield event;
}

function isStanza(event: { type: string }): event is StanzaEvent {
  return event.type === 'stanza';
}
