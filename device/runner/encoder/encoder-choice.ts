/**
 * Decides what encodes each rendition: the hardware that its Encoding names, or for `auto` the first kind that works here, and software in its place
 * once that fails. A kind that is named is not replaced: its Device was chosen for it.
 */
import { isHardware, kindsFor, type HardwareKind } from '../../../domain/shapes/encodings/hardware.ts';
import { openingArgs } from '../../media/arguments/hardware-args.ts';
import type { LadderPlan, VideoStreamPlan } from '../../media/ladder/ladder-plan.ts';
import type { FoundHardware } from '../../ffmpeg/hardware.ts';
import type { EventLog } from '../process/event-log.ts';

export type EncoderKind = HardwareKind | 'software';

/** An encoder that has worked may end for another reason, and gets one more chance within this time. */
const AGAIN_MS = 60_000;

export class EncoderChoice {
  private readonly given: LadderPlan;
  private readonly hardware: FoundHardware;
  private readonly events: EventLog;
  private endedAtMs: number | undefined;
  /** The ladder with what encodes each rendition now. */
  plan: LadderPlan;

  constructor(given: LadderPlan, hardware: FoundHardware, events: EventLog) {
    this.given = given;
    this.hardware = hardware;
    this.events = events;
    this.plan = withKinds(given, (stream) => kindOf(stream, hardware));
    this.reportMissing();
  }

  /** Options that open the hardware, before the inputs. */
  get args(): string[] {
    return openingArgs(this.kinds, this.hardware.node);
  }

  /** Its processes need the driver of a card, whose files nobody knows. */
  get usesHardware(): boolean {
    return this.kinds.length > 0;
  }

  of(encodingId: number): EncoderKind | undefined {
    const stream = this.plan.videos.find((video) => video.encodingId === encodingId);
    return stream && presentKind(stream);
  }

  private get kinds(): HardwareKind[] {
    return [...new Set(this.plan.videos.map(presentKind))].filter(isHardware);
  }

  /** The encoder has ended. One in hardware that never gave anything, or ends once more within a minute, is replaced where it may be. */
  ended(gaveMedia: boolean, reason: string, nowMs: number): void {
    const replaced = this.given.videos.filter(
      (given, i) => given.settings.encoder === 'auto' && isHardware(this.plan.videos[i]!.settings.encoder),
    );
    if (replaced.length === 0) return;
    const isSecond = this.endedAtMs !== undefined && nowMs - this.endedAtMs < AGAIN_MS;
    this.endedAtMs = nowMs;
    if (gaveMedia && !isSecond) return;
    const from = replaced.map(({ encodingId }) => this.of(encodingId)!);
    this.plan = withKinds(this.given, ({ settings }) => (isHardware(settings.encoder) ? settings.encoder : 'software'));
    this.tell('warning', replaced, `${reason}. ${this.named(replaced)} encoded in software from now on`, { from });
  }

  private reportMissing(): void {
    const lacking = this.plan.videos.filter(
      (now, i) => this.given.videos[i]!.settings.encoder === 'auto' && presentKind(now) === 'software',
    );
    // A runner that goes on with a run says it no second time.
    if (lacking.length === 0 || this.events.earlier.some(({ kind }) => kind === 'encoder_fallback')) return;
    const reasons = this.hardware.reasons.map(({ kind, reason }) => `${kind}: ${reason}`).join('; ');
    const why = reasons === '' ? 'no hardware here makes it' : reasons;
    this.tell('info', lacking, `${this.named(lacking)} encoded in software: ${why}`, { from: ['auto'] });
  }

  private tell(severity: 'info' | 'warning', streams: readonly VideoStreamPlan[], message: string, data: object): void {
    const encodingIds = streams.map(({ encodingId }) => encodingId);
    this.events.add('encoder_fallback', severity, `${message}.`, { encodingIds, ...data });
  }

  private named(streams: readonly VideoStreamPlan[]): string {
    const ids = streams.map(({ encodingId }) => encodingId);
    const names = this.given.renditions
      .filter(({ encodingId }) => ids.includes(encodingId))
      .map(({ name }) => `"${name}"`);
    return `Encoding ${names.join(', ')} ${names.length === 1 ? 'is' : 'are'}`;
  }
}

function presentKind({ settings }: VideoStreamPlan): EncoderKind {
  return isHardware(settings.encoder) ? settings.encoder : 'software';
}

function kindOf({ settings }: VideoStreamPlan, { encoders }: FoundHardware): EncoderKind {
  if (settings.encoder !== 'auto') return isHardware(settings.encoder) ? settings.encoder : 'software';
  return kindsFor(settings, encoders)[0] ?? 'software';
}

/** The plan is the same but for what encodes it; parts of it know each other, so that they are replaced together. */
function withKinds(given: LadderPlan, kindFor: (stream: VideoStreamPlan) => EncoderKind): LadderPlan {
  const changed = new Map(
    given.videos.map((stream) => [stream, { ...stream, settings: { ...stream.settings, encoder: kindFor(stream) } }]),
  );
  const renditions = given.renditions.map((rendition) => ({
    ...rendition,
    video: rendition.video && changed.get(rendition.video),
  }));
  return { ...given, videos: given.videos.map((stream) => changed.get(stream)!), renditions };
}
