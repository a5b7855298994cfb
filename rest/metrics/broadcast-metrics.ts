/**
 * Broadcasts and Devices in the Prometheus text format, as the control plane knows them at the moment of the scrape. Labels are ids;
 * the names that belong to them are for those alone who show a token. A stopped Live stream has a state and nothing else.
 */
import type { Control } from '../../domain/ports/control.ts';
import type { Device } from '../../domain/shapes/devices/device.ts';
import type { Livestream } from '../../domain/shapes/broadcasts/livestream.ts';
import {
  PATH_STATES,
  SOURCE_STATES,
  type LivestreamStatusView,
} from '../../domain/shapes/broadcasts/livestream-status.ts';
import type { RunReport } from '../../domain/shapes/broadcasts/run.ts';
import type { Store } from '../../domain/ports/store.ts';
import type { System } from '../../domain/shapes/installation/system.ts';
import { diskSpaceOf } from '../../linux/disk-space.ts';
import type { Clock } from '../../domain/time/clock.ts';
import { alarmFamily } from './alarm-metrics.ts';
import { audienceFamilies } from './audience-metrics.ts';
import { conditionFamily } from './condition-metrics.ts';
import { coreFamilies } from './core-metrics.ts';
import { family, oneHot, type Sample } from './exposition.ts';
import { soundFamilies } from './sound-metrics.ts';
import { storageFamily } from './storage-metrics.ts';

export interface BroadcastDeps {
  store: Pick<Store, 'find'>;
  control: Pick<Control, 'status' | 'lastReport' | 'deviceState' | 'deviceCapacity' | 'clockAhead'>;
  system: Pick<System, 'alarms'>;
  clock: Pick<Clock, 'now'>;
  /** The folder whose filesystem is shown; left out: none is. */
  dataDir?: string | undefined;
}

const STATES = ['stopped', 'starting', 'running', 'failed'] as const;

interface Stream {
  id: number;
  status: LivestreamStatusView;
  report: RunReport | undefined;
  reserved: number;
}

export async function broadcastMetrics(deps: BroadcastDeps, named: boolean): Promise<string> {
  const { store, control, dataDir } = deps;
  const [livestreams, runs, devices, restores] = await Promise.all([
    store.find('livestreams', {}),
    store.find('runs', {}),
    store.find('devices', {}),
    store.find('eras', { where: { waiting: true }, limit: 1 }),
  ]);
  const runById = new Map(runs.rows.map((run) => [run.id, run]));
  const streams = livestreams.rows.map((livestream): Stream => {
    const { id } = livestream;
    const run = runById.get(id);
    const isHeld = run?.status === 1 || run?.status === 2;
    return {
      id,
      status: control.status(livestream, run),
      report: isHeld ? control.lastReport(id) : undefined,
      reserved: isHeld ? run.cost : 0,
    };
  });
  return [
    named ? nameFamilies(livestreams.rows, devices.rows) : '',
    streamFamilies(streams),
    conditionFamily(streams),
    soundFamilies(streams),
    audienceFamilies(streams),
    encodingFamilies(streams),
    destinationFamilies(streams),
    deviceFamilies(devices.rows, control, streams),
    family('onair_store_restored', 'gauge', '1 while the store, which went back, waits for a person.', [
      { value: restores.total },
    ]),
    await alarmFamily(deps),
    await diskFamilies(dataDir),
  ].join('');
}

function nameFamilies(livestreams: readonly Readonly<Livestream>[], devices: readonly Readonly<Device>[]): string {
  return [
    family(
      'onair_livestream_info',
      'gauge',
      'Name of a Live stream.',
      livestreams.map(({ id, name }) => ({ labels: { livestream: id, name }, value: 1 })),
    ),
    family(
      'onair_device_info',
      'gauge',
      'Name of a Device.',
      devices.map(({ id, name }) => ({ labels: { device: id, name }, value: 1 })),
    ),
  ].join('');
}

function streamFamilies(streams: readonly Stream[]): string {
  const active = streams.filter(({ status }) => status.status === 1 || status.status === 2);
  const each = (of: (stream: Stream) => number | undefined): Sample[] =>
    active.flatMap((stream) => {
      const value = of(stream);
      return value === undefined ? [] : [{ labels: { livestream: stream.id }, value }];
    });
  return [
    family(
      'onair_livestream_state',
      'gauge',
      'State of a Live stream: 1 for the present one.',
      streams.flatMap(({ id, status }) => oneHot(STATES, STATES[status.status], { livestream: id })),
    ),
    family(
      'onair_livestream_uptime_seconds',
      'gauge',
      'Time since the start of the run.',
      each(({ status }) => status.uptime_seconds),
    ),
    family(
      'onair_livestream_cpu_cores',
      'gauge',
      'Cores that the run takes, mean of 10 s.',
      each(({ report }) => report?.cpu_cores),
    ),
    family(
      'onair_livestream_reserved_cores',
      'gauge',
      'Cores reserved for the run.',
      each(({ reserved }) => reserved),
    ),
    family(
      'onair_source_state',
      'gauge',
      'State of the source: 1 for the present one.',
      active.flatMap(({ id, status: { source } }) =>
        source === null ? [] : oneHot(SOURCE_STATES, source.state, { livestream: id }),
      ),
    ),
    family(
      'onair_source_fps',
      'gauge',
      'Frames a second that the source gives.',
      each(({ status }) => status.source?.fps),
    ),
    family(
      'onair_source_bits_per_second',
      'gauge',
      'Bitrate of the source.',
      each(({ status: { source } }) => (source === null ? undefined : source.bitrate_kbps * 1000)),
    ),
  ].join('');
}

