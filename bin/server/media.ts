/** A process of its own answers the viewers of the control plane's port; `onair serve` starts it. */
import type { Socket } from 'node:net';
import { runMediaChild } from '../../device/delivery/media-child.ts';
import { STALL_MS, type MediaDeps } from '../../device/delivery/media-connection.ts';
import { viewerLimits, Viewers } from '../../device/delivery/viewer-limits.ts';
import type { ConnectionLimits } from '../../device/connections.ts';
import { systemClock } from '../../domain/time/clock.ts';
import type { HeaderReader } from '../../domain/network/http-conditions.ts';
import { otherDevices } from './other-devices.ts';
import { sightingsFor } from './sightings.ts';
import { clientNetwork, NO_PROXIES, proxiesAt } from '../../rest/client-address.ts';

export interface MediaSettings {
  deviceDir: string;
  /** The text of the setting. */
  trustedProxies?: string | undefined;
}

export function runMedia(): void {
  runMediaChild((settings: MediaSettings, placeOf) => ({
    ...mediaParts(settings, viewerLimits()),
    others: otherDevices(placeOf, () => undefined),
  }));
}

/** Behind a trusted proxy the address of a viewer is the one that the proxy names. */
export function mediaParts({ deviceDir, trustedProxies }: MediaSettings, limits: ConnectionLimits): MediaDeps {
  const proxies = trustedProxies === undefined ? NO_PROXIES : proxiesAt(trustedProxies);
  const addressOf = (socket: Socket, header: HeaderReader): string => {
    const forwarded = header('x-forwarded-for');
    const headers = new Headers(forwarded == null ? {} : { 'x-forwarded-for': forwarded });
    return clientNetwork({ incoming: { socket } }, headers, proxies);
  };
  const viewers = new Viewers(limits);
  return { deviceDir, clock: systemClock, viewers, sightings: sightingsFor(deviceDir), stallMs: STALL_MS, addressOf };
}
