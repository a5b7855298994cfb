/** Looks at sources before they are on air: one at a time for each Channel, and the last finding of each. */
import { toIso, type Clock } from '../domain/time/clock.ts';
import { type Channel } from '../domain/shapes/sources/channel.ts';
import type { AssetFiles, ChannelPicture, Control, ProbedSource } from '../domain/ports/control.ts';
import type { Device } from '../domain/shapes/devices/device.ts';
import { AppError, notFound, type ErrorCode } from '../domain/base/errors.ts';
import type { SourceProbe } from '../domain/shapes/sources/probe.ts';
import type { Run } from '../domain/shapes/broadcasts/run.ts';
import type { SourceSpec } from '../domain/shapes/broadcasts/run-spec.ts';
import { sourceWarnings } from '../domain/rules/sources/source-warnings.ts';
import { calledAmong, ended } from '../domain/base/sentence.ts';
import type { Store } from '../domain/ports/store.ts';
import type { DeviceRegistry, KnownDevice } from './device-registry.ts';
import type { Ingests } from './ingest/ingests.ts';
import type { RowCache } from './row-cache.ts';
import { sourceSpec } from './start/in-force.ts';
import { isOfCloud, isPushed, playsAsset } from '../domain/types/channel-questions.ts';
import { CHANNEL_ROWS } from '../domain/types/channel-types.ts';

interface ProbesDeps {
  store: Store;
  clock: Clock;
  files: Pick<AssetFiles, 'path' | 'bring'>;
  registry: DeviceRegistry;
  rows: RowCache;
  ingests: Pick<Ingests, 'ingestOf'>;
  preview: Control['preview'];
}

interface Kept {
  probe: SourceProbe;
  picture: Buffer | null;
  at: number;
}

/** Older pictures say little of what comes now. */
const PICTURE_MS = 60_000;
/** A Device answers these where no media came. */
const SILENCES: ReadonlySet<ErrorCode> = new Set(['timeout', 'upstream_failed']);
/** A probe holds a picture; the oldest go first. */
const MAX_KEPT = 200;
/** The id of a source that no Channel stands for. */
const NO_CHANNEL = 0;

export class Probes implements Pick<Control, 'probeChannel' | 'probeSource' | 'channelPicture' | 'lastProbe'> {
  private readonly deps: ProbesDeps;
  private readonly running = new Map<number, Promise<SourceProbe>>();
  private readonly kept = new Map<number, Kept>();
  /** Each of them takes an ffmpeg, which all who ask for the same share. */
  private readonly pushed = new Map<string, Promise<ChannelPicture>>();

  constructor(deps: ProbesDeps) {
    this.deps = deps;
  }

  readonly probeChannel: Control['probeChannel'] = (channelId) => {
    const running = this.running.get(channelId);
    if (running !== undefined) return running;
    const probe = this.look(channelId).finally(() => this.running.delete(channelId));
    this.running.set(channelId, probe);
    return probe;
  };

  readonly probeSource: Control['probeSource'] = async (source) => {
    const settings = { ...CHANNEL_ROWS[source.type].defaults, ...source.settings };
    const device = this.deviceOf({ ...source, enabled: true }, undefined);
    const found = await this.lookFrom(device, await this.sourceOf({ id: NO_CHANNEL, ...source, settings }), false);
    return found.probe;
  };

  readonly lastProbe: Control['lastProbe'] = (channelId) => this.kept.get(channelId)?.probe;

  readonly channelPicture: Control['channelPicture'] = async (channelId, width) => {
    const channel = await this.channel(channelId);
    const run = await this.runOf(channelId);
    const now = this.deps.clock.now();
    if (this.deps.ingests.ingestOf(channel)?.state === 'receiving') {
      const pushed = this.pushedPicture(channel, run, width);
      if (pushed !== undefined) return pushed;
    }
    if (run !== undefined) return { content: await this.deps.preview(run.id, width), takenAt: now };
    const kept = this.kept.get(channelId);
    if (kept?.picture == null || now - kept.at > PICTURE_MS)
      throw new AppError(
        'not_found',
        `Channel "${channel.name}" is not on air or received, and there is no picture of it from the last 60 s. Call probeChannel, then ask again.`,
      );
    return { content: kept.picture, takenAt: kept.at };
  };

  private pushedPicture(
    channel: Readonly<Channel>,
    run: Readonly<Run> | undefined,
    width: number,
  ): Promise<ChannelPicture> | undefined {
    const { link } = this.deviceOf(channel, run);
    if (link.pushedPicture === undefined) return undefined;
    const key = `${channel.id} ${width}`;
    const shared = this.pushed.get(key);
    if (shared !== undefined) return shared;
    const takenAt = this.deps.clock.now();
    const ask = async (): Promise<ChannelPicture> => ({
      content: await link.pushedPicture!(await this.sourceOf(channel), width),
      takenAt,
    });
    const picture = ask().finally(() => this.pushed.delete(key));
    this.pushed.set(key, picture);
    return picture;
  }

