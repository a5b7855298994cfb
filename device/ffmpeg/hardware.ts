/** The encoders in hardware that the agent has found, for its runners: a trial of their own would delay a start. */
import { join } from 'node:path';
import type { HardwareEncoder, HardwareKind } from '../../domain/shapes/encodings/hardware.ts';
import { readCached, writeJson } from '../atomic-file.ts';
import { bootId } from '../process.ts';

export interface FoundHardware {
  encoders: HardwareEncoder[];
  /** The render node of the card; left out where its kind needs none. */
  node?: string;
  /** Each says why a kind of hardware does not encode here. */
  reasons: { kind: HardwareKind; reason: string }[];
}

export const NO_HARDWARE: FoundHardware = { encoders: [], reasons: [] };

function hardwareFile(deviceDir: string): string {
  return join(deviceDir, 'hardware.json');
}

export async function keepHardware(deviceDir: string, hardware: FoundHardware): Promise<void> {
  await writeJson(hardwareFile(deviceDir), { ...hardware, bootId: bootId() });
}

/** Another boot may have other cards and drivers. */
export function knownHardware(deviceDir: string): FoundHardware | undefined {
  const kept = readCached(hardwareFile(deviceDir)) as (Partial<FoundHardware> & { bootId?: string }) | null | undefined;
  const { encoders, reasons, node } = kept ?? {};
  if (kept?.bootId !== bootId() || !Array.isArray(encoders) || !Array.isArray(reasons)) return undefined;
  return { encoders, reasons, ...(typeof node === 'string' && { node }) };
}
