import type { Press } from '../../press.js';
import type { KeySection } from '../../widgets.js';

/** Where a key works. */
type Place = 'everywhere' | 'rooms' | 'conversation';

interface Binding {
  place: Place;
  /** The key, if the operator has not chosen another. */
  key: string;
  does: string;
}

/** All actions with a key that the operator can change, by the name that the settings use. */
export const BINDINGS = {
  switcher: { place: 'everywhere', key: 'ctrl+k', does: 'go to a room or a session by name' },
  nextUnread: { place: 'everywhere', key: 'u', does: 'open the next unread room' },
  searchAll: { place: 'everywhere', key: 'F', does: 'search the messages of all rooms' },
  newChat: { place: 'everywhere', key: 'n', does: 'new chat' },
  sessions: { place: 'everywhere', key: 's', does: 'go to the sessions' },
  pair: { place: 'everywhere', key: 'p', does: 'pair a number' },
  workspace: { place: 'everywhere', key: 'w', does: 'give the session a workspace' },
  help: { place: 'everywhere', key: '?', does: 'all keys' },
  quit: { place: 'everywhere', key: 'q', does: 'quit; Ctrl+C without a question' },
  filter: { place: 'rooms', key: '/', does: 'filter by words' },
  write: { place: 'conversation', key: 'i', does: 'write' },
  reply: { place: 'conversation', key: 'r', does: 'reply' },
  react: { place: 'conversation', key: 'e', does: 'react' },
  edit: { place: 'conversation', key: 'E', does: 'edit an own message' },
  delete: { place: 'conversation', key: 'd', does: 'delete' },
  sendFile: { place: 'conversation', key: 'f', does: 'send a file' },
  openFile: { place: 'conversation', key: 'O', does: 'open the file of the message' },
  saveFile: { place: 'conversation', key: 'S', does: 'save the file of the message' },
  details: { place: 'conversation', key: 'o', does: 'show the whole message' },
  markRead: { place: 'conversation', key: 'm', does: 'send read receipts' },
  search: { place: 'conversation', key: '/', does: 'search this conversation' },
  older: { place: 'conversation', key: 'n', does: 'next older match' },
  newer: { place: 'conversation', key: 'N', does: 'next newer match' },
  firstUnread: { place: 'conversation', key: 'U', does: 'first unread message' },
} as const satisfies Record<string, Binding>;

export type Action = keyof typeof BINDINGS;

/** The keys that the operator has chosen, by action. */
export type ChosenKeys = Readonly<Partial<Record<Action, string>>>;

const NAMES = Object.keys(BINDINGS).filter((name): name is Action => name in BINDINGS);

/** The current key of an action. */
export function keyOf(action: Action, chosen: ChosenKeys): string {
  return chosen[action] ?? BINDINGS[action].key;
}

/** A key as people write it, such as `Ctrl+K`. */
export function keyText(key: string): string {
  return key.replace(/^(ctrl|alt)\+(.)$/, (_, modifier: string, letter: string) => {
    return `${modifier === 'ctrl' ? 'Ctrl' : 'Alt'}+${letter.toUpperCase()}`;
  });
}

/**
 * Turns a key that the operator has chosen into the usual key of its action.
 * @returns undefined for a usual key whose action has another one now
 */
export function translated(press: Press, pane: string, chosen: ChosenKeys): Press | undefined {
  if (press.type !== 'key' && press.type !== 'text') return press;
  const key = press.type === 'key' ? press.key : press.text;
  const here = NAMES.filter((name) => worksIn(name, pane));
  const action = here.find((name) => chosen[name] === key);
  if (action) return pressOf(BINDINGS[action].key);
  const isMoved = here.some((name) => BINDINGS[name].key === key && chosen[name] !== undefined);
  const isUsed = here.some((name) => BINDINGS[name].key === key && chosen[name] === undefined);
  return isMoved && !isUsed ? undefined : press;
}

function worksIn(action: Action, pane: string): boolean {
  const { place } = BINDINGS[action];
  return place === 'everywhere' || place === pane;
}

function pressOf(key: string): Press {
  return key.length === 1 ? { type: 'text', text: key } : { type: 'key', key };
}

/** Keys that always keep their meaning. */
const FIXED = new Set([
  ...['enter', 'escape', 'tab', 'up', 'down', 'left', 'right', 'home', 'end', 'pageup', 'pagedown'],
  ...['j', 'k', 'g', 'G', 'y', 'ctrl+c', 'ctrl+l', 'ctrl+b', 'ctrl+f'],
]);
const KEY = /^(?:(?:ctrl|alt)\+[a-z]|[!-~])$/;

/** Explains what is wrong with the chosen keys; undefined if nothing is. */
export function problemOf(chosen: Readonly<Record<string, string>>): string | undefined {
  for (const [name, key] of Object.entries(chosen)) {
    if (!(name in BINDINGS)) return `there is no action ${name}; choose of ${NAMES.join(', ')}`;
    if (!KEY.test(key)) return `${name}: ${key} is no key; write one character, ctrl+x or alt+x`;
    if (FIXED.has(key)) return `${name}: ${key} always has its usual meaning; choose another key`;
  }
  for (const [at, one] of NAMES.entries()) {
    const other = NAMES.slice(at + 1).find((name) => collide(one, name, chosen));
    if (other) return `${one} and ${other} have the same key ${keyOf(one, chosen)}`;
  }
  return undefined;
}

/** Two actions of one place have one key. The usual keys may share a letter, such as `n`. */
function collide(one: Action, other: Action, chosen: ChosenKeys): boolean {
  if (chosen[one] === undefined && chosen[other] === undefined) return false;
  if (keyOf(one, chosen) !== keyOf(other, chosen)) return false;
  const [a, b] = [BINDINGS[one].place, BINDINGS[other].place];
  return a === b || a === 'everywhere' || b === 'everywhere';
}

const WRITING: KeySection = {
  title: 'Writing',
  keys: [
    ['Enter', 'send'],
    ['Alt+Enter', 'new line; so does Ctrl+J'],
    ['/file PATH', 'send a file'],
    ['Ctrl+W', 'delete the word before'],
    ['Ctrl+U Ctrl+K', 'delete to the start, the end'],
    ['Esc', 'back, and keep the text'],
  ],
};

/** All keys of the inbox, for the help page. */
export function keySections(chosen: ChosenKeys): KeySection[] {
  const keysOf = (place: Place) =>
    NAMES.filter((name) => BINDINGS[name].place === place).map(
      (name) => [keyText(keyOf(name, chosen)), BINDINGS[name].does] as const,
    );
  return [
    {
      title: 'Everywhere',
      keys: [
        ['Tab', 'next pane; Shift+Tab previous'],
        ['← →', 'lists, conversation'],
        ...keysOf('everywhere'),
        ['Esc', 'back; dismiss a notice'],
        ['Ctrl+L', 'draw the screen again'],
        ['Mouse', 'click chooses, wheel scrolls; Shift selects text'],
      ],
    },
    { title: 'Lists', keys: [['↑ ↓, k j', 'move'], ['Enter', 'open'], ...keysOf('rooms')] },
    {
      title: 'Conversation',
      keys: [
        ['↑ ↓, k j', 'previous, next message'],
        ['PgUp PgDn', 'scroll; PgUp loads older ones'],
        ['g G', 'oldest loaded, newest'],
        ...keysOf('conversation'),
      ],
    },
    WRITING,
  ];
}
