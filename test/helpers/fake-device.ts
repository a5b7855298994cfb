/**
 * A Device in memory: a real implementation of the DeviceLink port without processes. It passes the same suite as the agent
 * (test/device/link/device-link.suite.ts); the test moves its runs by hand.
 */
import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { sendRange } from '../../device/agent/recordings/send-range.ts';
import type { KeptPicture, PicturesWanted } from '../../domain/shapes/reports/kept-pictures.ts';
import { CURVE_NAMES, type Curves, type CurvesWanted } from '../../domain/shapes/reports/curves.ts';
import { finalReport, isFinal } from '../../device/agent/runs/own-reports.ts';
import { startingReport } from '../../device/starting-report.ts';
import { changedSpec, runtimeOf } from '../../domain/shapes/changes/run-change.ts';
import { DEVICE_FEATURES, type DeviceFeature } from '../../domain/shapes/devices/device-features.ts';
import { AppError } from '../../domain/base/errors.ts';
import type { Capabilities, EncodingTrial } from '../../domain/shapes/devices/device.ts';
import type { EventKind, Severity } from '../../domain/shapes/installation/event.ts';
import type { IngestAddress, IngestEvent, IngestReport } from '../../domain/shapes/sources/ingest.ts';
import type { IngestOrder } from '../../domain/shapes/sources/ingest-order.ts';
import type { DeviceHello, DeviceLink, DeviceMessage, DeviceRecordings } from '../../domain/ports/device-link.ts';
import type { LivePicture, PictureWidth } from '../../domain/shapes/broadcasts/live-picture.ts';
import type { DeviceStorage, StorageState, StorageUse } from '../../domain/shapes/devices/device-storage.ts';
import type { HeldRecording, RecordingKey } from '../../domain/shapes/media/recording.ts';
import type { PathStatus } from '../../domain/shapes/broadcasts/livestream-status.ts';
import type { RunChange } from '../../domain/shapes/changes/run-change.ts';
import type { RunEvent, RunReport } from '../../domain/shapes/broadcasts/run.ts';
import type { RunSpec, SourceSpec } from '../../domain/shapes/broadcasts/run-spec.ts';
import type { Backups, Gate, GateReport } from '../../domain/shapes/broadcasts/run-move.ts';

interface FakeRun {
  spec: RunSpec;
  report: RunReport;
  events: RunEvent[];
}
interface Watcher {
  onMessage: (message: DeviceMessage) => void;
  onState: (online: boolean, reason?: string) => void;
}

export const FAKE_CAPABILITIES: Capabilities = {
  ffmpeg_version: '5.1.9',
  video_encoders: ['h264', 'hevc', 'av1', 'vp9', 'copy'],
  hdr_encoders: ['hevc', 'av1', 'vp9'],
  audio_encoders: ['mp4a', 'opus', 'mp3', 'copy'],
  protocols: ['file', 'http', 'https', 'rtmp', 'rtmps', 'rtp', 'srt', 'tcp', 'udp'],
  inputs: ['File', 'Stream', 'SRT', 'RTMP-Push'],
  outputs: ['HLS / TS', 'RTMP', 'Record', 'CMAF', 'DASH', 'SRT', 'STREAM'],
  encryption: ['cenc', 'cbcs'],
  features: [...DEVICE_FEATURES],
  missing: [{ feature: 'Channel SDI', needs: 'a DeckLink card and GStreamer with decklink' }],
};

export interface FakeDeviceOptions {
  capabilities?: Capabilities;
  mediaUrl?: string;
  cores?: number;
  /** ISO instant for reports and events. */
  now?: () => string;
}

