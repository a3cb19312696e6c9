import { fieldOf, listOf, textOf } from './fields.js';
import type { MessageRow } from './wire.js';

/** What a message says, as text: what its own object holds stands below its body. */
export function messageText({ messageType, body, extras }: MessageRow): string {
  const write = WRITERS[messageType];
  return write ? write(body, extras) : body;
}

type Writer = (body: string, extras: unknown) => string;

const WRITERS: Readonly<Record<string, Writer>> = {
  poll: (body, extras) => {
    const options = listOf(fieldOf(extras, 'poll'), 'options');
    return lines([body, ...options.map((option) => `○ ${String(option)}`)]);
  },
  vote_update: (body, extras) => {
    const vote = fieldOf(extras, 'pollVote');
    if (body) return `voted: ${body}`;
    return listOf(vote, 'selectedHashes').length > 0 ? 'voted' : 'took the vote back';
  },
  location: (body, extras) => {
    const place = fieldOf(extras, 'location');
    const position = [fieldOf(place, 'latitude'), fieldOf(place, 'longitude')].map(Number);
    const where = position.every(Number.isFinite) ? position.join(', ') : '';
    return lines([body, textOf(place, 'address'), where]);
  },
  contact: (body, extras) => {
    const contact = fieldOf(extras, 'contact');
    const several = listOf(contact, 'contacts');
    const cards = several.length > 0 ? several : [contact];
    return (
      lines(cards.map((card) => `${textOf(card, 'displayName')} ${textOf(card, 'phone')}`.trim())) || body
    );
  },
};

/** Each once, without the empty ones. */
function lines(parts: readonly string[]): string {
  return [...new Set(parts.filter((part) => part.trim()))].join('\n');
}
