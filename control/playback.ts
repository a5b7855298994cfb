/** Addresses at which viewers watch what a Device serves itself, and links for Destinations that are not public. */
import { toIso, type Clock } from '../domain/time/clock.ts';
import type { MediaSource } from '../domain/ports/control.ts';
import { AppError } from '../domain/base/errors.ts';
import type { Livestream } from '../domain/shapes/broadcasts/livestream.ts';
import {
  PLAYBACK_SECONDS,
  playbackPath,
  playbackToken,
  type DeliveryPlace,
  type DevicePlace,
  type PlaybackLink,
  type WatchAddress,
} from '../domain/shapes/destinations/playback.ts';
import type { Publishing } from '../domain/shapes/destinations/publishing.ts';
import { waitingRun } from '../domain/rules/broadcasts/run-move.ts';
import type { MoveStage } from '../domain/shapes/broadcasts/run-move.ts';
import type { Run } from '../domain/shapes/broadcasts/run.ts';
import type { Device } from '../domain/shapes/devices/device.ts';
import type { DeviceRegistry, KnownDevice } from './device-registry.ts';
import type { PlaybackKeys } from './start/run-spec.ts';
import { andList, called } from '../domain/base/sentence.ts';
import { manifestOf, PACKAGED_TYPES } from '../domain/types/destination-questions.ts';

export interface PlaybackDeps {
  registry: DeviceRegistry;
  deviceRows: ReadonlyMap<number, Readonly<Device>>;
  /** Address under which viewers reach this server, or any of several; undefined when they know the Devices' own alone. */
  publicUrl: string | undefined;
  /** undefined when nothing is delivered with tokens. */
  keyOf: PlaybackKeys | undefined;
  clock: Clock;
}

/** The run on air has its place, and the former one serves viewers, too. */
const UNPROVEN: readonly (MoveStage | undefined)[] = ['proving', 'returning'];

/** A Device dials again, or is asked again, within so long. */
const HEARD_SECONDS = 1;

export class Playback {
  private readonly deps: PlaybackDeps;
  /** Places that viewers have asked for: a run that has ended says no more where it was. */
  private readonly last = new Map<string, DevicePlace>();

  constructor(deps: PlaybackDeps) {
    this.deps = deps;
  }

  /** Addresses that the run's Device reports as watchable now. A token in them lasts as long as one without a requested time. */
  addresses(run: Readonly<Run> | undefined): WatchAddress[] {
    const { registry, clock } = this.deps;
    const report = run && registry.report(run.runId);
    const bases = run && this.basesOf(registry.deviceFor(run));
    if (run?.status !== 2 || report === undefined || bases === undefined) return [];
    return report.watch.map(({ publishingId, path, access }) => {
      const publishing = report.publishings.find((candidate) => candidate.publishingId === publishingId);
      const { name = '', type = '' } = publishing ?? {};
      const expiresAtMs = clock.now() + PLAYBACK_SECONDS * 1000;
      const at = { livestreamId: run.id, publishingId };
      const link =
        access === 'token' ? this.signed(bases, path, at, expiresAtMs) : { ...urlsOf(bases, path), expires_at: null };
      return { publishingId, name, type, ...link };
    });
  }

  /**
   * Works before the Live stream is on air too, where this server has an address for viewers, or for the place where its own Device will deliver
   * it. Throws AppError rule_violated where there is nothing to sign, and wrong_state while no address is known.
   */
  link(
    livestream: Readonly<Livestream>,
    publishing: Readonly<Publishing>,
    run: Readonly<Run> | undefined,
    expiresAtMs: number,
  ): PlaybackLink {
    const { registry, deviceRows } = this.deps;
    const { id, deviceId } = livestream;
    const manifest = manifestOf(publishing.type);
    const who = called('Destination', publishing);
    if (manifest === undefined || publishing.settings.url !== null)
      throw new AppError(
        'rule_violated',
        `${who} is not watched here: a Device serves ${andList(PACKAGED_TYPES)} without a url.`,
      );
    const isRunning = run !== undefined && run.status !== 0 && run.status !== 3;
    const locals = [...deviceRows.values()].filter(({ local }) => local);
    // Of several servers each has a Device on its own machine, and nobody knows which it will be.
    const own = locals.length === 1 ? locals[0] : undefined;
    const place = isRunning ? registry.deviceFor(run) : registry.get(deviceId ?? own?.id ?? 0);
    const bases = this.basesOf(place);
    if (bases === undefined)
      throw new AppError(
        'wrong_state',
        `Where ${called('Live stream', livestream)} will be delivered is not known yet. Start it, then ask again.`,
      );
    const path = `${playbackPath(id, publishing.id)}${manifest}`;
    const inForce = run && registry.report(run.runId)?.watch.find(({ publishingId }) => publishingId === publishing.id);
    if (publishing.access !== 'token' && inForce?.access !== 'token')
      throw new AppError(
        'rule_violated',
        `${who} is public: everybody may watch it at ${bases.url}${path}. For links that run out set its access to token; it counts from the next start.`,
      );
    return this.signed(bases, path, { livestreamId: id, publishingId: publishing.id }, expiresAtMs);
  }

