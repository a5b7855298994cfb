import { z } from 'zod/v3';
import { fleetHold } from './fleet-hold.ts';
import { storageField, storageStateField, type StorageStates } from './device-storage.ts';
import { HARDWARE_KINDS } from '../encodings/hardware.ts';
import { descriptionField, instantField, nameField, stampFields } from '../../base/schema.ts';

const capabilitiesField = z
  .object({
    ffmpeg_version: z.string().nullable().describe('Version of ffmpeg; null when missing.'),
    video_encoders: z.array(z.string()).describe('Video codecs of settings_video.codec that the Device can encode.'),
    audio_encoders: z.array(z.string()).describe('Audio codecs of settings_audio.codec that the Device can encode.'),
    hdr_encoders: z.array(z.string()).optional().describe('Video codecs that the Device can encode in HDR.'),
    protocols: z.array(z.string()).describe('Protocols, as ffmpeg names them.'),
    inputs: z.array(z.string()).describe('Channel types that the Device can take in.'),
    outputs: z.array(z.string()).describe('Publishing types that the Device can deliver.'),
    encryption: z.array(z.string()).optional().describe('Encryption of samples that the Device can apply: cenc, cbcs.'),
    sandbox: z
      .enum(['landlock', 'none'])
      .optional()
      .describe('What confines ffmpeg to the files of its broadcast; none: the rights of the Device user alone do.'),
    features: z.array(z.string()).optional().describe('What its agent can do beyond the first version, such as moves.'),
    hardware_encoders: z
      .array(
        z
          .object({
            kind: z.enum(HARDWARE_KINDS),
            codec: z.string().describe('h264 or hevc.'),
            ten_bit: z.boolean().describe('Also of 10 bits a sample.'),
          })
          .strict(),
      )
      .optional()
      .describe('Encoders in hardware, as tried when the agent started.'),
    missing: z
      .array(z.object({ feature: z.string(), needs: z.string() }).strict())
      .describe('What the Device lacks and what would bring it.'),
  })
  .strict();
export type Capabilities = z.infer<typeof capabilitiesField>;

export const encodingTrialField = z
  .object({
    /** Cores for 720p and 360p at 30 frames a second, h264 veryfast. */
    cores: z.number().positive(),
    /** Those over the cores that are expected: 2 is twice as dear. */
    factor: z.number().positive(),
    tried_at: instantField,
  })
  .strict();
export type EncodingTrial = z.infer<typeof encodingTrialField>;

