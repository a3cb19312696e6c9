import type { Account } from '../account.js';
import type { ProfileUpdate } from '../api.js';
import type { Network } from '../network.js';
import { changePicture } from './picture.js';

/** Changes how others see or reach a person, and tells those who are told on the real network. @throws Refusal 400 for a picture that is none */
export async function changeProfile(
  network: Network,
  account: Account,
  update: ProfileUpdate,
): Promise<void> {
  const { name, picture, pictureHidden, onlyAdminsAddMe, ...shown } = update;
  // first what can fail
  if (picture !== undefined)
    await changePicture(network, account, account, picture === null ? null : Buffer.from(picture, 'base64'));
  Object.assign(account.record, shown);
  if (pictureHidden !== undefined) account.setPrivacy('profile', pictureHidden ? 'none' : 'all');
  if (onlyAdminsAddMe !== undefined) account.setPrivacy('groupadd', onlyAdminsAddMe ? 'contacts' : 'all');
  account.keep();
  if (name !== undefined) await network.settings.of(account).rename(name);
}
