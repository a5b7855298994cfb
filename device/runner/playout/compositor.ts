/** Puts overlays or a blackout on the programme. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../../domain/time/clock.ts';
import { withDeadline } from '../../../domain/time/deadline.ts';
import { AppError } from '../../../domain/base/errors.ts';
import { SIGNAL_FLAGS } from '../../../domain/shapes/broadcasts/live-picture.ts';
import { RUN_SPEC_DEFAULTS } from '../../../domain/shapes/broadcasts/run-defaults.ts';
import type { BlackoutSpec, PictureSpec, RunSpec, TextSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import type { Frame } from '../../media/frames/frame-pool.ts';
import { overlayOf, type Overlay } from '../../media/frames/overlay.ts';
import { place } from '../../media/frames/placement.ts';
import { TextPainter } from '../../media/frames/text-painter.ts';
import { TextTokens } from '../../media/frames/text-tokens.ts';
import { readCached, writeAtomic } from '../../atomic-file.ts';
import type { TrackChains } from '../../media/sound/track-chains.ts';
import { Blackout } from './blackout.ts';
import type { EventLog } from '../process/event-log.ts';
import type { FeedDeps } from '../input/source-feed.ts';
import { Overlays, TextOverlay, type Layers } from './overlays.ts';
import { loadLogo } from './logo.ts';
import { assertShowable, sentenceOf, type PictureChange } from './overlay-rules.ts';
import { OutputMonitor } from './output-monitor.ts';

export interface CompositorContext extends FeedDeps {
  spec: RunSpec;
  runDir: string;
  events: EventLog;
  clock: Clock;
  /** The last step of the sound; it is undefined where none is encoded. */
  sound?: TrackChains | undefined;
  onChange(): void;
  /** Returns whether an encoder took the frame, which is valid during the call alone. */
  write(frame: Frame | undefined, audio: Buffer): boolean;
}

interface Composition extends Layers {
  blackout: Blackout;
}

/** A programme that runs gives a frame every 40 ms, on a machine that is behind some a second; one that gives none cannot show anything. */
const FRAME_MS = 3000;

export class Compositor {
  private readonly context: CompositorContext;
  private readonly overlays: Overlays;
  readonly monitor: OutputMonitor;
  private readonly textFile: string;
  private inForce: Composition;
  private pending: { next: Composition; done(): void; failed(error: AppError): void } | undefined;
  /** Changes wait for each other: each is laid over what the one before has left. */
  private turn: Promise<unknown> = Promise.resolve();
  private readonly stopping = new Set<Promise<void>>();
  /** A file that is to take the programme's place, and has not given a frame yet. */
  private upcoming: Blackout | undefined;
  private painter: Promise<TextPainter> | undefined;
  private stopped = false;

  constructor(context: CompositorContext) {
    this.context = context;
    this.overlays = new Overlays(context.pool, context.plan);
    this.monitor = new OutputMonitor(context);
    this.textFile = join(context.runDir, 'shown-text.json');
    this.inForce = {
      logo: undefined,
      text: undefined,
      blackout: new Blackout(context, RUN_SPEC_DEFAULTS.picture.blackout),
    };
  }

  /** Puts the spec's overlays on air. Those that cannot be shown are reported and left out; a blackout holds from the first frame on. */
  start(): void {
    const { spec, plan } = this.context;
    if (!plan.copy) this.inForce.blackout = new Blackout(this.context, spec.picture.blackout);
    this.turn = this.begin(spec.picture);
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.pending?.failed(new AppError('wrong_state', 'The encoder is stopping.'));
    this.overlays.clear();
    this.monitor.stop();
    await Promise.all([this.inForce.blackout.stop(), this.upcoming?.stop(), ...this.stopping]);
  }

  /** Takes one frame of the programme and its audio; what viewers get instead goes to the encoder. */
  put(frame: Frame | undefined, audio: Buffer, isSlate: boolean): void {
    const { pending, context } = this;
    if (pending !== undefined) this.inForce = pending.next;
    const now = context.clock.now();
    const { text, blackout } = this.inForce;
    if (text !== undefined && text.since === undefined) this.beginText(text, now);
    const under = blackout.applyTo(frame, audio);
    context.stream.captions.isMuted = blackout.isMuted;
    const output =
      under.frame === undefined || !under.hasOverlays
        ? under.frame
        : this.overlays.applyTo(under.frame, this.inForce, now);
    const sound = context.sound?.process(under.audio) ?? under.audio;
    const isTaken = context.write(output, sound);
    const covered = isSlate ? SIGNAL_FLAGS.slate : 0;
    this.monitor.take(output, sound, blackout.spec.mode === 'Live' ? covered : SIGNAL_FLAGS.blackout);
    if (pending !== undefined && isTaken) pending.done();
  }

  /** Resolves with a sentence when the first frame that shows the change has gone to the encoder. Rejects with AppError. */
  async show(picture: PictureSpec): Promise<string> {
    const now = this.context.spec.picture;
    // Parts that the change does not name are those of the spec itself; another change may replace them meanwhile.
    const change: PictureChange = {
      ...(picture.logo !== now.logo && { logo: picture.logo }),
      ...(picture.text !== now.text && { text: picture.text }),
      ...(picture.blackout !== now.blackout && { blackout: picture.blackout }),
    };
    assertShowable(change, this.context.plan);
    // Copied video had nothing that could be taken away.
    if (this.context.plan.copy) return sentenceOf(change);
    const task = this.turn.then(() => this.carryOut(change));
    // The caller of the change gets its error; the next change only waits for its end.
    this.turn = task.catch(() => undefined);
    return task;
  }

