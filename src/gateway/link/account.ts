import type { Person } from '../../domain/address.js';
import type { StatusPrivacyMode } from '../../domain/status-audience.js';

/** The profile of the linked number. */
export interface OwnProfile {
  /** The name that other people see; empty where it is not known. */
  name: string;
  /** The text below the name. */
  about: string;
  /** Version of the picture; empty when there is none. */
  pictureId: string;
  /** Seconds after which messages of new chats disappear; 0 if they stay. */
  disappearingSeconds: number;
}

/** Who may see the statuses of an account. */
export interface StatusPrivacy {
  mode: StatusPrivacyMode;
  /** The people who are left out, or the only ones; none for all contacts. */
  people: Person[];
}

/**
 * The own account: its profile and its block list. Queries throw GatewayError `lookup_failed`; changes throw
 * `account_rejected`, both when the network refuses or does not answer.
 */
export interface LinkAccount {
  profile(): Promise<OwnProfile>;
  /** Sets the name, which all devices of the account share. @throws GatewayError `app_state_rejected`, `send_not_connected` */
  setName(name: string): Promise<void>;
  setAbout(about: string): Promise<void>;
  /** Sets the picture, a square JPEG, or removes it without one. @throws GatewayError also `media_unsupported` */
  setPicture(jpeg: Uint8Array | undefined): Promise<void>;
  /** Sets the timer of new chats. @param seconds 0 turns it off */
  setDisappearing(seconds: number): Promise<void>;
  /** Who may see the statuses of the account, as the network says now. */
  statusPrivacy(): Promise<StatusPrivacy>;
  /** Sets who may see them, for all devices of the account. @throws GatewayError `app_state_rejected`, `send_not_connected` */
  setStatusPrivacy(privacy: StatusPrivacy): Promise<void>;
  /** The people whom the account blocks, as the network lists them now, each with the address that the network uses. */
  blocked(): Promise<Person[]>;
  /** @param person with both addresses where known */
  setBlocked(person: Person, isBlocked: boolean): Promise<void>;
}
