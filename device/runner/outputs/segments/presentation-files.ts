/** The playlists and the manifest of one CMAF or DASH Destination. */
import { join } from 'node:path';
import { toIso } from '../../../../domain/time/clock.ts';
import { writeAtomic } from '../../../atomic-file.ts';
import {
  MANIFEST,
  masterPlaylist,
  presentationManifest,
  trackPlaylist,
} from '../../../media/manifests/cmaf-presentation.ts';
import type { LivePresentation, ManifestFacts, Presentation } from '../../../media/manifests/presentation.ts';
import { textPlaylist } from '../../../media/manifests/text-presentation.ts';
import type { CmafFolderOptions, Publication } from './cmaf-folder-options.ts';
import type { TextFiles } from './text-files.ts';

export interface WrittenState {
  ended: boolean;
  live: LivePresentation | undefined;
  /** Without it the playlists alone are written. */
  withManifest: boolean;
}

export class PresentationFiles {
  private readonly options: CmafFolderOptions;
  private readonly suffix: string;
  private readonly texts: TextFiles | undefined;
  private master = '';

  /** `suffix`: end of the names of segments. */
  constructor(options: CmafFolderOptions, suffix: string, texts: TextFiles | undefined) {
    this.options = options;
    this.suffix = suffix;
    this.texts = texts;
  }

  /** Throws the error of the filesystem. */
  write(index: Presentation, state: WrittenState, now: Publication): void {
    if (this.options.hls) this.writePlaylists(index, state, now);
    if (this.options.dash && state.withManifest) this.writeManifest(index, state, now);
  }

  private writePlaylists(index: Presentation, { ended, live }: WrittenState, { rates, marks = {} }: Publication): void {
    const { suffix, texts } = this;
    const { dir, layout, captions } = this.options;
    for (const { id } of layout.tracks) {
      const playlist = trackPlaylist(index, layout, id, { ended, suffix, marks, live });
      writeAtomic(join(dir, String(id), 'index.m3u8'), playlist);
    }
    for (const channel of texts?.channels ?? []) texts!.writePlaylist(channel, textPlaylist(index, ended, suffix));
    const master = masterPlaylist(index, layout, { rates, captions: captions() });
    if (master !== this.master) writeAtomic(join(dir, 'index.m3u8'), master);
    this.master = master;
  }

  private writeManifest(
    index: Presentation,
    { ended, live }: WrittenState,
    { nowMs, rates, marks = {} }: Publication,
  ): void {
    const { dir, layout, timeShiftSeconds, playlistLength, captions } = this.options;
    const facts: ManifestFacts = {
      rates,
      ended,
      suffix: this.suffix,
      publishedAt: toIso(nowMs),
      breaks: marks.breaks ?? [],
      captions: captions(),
      timeShiftSeconds: Math.max(timeShiftSeconds, playlistLength * index.targetSeconds),
      live,
    };
    writeAtomic(join(dir, MANIFEST), presentationManifest(index, layout, facts));
  }
}
