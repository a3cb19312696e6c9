import { isObject } from '../../domain/json.js';

/**
 * The problems of the flags of a command line, in our words, from the definitions of the flags and the given values, which the
 * framework's error contains. The framework's own text is for its debugger.
 *
 * @returns nothing if the error is about something else
 */
export function flagProblems(error: unknown): string[] {
  if (!isObject(error) || !isObject(error.parse)) return [];
  const { input, output } = error.parse;
  if (!isObject(input) || !isObject(input.flags) || !isObject(output) || !isObject(output.flags)) return [];
  const given = output.flags;
  const sources = isObject(output.metadata) && isObject(output.metadata.flags) ? output.metadata.flags : {};
  const isGiven = (name: string) => {
    const source = sources[name];
    return given[name] !== undefined && !(isObject(source) && source.setFromDefault === true);
  };
  return Object.entries(input.flags).flatMap(([name, flag]) => {
    if (!isObject(flag)) return [];
    if (!isGiven(name)) return flag.required === true ? [`--${name} is missing`] : [];
    const missing = namesIn(flag.dependsOn).filter((other) => !isGiven(other));
    const others = namesIn(flag.exclusive).filter(isGiven);
    return [
      ...missing.map((other) => `--${name} needs --${other}`),
      ...others.map((other) => `give either --${name} or --${other}`),
    ];
  });
}

function namesIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];
}
