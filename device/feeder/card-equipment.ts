/** The parts that a machine needs to take in, or to play out, by a DeckLink card. */
import { readdirSync, readFileSync } from 'node:fs';
import { INSTALL_GSTREAMER } from '../../domain/types/type-needs.ts';
import { findProgram } from '../ffmpeg/programs.ts';

export const GSTREAMER = 'gst-launch-1.0';

/** The driver makes a node there for each input and output of a card. */
const NODES = '/dev/blackmagic';
const LIBRARY = 'libDeckLinkAPI.so';

/** Names the first thing that this Device lacks; undefined where it has all. `complaints` are those of gst-launch-1.0. */
export function whatIsMissing(complaints: string): string | undefined {
  if (findProgram(GSTREAMER) === undefined) return `GStreamer is not on this Device: ${INSTALL_GSTREAMER}.`;
  if (/no element/u.test(complaints)) return `GStreamer has no decklink on this Device: ${INSTALL_GSTREAMER}.`;
  if (!hasDriver())
    return 'The driver of the card is not on this Device: install Desktop Video of blackmagicdesign.com.';
  return cardNodes().length === 0 ? 'The driver finds no DeckLink card on this Device.' : undefined;
}

/** There is a card, and GStreamer to use it. */
export function hasCard(): boolean {
  return cardNodes().length > 0 && findProgram(GSTREAMER) !== undefined;
}

export function cardNodes(): string[] {
  try {
    return readdirSync(NODES);
  } catch {
    // Without the driver there is no such folder.
    return [];
  }
}

function hasDriver(): boolean {
  try {
    return readFileSync('/etc/ld.so.cache').includes(LIBRARY);
  } catch {
    // A system without a cache of its loader is asked for its cards.
    return cardNodes().length > 0;
  }
}

/** The first error in what gst-launch-1.0 wrote, or its last line. */
export function lastOf(complaints: string): string {
  const errors = complaints.split('\n').filter((line) => /ERROR|erroneous/u.test(line));
  return (errors[0] ?? complaints.split('\n').at(-1) ?? '').replace(/^ERROR: /u, '').slice(0, 300);
}
