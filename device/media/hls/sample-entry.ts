/** Codecs of MP4 (ISO/IEC 14496-12 §8.5.2) in the form of a transport stream. */
import { ByteReader } from '../codecs/byte-reader.ts';
import { boxesIn, type Box } from '../fmp4/fmp4-box.ts';
import { aacForm, asItIs, avcForm, hevcForm, registration, type SampleForm } from '../units/sample-form.ts';
import { NotRead, STREAM_IDS, TYPES } from '../units/track.ts';

/** The boxes in a VisualSampleEntry (§12.1.3) and an AudioSampleEntry (§12.2.3) begin here. */
const VISUAL_ENTRY_BYTES = 78;
const AUDIO_ENTRY_BYTES = 28;

/** Reads the first entry of an stsd body. Throws NotRead for a codec that a transport stream does not take, or that is encrypted. */
export function sampleForm(stsd: Buffer): SampleForm {
  const [entry] = boxesIn(stsd, 8);
  if (entry === undefined) throw new NotRead('A track has no sample description.');
  switch (entry.type) {
    case 'avc1':
    case 'avc3':
      return avcForm(configuration(entry, 'avcC', VISUAL_ENTRY_BYTES));
    case 'hvc1':
    case 'hev1':
      return hevcForm(configuration(entry, 'hvcC', VISUAL_ENTRY_BYTES));
    case 'mp4a':
      return mpegSound(configuration(entry, 'esds', AUDIO_ENTRY_BYTES));
    case 'ac-3':
      return asItIs(TYPES.ac3, registration('AC-3'), STREAM_IDS.private);
    case 'ec-3':
      return asItIs(TYPES.eac3, registration('EAC3'), STREAM_IDS.private);
    default:
      throw new NotRead(`Its codec "${entry.type}" is not read here.`);
  }
}

function configuration({ body }: Box, type: string, from: number): Buffer {
  const found = [...boxesIn(body, from)].find((box) => box.type === type);
  if (found === undefined) throw new NotRead(`A track has no ${type}.`);
  return found.body;
}

/** Tags of ISO/IEC 14496-1 §7.2.2.1, and objectTypeIndication of its table 5. */
const [ES, DECODER_CONFIG, DECODER_SPECIFIC] = [3, 4, 5];
const [MPEG4_AUDIO, MPEG2_MP3, MP3] = [0x40, 0x69, 0x6b];

function mpegSound(esds: Buffer): SampleForm {
  const reader = new ByteReader(esds, 4);
  assertTag(reader, ES);
  reader.skip(2);
  const flags = reader.unsigned(1);
  if ((flags & 0x80) !== 0) reader.skip(2);
  if ((flags & 0x40) !== 0) reader.skip(reader.unsigned(1));
  if ((flags & 0x20) !== 0) reader.skip(2);
  assertTag(reader, DECODER_CONFIG);
  const objectType = reader.unsigned(1);
  if (objectType === MP3 || objectType === MPEG2_MP3) return asItIs(TYPES.mp3, Buffer.alloc(0), STREAM_IDS.sound);
  if (objectType !== MPEG4_AUDIO) throw new NotRead(`Its sound is of type ${objectType}, which is not read here.`);
  reader.skip(12);
  assertTag(reader, DECODER_SPECIFIC);
  return aacForm(reader.rest());
}

function assertTag(reader: ByteReader, tag: number): void {
  if (reader.unsigned(1) !== tag) throw new NotRead('The description of its sound is not read here.');
  while ((reader.unsigned(1) & 0x80) !== 0);
}
