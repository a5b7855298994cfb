/**
 * The stage before a run: its source is opened, and what the renditions leave open is taken from it, because the frame clock has one rate and
 * the outputs have one shape from their first frame on. The connection goes on in the run. Where the source does not come, its backup is
 * opened beside it, and the run is planned with the first of both that does.
 */
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { allTracks, type AudioTrack } from '../../domain/shapes/sources/audio-tracks.ts';
import { tracksThatFit } from '../../domain/rules/encodings/rendition-rules.ts';
import type { RunSpec, SourceSpec } from '../../domain/shapes/broadcasts/run-spec.ts';
import { ended } from '../../domain/base/sentence.ts';
import { writeAtomic } from '../atomic-file.ts';
import { tracksIn, type SourceFacts } from '../media/ffmpeg-output/source-facts.ts';
import { planLadder } from '../media/ladder/ladder-plan.ts';
import { areOpen, closed, shownAspect } from '../media/ladder/open-values.ts';
import { DEFAULT_RATE, rateFor, rateOf } from '../media/ladder/usual-rate.ts';
import { pushedReport } from '../push/push-reader.ts';
import { BACKUP_AFTER_MS } from './input/ingest-limits.ts';
import { openingKind, type Found } from './input/opening-kind.ts';
import { isReadAhead } from './input/source-rules.ts';
import { filePosition } from './stream/file-position.ts';
import { SourceConnection } from './input/source-connection.ts';
import { missingReporter, reportFailover } from './playout/source-events.ts';
import type { ChildProcesses } from './process/child-processes.ts';
import type { EventLog } from './process/event-log.ts';
import { isPushed, playsAsset } from '../../domain/types/channel-questions.ts';

export interface OpeningDeps {
  spec: RunSpec;
  specFile: string;
  deviceDir: string;
  children: ChildProcesses;
  events: EventLog;
  /** The spec is whole; `failure` says why the source can never come. */
  onDone(opened: SourceConnection, failure?: string): void;
}

/** The push process knows a rate after 0.4 s of pictures. */
const PUSHED_RATE_MS = 1000;
const ASK_AGAIN_MS = 40;
const DEFAULT_ASPECT = 16 / 9;
const SQUARE_PIXELS = [16 / 9, 9 / 16];

/** Tells whether the source of a run is opened before it is planned. What is copied has no plan that depends on it. */
export function needsOpening(spec: RunSpec): boolean {
  if (planLadder(spec.renditions, spec.audio).copy) return false;
  // A file is opened at no cost; for a live source the encoder would start later.
  return areOpen(spec.renditions) || (areTracksOpen(spec) && playsAsset(spec.source));
}

interface Candidate {
  source: SourceSpec;
  connection: SourceConnection;
  /** Why it can never come. */
  failure?: string;
}

export class RunOpening {
  private readonly deps: OpeningDeps;
  private readonly first: Candidate;
  private backup: Candidate | undefined;
  private isPlanning = false;
  private isDone = false;
  private timers: NodeJS.Timeout[] = [];

  constructor(deps: OpeningDeps) {
    this.deps = deps;
    this.first = this.candidate(deps.spec.source);
  }

  private candidate(source: SourceSpec): Candidate {
    const { spec, specFile, children, deviceDir, events } = this.deps;
    const isMeasured = spec.renditions.some(({ fpsOfSource }) => fpsOfSource === true) && !isPushed(source);
    const connection = new SourceConnection(children, deviceDir, source, isMeasured);
    connection.position = filePosition(dirname(specFile), source);
    const one: Candidate = { source, connection };
    const reportMissing = missingReporter(events);
    const plan = planLadder(spec.renditions, spec.audio);
    connection.take(
      openingKind(source, plan, isReadAhead(spec), (found) => void this.plan(one, found)),
      {
        onFirstMedia: () => undefined,
        onDown: (trouble) => !this.isDone && reportMissing(source, trouble),
        onFailed: (reason) => this.isGone(one, reason),
        onRefused: (why) => this.giveUp(one, why),
      },
    );
    return one;
  }

  /** `ms` later the run is planned without its source. */
  start(ms: number): void {
    this.timers = [setTimeout(() => this.finish(), ms), setTimeout(() => this.openBackup(), BACKUP_AFTER_MS)];
    void this.planPushed().then((isPlanned) => {
      if (!isPlanned && !this.isDone) this.first.connection.start();
    });
  }

  private openBackup(): void {
    const { backup } = this.deps.spec;
    if (backup === undefined || this.backup !== undefined || this.isDone || this.isPlanning) return;
    this.backup = this.candidate(backup);
    this.backup.connection.start();
  }

  /** The start comes to nothing once neither can come. */
  private isGone(one: Candidate, reason: string): void {
    one.failure = reason;
    if (this.first.failure === undefined) return;
    if (this.deps.spec.backup === undefined || this.backup?.failure !== undefined) this.finish(this.first.failure);
    else this.openBackup();
  }