export class FakeDevice implements DeviceLink {
  capabilities: Capabilities;
  mediaUrl: string;
  cores: number;
  /** A machine as it is expected; undefined for an agent of an earlier version. */
  encodingTrial: EncodingTrial | undefined = { cores: 0.33, factor: 1, tried_at: '2026-01-01T00:00:00.000Z' };
  /** Every call that reached the Device, in order. */
  readonly calls: { method: 'start' | 'stop' | 'forget' | 'change'; runId: string }[] = [];
  /** Every change that was carried out, in order. */
  readonly changes: RunChange[] = [];
  /** The listeners that it keeps open. */
  orders: readonly IngestOrder[] = [];
  /** Its address for encoders; undefined for an agent of an earlier version. */
  ingest: IngestAddress | undefined = { host: '127.0.0.1', publicHost: '127.0.0.1', url: null, secureHost: null };
  /** Its disks; undefined for an agent of an earlier version. */
  storage: DeviceStorage[] | undefined = [
    { use: 'recordings', total: 1e12, free: 9e11, status: 'mounted' },
    { use: 'segments', total: 1e12, free: 9e11, status: 'mounted' },
  ];
  /** Features that an agent of an earlier version has not; null: it tells of none. */
  unable: readonly DeviceFeature[] | null = [];
  /** The Destinations that get backup paths while the gate is open; undefined for runners of an earlier version. */
  backups: Backups | undefined = 'none';
  /** Runs of each lease that it was granted. */
  readonly grants: { askedMs: number; runIds: readonly string[] }[] = [];
  /** The mark of the store that it keeps. */
  mark: string | undefined;
  /** Its Destinations take what goes out through a gate. */
  isReached = true;
  /** Number of pictures that were made. */
  pictures = 0;
  private readonly now: () => string;
  private readonly runs = new Map<string, FakeRun>();
  private readonly watchers = new Set<Watcher>();
  /** The recordings on its disk, with the files of it on this machine. */
  private readonly heldRecordings = new Map<string, { held: HeldRecording; paths: string[] }>();
  private ingestReports: IngestReport[] = [];
  private readonly ingestEvents: IngestEvent[] = [];
  private online = true;
  private holdingStops = false;
  private heldStops: (() => void)[] = [];
  private holdingChanges = false;
  private heldChanges: (() => void)[] = [];
  private refusal: AppError | undefined;
  private changeRefusal: AppError | undefined;

  constructor(options: FakeDeviceOptions = {}) {
    this.capabilities = options.capabilities ?? FAKE_CAPABILITIES;
    this.mediaUrl = options.mediaUrl ?? 'http://127.0.0.1:8091';
    this.cores = options.cores ?? 4;
    this.now = options.now ?? (() => new Date().toISOString());
  }

  async hello(): Promise<DeviceHello> {
    await this.reach();
    const runs = [...this.runs.values()].map((run) => run.report);
    const { mediaUrl, cores, ingest, encodingTrial, unable } = this;
    const { features = [], ...earlier } = this.capabilities;
    const able = { features: features.filter((feature) => unable?.every((other) => other !== feature)) };
    return structuredClone({
      capabilities: { ...earlier, ...(unable !== null && able) },
      mediaUrl,
      cores,
      runs,
      ...(encodingTrial && { encodingTrial }),
      ...(ingest !== undefined && { ingest }),
      ...(this.storage !== undefined && { storage: this.storage }),
      ...(this.mark !== undefined && { mark: this.mark }),
    });
  }

  async start(spec: RunSpec): Promise<void> {
    await this.reach();
    this.calls.push({ method: 'start', runId: spec.runId });
    if (this.refusal !== undefined) throw this.refusal;
    if (this.runs.has(spec.runId)) return;
    for (const other of this.runs.values()) if (other.spec.livestreamId === spec.livestreamId) this.end(other);
    const run: FakeRun = { spec: structuredClone(spec), report: startingReport(spec, this.now()), events: [] };
    this.runs.set(spec.runId, run);
    this.send({ type: 'report', report: run.report });
  }

  async stop(runId: string): Promise<void> {
    await this.reach();
    this.calls.push({ method: 'stop', runId });
    const run = this.runs.get(runId);
    if (run === undefined || isFinal(run.report)) return;
    if (this.holdingStops) await new Promise<void>((resolve) => this.heldStops.push(resolve));
    this.end(run);
  }

