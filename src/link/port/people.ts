import type { Address } from '../../domain/address.js';

/** What the network tells of a person. */
export interface Profile {
  /** User-parts; empty where not known. */
  lid: string;
  pn: string;
  /** Handle; may be empty. */
  username: string;
  /** Status text; empty when there is none or it is hidden. */
  status: string;
  /** Version of the picture; empty when there is none or it is hidden. */
  pictureId: string;
  /** How many devices the person uses, the phone included. */
  devices: number;
  /** Of a verified business; may be empty. */
  verifiedName: string;
}

/** A profile picture, or why there is none to be seen. */
export type Picture =
  | {
      /** Version of the picture. */
      id: string;
      type: 'preview' | 'image';
      /** Signed by the network; it expires in about ten days. */
      url: string;
    }
  | { reason: 'none' | 'hidden' };

/** Who people are. Both throw GatewayError `lookup_failed` when the network refuses or does not answer. */
export interface LinkPeople {
  /** Undefined when the network knows nobody by that address. */
  profile(address: Address): Promise<Profile | undefined>;
  /** Of a person or a group. `preview` asks for the small one (96 px). */
  picture(address: Address, preview: boolean): Promise<Picture>;
  /**
   * Fetches a picture by the network's signed address.
   * @throws GatewayError `media_gone`, `media_unfetchable`
   */
  fetchPicture(url: string, signal?: AbortSignal): Promise<{ bytes: Uint8Array; mimeType: string }>;
}
