/** The readers of one pushed source: each begins at a keyframe, and one that is slow goes on at a later one. */

/** The parts of a socket that a reader is sent through. */
export interface Reader {
  write(bytes: Buffer): boolean;
  end(): void;
  readonly writableLength: number;
  readonly destroyed: boolean;
  /** Nobody notices when its media comes a tenth of a second later. */
  readonly mayWait?: boolean;
}

export interface MediaPart {
  bytes: Buffer;
  /** It is a keyframe: a reader that has the heads may go on with it. */
  isStart: boolean;
  /** It is one of the heads: what follows cannot be decoded without it. */
  isHead: boolean;
}

/** A stream that readers join while it goes on. */
export interface JoinedStream {
  /** The heads and all that came since the last keyframe; empty where a reader has to wait for the next one. */
  readonly beginning: readonly Buffer[];
  /** False for a moment behind a change of the picture or the sound, within which the other one may change, too. */
  readonly isSettled: boolean;
  /** None of its readers can go on with other codecs or configurations. */
  readonly isOfOneFormat: boolean;
}

/** About ten seconds of a usual source, or one keyframe of a very large one. What is kept for new readers is no longer (MAX_KEPT_BYTES). */
const MAX_UNREAD_BYTES = 16 << 20;
/** The successor of a reader that died gets what has come since the keyframe before its death, if it comes within this. */
const HELD_MS = 3000;
/** A reader that was slow goes on when it has caught up so far. */
const CAUGHT_UP_BYTES = 1 << 20;

/** `new`: it has got nothing and may begin before the next keyframe. `waiting`: it goes on with the next keyframe. */
type Stage = 'new' | 'reading' | 'waiting';

interface Place {
  reader: Reader;
  stage: Stage;
  /** A head came while it was slow: it has to begin anew. */
  missedHead: boolean;
  /** It takes one set of codecs and configurations, and begins anew with the next. */
  isOfOneFormat: boolean;
}

/** Media with which the successor of a reader begins. */
interface Held {
  parts: Buffer[];
  bytes: number;
  untilMs: number;
}

export class Readers {
  private places: Place[] = [];
  private held: Held | undefined;

  /** Without a stream the reader waits for the next part of one. */
  add(reader: Reader, stream: JoinedStream | undefined, isOfOneFormat = false): void {
    const place: Place = { reader, stage: 'new', missedHead: false, isOfOneFormat };
    this.places.push(place);
    if (stream !== undefined) this.begin(place, stream);
  }

  send(part: MediaPart, stream: JoinedStream): void {
    this.hold(part, stream);
    this.places = this.places.filter(({ reader }) => !reader.destroyed);
    for (const place of this.places) {
      if (place.stage === 'new') this.begin(place, stream);
      else this.goOn(place, part);
    }
    // Its next connection begins anew.
    for (const { reader, missedHead } of this.places) if (missedHead) reader.end();
    this.places = this.places.filter(({ missedHead }) => !missedHead);
  }

  /** Other codecs or configurations follow. */
  renew(stream: JoinedStream): void {
    this.held = undefined;
    const isOver = ({ stage, isOfOneFormat }: Place): boolean =>
      (isOfOneFormat || stream.isOfOneFormat) && stage !== 'new';
    for (const place of this.places) if (isOver(place)) place.reader.end();
    this.places = this.places.filter((place) => !isOver(place));
  }

  /** The stream of this pusher is over; a reader that has got nothing of it waits for the next one. */
  endAll(): void {
    this.held = undefined;
    for (const { reader, stage } of this.places) if (stage !== 'new') reader.end();
    this.places = this.places.filter(({ stage }) => stage === 'new');
  }

  /** The Channel is not listened for any more. */
  close(): void {
    for (const { reader } of this.places) reader.end();
    this.places = [];
  }

  /** All may, and there is one. */
  get mayWait(): boolean {
    return this.places.length > 0 && this.places.every(({ reader }) => reader.mayWait === true);
  }

  private begin(place: Place, { beginning, isSettled }: JoinedStream): void {
    if (beginning.length === 0 || (place.isOfOneFormat && !isSettled)) return;
    place.stage = 'reading';
    for (const bytes of this.held?.parts ?? beginning) place.reader.write(bytes);
  }

  private hold({ bytes }: MediaPart, stream: JoinedStream): void {
    const hasDied = this.places.some(({ reader, stage }) => stage === 'reading' && reader.destroyed);
    if (hasDied && this.held === undefined) {
      // The part is in it.
      const { beginning } = stream;
      const kept = beginning.reduce((sum, { length }) => sum + length, 0);
      this.held = { parts: [...beginning], bytes: kept, untilMs: performance.now() + HELD_MS };
    } else if (this.held !== undefined) {
      this.held.parts.push(bytes);
      this.held.bytes += bytes.length;
    }
    const { held } = this;
    if (held !== undefined && (performance.now() > held.untilMs || held.bytes > MAX_UNREAD_BYTES))
      this.held = undefined;
  }

  private goOn(place: Place, { bytes, isStart, isHead }: MediaPart): void {
    const { reader } = place;
    if (place.stage === 'reading' && reader.writableLength > MAX_UNREAD_BYTES) place.stage = 'waiting';
    if (place.stage === 'waiting' && isStart && reader.writableLength < CAUGHT_UP_BYTES) place.stage = 'reading';
    if (place.stage === 'reading') reader.write(bytes);
    else place.missedHead ||= isHead;
  }
}
