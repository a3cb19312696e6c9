import type { DemoItem } from './demo.js';
import type { Paint } from './paint.js';

/** A step of the demo as lines for people. `drawQr` turns the QR's text into lines. */
export async function demoLines(
  item: DemoItem,
  paint: Paint,
  drawQr: (qr: string) => Promise<string>,
): Promise<string> {
  switch (item.type) {
    case 'step':
      return `\n${paint('bold', `▸ ${item.text}`)}`;
    case 'qr':
      return drawQr(item.qr);
    case 'connected':
      return `  ${paint('green', '✓')} linked and connected as ${item.jid}`;
    case 'on-phone':
      return `  ${paint('green', '✓')} ${item.name}'s phone shows: “${item.text}” ${paint('dim', item.messageId)}`;
    case 'webhook':
      return `  ${paint('green', '✓')} POST /webhook\n${indent(JSON.stringify(item.event, null, 2))}`;
  }
}

function indent(text: string): string {
  return text.replace(/^/gm, '    ');
}
