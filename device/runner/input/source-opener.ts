/** Opens a Channel at each connection; some types have to be asked for first, and are asked anew each time. */
import type { SourceSpec } from '../../../domain/shapes/broadcasts/run.ts';
import { environment } from '../../environment.ts';
import { INPUTS } from '../../features.ts';
import { aesInput, ndiInput, parseNdiSources, parseSources, sdiInput } from '../../media/arguments/card-input.ts';
import type { IngestInput } from '../../media/arguments/ingest-args.ts';
import { ingestInput } from '../../media/arguments/source-input.ts';
import {
  resolvedAddress,
  resolvedInput,
  resolverArgs,
  VIDEOSITE_RESOLVER,
} from '../../media/arguments/videosite-input.ts';
import { isPlaylistUrl } from '../../media/arguments/web-address.ts';
import { askProgram } from '../process/ask-program.ts';
import type { ChildProcesses } from '../process/child-processes.ts';
import type { HlsSource } from '../hls/hls-source.ts';
import { reachedSource } from './checked-address.ts';

/**
 * It is called at each connection: an address may have expired, a card may have come. It rejects with the reason why there is no input, for
 * now or for good.
 */
export type InputOpener = (signal: AbortSignal) => IngestInput | Promise<IngestInput>;

/** This Device lacks something that the source needs; another try would not help. */
export class SourceUnavailable extends Error {}

/** The time covers a page, a player's script and a playlist over a slow line; the source counts as lost meanwhile. */
const RESOLVE_MS = 15_000;
/** The driver answers in 50 ms, the network of NDI within the 3 s that it is given. */
const LIST_MS = 8000;

/** The reader of playlists, and whether an address holds one that does not say so. */
export interface PlaylistOpening {
  source: HlsSource;
  isPlaylist(): boolean;
}

export function sourceOpener(source: SourceSpec, children: ChildProcesses, hls: PlaylistOpening): InputOpener {
  const { type, settings } = source;
  const ask = (signal: AbortSignal, ...args: string[]): Promise<string> =>
    askProgram(children, { name: 'list of inputs', args: ['-hide_banner', ...args], timeoutMs: LIST_MS, signal });
  const assertHas = async (signal: AbortSignal, device: string): Promise<void> => {
    if (/Unknown format/u.test(await ask(signal, '-h', `demuxer=${device}`)))
      throw new SourceUnavailable(
        `The ffmpeg of this Device has no ${device}. A Channel of type ${type} needs ${INPUTS.find(({ name }) => name === type)?.needs}.`,
      );
  };
  const cards = async (signal: AbortSignal): Promise<string[]> => {
    await assertHas(signal, 'decklink');
    return parseSources(await ask(signal, '-sources', 'decklink'));
  };
  /** Undefined for what ffmpeg opens by itself. */
  const ownInput = async (address: string, signal: AbortSignal): Promise<IngestInput | undefined> => {
    const isWeb = /^https?:/iu.test(address);
    return isWeb && (isPlaylistUrl(address) || hls.isPlaylist()) ? hls.source.input(address, signal) : undefined;
  };
  switch (type) {
    case 'VideoSite Live':
      return async (signal) => {
        const program = environment().videositeResolver;
        if (program === undefined || program === '')
          throw new SourceUnavailable(
            `${VIDEOSITE_RESOLVER} is not set on this Device: it names the resolver of the video site.`,
          );
        const question = { name: 'resolver', program, args: resolverArgs(settings.video_id!), timeoutMs: RESOLVE_MS };
        const address = resolvedAddress(await askProgram(children, { ...question, signal }));
        return (await ownInput(address, signal)) ?? resolvedInput(address);
      };
    case 'SDI':
      return async (signal) => sdiInput(settings, await cards(signal));
    case 'AES/EBU':
      return async (signal) => aesInput(settings, await cards(signal));
    case 'NDI':
      return async (signal) => {
        await assertHas(signal, 'libndi_newtek');
        if (settings.discovery === 'typed') return ndiInput(settings, []);
        const search = ['-f', 'libndi_newtek', '-find_sources', '1', '-wait_sources', '3', '-i', 'all'];
        return ndiInput(settings, parseNdiSources(await ask(signal, ...search)));
      };
    default:
      return async (signal) => {
        const reached = await reachedSource(source, children.network);
        const address = type === 'Stream' ? settings.url : undefined;
        return (address && (await ownInput(address, signal))) || ingestInput(reached);
      };
  }
}
