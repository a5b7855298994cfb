/** The settings, a row each: their names, their values, and what holds without them. docs/settings.md is generated from this file. */
import { z } from 'zod/v3';
import { addressIssue, isPostgresAddress } from '../../store/shared/database/address.ts';
import { NETWORKS_SETTING, networksIssue } from '../../domain/network/networks.ts';
import { isTimezone } from '../../domain/time/zone.ts';
import { proxiesAt } from '../../rest/client-address.ts';
import { FLEET_SETTINGS } from './fleet-settings.ts';
import { BUCKET_FORM, bucketField, HISTORY_SETTINGS } from './history-settings.ts';
import { MAIL_SETTINGS } from './mail-settings.ts';
import { PROVIDER_SETTINGS } from './provider-settings.ts';

interface Setting {
  variable: string;
  schema: z.ZodTypeAny;
  /** The values, where the schema's own bounds do not say them. */
  takes?: string;
  /** The value where nobody sets one: itself, or in words where it follows from something else. */
  initial: { value: string | number } | { words: string };
  /** Whole sentences in Markdown; links are relative to docs/. */
  meaning: string;
}

const STORES = '`lowdb`, or the URL of a database such as postgres://onair@db.example.com/onair';
const A_ZONE = 'an IANA time zone such as Europe/Zurich';
const PROXIES = 'addresses or networks such as 10.0.0.0/8, separated by commas';
const A_USER = 'the name of a user of this machine';