  async change(runId: string, change: RunChange, changeId?: string): Promise<RunReport> {
    await this.reach();
    this.calls.push({ method: 'change', runId });
    if (this.holdingChanges) await new Promise<void>((resolve) => this.heldChanges.push(resolve));
    if (change.type === 'gate') return this.setGate(runId, change.gate);
    const run = this.onAir(runId);
    if (changeId !== undefined && run.spec.carriedOut?.includes(changeId)) return structuredClone(run.report);
    if (this.changeRefusal !== undefined) throw this.changeRefusal;
    if (changeId !== undefined) run.spec.carriedOut = [...(run.spec.carriedOut ?? []), changeId];
    this.changes.push(structuredClone(change));
    Object.assign(run.spec, structuredClone(changedSpec(run.spec, change)));
    this.emit(runId, 'runtime_changed', 'Changed.', 'info', { change: change.type });
    const at = this.now();
    const turned = (path: PathStatus, on: boolean): PathStatus =>
      path.enabled === on ? path : { ...path, enabled: on, state: on ? 'up' : 'idle', since: at };
    const first = startingReport(run.spec, at).publishings;
    const publishings = run.spec.outputs.map((output) => {
      const isSame = ({ publishingId }: { publishingId: number }): boolean => publishingId === output.publishingId;
      const notice = (run.report.publishings.find(isSame) ?? first.find(isSame))!;
      const backup = notice.backup && turned(notice.backup, output.backup === true);
      return { ...notice, primary: turned(notice.primary, output.primary), backup };
    });
    this.setReport(run, { runtime: runtimeOf(run.spec), publishings });
    return structuredClone(run.report);
  }

  private setGate(runId: string, gate: Gate): RunReport {
    const run = this.runs.get(runId);
    if (run === undefined) throw new AppError('wrong_state', `Run ${runId} is not on air on this Device.`);
    if (this.changeRefusal !== undefined) throw this.changeRefusal;
    if (gate.epoch < (run.spec.gate?.epoch ?? 0)) throw new AppError('conflict', 'The order comes too late.');
    this.changes.push({ type: 'gate', gate: structuredClone(gate) });
    run.spec.gate = { ...gate };
    this.setReport(run, { gate: { ...gate, ready: true, ...this.throughGate(gate) } });
    return structuredClone(run.report);
  }

  private throughGate({ primary, backup }: Gate): Pick<GateReport, 'through' | 'primaries' | 'backups'> {
    const { isReached, backups } = this;
    const through = isReached && (primary || (backup && (backups ?? 'none') !== 'none'));
    if (backups === undefined) return { through };
    return { through, primaries: primary && isReached, backups: backup && isReached ? backups : 'none' };
  }

  /** The run has its source and waits with its gate shut. */
  armed(runId: string): void {
    const run = this.get(runId);
    const gate = {
      ...(run.spec.gate ?? { primary: true, backup: true, epoch: 0 }),
      ready: true,
      ...this.throughGate(SHUT),
    };
    this.setReport(run, { source: { ...run.report.source, state: 'up' }, gate });
  }

  async grant(askedMs: number, runIds: readonly string[]): Promise<void> {
    await this.reach();
    this.grants.push({ askedMs, runIds });
  }

  /** Asks for leases, as an agent does each second. */
  ask(): void {
    if (this.online) this.send({ type: 'lease', asked_ms: Date.parse(this.now()) });
  }

  /** A picture of nothing, of the width that was asked for. */
  async preview(runId: string, width: number): Promise<Buffer> {
    await this.reach();
    this.onAir(runId);
    return Buffer.from(`jpeg ${width}`);
  }

  /** Each is another, so that a test sees who shared one. */
  async pushedPicture(source: SourceSpec, width: number): Promise<Buffer> {
    await this.reach();
    this.pictures += 1;
    return Buffer.from(`jpeg of ${source.name} ${width} ${this.pictures}`);
  }

  /** A picture of nothing, with the peaks and flags of the last report. */
  async picture(runId: string, width: PictureWidth): Promise<LivePicture> {
    await this.reach();
    const { report } = this.onAir(runId);
    this.pictures += 1;
    const jpeg = Buffer.from(`jpeg ${width} ${this.pictures}`);
    const { peaks, flags = 0 } = report;
    return { jpeg, takenAt: Date.parse(this.now()) + this.pictures, width, peaks, flags };
  }