  /** The push process has looked at a pusher before: the run begins as one that leaves nothing open. Resolves with whether it does. */
  private async planPushed(): Promise<boolean> {
    const { spec, deviceDir } = this.deps;
    if (!isPushed(spec.source)) return false;
    const report = await pushedReport(deviceDir, spec.source.channelId);
    if (report?.state !== 'receiving' || report.video === null || this.isDone) return false;
    const { fps } = report.video;
    const aspect = shownAspect(report.video);
    // It does not know the shape of pixels, which are oblong in pictures of other shapes alone.
    if (fps === null || !SQUARE_PIXELS.some((known) => Math.abs(aspect / known - 1) < 0.01)) return false;
    const languages = report.audio.map(({ language }) => language);
    this.done(this.first, rateFor(fps), aspect, areTracksOpen(spec) ? audioOf(languages) : undefined);
    return true;
  }

  /** Plans with what is known without the source. */
  finish(failure?: string): void {
    const { source, backup } = this.deps.spec;
    const lastFormat = source.lastFormat ?? backup?.lastFormat;
    const fps = lastFormat === undefined || lastFormat.fps <= 0 ? DEFAULT_RATE : rateFor(lastFormat.fps);
    const aspect = lastFormat === undefined ? DEFAULT_ASPECT : lastFormat.width / lastFormat.height;
    this.done(this.first, fps, aspect, undefined, failure);
  }

  private giveUp(one: Candidate, why: string): void {
    const { startWithoutSource, wasOnAir } = this.deps.spec;
    if (startWithoutSource === 'fallback' || wasOnAir === true) return;
    this.isGone(one, `Channel "${one.source.name}" cannot be taken in: ${ended(why)}`);
  }

  private async plan(one: Candidate, { facts, lines }: Found): Promise<void> {
    if (this.isDone || this.isPlanning) return;
    this.isPlanning = true;
    const { spec } = this.deps;
    const { source, connection } = one;
    const fps = isPushed(source) ? await this.pushedRate(source, facts) : rateOf(facts);
    const tracks = areTracksOpen(spec) ? audioIn(facts, source.settings.program) : undefined;
    // An ffmpeg that takes one track does not take more.
    connection.lines = tracks !== undefined && tracks.length > 1 ? undefined : lines;
    const aspect = facts.video === undefined ? undefined : shownAspect(facts.video);
    this.done(one, fps ?? DEFAULT_RATE, aspect ?? DEFAULT_ASPECT, tracks);
  }

  /** The push process counts the pictures of a pusher from its first one on. */
  private async pushedRate({ channelId, lastFormat }: SourceSpec, facts: SourceFacts): Promise<number | undefined> {
    const { deviceDir } = this.deps;
    const declared = rateOf(facts);
    for (let waitedMs = 0; waitedMs < PUSHED_RATE_MS; waitedMs += ASK_AGAIN_MS) {
      const fps = (await pushedReport(deviceDir, channelId))?.video?.fps;
      if (fps !== null && fps !== undefined) return rateFor(fps);
      // It came with this rate before, and says the same now.
      if (declared !== undefined && lastFormat !== undefined && declared === rateFor(lastFormat.fps)) return declared;
      await delay(ASK_AGAIN_MS);
    }
    return declared;
  }

  private done(one: Candidate, fps: number, aspect: number, tracks?: AudioTrack[], failure?: string): void {
    if (this.isDone) return;
    this.isDone = true;
    for (const timer of this.timers) clearTimeout(timer);
    const { spec, specFile, events, onDone } = this.deps;
    const other = one === this.first ? this.backup : this.first;
    // The run opens it anew, beside the one that it begins with.
    void other?.connection.stop();
    if (one !== this.first) {
      Object.assign(spec, { source: one.source, backup: this.first.source });
      reportFailover(events, this.first.source, one.source, 'loss');
    }
    spec.renditions = closed(spec.renditions, { fps, aspect });
    if (tracks !== undefined) spec.audio = tracks.slice(0, tracksThatFit(spec.renditions));
    try {
      writeAtomic(specFile, JSON.stringify(spec));
    } catch {
      // On a full disk a successor would open its source first, too.
    }
    onDone(one.connection, failure);
  }
}

/** A Channel whose settings choose one track has that one. */
function areTracksOpen({ audio = [], source, renditions }: RunSpec): boolean {
  const hasSound = renditions.some((rendition) => rendition.audio !== null);
  return audio.length === 0 && hasSound && source.settings.audiotrack === undefined;
}

/** One track of which nothing is declared needs no list. */
function audioIn(facts: SourceFacts, program: number | undefined): AudioTrack[] {
  return audioOf(tracksIn(facts, program).map(({ language }) => language ?? null));
}

function audioOf(languages: readonly (string | null)[]): AudioTrack[] {
  return languages.length === 1 && languages[0] === null ? [] : allTracks(languages);
}
