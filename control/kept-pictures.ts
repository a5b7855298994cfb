/** Pictures of a Live stream from the Devices that it was on. */
import { AppError } from '../domain/base/errors.ts';
import type { RunFigures } from '../domain/ports/run-figures.ts';
import { chosenPictures, type KeptPicture, type PicturesWanted } from '../domain/shapes/reports/kept-pictures.ts';
import type { DeviceRegistry } from './device-registry.ts';

export function keptPictures(registry: DeviceRegistry): RunFigures['keptPictures'] {
  return async (livestreamId, deviceIds, wanted) => {
    const found = await Promise.all(deviceIds.map((id) => picturesAt(registry, id, livestreamId, wanted)));
    const known = found.filter((pictures) => pictures !== undefined);
    if (known.length === 0) return undefined;
    const all = known.flat().sort((one, other) => one.atSeconds - other.atSeconds);
    return chosenPictures(all, wanted);
  };
}

/** A Device that does not answer, or keeps no pictures, costs a report its pictures and nothing else. */
async function picturesAt(
  registry: DeviceRegistry,
  deviceId: number,
  livestreamId: number,
  wanted: PicturesWanted,
): Promise<KeptPicture[] | undefined> {
  const device = registry.get(deviceId);
  if (device?.online !== true) return undefined;
  try {
    return await device.link.keptPictures?.(livestreamId, wanted);
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}