  /** Each curve has the number of its step. */
  async curves(_livestreamId: number, { fromSeconds, toSeconds, points }: CurvesWanted): Promise<Curves> {
    await this.reach();
    const stepSeconds = Math.max(1, Math.ceil((toSeconds - fromSeconds) / points));
    const steps = Array.from({ length: Math.ceil((toSeconds - fromSeconds) / stepSeconds) }, (_, index) => index);
    const values = Object.fromEntries(CURVE_NAMES.map((name) => [name, steps])) as Curves['values'];
    return { fromSeconds, stepSeconds, values };
  }

  /** One a minute. */
  async keptPictures(livestreamId: number, { fromSeconds, toSeconds, most }: PicturesWanted): Promise<KeptPicture[]> {
    await this.reach();
    const minutes = Array.from({ length: Math.floor((toSeconds - fromSeconds) / 60) }, (_, index) => index);
    return minutes.slice(-most).map((minute) => ({
      atSeconds: fromSeconds + 60 * minute,
      isOfEvent: minute === 0,
      jpeg: Buffer.from(`kept ${livestreamId} ${minute}`),
    }));
  }

  async forget(runId: string): Promise<void> {
    await this.reach();
    this.calls.push({ method: 'forget', runId });
    const run = this.runs.get(runId);
    if (run === undefined) return;
    if (!isFinal(run.report)) throw new AppError('wrong_state', `Run ${runId} has not ended. Stop it first.`);
    this.vanish(runId);
  }

  async keepMark(mark: string): Promise<void> {
    await this.reach();
    this.mark = mark;
  }

  async order(runId: string): Promise<string> {
    await this.reach();
    const order = this.runs.get(runId)?.spec.order;
    if (order === undefined) throw new AppError('not_found', 'There is no order.');
    return order;
  }

  /** Its listeners wait from now on; those that it had go on as they are. */
  async ingests(orders: IngestOrder[]): Promise<void> {
    await this.reach();
    this.orders = structuredClone(orders);
    const before = new Map(this.ingestReports.map((report) => [report.channelId, report]));
    const waiting = (channelId: number): IngestReport => ({ ...WAITING, channelId, since: this.now() });
    this.reportIngests(orders.map(({ channelId }) => before.get(channelId) ?? waiting(channelId)));
  }

  /** A disk is in that state from now on. */
  reportStorage(use: StorageUse, status: StorageState): void {
    this.storage = this.storage?.map((disk) => (disk.use === use ? { ...disk, status } : disk));
    this.send({ type: 'storage', storage: this.storage ?? [], at: this.now() });
  }

  /** Tells the time of a clock that is ahead by so many seconds, as each look at the disks does. */
  reportTime(ahead: number): void {
    const at = new Date(Date.parse(this.now()) + ahead * 1000).toISOString();
    this.send({ type: 'storage', storage: this.storage ?? [], at });
  }

  /** All listeners, as they are from now on. */
  reportIngests(reports: readonly IngestReport[]): void {
    this.ingestReports = [...reports];
    this.send({ type: 'ingests', ingests: this.ingestReports });
  }

  /** The listener of a Channel changes. */
  ingestTurns(channelId: number, changes: Partial<IngestReport>): void {
    this.reportIngests(
      this.ingestReports.map((report) => (report.channelId === channelId ? { ...report, ...changes } : report)),
    );
  }

  emitIngest(event: IngestEvent): void {
    this.ingestEvents.push(event);
    this.send({ type: 'ingest_event', event });
  }

  watch(onMessage: Watcher['onMessage'], onState: Watcher['onState']): () => void {
    const watcher = { onMessage, onState };
    this.watchers.add(watcher);
    queueMicrotask(() => this.greet(watcher));
    return () => this.watchers.delete(watcher);
  }

