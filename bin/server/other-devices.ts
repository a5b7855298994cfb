/** Reads the lists of Destinations that other Devices serve from those by HTTP. */
import { OtherDevices, type PlaceOf } from '../../device/delivery/others/other-devices.ts';
import type { ReadList } from '../../device/delivery/others/device-lists.ts';
import { systemClock } from '../../domain/time/clock.ts';
import { deviceMedia } from '../../rest/feed/device-media.ts';
import { trustFor } from '../settings/trust.ts';

/** A list that reaches a day back has some 8 MB. */
const MAX_LIST_BYTES = 32 << 20;
const READ_MS = 5000;
/** A player of low latency waits for three segments at most. */
const WAIT_MS = 20_000;

/** `certificate` is this server's own, in PEM: Devices of its machine speak TLS with it. */
export function otherDevices(placeOf: PlaceOf, certificate: () => string | undefined): OtherDevices {
  const read: ReadList = async (place, file, search) => {
    const signal = AbortSignal.timeout(search === '' ? READ_MS : WAIT_MS);
    const trust = await trustFor(place.url, certificate());
    const answer = await deviceMedia(place, { method: 'GET', file, search, headers: {}, signal, trust });
    const parts: Buffer[] = [];
    let bytes = 0;
    for await (const part of answer as AsyncIterable<Buffer>) {
      bytes += part.length;
      if (bytes > MAX_LIST_BYTES) throw new RangeError(`A list has more than ${MAX_LIST_BYTES} bytes.`);
      parts.push(part);
    }
    return Buffer.concat(parts);
  };
  return new OtherDevices({ placeOf, read, clock: systemClock });
}
