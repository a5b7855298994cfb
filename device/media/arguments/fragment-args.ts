/** Arguments of a fragmented MP4 of one track on a pipe, as Fmp4Parser reads it. */

/**
 * frag_discont without an edit list writes the time of the stream; else each track would begin at 0, and audio would no longer fit the
 * video (its priming frame begins 21 ms earlier). delay_moov waits for the first frame, which alone tells how some codecs are configured:
 * with empty_moov the esds of AAC from a transport stream lacks its AudioSpecificConfig. skip_trailer leaves out the index, which a live
 * stream has none of.
 */
const FLAGS = '+delay_moov+default_base_moof+cmaf+frag_discont+skip_trailer';

export function fragmentArgs(cut: 'frag_keyframe' | 'frag_every_frame', fd: number): string[] {
  return ['-movflags', `${FLAGS}+${cut}`, '-use_editlist', '0', '-flush_packets', '1', '-f', 'mp4', `pipe:${fd}`];
}
