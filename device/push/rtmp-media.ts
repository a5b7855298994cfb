/** The media of one RTMP connection, as an FLV stream for the readers of its Channel. */
import { unreadCodec } from '../media/rtmp/flv-codecs.ts';
import { FlvFacts } from '../media/rtmp/flv-facts.ts';
import { FlvJoiner } from '../media/rtmp/flv-joiner.ts';
import type { RtmpMessage } from '../media/rtmp/rtmp-chunks.ts';
import type { Intake, PushedMedia } from './intake.ts';

export class RtmpMedia implements PushedMedia {
  private readonly intake: Intake;
  private readonly joiner = new FlvJoiner();
  private readonly flvFacts = new FlvFacts();

  constructor(intake: Intake) {
    this.intake = intake;
  }

  get facts(): PushedMedia['facts'] {
    const { video, audio, captions } = this.flvFacts;
    return { video, audio, captions };
  }

  get beginning(): readonly Buffer[] {
    return this.joiner.beginning;
  }

  get isSettled(): boolean {
    return this.joiner.isSettled;
  }

  /** Returns why the encoder has to be refused, for what nothing here can read. */
  take(message: RtmpMessage): string | undefined {
    const unread = unreadCodec(message);
    if (unread !== undefined) return unread;
    this.flvFacts.take(message);
    const part = this.joiner.take(message);
    if (part?.isChange === true) this.intake.renew(this);
    if (part !== undefined) this.intake.take(this, part);
    return undefined;
  }

  depart(why: string): void {
    this.intake.depart(this, why);
  }
}
