/**
 * The stage before a run: its source is opened, and what the renditions leave open is taken from it, because the frame clock has one rate and
 * the outputs have one shape from their first frame on. The connection goes on in the run.
 */
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { allTracks, type AudioTrack } from '../../domain/audio-tracks.ts';
import { isPushed } from '../../domain/ingest.ts';
import type { RunSpec } from '../../domain/run.ts';
import { ended } from '../../domain/sentence.ts';
import { writeAtomic } from '../atomic-file.ts';
import { tracksIn, type SourceFacts } from '../media/ffmpeg-output/source-facts.ts';
import { planLadder } from '../media/ladder/ladder-plan.ts';
import { areOpen, closed, shownAspect } from '../media/ladder/open-values.ts';
import { DEFAULT_RATE, rateFor, rateOf } from '../media/ladder/usual-rate.ts';
import { pushedReport } from '../push/push-reader.ts';
import { openingKind, type Found } from './input/opening-kind.ts';
import { isReadAhead } from './input/source-rules.ts';
import { filePosition } from './stream/file-position.ts';
import { SourceConnection } from './input/source-connection.ts';
import { missingReporter } from './playout/source-events.ts';
import type { ChildProcesses } from './process/child-processes.ts';
import type { EventLog } from './process/event-log.ts';

export interface OpeningParts {
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
  return areOpen(spec.renditions) || (areTracksOpen(spec) && spec.source.type === 'File');
}

export class RunOpening {
  private readonly parts: OpeningParts;
  private readonly connection: SourceConnection;
  private isDone = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(parts: OpeningParts) {
    this.parts = parts;
    const { spec, specFile, children, deviceDir, events } = parts;
    const { source } = spec;
    const isMeasured = spec.renditions.some(({ fpsOfSource }) => fpsOfSource === true) && !isPushed(source);
    this.connection = new SourceConnection(children, deviceDir, source, isMeasured);
    this.connection.position = filePosition(dirname(specFile), source);
    const reportMissing = missingReporter(events);
    const plan = planLadder(spec.renditions, spec.audio);
    const kind = openingKind(source, plan, isReadAhead(spec), (found) => void this.plan(found));
    this.connection.take(kind, {
      onFirstMedia: () => undefined,
      onDown: (trouble) => !this.isDone && reportMissing(source, trouble),
      onFailed: (reason) => this.finish(reason),
      onRefused: (why) => this.giveUp(why),
    });
  }

  /** `ms` later the run is planned without its source. */
  start(ms: number): void {
    this.timer = setTimeout(() => this.finish(), ms);
    void this.planPushed().then((isPlanned) => {
      if (!isPlanned && !this.isDone) this.connection.start();
    });
  }

  /** The push process has looked at a pusher before: the run begins as one that leaves nothing open. Resolves with whether it does. */
  private async planPushed(): Promise<boolean> {
    const { spec, deviceDir } = this.parts;
    if (!isPushed(spec.source)) return false;
    const report = await pushedReport(deviceDir, spec.source.channelId);
    if (report?.state !== 'receiving' || report.video === null || this.isDone) return false;
    const { fps } = report.video;
    const aspect = shownAspect(report.video);
    // It does not know the shape of pixels, which are oblong in pictures of other shapes alone.
    if (fps === null || !SQUARE_PIXELS.some((known) => Math.abs(aspect / known - 1) < 0.01)) return false;
    const languages = report.audio.map(({ language }) => language);
    this.done(rateFor(fps), aspect, areTracksOpen(spec) ? audioOf(languages) : undefined);
    return true;
  }

  /** Plans with what is known without the source. */
  finish(failure?: string): void {
    const { lastFormat } = this.parts.spec.source;
    const fps = lastFormat === undefined || lastFormat.fps <= 0 ? DEFAULT_RATE : rateFor(lastFormat.fps);
    const aspect = lastFormat === undefined ? DEFAULT_ASPECT : lastFormat.width / lastFormat.height;
    this.done(fps, aspect, undefined, failure);
  }

  private giveUp(why: string): void {
    const { spec } = this.parts;
    if (spec.startWithoutSource === 'fallback') return;
    this.finish(`Channel "${spec.source.name}" cannot be taken in: ${ended(why)}`);
  }

  private async plan({ facts, lines }: Found): Promise<void> {
    if (this.isDone) return;
    const { spec } = this.parts;
    const fps = isPushed(spec.source) ? await this.pushedRate(facts) : rateOf(facts);
    const tracks = areTracksOpen(spec) ? audioIn(facts, spec.source.settings.program) : undefined;
    // An ffmpeg that takes one track does not take more.
    this.connection.lines = tracks !== undefined && tracks.length > 1 ? undefined : lines;
    const aspect = facts.video === undefined ? undefined : shownAspect(facts.video);
    this.done(fps ?? DEFAULT_RATE, aspect ?? DEFAULT_ASPECT, tracks);
  }

  /** The push process counts the pictures of a pusher from its first one on. */
  private async pushedRate(facts: SourceFacts): Promise<number | undefined> {
    const { spec, deviceDir } = this.parts;
    const { channelId, lastFormat } = spec.source;
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

  private done(fps: number, aspect: number, tracks: AudioTrack[] | undefined, failure?: string): void {
    if (this.isDone) return;
    this.isDone = true;
    clearTimeout(this.timer);
    const { spec, specFile, onDone } = this.parts;
    spec.renditions = closed(spec.renditions, { fps, aspect });
    if (tracks !== undefined) spec.audio = tracks;
    try {
      writeAtomic(specFile, JSON.stringify(spec));
    } catch {
      // On a full disk a successor would open its source first, too.
    }
    onDone(this.connection, failure);
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
