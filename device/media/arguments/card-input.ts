/**
 * Arguments of the sources that need hardware or a runtime: SDI and AES/EBU by ffmpeg's decklink, NDI by its libndi_newtek. No ffmpeg of a
 * distribution has either, for their licences; the Device offers these types when its own has them.
 */
import type { IngestInput } from './ingest-args.ts';
import type { ChannelSettings } from '../../../domain/types/channel-settings.ts';

/** Reads the text of `ffmpeg -sources decklink`: the inputs of this machine in ffmpeg's order, which the number in the Channel counts. */
export function parseSources(text: string): string[] {
  return text.split('\n').flatMap((line) => /^[ *] .+? \[(.+)\](?: \([^()]*\))?$/u.exec(line)?.[1] ?? []);
}

/** Reads the names of NDI sources in the log of `-find_sources 1`: a line each, the name and its address in single quotes. */
export function parseNdiSources(text: string): string[] {
  return text.split('\n').flatMap((line) => /'(.+)'\s+'[^']+'\s*$/u.exec(line)?.[1] ?? []);
}

/** Throws RangeError when the machine has no such input. */
export function sdiInput({ input = 0 }: ChannelSettings, cards: readonly string[]): IngestInput {
  return decklink(cards, input, ['-video_input', 'sdi', '-audio_input', 'embedded']);
}

/** The card gives video beside the audio; the ladder of such a Channel asks for audio alone. Throws RangeError as above. */
export function aesInput({ input = 0 }: ChannelSettings, cards: readonly string[]): IngestInput {
  return decklink(cards, input, ['-audio_input', 'aes_ebu']);
}

function decklink(cards: readonly string[], input: number, connectors: string[]): IngestInput {
  const card = cards[input];
  if (card === undefined) {
    const has = cards.length === 0 ? 'has no DeckLink input' : `has ${cards.length}, counted from 0`;
    throw new RangeError(`Input ${input} is not on this Device: it ${has}.`);
  }
  // The runner mixes stereo, and without `-channels` the card would deliver up to sixteen. The format is left to the card's detection.
  return { args: ['-f', 'decklink', ...connectors, '-channels', '2', '-i', card], list: undefined, usesDrivers: true };
}

/**
 * Discovery `auto` without a name takes the first source that is announced. Throws RangeError when there is none, or not the one of that
 * name.
 */
export function ndiInput(settings: ChannelSettings, announced: readonly string[]): IngestInput {
  const { discovery = 'auto', source_name: name } = settings;
  const source =
    discovery === 'typed' ? name : announced.find((announcedName) => name === undefined || announcedName === name);
  if (source === undefined)
    throw new RangeError(
      name === undefined ? 'No NDI source is announced in the network.' : `The NDI source "${name}" is not announced.`,
    );
  // Three seconds are more than the default of one, for a busy network. The ladder's own filter makes frames of fields.
  const args = ['-f', 'libndi_newtek', '-wait_sources', '3', '-allow_video_fields', '1', '-i', source];
  return { args, list: undefined, usesDrivers: true };
}
