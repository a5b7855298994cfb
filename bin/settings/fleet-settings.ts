/** The settings of servers with Devices on other machines, rows of bin/settings/settings.ts. */
import { z } from 'zod/v3';

const FENCE_FORM =
  'the absolute path of a program, or an http or https URL such as https://user:password@power.example.com/off';

export const FLEET_SETTINGS = {
  devicePort: {
    variable: 'ONAIR_DEVICE_PORT',
    schema: z.coerce.number().int().min(1).max(65535),
    initial: { words: 'none: no Device can dial this server' },
    meaning:
      'A port at `ONAIR_HOST` that Devices on other machines dial and join at; 8092 is the one that they take without another ([how](server.md#devices-that-dial)). It speaks TLS with the key of each Device and nothing else.',
  },
  fence: {
    variable: 'ONAIR_FENCE',
    // What is refused is not repeated, because a password may be in it.
    schema: z.string().refine(isFence, `must be ${FENCE_FORM}`),
    takes: FENCE_FORM,
    initial: { words: 'none: broadcasts move once the lease of the lost Device has ended' },
    meaning:
      'What cuts a lost Device off, such as its power switch, so that its broadcasts move at once ([how](fleet.md#a-fence)).',
  },
} as const;

function isFence(text: string): boolean {
  if (text.startsWith('/')) return true;
  return URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol);
}