export const SETTINGS = {
  data: {
    variable: 'ONAIR_DATA',
    schema: z.string().min(1),
    takes: 'a path; in the settings file relative to that file',
    initial: { words: '`onair` in `XDG_DATA_HOME`, which is `~/.local/share`' },
    meaning: 'The data folder: the store, Assets, and the folder of the Device agent.',
  },
  host: {
    variable: 'ONAIR_HOST',
    schema: z.string().min(1),
    initial: { value: '127.0.0.1' },
    meaning:
      'The address that the server listens on. `localhost` means 127.0.0.1; 0.0.0.0 is every address of the machine.',
  },
  port: {
    variable: 'ONAIR_PORT',
    schema: z.coerce.number().int().min(0).max(65535),
    initial: { value: 8090 },
    meaning: 'The port of REST, MCP and the page; 0 is any that is free.',
  },
  mediaPort: {
    variable: 'ONAIR_MEDIA_PORT',
    schema: z.coerce.number().int().min(0).max(65535),
    initial: { words: 'port + 1; any where the port is 0' },
    meaning: "The port of the Device's own HTTP delivery; 0 is any that is free.",
  },
  tlsCert: {
    variable: 'ONAIR_TLS_CERT',
    schema: z.string().min(1),
    takes: 'the path of a PEM file; in the settings file relative to that file',
    initial: { words: 'none: the server speaks plain HTTP' },
    meaning:
      'The certificate of this server, followed by those of its authorities. With it REST, MCP, the page and the delivery of the Device speak TLS alone, and Channels take RTMPS where they are set so. A renewed file is taken within a minute ([decision](decisions/tls.md)).',
  },
  tlsKey: {
    variable: 'ONAIR_TLS_KEY',
    schema: z.string().min(1),
    takes: 'the path of a PEM file; in the settings file relative to that file',
    initial: { words: 'none' },
    meaning: 'The private key of `ONAIR_TLS_CERT`, without a passphrase. A pair that does not fit ends the start.',
  },
  httpPort: {
    variable: 'ONAIR_HTTP_PORT',
    schema: z.coerce.number().int().min(1).max(65535),
    initial: { words: 'none' },
    meaning:
      'A port that answers every plain HTTP request with 308, to the same path over TLS. It needs `ONAIR_TLS_CERT`.',
  },
  ingestHost: {
    variable: 'ONAIR_INGEST_HOST',
    schema: z.string().min(1),
    initial: { words: 'the address that the HTTP delivery of the Device listens on, which is `ONAIR_HOST`' },
    meaning:
      'The address that the Device listens on for encoders that push to it; 0.0.0.0 is every address of the machine. It opens the ingest alone: server and page stay where they are.',
  },
  ingestUrl: {
    variable: 'ONAIR_INGEST_URL',
    schema: z.string().url(),
    takes: 'a URL of a host, such as rtmp://studio.example.com',
    initial: { words: 'the address that the Device listens on' },
    meaning:
      'The URL under which encoders reach the Device, where a router stands between. The addresses of Channels begin with it.',
  },
  store: {
    variable: 'ONAIR_STORE',
    // What is refused is not repeated, because a password may be in it.
    schema: z.string().superRefine((text, issues) => {
      const issue = text === 'lowdb' ? undefined : addressIssue(text);
      if (issue === undefined) return;
      const message = isPostgresAddress(text) ? `is the URL of a database and ${issue}` : `must be ${STORES}`;
      issues.addIssue({ code: 'custom', message });
    }),
    takes: STORES,
    initial: { value: 'lowdb' },
    meaning:
      'Where rows are kept: in the data folder, or in a PostgreSQL that several servers share ([decision](decisions/shared-store.md)). A password that is not in the URL is taken from `PGPASSWORD` or from the password file of PostgreSQL.',
  },
  media: {
    variable: 'ONAIR_MEDIA',
    schema: bucketField,
    takes: BUCKET_FORM,
    initial: { words: 'the folder `assets` in `ONAIR_DATA`' },
    meaning:
      'Where Recordings are kept, and files of Assets that several servers share ([how](fleet.md)): a bucket of S3, or of a server that speaks it. The folder of each machine then has copies of the Assets that it uses. The keys are taken from `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`.',
  },
  recordings: {
    variable: 'ONAIR_RECORDINGS',
    schema: z.enum(['bucket', 'devices']),
    initial: { value: 'bucket' },
    meaning:
      'Whether Recordings go to the bucket of `ONAIR_MEDIA` while they are written ([how](fleet.md#recordings)), or stay on the Devices that wrote them, as they do without a bucket. Those that are in the bucket stay there.',
  },
  ...FLEET_SETTINGS,
  timezone: {
    variable: 'ONAIR_TIMEZONE',
    schema: z.string().refine(isTimezone, `must be ${A_ZONE}`),
    takes: A_ZONE,
    initial: { words: 'the zone of the machine' },
    meaning: 'The zone of Schedules that name none, and of times that people give without one.',
  },
  publicUrl: {
    variable: 'ONAIR_PUBLIC_URL',
    schema: z.string().url(),
    initial: { words: 'the address that the server listens on' },
    meaning:
      'The URL under which viewers and callers reach this server. It is needed behind a proxy, and for viewers who keep their address when a broadcast goes to another Device.',
  },
  trustedProxies: {
    variable: 'ONAIR_TRUSTED_PROXIES',
    schema: z.string().refine(isProxyList, `must be ${PROXIES}`),
    takes: PROXIES,
    initial: { words: 'none' },
    meaning: 'The proxies whose `X-Forwarded-For` is believed.',
  },
  profile: {
    variable: 'TOOL_PROFILE',
    schema: z.enum(['voice', 'readonly', 'operator', 'full']),
    initial: { value: 'full' },
    meaning:
      'What an assistant may call over MCP. REST heeds `readonly` alone. At `onair mcp` it can only narrow what the server allows.',
  },
  bootstrapToken: {
    variable: 'ONAIR_BOOTSTRAP_TOKEN',
    schema: z.string().min(24),
    initial: { words: 'made at the first start, and written to `~/.config/onair/credentials.json`' },
    meaning: 'The API token of the user `admin`, for the first start alone.',
  },
  bootstrapPassword: {
    variable: 'ONAIR_BOOTSTRAP_PASSWORD',
    schema: z.string().min(12).max(128),
    initial: { words: 'made at the first start on a terminal, and shown there once; elsewhere none' },
    meaning: 'The password of the user `admin`, for the first start alone.',
  },
  ...PROVIDER_SETTINGS,
  cloudUrl: {
    variable: 'ONAIR_CLOUD_URL',
    schema: z.string().url(),
    initial: { words: 'none' },
    meaning:
      'The URL of the managed cloud platform, another deployment of onair ([decision](decisions/cloud-platform.md)).',
  },
  deviceUser: {
    variable: 'ONAIR_DEVICE_USER',
    schema: z.string().regex(/^[a-z_][a-z0-9_-]{0,31}$/u, `must be ${A_USER}`),
    takes: A_USER,
    initial: { words: 'the user that starts it' },
    meaning:
      'Started by root, the Device agent and every ffmpeg become this user. The service of [systemd/onair.service](systemd/onair.service) needs no root.',
  },
  otherLoad: {
    variable: 'ONAIR_OTHER_LOAD',
    schema: z.enum(['count', 'ignore']),
    initial: { value: 'count' },
    meaning:
      '`count`: what other programs have taken of a Device for half a minute is no room for a second broadcast there ([decision](decisions/capacity.md)); those that give way (nice) never count. `ignore`: only broadcasts count.',
  },
  licenceKey: {
    variable: 'ONAIR_LICENSE_KEY',
    schema: z.string().min(1),
    takes: 'PEM text, or the path of a PEM file',
    initial: { words: 'none: no licence file is accepted' },
    meaning: 'The public key that licence files are signed with.',
  },
  rateLimit: {
    variable: 'ONAIR_RATE_LIMIT',
    schema: z.coerce.number().int().min(0).max(10_000_000),
    // It is 200 calls a second, with a minute's worth at once: no honest caller comes near it, a faulty loop does.
    initial: { value: 12_000 },
    meaning: 'Calls a minute for each token; 0 is no limit.',
  },
  assetMaxCount: {
    variable: 'ONAIR_ASSET_MAX_COUNT',
    schema: z.coerce.number().int().min(0),
    // Rows are kept in memory, about 1 KB each; nobody chooses from so long a list.
    initial: { value: 100_000 },
    meaning: 'The number of Assets in all; 0 is no limit.',
  },
  assetMaxBytes: {
    variable: 'ONAIR_ASSET_MAX_BYTES',
    schema: z.coerce.number().int().min(0),
    initial: { value: 0 },
    meaning: 'The bytes of all Assets together; 0 is no limit.',
  },
  ...HISTORY_SETTINGS,
  ...MAIL_SETTINGS,
  sourceNetworks: {
    variable: NETWORKS_SETTING,
    schema: z.string().superRefine((text, issues) => {
      const message = networksIssue(text);
      if (message !== undefined) issues.addIssue({ code: 'custom', message });
    }),
    takes: 'networks separated by commas, with `!` before those that are shut, such as `!10.0.0.0/8,10.1.0.0/16`',
    initial: { words: 'all but those that are built in as shut' },
    meaning: 'The networks that sources, targets, folders and providers may be in ([decision](decisions/networks.md)).',
  },
  logLevel: {
    variable: 'ONAIR_LOG_LEVEL',
    schema: z.enum(['debug', 'info', 'warn', 'error']),
    initial: { value: 'info' },
    meaning: 'The lowest level that is logged.',
  },
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof SETTINGS;
export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[];

type Shape = { [Name in SettingName]: (typeof SETTINGS)[Name]['schema'] };
const shape = Object.fromEntries(SETTING_NAMES.map((name) => [name, SETTINGS[name].schema])) as Shape;
export const settingsSchema = z.object(shape).partial().strict();
export type Settings = z.infer<typeof settingsSchema>;

/** Only the CLI or the Device reads these variables. */
export const OTHER_VARIABLES: Record<string, string> = {
  ONAIR_URL: 'The CLI and `onair mcp`: the server to speak to. Without it they take the server of this machine.',
  ONAIR_TOKEN:
    'The CLI and `onair mcp`: the API token for `ONAIR_URL`, or else for the server of this machine. Without it they take the one of that server in `~/.config/onair/credentials.json`.',
  ONAIR_JOIN_TOKEN:
    '`onair device --join`: the join token, until the Device has joined. `--token-file` names a file that it is in.',
  ONAIR_BACKUP_PASSPHRASE:
    '`onair backup` and `onair restore`: the passphrase of the backup, where no `--passphrase-file` is given. Without it a backup is not encrypted.',
  ONAIR_FFMPEG: 'The Device: the name or path of ffmpeg. Without it the one in `PATH` is taken.',
  ONAIR_FFPROBE: 'The Device: the name or path of ffprobe. Without it the one in `PATH` is taken.',
  ONAIR_VIDEOSITE_RESOLVER:
    'The Device: the command that finds the address of a video, for Channels of type VideoSite Live. Without it yt-dlp is asked, where it is in `PATH`.',
};

function isProxyList(text: string): boolean {
  try {
    proxiesAt(text);
    return true;
  } catch {
    // The caller reports that the list is none, with the form that it must have.
    return false;
  }
}
