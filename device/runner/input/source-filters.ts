/**
 * Answers an ingest's ffmpeg with the filters for what it has found in its source, which it writes to its log and then waits. An ffmpeg
 * that cannot wait (9 and later) gets the filters for what was found before, and is started anew when it finds something else; so is one
 * whose decoder has too few threads.
 */
import type { Crop } from '../../../domain/shapes/broadcasts/livestream.ts';
import { DECODER_THREADS } from '../../ffmpeg/input-rules.ts';
import { decoderThreads } from '../../media/arguments/decoder-threads.ts';
import { FILTER_FD, trackFds, type TrackNumber } from '../../media/arguments/ingest-args.ts';
import { videoFilter, audioFilter, type Filters } from '../../media/arguments/ingest-filters.ts';
import type { LadderPlan } from '../../media/ladder/ladder-plan.ts';
import { NO_FACTS, tracksIn, withLine, type SourceFacts } from '../../media/ffmpeg-output/source-facts.ts';
import type { Child } from '../process/child.ts';
import { watchFullCore } from '../cpu-meter.ts';

/** The lines of one description follow each other within microseconds; a busy machine may stop ffmpeg in between. */
const SETTLE_MS = 8;

export interface FilterHooks {
  crop(): Crop | null;
  /** Takes what a connection has found, before its first frame; `toneMapped` holds for HDR. Returns whether the connection is to go on. */
  onFacts(facts: SourceFacts, toneMapped: boolean): boolean;
  /** The program of a transport stream that is taken; undefined or 0: any. */
  program: number | undefined;
  /** Returns the audio tracks that the next connection takes. */
  tracks(): readonly TrackNumber[];
  /** Opens the source anew, with other arguments. */
  reopen(): void;
}

/** It serves one source over all its connections. */
export class SourceFilters {
  private readonly plan: LadderPlan;
  private readonly hooks: FilterHooks;
  private canWait = true;
  private canToneMap = true;
  private renewed = false;
  private facts = NO_FACTS;
  private isHeavy = false;

  constructor(plan: LadderPlan, hooks: FilterHooks) {
    this.plan = plan;
    this.hooks = hooks;
  }

  /** Filters for the arguments of the next connection; undefined when ffmpeg waits for them. */
  get settled(): Filters | undefined {
    return this.canWait ? undefined : this.filters;
  }

  /** Threads of the next connection's decoders. */
  get threads(): number {
    return this.isHeavy ? DECODER_THREADS : decoderThreads(this.facts.video);
  }

  connect(child: Child): void {
    const [startFilters, startThreads] = [this.settled, this.threads];
    if (startThreads === 1) this.watchLoad(child);
    readFacts(child, (facts) => {
      this.facts = facts;
      if (!this.hooks.onFacts(facts, this.canToneMap)) return child.kill('SIGKILL');
      const { video, audio } = this.filters;
      if (this.threads > startThreads) {
        this.renewed = true;
        child.kill('SIGKILL');
      } else if (startFilters === undefined) {
        child.input(FILTER_FD.video).end(video);
        audio.forEach((filter, i) => child.input(trackFds(i).filters).end(filter));
      } else if (startFilters.video !== video || startFilters.audio.join('\n') !== audio.join('\n')) {
        this.renewed = true;
        child.kill('SIGKILL');
      }
    });
  }

  /** A decoder that takes all of a core is not as quick as its source, however small the pictures are. */
  private watchLoad({ pid, ended }: Child): void {
    if (pid === undefined || DECODER_THREADS === 1) return;
    const endWatch = watchFullCore(pid, () => {
      this.isHeavy = true;
      this.hooks.reopen();
    });
    void ended.then(endWatch);
  }

  /** Tells from ffmpeg's stderr at its end whether the next connection has other arguments. */
  adapts(stderr: string): boolean {
    const isMissing = {
      waiting: /Unrecognized option 'filter_script/u.test(stderr),
      toneMap: /No such filter: 'zscale'/u.test(stderr),
    };
    const isNew = this.renewed || (this.canWait && isMissing.waiting) || (this.canToneMap && isMissing.toneMap);
    this.renewed = false;
    if (isMissing.waiting) this.canWait = false;
    if (isMissing.toneMap) this.canToneMap = false;
    return isNew;
  }

  private get filters(): Filters {
    const video = videoFilter(this.plan, this.hooks.crop(), this.facts, this.canToneMap);
    const { channels } = this.plan.tracks[0]!;
    const audio = tracksIn(this.facts, this.hooks.program);
    // Without a number nobody knows which of the tracks is taken.
    const isSurround = (number: TrackNumber): boolean =>
      (number === undefined ? undefined : audio[number]?.surround) ?? audio.some(({ surround }) => surround);
    return { video, audio: this.hooks.tracks().map((number, i) => audioFilter(isSurround(number), channels, i)) };
  }
}

/** Reads what an ffmpeg says of its source, beside the reader of its lines before, and calls back once with all of it. */
export function readFacts(child: Child, onFacts: (facts: SourceFacts) => void): void {
  let facts: SourceFacts = NO_FACTS;
  let timer: NodeJS.Timeout | undefined;
  let isRead = false;
  const settle = (): void => {
    isRead = true;
    onFacts(facts);
  };
  child.alsoRead((line) => {
    if (isRead) return;
    facts = withLine(facts, line);
    if (facts.demuxer === undefined) return;
    clearTimeout(timer);
    timer = setTimeout(settle, SETTLE_MS);
  });
  void child.ended.then(() => clearTimeout(timer));
}