  private async look(channelId: number): Promise<SourceProbe> {
    const channel = await this.channel(channelId);
    const run = await this.runOf(channelId);
    const device = this.deviceOf(channel, run);
    const source = await this.sourceOf(channel);
    const found = await this.lookFrom(device, source, run !== undefined).catch((error: unknown) => {
      throw this.ofIngest(channel, error);
    });
    this.kept.delete(channelId);
    this.kept.set(channelId, found);
    for (const oldest of this.kept.keys()) {
      if (this.kept.size <= MAX_KEPT) break;
      this.kept.delete(oldest);
    }
    return found.probe;
  }

  private async lookFrom({ link }: KnownDevice, source: SourceSpec, isOnAir: boolean): Promise<Kept> {
    if (link.probe === undefined)
      throw new AppError('unsupported_by_device', 'This place cannot look at a source; use a Device.');
    const { picture, seconds, isVariableRate, ...facts } = await link.probe(source, isOnAir);
    const at = this.deps.clock.now();
    const warnings = sourceWarnings({ ...facts, seconds, isVariableRate });
    const probe = { probed_at: toIso(at), ...facts, warnings };
    return { probe, picture: picture === null ? null : Buffer.from(picture, 'base64'), at };
  }

  /** Nothing comes of a pushed source while nobody pushes: its ingest says more than the silence. */
  private ofIngest(channel: Readonly<Channel>, error: unknown): unknown {
    const ingest = this.deps.ingests.ingestOf(channel);
    if (ingest === null || ingest.state === 'receiving') return error;
    if (!(error instanceof AppError) || !SILENCES.has(error.code)) return error;
    const { url, state, last_refusal: refusal } = ingest;
    const facts = [ingest.error, refusal && `the last sender was refused: ${refusal.message}`, ingest.note];
    const why = facts.filter((fact) => fact !== null).map((fact) => ` ${ended(fact)}`);
    return new AppError(
      'timeout',
      `Nobody pushes to Channel "${channel.name}": its ingest ${url} is ${state}.${why.join('')} Start the encoder there, then call probeChannel again.`,
    );
  }

  private async channel(channelId: number): Promise<Readonly<Channel>> {
    const found = await this.deps.store.get('channels', channelId);
    if (found === undefined) throw notFound('Channel', channelId);
    return found.row;
  }

  /** A run on air with this source. */
  private async runOf(channelId: number): Promise<Readonly<Run> | undefined> {
    const { rows } = await this.deps.store.find('runs', {});
    return rows.find((run) => run.status === 2 && run.desired === 'on' && run.inForce?.channelId === channelId);
  }

  private deviceOf(channel: ProbedSource & Pick<Channel, 'enabled'>, run: Readonly<Run> | undefined): KnownDevice {
    const { registry, rows } = this.deps;
    if (isOfCloud(channel))
      throw new AppError(
        'unsupported_by_device',
        `Channel "${channel.name}" is of type ${channel.type}, which the cloud platform alone takes in; it cannot be looked at from here.`,
      );
    if (isPushed(channel) && (!channel.enabled || channel.deviceId === null))
      throw new AppError(
        'wrong_state',
        `No Device listens for Channel "${channel.name}". Enable it and name its deviceId with updateChannel.`,
      );
    const named = channel.deviceId ?? channel.settings.deviceId ?? run?.deviceId ?? undefined;
    if (named !== undefined) {
      const device = registry.get(named);
      if (device?.online !== true)
        throw new AppError(
          'unavailable',
          `${calledAmong(rows.devices, 'Device', named)} of Channel "${channel.name}" does not answer. Start its agent, or see getDeviceById.`,
        );
      return device;
    }
    const isHere = ({ id, local: isLocal }: Readonly<Device>): boolean => isLocal && registry.get(id)?.isOwn === true;
    const nearest = [...rows.devices.values()].sort((a, b) => Number(isHere(b)) - Number(isHere(a)));
    // The files of Assets lie on this machine.
    const usable = playsAsset(channel) ? nearest.filter(isHere) : nearest;
    for (const { id } of usable) {
      const device = registry.get(id);
      if (device?.online === true) return device;
    }
    throw new AppError('unavailable', `No Device answers that could look at Channel "${channel.name}".`);
  }

  private async sourceOf(channel: ProbedSource & Pick<Channel, 'id'>): Promise<SourceSpec> {
    const { filename } = channel.settings;
    const { store, files } = this.deps;
    if (filename !== undefined) await files.bring?.('files', filename);
    const assets =
      filename === undefined
        ? []
        : (await store.find('assets', { where: { fileType: 'files', filename }, limit: 1 })).rows;
    return sourceSpec(channel, assets[0], files);
  }
}