  /** Throws AppError as Control.mediaSource does. */
  source(
    livestream: Pick<Livestream, 'id' | 'name'>,
    run: Readonly<Run> | undefined,
    publishingId: number,
  ): MediaSource {
    const { registry, clock } = this.deps;
    const who = called('Live stream', livestream);
    if (run?.status !== 2)
      throw new AppError('wrong_state', `${who} is not on air.`, {
        remedy: 'Start it, and watch it once its status is 2.',
      });
    const report = registry.report(run.runId);
    const device = registry.deviceFor(run);
    // After a start of this server its Devices come one after the other.
    if (report === undefined || device === undefined)
      throw new AppError('unavailable', `Nothing is heard yet of ${who}, which is on air.`, {
        retryAfterSeconds: HEARD_SECONDS,
      });
    const watched = report.watch.find((candidate) => candidate.publishingId === publishingId);
    const base = device.mediaUrl?.replace(/\/+$/u, '');
    if (watched === undefined || base === undefined) {
      const name = report.publishings.find((candidate) => candidate.publishingId === publishingId)?.name;
      const destination = called('Destination', { id: publishingId, name });
      throw new AppError('not_found', `${who} has no ${destination} that can be watched at its Device now.`, {
        remedy: `getLivestreamStatus lists its Destinations; ${andList(PACKAGED_TYPES)} without a url can be watched.`,
      });
    }
    const folder = playbackPath(livestream.id, publishingId);
    const expiresAtMs = clock.now() + PLAYBACK_SECONDS * 1000;
    const token = watched.access === 'token' ? playbackToken(this.keyOf(publishingId), folder, expiresAtMs) : undefined;
    return { url: `${base}${folder}`, token };
  }

  /** Tells whether viewers find a Device of any of the servers, or the cloud platform, under this origin. */
  isOrigin(origin: string): boolean {
    const { registry, deviceRows, publicUrl } = this.deps;
    const urls = [publicUrl, ...registry.all.map(({ mediaUrl }) => mediaUrl)];
    for (const { media_url } of deviceRows.values()) urls.push(media_url);
    return urls.some((url) => url != null && URL.canParse(url) && new URL(url).origin === origin);
  }

  /** Undefined where the files are on this machine, and where nothing is known of the Destination. */
  place(row: Readonly<Run> | undefined, publishingId: number): DeliveryPlace | undefined {
    const { registry, deviceRows, clock } = this.deps;
    if (row === undefined) return undefined;
    // A move that does not hold goes back, and lists whose numbers fall end players.
    const run = UNPROVEN.includes(row.move?.stage) ? (waitingRun(row) ?? row) : row;
    const name = `${run.id}/${publishingId}`;
    const last = this.last.get(name);
    const over = last?.runId === run.runId ? { ...last, isOver: true } : undefined;
    if (run.status === 0 || run.status === 3) return over;
    const device = registry.deviceFor(run);
    const report = registry.report(run.runId);
    const watched = report?.watch.find((candidate) => candidate.publishingId === publishingId);
    const base = device?.mediaUrl?.replace(/\/+$/u, '');
    const folder = watched && base !== undefined ? `${base}${watched.path.replace(/[^/]*$/u, '')}` : undefined;
    if (run.cloudAccountId != null) return folder === undefined ? undefined : { address: folder };
    if (device !== undefined && isAlone(deviceRows.get(device.id))) return undefined;
    if (report === undefined && !run.boundPublishings.includes(publishingId)) return undefined;
    const paths = report?.publishings.find((candidate) => candidate.publishingId === publishingId);
    if (report !== undefined && !(paths?.primary.enabled ?? false) && watched === undefined) return over;
    const isPrivate = watched?.access === 'token';
    const key = isPrivate ? this.deps.keyOf?.(publishingId) : undefined;
    const path = playbackPath(run.id, publishingId);
    const token = key === undefined ? undefined : playbackToken(key, path, clock.now() + PLAYBACK_SECONDS * 1000);
    const broadcast = run.started_at ?? run.runId;
    const place = { runId: run.runId, broadcast, url: folder, isPrivate, key, token, isOver: false };
    if (folder !== undefined) this.last.set(name, place);
    return place;
  }

  private signed(
    bases: Bases,
    path: string,
    { livestreamId, publishingId }: { livestreamId: number; publishingId: number },
    expiresAtMs: number,
  ): PlaybackLink {
    const seconds = Math.floor(expiresAtMs / 1000);
    const token = playbackToken(this.keyOf(publishingId), playbackPath(livestreamId, publishingId), seconds * 1000);
    return { ...urlsOf(bases, `${path}?token=${token}`), expires_at: toIso(seconds * 1000) };
  }

  private keyOf(publishingId: number): string {
    const key = this.deps.keyOf?.(publishingId);
    if (key === undefined) throw new AppError('unavailable', 'This server has no key to sign links with.');
    return key;
  }

  /** Undefined where neither is known. The cloud platform has an address that stays. */
  private basesOf(place: KnownDevice | undefined): Bases | undefined {
    const { publicUrl } = this.deps;
    const device = place?.mediaUrl?.replace(/\/+$/u, '');
    const isCloud = place !== undefined && place.id < 0;
    if (publicUrl !== undefined && !isCloud) return { url: publicUrl.replace(/\/+$/u, ''), device: device ?? null };
    return device === undefined ? undefined : { url: device, device: null };
  }
}

/** Addresses for viewers, without a slash at the end. */
interface Bases {
  url: string;
  /** null where `url` is it, or it is not known. */
  device: string | null;
}

function urlsOf({ url, device }: Bases, path: string): { url: string; device_url: string | null } {
  return { url: `${url}${path}`, device_url: device === null ? null : `${device}${path}` };
}

/** The Device of this server's machine. Of several servers any may be asked, and only one has the files. */
function isAlone(row: Readonly<Device> | undefined): boolean {
  return row?.local === true && row.member_id === undefined;
}
