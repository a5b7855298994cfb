/** Writes the media of a feeder as live Matroska: pictures as they are, and sound cut into tracks of so many channels. */
import { writeSync } from 'node:fs';
import { matroskaBlockHead } from '../media/matroska/matroska-block.ts';
import { matroskaHead, type RawPicture } from '../media/matroska/matroska-head.ts';

export interface SoundForm {
  sampleRate: number;
  /** Channels of each track. */
  groups: readonly number[];
}

/** The pipe to ffmpeg. */
const MEDIA_FD = 3;
const FLOAT_BYTES = 4;
export class FeedWriter {
  private readonly groups: readonly number[];
  private readonly firstSound: number;

  constructor(picture: RawPicture | undefined, sound: SoundForm | undefined) {
    this.groups = sound?.groups ?? [];
    this.firstSound = picture === undefined ? 1 : 2;
    const tracks = this.groups.map((channels, i) => ({
      number: this.firstSound + i,
      codec: 'A_PCM/FLOAT/IEEE',
      sound: { sampleRate: sound!.sampleRate, channels, bits: 8 * FLOAT_BYTES },
    }));
    const video = picture === undefined ? [] : [{ number: 1, codec: 'V_UNCOMPRESSED', picture }];
    writeAll(matroskaHead([...video, ...tracks]));
  }

  picture(time: number, lines: readonly Buffer[]): void {
    const length = lines.reduce((sum, each) => sum + each.length, 0);
    writeAll(matroskaBlockHead({ track: 1, time, isKey: true }, length));
    for (const each of lines) writeAll(each);
  }

  /** `plane` answers the samples of one channel. */
  sound(time: number, samples: number, plane: (channel: number) => Float32Array): void {
    let first = 0;
    this.groups.forEach((channels, i) => {
      const body = new Float32Array(samples * channels);
      for (let c = 0; c < channels; c += 1) {
        const given = plane(first + c);
        for (let n = 0; n < samples; n += 1) body[n * channels + c] = given[n]!;
      }
      first += channels;
      const bytes = Buffer.from(body.buffer);
      writeAll(matroskaBlockHead({ track: this.firstSound + i, time, isKey: true }, bytes.length));
      writeAll(bytes);
    });
  }
}

/** The pipe takes as much as ffmpeg has read: whoever is slower sets the pace. */
function writeAll(bytes: Buffer): void {
  for (let from = 0; from < bytes.length;) from += writeSync(MEDIA_FD, bytes, from);
}
