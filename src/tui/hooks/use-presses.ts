import { useInput } from 'ink';
import { useRef } from 'react';
import { type Press, PressReader } from '../press.js';

/** Calls back for everything that the operator does at the keyboard. */
export function usePresses(onPress: (press: Press) => void, options: { isActive?: boolean } = {}): void {
  const reader = useRef<PressReader>(undefined);
  reader.current ??= new PressReader();
  useInput((input, key) => {
    for (const press of reader.current?.read(input, key) ?? []) onPress(press);
  }, options);
}
