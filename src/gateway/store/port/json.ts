import { GatewayError } from '../../../domain/errors.js';
import { isObject, type JsonObject, readJson } from '../../../domain/json.js';

/** The description of a message's file. */
export interface MessageMedia {
  mimeType: string;
  mediaType: string;
  fileName: string;
  fileSize: number;
}

/** Reads a stored JSON object. @throws GatewayError `store_unavailable` if the text is something else */
export function readObject(text: string): JsonObject {
  const value = parse(text);
  if (!isObject(value)) throw damaged();
  return value;
}

/** Reads a stored JSON list of texts. @throws GatewayError `store_unavailable` if the text is something else */
export function readTexts(text: string): string[] {
  const value = parse(text);
  if (!Array.isArray(value)) throw damaged();
  return textsOf(value);
}

/** The texts of a list. */
export function textsOf(list: readonly unknown[]): string[] {
  return list.filter((item) => typeof item === 'string');
}

/** Reads the stored description of a message's file. */
export function readMedia(value: unknown): MessageMedia | undefined {
  if (!isObject(value)) return undefined;
  const { mimeType, mediaType, fileName, fileSize } = value;
  return {
    mimeType: readText(mimeType),
    mediaType: readText(mediaType),
    fileName: readText(fileName),
    fileSize: typeof fileSize === 'number' ? fileSize : 0,
  };
}

export function readText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function parse(text: string): unknown {
  try {
    return readJson(text);
  } catch (cause) {
    throw damaged(cause);
  }
}

function damaged(cause?: unknown): GatewayError {
  return new GatewayError('store_unavailable', 'A stored value is not valid JSON: restore a backup.', {
    cause,
  });
}