function encodingFamilies(streams: readonly Stream[]): string {
  const each = (of: (encoding: LivestreamStatusView['encodings'][number]) => number): Sample[] =>
    streams.flatMap(({ id, status }) =>
      status.status === 0 || status.status === 3
        ? []
        : status.encodings.map((encoding) => {
            return { labels: { livestream: id, encoding: encoding.encodingId }, value: of(encoding) };
          }),
    );
  return [
    family(
      'onair_encoding_fps',
      'gauge',
      'Frames a second that leave the encoder.',
      each(({ fps }) => fps),
    ),
    family(
      'onair_encoding_bits_per_second',
      'gauge',
      'Bitrate that leaves the encoder.',
      each(({ bitrate_kbps }) => bitrate_kbps * 1000),
    ),
    family(
      'onair_encoding_speed_ratio',
      'gauge',
      'Encoding speed against real time.',
      each(({ speed }) => speed),
    ),
    family(
      'onair_encoding_dropped_frames_total',
      'counter',
      'Frames dropped since the start of the run.',
      each(({ dropped }) => dropped),
    ),
  ].join('');
}

function destinationFamilies(streams: readonly Stream[]): string {
  const paths = streams.flatMap(({ id, status }) =>
    status.status === 0
      ? []
      : status.publishings.flatMap(({ publishingId, primary, backup }) =>
          Object.entries({ primary, backup }).flatMap(([path, status]) =>
            status === null ? [] : [{ status, labels: { livestream: id, publishing: publishingId, path } }],
          ),
        ),
  );
  return [
    family(
      'onair_destination_state',
      'gauge',
      'State of a path of a Destination: 1 for the present one.',
      paths.flatMap(({ status, labels }) => oneHot(PATH_STATES, status.state, labels)),
    ),
    family(
      'onair_destination_enabled',
      'gauge',
      '1 when the path is switched on.',
      paths.map(({ status, labels }) => ({ labels, value: Number(status.enabled) })),
    ),
    family(
      'onair_destination_attempts',
      'gauge',
      'Attempts since the path was last up.',
      paths.map(({ status, labels }) => ({ labels, value: status.attempts })),
    ),
  ].join('');
}

function deviceFamilies(
  devices: readonly Readonly<Device>[],
  control: BroadcastDeps['control'],
  streams: readonly Stream[],
): string {
  const facts = devices.map(({ id, enabled }) => {
    const disk = streams.find(({ status, report }) => status.deviceId === id && report?.disk)?.report?.disk;
    return { id, enabled, ...control.deviceState(id), capacity: control.deviceCapacity(id), disk };
  });
  const each = (of: (device: (typeof facts)[number]) => number | undefined): Sample[] =>
    facts.flatMap((device) => {
      const value = of(device);
      return value === undefined ? [] : [{ labels: { device: device.id }, value }];
    });
  return [
    family(
      'onair_device_online',
      'gauge',
      '1 when the agent of the Device answers.',
      each(({ online }) => Number(online)),
    ),
    family(
      'onair_device_enabled',
      'gauge',
      '1 when the Device may be given Live streams.',
      each(({ enabled }) => Number(enabled)),
    ),
    family(
      'onair_device_load_ratio',
      'gauge',
      'Share of the encoding capacity in use.',
      each(({ load }) => load),
    ),
    family(
      'onair_device_slots_used',
      'gauge',
      'Live streams on the Device.',
      each(({ slots }) => slots.used),
    ),
    family(
      'onair_device_slots',
      'gauge',
      'Live streams that the Device could run at the usual cost.',
      each(({ slots }) => slots.total),
    ),
    coreFamilies(facts),
    storageFamily(facts),
    family(
      'onair_device_disk_free_bytes',
      'gauge',
      'Free bytes where Recordings are written, as its runs tell.',
      each(({ disk }) => disk?.free_bytes),
    ),
    family(
      'onair_device_disk_size_bytes',
      'gauge',
      'Size of that filesystem.',
      each(({ disk }) => disk?.size_bytes),
    ),
  ].join('');
}

async function diskFamilies(dataDir: string | undefined): Promise<string> {
  // A scrape goes on without these two figures when the disk cannot tell them: whoever watches them sees that they are missing.
  const disk = dataDir === undefined ? undefined : await diskSpaceOf(dataDir).catch(() => undefined);
  if (disk === undefined) return '';
  return [
    family('onair_data_disk_free_bytes', 'gauge', 'Free bytes where the service keeps its data.', [
      { value: disk.free_bytes },
    ]),
    family('onair_data_disk_size_bytes', 'gauge', 'Size of that filesystem.', [{ value: disk.size_bytes }]),
  ].join('');
}
