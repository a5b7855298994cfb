/** Curves and pictures of a Live stream from the Devices that it was on. */
import { AppError } from '../domain/base/errors.ts';
import type { DeviceLink } from '../domain/ports/device-link.ts';
import type { RunFigures } from '../domain/ports/run-figures.ts';
import { CURVE_NAMES, type Curves } from '../domain/shapes/reports/curves.ts';
import { chosenPictures } from '../domain/shapes/reports/kept-pictures.ts';
import type { DeviceRegistry } from './device-registry.ts';

export function keptFigures(registry: DeviceRegistry): RunFigures {
  return {
    async curves(livestreamId, deviceIds, wanted) {
      const [first, ...others] = await kept(registry, deviceIds, (link) => link.curves?.(livestreamId, wanted));
      return first === undefined ? undefined : others.reduce(laidOver, first);
    },
    async keptPictures(livestreamId, deviceIds, wanted) {
      const found = await kept(registry, deviceIds, (link) => link.keptPictures?.(livestreamId, wanted));
      if (found.length === 0) return undefined;
      const all = found.flat().sort((one, other) => one.atSeconds - other.atSeconds);
      return chosenPictures(all, wanted);
    },
  };
}

/** A Device that does not answer, or keeps nothing of the kind, costs a report that and nothing else. */
async function kept<T>(
  registry: DeviceRegistry,
  deviceIds: readonly number[],
  read: (link: DeviceLink) => Promise<T> | undefined,
): Promise<T[]> {
  const ask = async (deviceId: number): Promise<T | undefined> => {
    const device = registry.get(deviceId);
    if (device?.online !== true) return undefined;
    try {
      return await read(device.link);
    } catch (error) {
      if (error instanceof AppError) return undefined;
      throw error;
    }
  };
  return (await Promise.all(deviceIds.map(ask))).filter((found) => found !== undefined);
}

/** A run moves from one Device to another: at each step one of them has values, as a rule. */
function laidOver(one: Curves, other: Curves): Curves {
  const values = { ...one.values };
  for (const name of CURVE_NAMES)
    values[name] = one.values[name].map((value, index) => value ?? other.values[name][index] ?? null);
  return { ...one, values };
}
