/** The certificate by which this server is reached. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { failure, ok, warning, type Finding } from '../../domain/shapes/installation/finding.ts';

export interface TlsSettings {
  tlsCert?: string | undefined;
  tlsKey?: string | undefined;
}

const DAY_MS = 86_400_000;
/** Renewals of ninety days' certificates come thirty days before their end: at half of that something is wrong with them. */
const SOON_DAYS = 14;

export function certificate({ tlsCert, tlsKey }: TlsSettings, nowMs: number): Finding<'certificate'> {
  const check = 'certificate';
  if (tlsCert === undefined && tlsKey === undefined) return ok(check, 'None is set: the server speaks plain HTTP.');
  if (tlsCert === undefined || tlsKey === undefined)
    return failure(check, 'Only one of ONAIR_TLS_CERT and ONAIR_TLS_KEY is set.', 'Set both, or neither.');
  try {
    const leaf = new X509Certificate(readFileSync(tlsCert));
    if (!leaf.checkPrivateKey(createPrivateKey(readFileSync(tlsKey))))
      return failure(
        check,
        `${tlsCert} and ${tlsKey} do not fit each other.`,
        'Put the key beside the certificate that was issued for it.',
      );
    const days = Math.floor((Date.parse(leaf.validTo) - nowMs) / DAY_MS);
    const until = new Date(leaf.validTo).toISOString().slice(0, 10);
    const renew = 'Renew it; the server takes renewed files within a minute, without a restart.';
    if (days < 0)
      return failure(check, `${tlsCert} ended on ${until}: browsers and assistants refuse the server.`, renew, {
        since: new Date(leaf.validTo).toISOString(),
      });
    if (nowMs < Date.parse(leaf.validFrom))
      return failure(
        check,
        `${tlsCert} is not valid before ${new Date(leaf.validFrom).toISOString()}.`,
        'Set the clock of the machine, or take a certificate that is valid.',
      );
    if (days < SOON_DAYS) return warning(check, `${tlsCert} ends on ${until}, in ${days} days.`, renew);
    return ok(check, `${tlsCert} is valid until ${until}.`);
  } catch (error) {
    return failure(
      check,
      `${tlsCert} and ${tlsKey} cannot be used: ${(error as Error).message}`,
      'Name files in PEM that the user of the server may read.',
    );
  }
}