  private async carryOut(change: PictureChange): Promise<string> {
    const previous = this.inForce;
    const next = { ...previous };
    if (change.logo !== undefined) next.logo = change.logo === null ? undefined : await this.loadLogo(change.logo);
    if (change.text !== undefined) next.text = change.text === null ? undefined : await this.loadText(change.text);
    if (change.blackout !== undefined) next.blackout = await this.loadBlackout(change.blackout);
    try {
      await this.firstFrame(next);
    } catch (error) {
      this.inForce = previous;
      if (next.blackout !== previous.blackout) this.release(next.blackout);
      throw error;
    }
    if (next.blackout !== previous.blackout) this.release(previous.blackout);
    if (next.text === undefined) rmSync(this.textFile, { force: true });
    return sentenceOf(change);
  }

  private async firstFrame(next: Composition): Promise<void> {
    if (this.stopped) throw new AppError('wrong_state', 'The encoder is stopping.');
    const firstFrame = new Promise<void>((done, failed) => (this.pending = { next, done, failed }));
    try {
      await withDeadline(firstFrame, FRAME_MS, () => {
        throw new AppError('timeout', 'No frame has gone to the encoder within 3 seconds; try again.');
      });
    } finally {
      this.pending = undefined;
    }
  }

  private async begin({ logo, text }: PictureSpec): Promise<void> {
    const { blackout } = this.inForce;
    const parts = { logo, text, blackout: this.context.spec.picture.blackout };
    try {
      assertShowable(parts, this.context.plan);
    } catch (error) {
      const { mode } = parts.blackout;
      const keepsBlackout = !this.context.plan.copy && mode !== 'Live' ? { blackout: parts.blackout } : {};
      this.leaveOut({ ...RUN_SPEC_DEFAULTS.picture, ...keepsBlackout }, error as Error);
      if (this.context.plan.copy) return;
      [logo, text] = [null, null];
    }
    await Promise.all([
      logo !== null &&
        this.loadLogo(logo).then(
          (overlay) => (this.inForce = { ...this.inForce, logo: overlay }),
          (error: Error) => this.leaveOut({ logo: null }, error),
        ),
      text !== null &&
        this.loadText(text, this.startOf(text)).then(
          (ready) => (this.inForce = { ...this.inForce, text: ready }),
          (error: Error) => this.leaveOut({ text: null }, error),
        ),
      // Viewers see black until the file comes, and when it never does: a blackout must not let the programme through.
      blackout.begin().catch((error: Error) => this.leaveOut({}, error, ' Viewers see black until it can.')),
    ]);
  }

  /** The report says what is in force, and this is not. */
  private leaveOut(plain: Partial<PictureSpec>, error: Error, outcome = ' The stream runs without.'): void {
    const { spec, events, onChange } = this.context;
    if (this.stopped) return;
    spec.picture = { ...spec.picture, ...plain };
    events.add('runtime_changed', 'warning', `${error.message}${outcome}`, { change: 'picture' });
    onChange();
  }

  private async loadLogo(logo: NonNullable<PictureSpec['logo']>): Promise<Overlay | undefined> {
    const { children, plan } = this.context;
    const bitmap = await loadLogo(children, logo, plan);
    return overlayOf(bitmap, place(logo.position, bitmap, plan), plan);
  }

  private async loadText(text: TextSpec, since?: number): Promise<TextOverlay> {
    const { plan, spec, clock } = this.context;
    this.painter ??= TextPainter.load();
    const painter = await this.painter.catch((error: unknown) => {
      // Fonts may be installed meanwhile.
      this.painter = undefined;
      throw error;
    });
    this.reportMissing(painter.missingIn(text.text));
    const sheet = painter.sheet(text, plan);
    const overlay = new TextOverlay(text, sheet, new TextTokens(spec.timezone), since);
    // The text is painted here, not when the first frame is due.
    overlay.at(clock.now());
    return overlay;
  }

  private reportMissing(characters: string[]): void {
    if (characters.length === 0) return;
    const some = `${characters.slice(0, 20).join(' ')}${characters.length > 20 ? ' …' : ''}`;
    const message = `Viewers see boxes in place of ${some} in the text: no font of this Device has them. Install fonts-noto there.`;
    this.context.events.add('runtime_changed', 'warning', message, { change: 'picture', characters });
  }

  private async loadBlackout(spec: BlackoutSpec): Promise<Blackout> {
    const blackout = new Blackout(this.context, spec);
    this.upcoming = blackout;
    try {
      await blackout.begin();
    } catch (error) {
      this.release(blackout);
      throw error;
    } finally {
      this.upcoming = undefined;
    }
    return blackout;
  }

  /** The chronometer goes on after a restart of this process, so its start is kept beside the spec. */
  private beginText(text: TextOverlay, now: number): void {
    text.since = now;
    try {
      writeAtomic(this.textFile, JSON.stringify({ text: text.spec, since: now }));
    } catch {
      // On a full disk the chronometer would begin anew after a restart.
    }
  }

  private startOf(text: TextSpec): number | undefined {
    const saved = readCached(this.textFile) as { text: TextSpec; since: number } | null | undefined;
    return JSON.stringify(saved?.text) === JSON.stringify(text) ? saved?.since : undefined;
  }

  private release(blackout: Blackout): void {
    const gone = blackout.stop();
    this.stopping.add(gone);
    void gone.then(() => this.stopping.delete(gone));
  }
}
