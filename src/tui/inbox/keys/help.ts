import type { KeySection } from '../../components/key-help.js';

/** All keys of the inbox. */
export const INBOX_KEYS: readonly KeySection[] = [
  {
    title: 'Everywhere',
    keys: [
      ['Tab', 'next pane; Shift+Tab the one before'],
      ['← →', 'lists, conversation'],
      ['s', 'to the sessions'],
      ['n', 'new chat'],
      ['p', 'pair a number'],
      ['w', 'give the session a workspace'],
      ['Esc', 'back; takes a notice away'],
      ['?', 'these keys'],
      ['q, Ctrl+C', 'leave; Ctrl+C without a question'],
    ],
  },
  {
    title: 'Lists',
    keys: [
      ['↑ ↓, k j', 'move'],
      ['Enter', 'open'],
      ['/', 'rooms with words'],
    ],
  },
  {
    title: 'Conversation',
    keys: [
      ['↑ ↓, k j', 'message before, after'],
      ['PgUp PgDn', 'scroll; PgUp loads older ones'],
      ['g G', 'oldest loaded, newest'],
      ['i, Enter', 'write'],
      ['r', 'reply'],
      ['e', 'react'],
      ['E', 'edit an own message'],
      ['d', 'delete'],
      ['f', 'send a file'],
      ['o', 'message whole, with its link'],
      ['m', 'send read receipts'],
      ['/', 'search; n the next older one'],
    ],
  },
  {
    title: 'Writing',
    keys: [
      ['Enter', 'send'],
      ['Alt+Enter', 'new line; so does Ctrl+J'],
      ['/file PATH', 'send a file'],
      ['Ctrl+W', 'delete the word before'],
      ['Ctrl+U Ctrl+K', 'delete to the start, the end'],
      ['Esc', 'back, and keep the text'],
    ],
  },
];