  readonly recordings: DeviceRecordings = {
    list: async () => {
      await this.reach();
      return structuredClone([...this.heldRecordings.values()].map(({ held }) => held));
    },
    open: async (key) => {
      await this.reach();
      const found = this.heldRecordings.get(recordingKey(key));
      if (found === undefined) throw new AppError('not_found', 'The Device holds no such Recording.');
      return { files: [...found.paths], release: () => Promise.resolve() };
    },
    remove: async (key) => {
      await this.reach();
      if (this.heldRecordings.get(recordingKey(key))?.held.state === 'recording')
        throw new AppError('wrong_state', 'The Recording is still being written. Stop the Live stream first.');
      this.heldRecordings.delete(recordingKey(key));
    },
    filesOf: async (key) => {
      await this.reach();
      const found = this.heldRecordings.get(recordingKey(key));
      if (found === undefined) throw new AppError('not_found', 'The Device holds no such Recording.');
      return found.paths.map((path) => ({ name: basename(path), bytes: statSync(path).size }));
    },
    send: async (key, { name, ...range }) => {
      await this.reach();
      const path = this.heldRecordings.get(recordingKey(key))?.paths.find((each) => basename(each) === name);
      if (path === undefined) throw new AppError('not_found', 'The Recording has no such file.');
      const { from, to, url, bytesPerSecond } = range;
      return sendRange({ path, from, to, url, bytesPerSecond }, new AbortController().signal);
    },
  };

  /** Puts a Recording in this state on the disk, and reports it to all watchers. */
  putRecording(key: RecordingKey, changes: Partial<HeldRecording> = {}, paths: string[] = []): void {
    const at = this.now();
    const before = this.heldRecordings.get(recordingKey(key))?.held ?? {
      livestreamId: key.livestreamId,
      runId: key.runId,
      publishingId: key.publishingId,
      state: 'recording',
      reason: null,
      container: 'mp4',
      started_at: at,
      ended_at: at,
      duration_seconds: null,
      size_bytes: 0,
      files: 1,
      tracks: [],
    };
    const held: HeldRecording = { ...before, ...changes };
    this.heldRecordings.set(recordingKey(key), { held, paths });
    this.send({ type: 'recording', recording: held });
  }

  /** Takes a Recording off the disk without a report. */
  loseRecording(key: RecordingKey): void {
    this.heldRecordings.delete(recordingKey(key));
  }

  get runIds(): string[] {
    return [...this.runs.keys()];
  }

  /** The spec that was handed over for a run. */
  spec(runId: string): RunSpec {
    return this.get(runId).spec;
  }

  report(runId: string): RunReport {
    return structuredClone(this.get(runId).report);
  }

  /** The run is on air: source up, enabled Destinations up. */
  running(runId: string, changes: Partial<RunReport> = {}): void {
    const run = this.get(runId);
    const at = this.now();
    const up = (path: PathStatus): PathStatus => (path.enabled ? { ...path, state: 'up', since: at } : path);
    this.emit(runId, 'started', 'On air.');
    const gate = run.spec.gate ?? { primary: true, backup: true, epoch: 0 };
    this.setReport(run, {
      ...(this.unable?.includes('moves') === false && { gate: { ...gate, ready: true, ...this.throughGate(gate) } }),
      phase: 'running',
      on_air_at: run.report.on_air_at ?? at,
      source: { ...run.report.source, state: 'up', fps: 25, bitrate_kbps: 2500, last_frame_at: at },
      encodings: run.report.encodings.map((encoding) => ({ ...encoding, fps: 25, bitrate_kbps: 2500, speed: 1 })),
      publishings: run.report.publishings.map((p) => ({
        ...p,
        primary: up(p.primary),
        backup: p.backup && up(p.backup),
      })),
      ...changes,
    });
  }

  failed(runId: string, error: string): void {
    this.emit(runId, 'start_failed', error, 'error');
    const run = this.get(runId);
    this.setReport(run, finalReport(run.report, 'failed', error, this.now()));
  }

  /** Any other change of the report. */
  tell(runId: string, changes: Partial<RunReport>): void {
    this.setReport(this.get(runId), changes);
  }

  /** Changes are refused with this until it is set to undefined. */
  refuseChanges(error: AppError | undefined): void {
    this.changeRefusal = error;
  }

