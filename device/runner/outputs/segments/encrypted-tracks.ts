/** The encryption of one attempt of a Destination: all media of its packager passes here before it is kept. */
import { TrackEncryptor } from '../../../media/encryption/track-encryptor.ts';
import type { CmafSegment, SegmenterTrack } from '../../../media/manifests/cmaf-segmenter.ts';
import type { MediaFragment, TrackInit } from '../../../media/fmp4/fmp4-parser.ts';
import type { Protection } from '../../../media/manifests/protection.ts';

export class EncryptedTracks {
  private readonly protection: Protection;
  private readonly encryptors = new Map<string, TrackEncryptor>();

  /** Throws TypeError when a kind of track has no key. */
  constructor(protection: Protection, kinds: readonly SegmenterTrack['kind'][]) {
    this.protection = protection;
    for (const kind of kinds) protection.of(kind);
  }

  /** Returns the initialisation segment as players get it. Throws RangeError for a codec that cannot be encrypted. */
  init(trackId: string, init: TrackInit): TrackInit {
    const { key, psshs } = this.protection.of(init.kind);
    const encryptor = new TrackEncryptor(init, key, psshs);
    this.encryptors.set(trackId, encryptor);
    return encryptor.init;
  }

  /**
   * Encrypts video when it comes, a keyframe distance at a time: a whole segment of a ladder at once would hold up the frame clock. Audio
   * passes as it is, since it is joined first.
   */
  fragment(trackId: string, fragment: MediaFragment): MediaFragment {
    const encryptor = this.encryptorOf(trackId);
    if (encryptor.init.kind !== 'video') return fragment;
    const bytes = encryptor.segment(fragment.bytes);
    return { ...fragment, bytes, data: bytes.subarray(bytes.length - fragment.data.length) };
  }

  /** Encrypts the audio of a segment. Throws RangeError; nothing of the segment may be published then. */
  segment(segment: CmafSegment): CmafSegment {
    const parts = [...segment.parts].map(([id, part]) => {
      const encryptor = this.encryptorOf(id);
      return [id, encryptor.init.kind === 'video' ? part : { ...part, bytes: encryptor.segment(part.bytes) }] as const;
    });
    return { ...segment, parts: new Map(parts) };
  }

  /** Encrypts one part of a track. Throws RangeError; nothing of the part may be published then. */
  part(trackId: string, bytes: Buffer): Buffer {
    return this.encryptorOf(trackId).segment(bytes);
  }

  private encryptorOf(trackId: string): TrackEncryptor {
    const encryptor = this.encryptors.get(trackId);
    if (encryptor === undefined) throw new RangeError(`The track ${trackId} has no key yet.`);
    return encryptor;
  }
}
