/** The encryption of one attempt of a Destination: all media of its packager passes here before it is kept. */
import { TrackEncryptor } from '../../../media/encryption/track-encryptor.ts';
import type { CmafSegment, SegmenterTrack } from '../../../media/manifests/cmaf-segmenter.ts';
import type { CmafPart } from '../../../media/manifests/part-segmenter.ts';
import type { MediaFragment, TrackInit } from '../../../media/fmp4/fmp4-parser.ts';
import type { AnnouncedKeys, Protection } from '../../../media/manifests/protection.ts';
import type { KeyPeriods } from './key-periods.ts';

interface Track {
  clear: TrackInit;
  /** One for each key: that of the open segment, and that before or after it. */
  encryptors: Map<Protection, TrackEncryptor>;
}

export class EncryptedTracks {
  private readonly periods: KeyPeriods;
  private readonly kinds: readonly SegmenterTrack['kind'][];
  private readonly tracks = new Map<string, Track>();
  /** Keys of the segment that was encrypted last, or is being made of parts. */
  private open: Protection;

  /** Throws TypeError when a kind of track has no key. */
  constructor(periods: KeyPeriods, kinds: readonly SegmenterTrack['kind'][]) {
    this.periods = periods;
    this.kinds = [...new Set(kinds)];
    this.open = periods.any;
    this.open.announced(this.kinds);
  }

  /** Tells whether a segment has to end at the second time. */
  isCut(fromSeconds: number, toSeconds: number): boolean {
    return this.periods.isCut(fromSeconds, toSeconds);
  }

  /** Takes an initialisation segment. Throws RangeError for a codec that cannot be encrypted. */
  init(trackId: string, clear: TrackInit): void {
    this.tracks.set(trackId, { clear, encryptors: new Map() });
    this.encryptorOf(trackId, this.open);
  }

  /**
   * Encrypts video when it comes, a keyframe distance at a time: a whole segment of a ladder at once would hold up the frame clock. Audio
   * passes as it is, since it is joined first.
   */
  fragment(trackId: string, fragment: MediaFragment): MediaFragment {
    const { clear } = this.trackOf(trackId);
    if (clear.kind !== 'video') return fragment;
    const keys = this.periods.at(fragment.startTime / clear.timescale);
    const bytes = this.encryptorOf(trackId, keys).segment(fragment.bytes);
    return { ...fragment, bytes, data: bytes.subarray(bytes.length - fragment.data.length) };
  }

  /** Encrypts the audio of a segment. Throws RangeError; nothing of the segment may be published then. */
  segment(segment: CmafSegment): CmafSegment {
    this.open = this.periods.at(segment.startSeconds);
    const parts = [...segment.parts].map(([id, part]) => {
      if (this.trackOf(id).clear.kind === 'video') return [id, part] as const;
      return [id, { ...part, bytes: this.encryptorOf(id, this.open).segment(part.bytes) }] as const;
    });
    return { ...segment, parts: new Map(parts) };
  }

  /** Encrypts a part of each track. All parts of a segment have the keys of the first. Throws RangeError. */
  part(part: CmafPart): CmafPart {
    if (part.first) this.open = this.periods.at(part.startSeconds);
    const tracks = [...part.tracks].map(([id, track]) => {
      return [id, { ...track, bytes: this.encryptorOf(id, this.open).segment(track.bytes) }] as const;
    });
    return { ...part, tracks: new Map(tracks) };
  }

  /** Initialisation segments of that segment, as players get them. */
  get inits(): ReadonlyMap<string, TrackInit> {
    return new Map([...this.tracks.keys()].map((id) => [id, this.encryptorOf(id, this.open).init]));
  }

  /** The words of manifests about the keys of that segment. */
  get announced(): AnnouncedKeys {
    return this.open.announced(this.kinds);
  }

  private encryptorOf(trackId: string, keys: Protection): TrackEncryptor {
    const { clear, encryptors } = this.trackOf(trackId);
    const known = encryptors.get(keys);
    if (known !== undefined) return known;
    const { key, psshs } = keys.of(clear.kind);
    const encryptor = new TrackEncryptor(clear, key, psshs);
    encryptors.set(keys, encryptor);
    const [oldest] = encryptors.keys();
    // A segment that is being made has at most the next keys beside its own.
    if (encryptors.size > 2) encryptors.delete(oldest!);
    return encryptor;
  }

  private trackOf(trackId: string): Track {
    const track = this.tracks.get(trackId);
    if (track === undefined) throw new RangeError(`The track ${trackId} has no key yet.`);
    return track;
  }
}
