/** This installation itself: licence files, the support bundle, and links that open without a token. */
import type { Clock } from '../domain/time/clock.ts';
import type { System } from '../domain/shapes/installation/system.ts';
import { Alarms, type AlarmDeps } from './health/alarms.ts';
import { verifyLicenceFile } from './licence-file.ts';
import { signedLinks } from './signed-links.ts';
import { keepAnHour, writeSupportBundle } from './support-bundle.ts';

export interface SystemDeps extends AlarmDeps {
  version: string;
  clock: Clock;
  /** ONAIR_LICENSE_KEY: PEM text, or the path of a PEM file, of the Ed25519 key that signs licences; without it no licence is accepted. */
  licenceKey?: string | undefined;
  /** See LinkParts. */
  linkKey?: Buffer | undefined;
  /** Settings in force, for the bundle; the caller leaves secrets out. */
  settings: Readonly<Record<string, unknown>>;
  /** The URL under which callers reach this server, and the prefix of its operations' paths. */
  address: { url: () => string; prefix: string };
  /** ONAIR_DEVICE_PORT. */
  devicePort: number | undefined;
}

export function createSystem(deps: SystemDeps): System {
  keepAnHour(deps);
  const alarms = new Alarms(deps);
  return {
    verifyLicence: (jws) => verifyLicenceFile(jws, deps.licenceKey, deps.clock.now()),
    supportBundle: (facts, signal) => writeSupportBundle(deps, facts, signal),
    alarms: (facts) => alarms.look(facts),
    links: signedLinks(deps),
    devicePort: deps.devicePort ?? null,
  };
}
