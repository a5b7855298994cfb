/** Integrations and system as `onair serve` wires them: real implementations, over a scratch folder. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, type Clock } from '../../domain/time/clock.ts';
import { createIntegrations, type IntegrationDeps } from '../../integrations/integrations.ts';
import { PREFIX } from '../../rest/routes.ts';
import { createSystem } from '../../system/system.ts';
import type { DispatchDeps } from '../../toolkit/dispatch.ts';

export interface SurroundingOptions extends Pick<IntegrationDeps, 'mail'> {
  clock?: Clock;
  dataDir?: string;
  cloudUrl?: string;
  licenceKey?: string;
}

export function surroundings(options: SurroundingOptions = {}): Pick<DispatchDeps, 'integrations' | 'system'> {
  const { clock = systemClock, dataDir = join(tmpdir(), 'onair-nowhere'), cloudUrl, licenceKey, mail } = options;
  return {
    integrations: createIntegrations({ clock, cloudUrl, mail }),
    system: createSystem({
      dataDir,
      version: '0.0.0',
      clock,
      licenceKey,
      settings: {},
      timezone: 'UTC',
      sharing: () => undefined,
      tls: {},
      hasMail: false,
      health: () => ({ ok: true, problem: null }),
      address: { url: () => 'http://onair.example', prefix: PREFIX },
      devicePort: undefined,
    }),
  };
}
