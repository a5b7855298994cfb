/** Curves of a Live stream from the Devices that it was on. */
import { AppError } from '../domain/base/errors.ts';
import type { RunFigures } from '../domain/ports/run-figures.ts';
import { CURVE_NAMES, type Curves, type CurvesWanted } from '../domain/shapes/reports/curves.ts';
import type { DeviceRegistry } from './device-registry.ts';

export function keptCurves(registry: DeviceRegistry): RunFigures['curves'] {
  return async (livestreamId, deviceIds, wanted) => {
    const found = await Promise.all(deviceIds.map((id) => curvesAt(registry, id, livestreamId, wanted)));
    const [first, ...others] = found.filter((curves) => curves !== undefined);
    return first === undefined ? undefined : others.reduce(laidOver, first);
  };
}

/** A Device that does not answer, or knows no curves, costs a report its curves and nothing else. */
async function curvesAt(
  registry: DeviceRegistry,
  deviceId: number,
  livestreamId: number,
  wanted: CurvesWanted,
): Promise<Curves | undefined> {
  const device = registry.get(deviceId);
  if (device?.online !== true) return undefined;
  try {
    return await device.link.curves?.(livestreamId, wanted);
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}

/** A run moves from one Device to another: at each step one of them has values, as a rule. */
function laidOver(one: Curves, other: Curves): Curves {
  const values = { ...one.values };
  for (const name of CURVE_NAMES)
    values[name] = one.values[name].map((value, index) => value ?? other.values[name][index] ?? null);
  return { ...one, values };
}
