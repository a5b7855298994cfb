/** A viewer of HLS, who gets the segments that the playlist has. */
import { writeFileSync } from 'node:fs';
import { mediaPlaylist } from '../../test/helpers/broadcast.ts';
import { HLS } from '../../test/helpers/hls.ts';
import { countsIn, type Missed, type Viewer } from './receiver.ts';

export class HlsViewer implements Viewer {
  private readonly playlist: string;
  /** Milliseconds since 1970. */
  private fromMs = 0;

  constructor(playlist: string) {
    this.playlist = playlist;
  }

  forget(): void {
    this.fromMs = Date.now();
  }

  hasSince(): boolean {
    return true;
  }

  async missed(file: string, pictures: number): Promise<Missed> {
    const { text, url } = await mediaPlaylist(this.playlist);
    const { segments } = HLS.parse(text) as HLS.types.MediaPlaylist;
    const bodies: Buffer[] = [];
    for (const { uri, programDateTime } of segments)
      if (programDateTime!.getTime() >= this.fromMs)
        bodies.push(Buffer.from(await (await fetch(new URL(uri, url))).arrayBuffer()));
    writeFileSync(file, Buffer.concat(bodies));
    return { ...countsIn(file, pictures), silentSeconds: undefined };
  }
}
