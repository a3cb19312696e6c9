import type { SessionRow } from '../../../cli/fleet/wire.js';
import { EMPTY_EDIT, editOf } from '../../text/edit.js';
import type { Ask } from './view.js';

export function confirmation(question: string, yes: () => void): Ask {
  return { type: 'confirm', question, yes };
}

/** Filters while it is typed. */
export function filterQuestion(filter: string, change: (filter: string) => void): Ask {
  return {
    type: 'input',
    label: 'Filter:',
    placeholder: 'words of a name, a state, a reason, a receiver …',
    edit: editOf(filter),
    typed: change,
    done: change,
    cancel: () => change(''),
  };
}

export function nameQuestion(done: (clientId: string) => void): Ask {
  return {
    type: 'input',
    label: 'Name of the new session:',
    placeholder: 'letters and digits',
    edit: EMPTY_EDIT,
    done: (clientId) => clientId && done(clientId),
  };
}

export function phoneQuestion({ clientId }: SessionRow, done: (phone: string) => void): Ask {
  return {
    type: 'input',
    label: `Phone number of ${clientId}:`,
    placeholder: '+15550000001',
    edit: EMPTY_EDIT,
    done: (phone) => phone && done(phone),
  };
}

/** For what cannot be taken back: the name must be typed. */
export function deletionQuestion({ clientId }: SessionRow, done: (typed: string) => void): Ask {
  return {
    type: 'input',
    label: `Type ${clientId} to log it out and delete it:`,
    placeholder: '',
    edit: EMPTY_EDIT,
    done,
  };
}

/** Why a session need not be paired; undefined when it may be. */
export function pairedAlready({ clientId, status, loggedIn }: SessionRow): string | undefined {
  if (!loggedIn) return undefined;
  const why = status === 'connected' ? 'is connected already' : 'is paired already; r connects it again';
  return `${clientId} ${why}`;
}
