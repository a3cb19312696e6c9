import { LRUCache } from 'lru-cache';
import QRCode from 'qrcode';

/** Images kept; a QR is asked for every 2 s and stays the same for 20 s or more. */
const IMAGES_KEPT = 200;

/** Draws QR codes as `data:image/png;base64,…`, each once: drawing costs more than all the rest of a request. */
export class QrImages {
  readonly #images = new LRUCache<string, Promise<string>>({ max: IMAGES_KEPT });

  dataUrl(text: string): Promise<string> {
    const known = this.#images.get(text);
    if (known) return known;
    const image = QRCode.toDataURL(text, { errorCorrectionLevel: 'M' });
    this.#images.set(text, image);
    return image;
  }
}