/** Port of the agent's network listener, where an address names none. */
const DEVICE_PORT = 8092;
/** A name or IPv4 address with or without a port, or an IPv6 address, in brackets when a port follows. */
const ADDRESS = /^(?:([A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?)|\[([0-9a-fA-F:.]+)\])(?::(\d{1,5}))?$/u;
const BARE_IPV6 = /^[0-9a-fA-F]*:[0-9a-fA-F:.]*:[0-9a-fA-F:.]*$/u;

/** Throws RangeError; `addressField` has refused such text before. */
export function parseDeviceAddress(text: string): { host: string; port: number } {
  if (BARE_IPV6.test(text)) return { host: text, port: DEVICE_PORT };
  const [, name, ipv6, port = String(DEVICE_PORT)] = ADDRESS.exec(text) ?? [];
  const host = name ?? ipv6;
  if (host === undefined || Number(port) > 65_535) throw new RangeError(`${text} is not host or host:port.`);
  return { host, port: Number(port) };
}

function isDeviceAddress(text: string): boolean {
  return BARE_IPV6.test(text) || (ADDRESS.test(text) && Number(ADDRESS.exec(text)?.[3] ?? 1) <= 65_535);
}

export const slotsField = z
  .object({
    used: z.number().int().describe('Taken by Live streams that start or run; a dear one takes several.'),
    free: z.number().int().describe('Left for more at the usual cost.'),
    total: z.number().int().describe('All: used and free together.'),
  })
  .strict()
  .describe('Live streams of the usual cost that there is room for, in all, taken and free.');

/** null when no licence in force limits it. */
const quantity = z.number().int().nullable();

export const deviceCreate = {
  name: nameField.describe('Alias, 1-100 characters, unique.'),
  description: descriptionField.nullable().default(null),
  location: z.string().max(255).nullable().default(null).describe('Where it stands.'),
  ip_address: z
    .string()
    .trim()
    .max(255)
    .refine(isDeviceAddress, 'must be a host name or IP address, with or without :port')
    .describe(`Address of the agent: host or host:port (${DEVICE_PORT}).`),
  type: z
    .enum(['standalone', 'cloud', 'relay'])
    .default('standalone')
    .describe('cloud: taken once no other has room, or when named. relay: takes only what is copied.'),
  enabled: z.boolean().default(true).describe('Whether it may be given Live streams.'),
};

const refusedMachine = z
  .object({
    name: z.string().nullable().describe('Host name; null: it does not say.'),
    address: z.string().describe('Where it dials from.'),
    reason: z
      .enum(['present', 'former'])
      .describe(
        'present: the machine of the Device is there too. former: it does not know what that machine was told last, as a copy does not.',
      ),
    since: instantField,
  })
  .strict();

export const drainField = z
  .object({ since: instantField, deadline: instantField.nullable(), ended_at: instantField.nullable(), by: z.string() })
  .strict();
/** The order to empty a Device; `ended_at` is when the last Live stream left, or its time was over. */
export type Drain = z.infer<typeof drainField>;

export const deviceOutput = z
  .object({
    ...stampFields,
    ...deviceCreate,
    alias: z.string().describe('The same as name.'),
    mountstatus: storageStateField.describe(
      'Worst state of its disks, as tried each half minute: mounted, readonly, full, missing or unknown.',
    ),
    storage: z.array(storageField).describe('Its disks by use; empty while the Device does not tell of them.'),
    licensed: z
      .object({
        channels: quantity,
        outputs: quantity.describe('Paths that deliver at once; a Destination has a primary and a backup one.'),
        publishing_points: quantity.describe('Destinations.'),
      })
      .strict()
      .describe('Licensed quantities; null = without limit.'),
    drain: z
      .enum(['under_way', 'ended'])
      .nullable()
      .describe(
        'under_way: Live streams are moved away (drainDevice). ended: it is empty, or its time is over. null: it is not emptied.',
      ),
    online: z.boolean().describe('Whether the agent answers.'),
    refused_machine: refusedMachine
      .nullable()
      .describe(
        'Another machine that dials with the key of this Device, such as a copy of it, and gets no orders; null: none.',
      ),
    not_understood: z
      .object({ reason: z.string().describe('The first thing that was wrong.'), since: instantField })
      .strict()
      .nullable()
      .describe('It says what no Device says, so its connection is closed and opened again; null: it is understood.'),
    capabilities: capabilitiesField.nullable().describe('As probed at its start; null before the first contact.'),
    encoding_factor: z
      .number()
      .nullable()
      .describe('Cost of encoding there over what is expected, as it has tried once; null: not yet.'),
    slots: slotsField,
    load: z.number().describe('Share of its encoding capacity in use, 0-1.'),
  })
  .strict()
  .describe('Device: a machine that runs encoders.');
export type DeviceView = z.infer<typeof deviceOutput>;
/** The part that is known at run time alone. */
export type DeviceState = Pick<
  DeviceView,
  'online' | 'slots' | 'load' | 'mountstatus' | 'storage' | 'licensed' | 'refused_machine' | 'not_understood'
>;
export type Device = Omit<
  DeviceView,
  | 'online'
  | 'slots'
  | 'load'
  | 'alias'
  | 'mountstatus'
  | 'storage'
  | 'encoding_factor'
  | 'drain'
  | 'refused_machine'
  | 'not_understood'
> & {
  /** States of its disks; left out before they were told. */
  storage_states?: StorageStates;
  /** Left out before there is one. */
  encoding_trial?: EncodingTrial;
  /** Base URL of its own HTTP delivery; null before the first contact. */
  media_url: string | null;
  /** True for the machine of the control plane itself. */
  local: boolean;
  /** The server whose machine it is, where several share the store. */
  member_id?: string;
  /** Secret shared with the agent since the pairing, never answered; absent for the local Device. */
  link_key?: string;
  /** It dials the server; left out, the server dials it. */
  dials_in?: boolean;
  /** Id that the machine gave itself before it joined, and the token that it joined with. */
  machine_id?: string;
  join_kid?: string;
  /** Everything on air there is to leave it. */
  drain?: Drain;
  /** Cores that it reports; 0 before the first contact. */
  cores: number;
  /** Cores that programs beside its broadcasts took, while any was on air; left out for none. */
  other_load?: number;
};

export const deviceLiveStatus = z
  .object({
    deviceId: z.number().int(),
    name: z.string(),
    online: z.boolean().describe('Whether the agent answers.'),
    load: z.number().describe('Share of its encoding capacity in use, 0-1.'),
    slots: slotsField,
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

const loadField = z.number().describe('Share of the encoding capacity in use, 0-1.');

export const deviceSummary = z
  .object({
    total: z.number().int().describe('Devices that there are.'),
    online: z.number().int().describe('Devices whose agent answers.'),
    enabled: z.number().int().describe('Devices that may be given Live streams.'),
    held: fleetHold.nullable().describe('The hold of holdFleet; null: broadcasts may be moved by themselves.'),
    slots: slotsField,
    load: loadField,
    types: z
      .array(
        z
          .object({
            type: z.string(),
            total: z.number().int(),
            online: z.number().int(),
            slots: slotsField,
            load: loadField,
          })
          .strict(),
      )
      .describe('The same for each type of Device that there is.'),
    devices: z
      .array(
        z
          .object({
            deviceId: z.number().int(),
            name: z.string(),
            type: z.string(),
            enabled: z.boolean(),
            online: z.boolean(),
            slots: slotsField,
            load: loadField,
          })
          .strict(),
      )
      .describe('Each Device, the most loaded first.'),
  })
  .strict()
  .describe('Summary of all Devices. Slots and load count those that are online and enabled.');
