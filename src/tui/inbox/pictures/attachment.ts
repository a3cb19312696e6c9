import type { Attachment } from '../../../cli/inbox/model.js';
import { cleanLine } from '../../text/foreign.js';
import type { Line, Span } from '../../text/line.js';

const UNITS = ['B', 'kB', 'MB', 'GB'];

/** A size with at most one decimal. */
export function sizeText(bytes: number): string {
  const step = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const value = bytes / 1000 ** step;
  return `${value < 10 && step > 0 ? value.toFixed(1) : Math.round(value)} ${UNITS[step]}`;
}

/** A file by its name, and below it its address, where the terminal does not make a link of the name. */
export function attachmentLines(attachment: Attachment, links: boolean): Line[] {
  const { mediaType, fileName, size, url } = attachment;
  const name = cleanLine(fileName) || mediaType;
  const what = [mediaType, size > 0 ? sizeText(size) : '', url === '' ? 'not stored yet' : ''];
  const words = what.filter((word) => word !== '' && word !== name);
  const file: Span = {
    text: name,
    bold: true,
    foreign: true,
    ...(url !== '' && { link: url, underline: links }),
  };
  const first: Line = [{ text: '▤ ', color: 'cyan' }, file, { text: ` · ${words.join(' · ')}`, dim: true }];
  return url === '' || links ? [first] : [first, [{ text: cleanLine(url), dim: true }]];
}
