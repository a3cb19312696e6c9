import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The project's root, with a slash at its end. */
export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const DEPLOY = `${ROOT}docs/deploy/`;

/** Texts of files by their names. */
export type Files = Readonly<Record<string, string>>;

/** The text of a file of docs/deploy. */
export function deployFile(name: string): string {
  return readFileSync(DEPLOY + name, 'utf8');
}

/** The files of a folder of docs/deploy. */
export function deployFiles(folder: string): Files {
  const names = readdirSync(DEPLOY + folder).sort();
  return Object.fromEntries(names.map((name) => [name, deployFile(`${folder}/${name}`)]));
}

/** Files with one of them broken: something else in place of a text that must be there. */
export function broken(files: Files, name: string, text: string, instead: string): Files {
  const whole = files[name];
  if (!whole?.includes(text)) throw new Error(`${name} has no ${JSON.stringify(text)} to break`);
  return { ...files, [name]: whole.replaceAll(text, instead) };
}
