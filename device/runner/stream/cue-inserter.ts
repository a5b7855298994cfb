/** Cues (SCTE 35) and timed metadata (ID3) as packets of the transport stream. A stream of fragments carries them in its manifests and segments alone. */
import { CUE_PID, ID3_PID, id3Packets, sectionPackets } from '../../media/mpeg-ts/ts-metadata.ts';
import type { FanOut } from './fan-out.ts';

interface PendingTag {
  tag: Buffer;
  ticks: number;
  onSent(ticks: number): void;
}

export class CueInserter {
  private readonly packets: FanOut | undefined;
  private tags: PendingTag[] = [];

  constructor(packets: FanOut | undefined) {
    this.packets = packets;
  }

  /** A section (encodeSplice) goes out at once. Throws RangeError for bytes that are no section. */
  insertCue(section: Buffer, newest: number | undefined): void {
    this.packets?.insert(CUE_PID, (counter) => sectionPackets(CUE_PID, section, counter), newest);
    this.packets?.flush();
  }

  /**
   * A tag (id3Tag) goes out with the frame after `newest`, and `onSent` gets that frame's time. The function that is returned takes the
   * tag back as long as it has not left. Throws RangeError for a tag that is too long.
   */
  insertTag(tag: Buffer, newest: number | undefined, onSent: (ticks: number) => void): () => void {
    id3Packets(ID3_PID, tag, 0, 0);
    const entry = { tag, ticks: newest === undefined ? -Infinity : newest + 1, onSent };
    this.tags.push(entry);
    return () => (this.tags = this.tags.filter((other) => other !== entry));
  }

  /**
   * Sends the tags that wait for the frame at `sent` or an earlier one. To be called when the next frame of the leading track comes: tracks
   * are interleaved by their time, so the frame before it has been sent in every rendition by then.
   */
  sendDue(sent: number | undefined): void {
    if (sent === undefined || this.tags.length === 0) return;
    const due = this.tags.filter(({ ticks }) => ticks <= sent);
    this.tags = this.tags.filter((tag) => !due.includes(tag));
    for (const { tag, onSent } of due) {
      this.packets?.insert(ID3_PID, (counter) => id3Packets(ID3_PID, tag, sent, counter), sent);
      onSent(sent);
    }
  }
}
