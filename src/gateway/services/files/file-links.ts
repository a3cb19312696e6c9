import { fileNameOf } from './file-types.js';

/** A file's name and type. */
interface NamedFile {
  /** Chosen by the sender; may be empty. */
  fileName: string;
  mimeType: string;
}

/** Characters that `encodeURIComponent` leaves, but that could end a link in a text or an attribute. */
const LEFT = /['()*!]/g;

/** The name under which a file is served: never empty, without folders and invisible characters. */
export function shownName({ fileName, mimeType }: NamedFile): string {
  // replaces lone surrogates, which JSON can hold and URLs cannot
  return fileNameOf([Buffer.from(fileName).toString()], mimeType);
}

/** The permanent links to stored files. */
export class FileLinks {
  readonly #address;

  constructor(address: {
    /** Public address of this service, without a slash at its end; known once it listens. */ readonly publicUrl: string;
  }) {
    this.#address = address;
  }

  linkTo(id: string, file: NamedFile): string {
    const name = encodeURIComponent(shownName(file)).replace(LEFT, (character) => {
      return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
    });
    return `${this.#address.publicUrl}/media/${id}/${name}`;
  }
}