  emit(
    runId: string,
    kind: EventKind,
    message: string,
    severity: Severity = 'info',
    data: Record<string, unknown> = {},
  ): RunEvent {
    const { spec, events } = this.get(runId);
    const event = {
      runId,
      livestreamId: spec.livestreamId,
      seq: events.length + 1,
      at: this.now(),
      kind,
      severity,
      message,
      data,
    };
    events.push(event);
    this.send({ type: 'event', event });
    return event;
  }

  /** The Device lost the run, as after a wiped disk. */
  vanish(runId: string): void {
    this.runs.delete(runId);
    this.send({ type: 'gone', runId });
  }

  /** Every start is refused with this until it is set to undefined. */
  refuseStarts(error: AppError | undefined): void {
    this.refusal = error;
  }

  /** Stops hang from now on, until the function answered is called. */
  holdStops(): () => void {
    this.holdingStops = true;
    return () => {
      this.holdingStops = false;
      for (const release of this.heldStops.splice(0)) release();
    };
  }

  /** Changes hang from now on, until the function answered is called. */
  holdChanges(): () => void {
    this.holdingChanges = true;
    return () => {
      this.holdingChanges = false;
      for (const release of this.heldChanges.splice(0)) release();
    };
  }

  goOffline(reason?: string): void {
    if (!this.online) return;
    this.online = false;
    for (const watcher of this.watchers) watcher.onState(false, reason);
  }

  /** Back: each watcher gets everything again, as from an agent. */
  goOnline(): void {
    if (this.online) return;
    this.online = true;
    for (const watcher of this.watchers) this.greet(watcher);
  }

  private onAir(runId: string): FakeRun {
    const run = this.runs.get(runId);
    if (run?.report.phase !== 'running')
      throw new AppError('wrong_state', `Run ${runId} is not on air on this Device.`);
    return run;
  }

  private get(runId: string): FakeRun {
    const run = this.runs.get(runId);
    if (run === undefined)
      throw new Error(`The fake Device has no run ${runId}; it has ${this.runIds.join(', ') || 'none'}.`);
    return run;
  }

  /** Every call crosses a wire: it is answered in a later turn, and not at all when the Device is away. */
  private async reach(): Promise<void> {
    await Promise.resolve();
    if (!this.online) throw new AppError('unavailable', 'The Device does not answer.');
  }

  private greet(watcher: Watcher): void {
    if (!this.watchers.has(watcher)) return;
    watcher.onState(this.online);
    if (!this.online) return;
    watcher.onMessage(structuredClone({ type: 'ingests', ingests: this.ingestReports }));
    for (const event of this.ingestEvents) watcher.onMessage(structuredClone({ type: 'ingest_event', event }));
    for (const { report, events } of this.runs.values()) {
      if (!isFinal(report)) watcher.onMessage(structuredClone({ type: 'report', report }));
      for (const event of events) watcher.onMessage(structuredClone({ type: 'event', event }));
      if (isFinal(report)) watcher.onMessage(structuredClone({ type: 'report', report }));
    }
  }

  private end(run: FakeRun): void {
    if (isFinal(run.report)) return;
    this.emit(run.spec.runId, 'stopped', 'The run has ended.');
    this.setReport(run, finalReport(run.report, 'stopped', null, this.now()));
  }

  private setReport(run: FakeRun, changes: Partial<RunReport>): void {
    run.report = { ...run.report, ...changes };
    this.send({ type: 'report', report: run.report });
  }

  /** Says this whatever is there, as a captured Device does. */
  say(message: DeviceMessage): void {
    this.send(message);
  }

  private send(message: DeviceMessage): void {
    if (!this.online) return;
    for (const watcher of this.watchers) watcher.onMessage(structuredClone(message));
  }
}

const SHUT: Gate = { primary: false, backup: false, epoch: 0 };

const WAITING: Omit<IngestReport, 'channelId'> = {
  state: 'waiting',
  error: null,
  from: null,
  since: null,
  bitrate_kbps: 0,
  video: null,
  audio: [],
  captions: [],
  last_refusal: null,
};

function recordingKey({ runId, publishingId }: RecordingKey): string {
  return `${runId}-${publishingId}`;
}
