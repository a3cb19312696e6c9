import { linking } from '../../contract/sandbox/linking.js';
import { phones as api } from '../../contract/sandbox/phones.js';
import { assert } from '../pairing/authenticator.js';
import { changeNumber, changeProfile, reinstall } from '../phone/profile.js';
import { unlink } from '../routing/devices.js';
import { Refusal } from '../wire/refusals.js';
import { type Route, route } from './route.js';

/** People and their phones. */
export const phoneRoutes: readonly Route[] = [
  route(api.addPhone, ({ payload }, { phones }) => {
    const account = phones.create(payload.number, payload.name ?? payload.number);
    if (payload.hideLid) {
      account.record.hideLid = true;
      account.keep();
    }
    const { number, name, jid, lid } = account.view();
    return { number, name, jid, lid };
  }),
  route(api.phones, (_request, { network }) => ({
    phones: [...network.directory.accounts].map((account) => account.view()),
  })),
  route(api.phone, ({ params }, { network }) => network.directory.require(params.number).view()),
  route(api.device, ({ params: { number, id } }, { network }) =>
    network.directory.requireDevice(number, id).details(),
  ),
  route(api.update, async ({ params, payload }, { network, phones }) => {
    const account = network.directory.require(params.number);
    await changeProfile(network, phones.of(account), payload);
    return account.view();
  }),
  route(api.changeNumber, ({ params, payload }, { network }) => {
    const account = network.directory.require(params.number);
    changeNumber(network, account, payload.number);
    return account.view();
  }),
  route(api.reinstall, async ({ params }, { network, phones }) => {
    const account = network.directory.require(params.number);
    await reinstall(network, phones, account);
    return account.view();
  }),
];

/** Linking and unlinking devices. */
export const pairingRoutes: readonly Route[] = [
  route(linking.scan, async ({ params, payload }, { network, pairing }) => ({
    device: await pairing.scan(network.directory.require(params.number), payload.qr),
  })),
  route(linking.refreshPairings, ({ payload }, { pairing }) => pairing.refresh(payload)),
  route(linking.enterCode, async ({ params, payload }, { network, pairing }) => ({
    device: await pairing.codes.enter(network.directory.require(params.number), payload.code),
  })),
  route(linking.unlink, ({ params }, { network }) => {
    const companions = [...network.directory.require(params.number).companions.values()];
    for (const companion of companions) unlink(network, companion);
    return { unlinked: companions.length };
  }),
];

/** The passkey ceremony: the phone of the account's owner, and the owner's authenticator. */
export const passkeyRoutes: readonly Route[] = [
  route(linking.passkey, ({ params }, { network, pairing }) =>
    pairing.passkeys.view(network.directory.require(params.number)),
  ),
  route(linking.requestPasskey, ({ params }, { network, pairing }) => ({
    devices: pairing.demandPasskey(network.directory.require(params.number)),
  })),
  route(linking.assertPasskey, ({ params, payload }, { network }) => {
    const account = network.directory.require(params.number);
    const { passkey } = account.record;
    if (!passkey) throw new Refusal('passkey_missing', `${account.number} has no passkey`);
    const assertion = assert(passkey, payload.options, payload.flaw);
    account.keep();
    return assertion;
  }),
  route(linking.confirmPasskey, ({ params, payload }, { network, pairing }) =>
    pairing.passkeys.confirm(network.directory.require(params.number), payload.code),
  ),
  route(linking.declinePasskey, ({ params }, { network, pairing }) => {
    pairing.passkeys.decline(network.directory.require(params.number));
  }),
];
