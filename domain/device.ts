import { z } from 'zod/v3';
import { descriptionField, instantField, nameField, stampFields } from './schema.ts';

export const capabilitiesField = z
  .object({
    ffmpeg_version: z.string().nullable().describe('Version of ffmpeg; null when missing.'),
    video_encoders: z.array(z.string()).describe('Video codecs of settings_video.codec that the Device can encode.'),
    audio_encoders: z.array(z.string()).describe('Audio codecs of settings_audio.codec that the Device can encode.'),
    protocols: z.array(z.string()).describe('Protocols, as ffmpeg names them.'),
    inputs: z.array(z.string()).describe('Channel types that the Device can take in.'),
    outputs: z.array(z.string()).describe('Publishing types that the Device can deliver.'),
    missing: z
      .array(z.object({ feature: z.string(), needs: z.string() }).strict())
      .describe('What the Device lacks and what would bring it.'),
  })
  .strict();
export type Capabilities = z.infer<typeof capabilitiesField>;

export const deviceCreate = {
  name: nameField.describe('Alias, 1-100 characters, unique.'),
  description: descriptionField.nullable().default(null),
  location: z.string().max(255).nullable().default(null).describe('Where it stands.'),
  ip_address: z.string().max(255).describe('Address of the agent.'),
  type: z.enum(['standalone', 'cloud', 'relay']).default('standalone').describe('Kind of Device.'),
  enabled: z.boolean().default(true).describe('Whether it may be given Live streams.'),
};

export const deviceOutput = z
  .object({
    ...stampFields,
    ...deviceCreate,
    alias: z.string().describe('The same as name.'),
    mountstatus: z.string().describe('State of its media storage: mounted, full or unknown.'),
    licensed: z
      .object({ channels: z.number().int(), outputs: z.number().int(), publishing_points: z.number().int() })
      .strict()
      .describe('Licensed quantities.'),
    online: z.boolean().describe('Whether the agent answers.'),
    capabilities: capabilitiesField.nullable().describe('As probed at its start; null before the first contact.'),
    slots: z
      .object({ used: z.number().int(), total: z.number().int() })
      .strict()
      .describe('Live streams that it runs, and could run at the usual cost.'),
    load: z.number().describe('Share of its encoding capacity in use, 0-1.'),
  })
  .strict()
  .describe('Device: a machine that runs encoders.');
export type DeviceView = z.infer<typeof deviceOutput>;
export type Device = Omit<DeviceView, 'online' | 'slots' | 'load' | 'alias' | 'mountstatus'> & {
  /** Base URL of its own HTTP delivery; null before the first contact. */
  media_url: string | null;
  /** The machine of the control plane itself. */
  local: boolean;
  /** Cores as it told; 0 before the first contact. */
  cores: number;
};

export const deviceLiveStatus = z
  .object({
    deviceId: z.number().int(),
    name: z.string(),
    online: z.boolean().describe('Whether the agent answers.'),
    load: z.number().describe('Share of its encoding capacity in use, 0-1.'),
    slots: z.object({ used: z.number().int(), total: z.number().int() }).strict(),
    livestreams: z
      .array(
        z
          .object({
            livestreamId: z.number().int(),
            name: z.string(),
            slot: z.number().int().describe('Input slot on the Device, from 1.'),
            status: z.number().int().describe('0 stopped, 1 starting, 2 running, 3 failed.'),
            since: instantField.nullable(),
          })
          .strict(),
      )
      .describe('Live streams that it holds, by slot.'),
  })
  .strict();
