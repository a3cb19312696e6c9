import { fileNameOf } from '../media/file-name.js';

/** What a file is called, and what it is. */
export interface NamedFile {
  /** May be empty, and anything that a stranger wrote. */
  fileName: string;
  mimeType: string;
}

/** What `encodeURIComponent` leaves and what could end a link in a text or an attribute. */
const LEFT = /['()*!]/g;

/** The name under which a file is given out: never empty, without folders and without what cannot be seen. */
export function shownName({ fileName, mimeType }: NamedFile): string {
  // half a character, as JSON can hold one, has no encoding
  return fileNameOf([Buffer.from(fileName).toString()], mimeType);
}

/** @param mediaBase address of stored files, without a slash at its end */
export function fileLink(mediaBase: string, id: string, file: NamedFile): string {
  const name = encodeURIComponent(shownName(file)).replace(LEFT, (character) => {
    return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  });
  return `${mediaBase}/${id}/${name}`;
}
