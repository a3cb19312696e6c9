import { createHash } from 'node:crypto';
import type { WitnessEvent } from './witness.js';

/** Matches events with a value at a path of field names. */
export function hasField(path: string, value: unknown) {
  return (event: WitnessEvent) => {
    let at: unknown = event;
    for (const name of path.split('.'))
      at = at && typeof at === 'object' ? Object.entries(at).find(([key]) => key === name)?.[1] : undefined;
    return at === value;
  };
}

/** The words of the refusal of a step; empty when it was done. */
export async function refusalOf(step: Promise<unknown>): Promise<string> {
  try {
    await step;
    return '';
  } catch (error) {
    return String(error);
  }
}

/** SHA-256 in hex. */
export function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
