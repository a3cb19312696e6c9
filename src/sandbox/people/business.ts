import { proto } from '@whiskeysockets/baileys';
import type { Account } from '../account.js';
import { type Stanza, stanza } from '../wire/stanza.js';

const ISSUER = 'smb:wa';

/** What stands in the messages of a business: the certificate of its name. Nothing of people. */
export function vouched({ record: { businessName } }: Account): Stanza[] {
  if (!businessName) return [];
  const details = proto.VerifiedNameCertificate.Details.encode({
    issuer: ISSUER,
    verifiedName: businessName,
  }).finish();
  const certificate = proto.VerifiedNameCertificate.encode({ details }).finish();
  return [stanza('verified_name', { v: '1' }, certificate)];
}
