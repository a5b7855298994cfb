/** The media of one RTMP connection for the readers of its Channel: as FLV, and as Matroska what FLV cannot hold. */
import { needsMatroska, unreadCodec } from '../media/rtmp/flv-codecs.ts';
import { FlvFacts } from '../media/rtmp/flv-facts.ts';
import { FlvJoiner } from '../media/rtmp/flv-joiner.ts';
import { MatroskaJoiner } from '../media/rtmp/matroska-joiner.ts';
import type { RtmpMessage } from '../media/rtmp/rtmp-chunks.ts';
import type { Intake, PushedMedia } from './intake.ts';

type Taker = Pick<Intake, 'take' | 'renew' | 'depart'>;

export class RtmpMedia implements PushedMedia {
  private readonly intake: Taker;
  private joiner: FlvJoiner | MatroskaJoiner = new FlvJoiner();
  private readonly flvFacts = new FlvFacts();

  constructor(intake: Taker) {
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

  get isOfOneFormat(): boolean {
    return this.joiner.isOfOneFormat;
  }

  /** Returns why the encoder has to be refused, for what nothing here can read. */
  take(message: RtmpMessage): string | undefined {
    if (this.joiner instanceof FlvJoiner && needsMatroska(message)) this.changeForm(this.joiner);
    const unread = unreadCodec(message, this.joiner instanceof MatroskaJoiner);
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

  /** The configurations so far are those of the other track, as with HEVC that comes beside plain AAC; readers of it begin anew. */
  private changeForm({ configurations }: FlvJoiner): void {
    const joiner = new MatroskaJoiner();
    for (const message of configurations) joiner.take(message);
    this.joiner = joiner;
    this.intake.renew(this);
  }
}
