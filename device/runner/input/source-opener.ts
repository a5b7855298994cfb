/** Opens a Channel at each connection; some types have to be asked for first, and are asked anew each time. */
import type { SourceSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import { environment } from '../../environment.ts';
import { feederInput } from '../../media/arguments/pushed-input.ts';
import type { IngestInput } from '../../media/arguments/ingest-args.ts';
import { findNdi } from '../../feeder/ndi-library.ts';
import { ristInput } from '../../media/rist/rist-args.ts';
import { ingestInput } from '../../media/arguments/source-input.ts';
import {
  INSTALL_RESOLVER,
  resolvedAddress,
  resolvedInput,
  resolverArgs,
  resolverProgram,
  VIDEOSITE_RESOLVER,
} from '../../media/arguments/videosite-input.ts';
import { isPlaylistUrl } from '../../media/arguments/web-address.ts';
import { askProgram } from '../process/ask-program.ts';
import type { ChildProcesses } from '../process/child-processes.ts';
import { isFlvAddress, type FlvSource } from '../flv/flv-source.ts';
import type { HlsSource } from '../hls/hls-source.ts';
import { FeederUnavailable, openFeeder } from '../process/feeder-process.ts';
import { reachedSource } from './checked-address.ts';
import { checkedAddress } from '../process/checked-host.ts';
import { openRistRelay } from '../rist/rist-relay.ts';
import { bareHost } from '../../../domain/network/networks.ts';
import { DEFAULT_RIST, isRist, listensForRist, type RistSettings } from '../../../domain/network/rist.ts';
import { hasSetting } from '../../../domain/types/channel-questions.ts';
import { CHANNEL_ROWS, type ChannelType } from '../../../domain/types/channel-types.ts';

/**
 * It is called at each connection: an address may have expired, a card may have come. It rejects with the reason why there is no input, for
 * now or for good.
 */
export type InputOpener = (signal: AbortSignal) => IngestInput | Promise<IngestInput>;

/** This Device lacks something that the source needs; another try would not help. */
export class SourceUnavailable extends Error {}

/** The time covers a page, a player's script and a playlist over a slow line; the source counts as lost meanwhile. */
const RESOLVE_MS = 15_000;

/** The reader of playlists, and whether an address holds one that does not say so. */
export interface PlaylistOpening {
  source: HlsSource;
  isPlaylist(): boolean;
}

/** The readers of what this process reads by itself. */
export interface OwnReaders {
  hls: PlaylistOpening;
  /** Undefined where ffmpeg reads FLV by itself. */
  flv?(): FlvSource | undefined;
}

export function sourceOpener(source: SourceSpec, children: ChildProcesses, own: OwnReaders): InputOpener {
  return OPENERS[source.type]({ source, children, own });
}

interface Opening {
  source: SourceSpec;
  children: ChildProcesses;
  own: OwnReaders;
}
type Opener = (opening: Opening) => InputOpener;

/** How each type of Channel is opened; one that a Device does not take in is refused before. */
const OPENERS: Readonly<Record<ChannelType, Opener>> = {
  File: openPlain,
  SDI: openCard('embedded'),
  Stream: openPlain,
  'AES/EBU': openCard('aes'),
  'RTMP-Push': openPlain,
  'UDP-R Cloud': openPlain,
  SRT: openPlain,
  'SRT Cloud': openPlain,
  NDI: openNdi,
  'VideoSite Live': openResolved,
};

function openPlain({ source, children, own }: Opening): InputOpener {
  return async (signal) => {
    const { url, rist = DEFAULT_RIST } = source.settings;
    if (isRist(url)) return relayed(source, rist, children);
    const reached = await reachedSource(source, children.network);
    const input = hasSetting(source.type, 'url') && url !== undefined ? await ownInput(url, own, signal) : undefined;
    return input ?? ingestInput(reached);
  };
}

/** The relay ends with the ffmpeg that it is opened for. */
async function relayed(source: SourceSpec, rist: RistSettings, { network }: ChildProcesses): Promise<IngestInput> {
  const url = source.settings.url!;
  const address = listensForRist(url) ? '' : await checkedAddress(bareHost(new URL(url).hostname), network.reach);
  const relay = await openRistRelay(url, rist, address);
  return { ...ristInput(relay.url, rist), relay };
}

/** Undefined for what ffmpeg opens by itself. */
async function ownInput(address: string, own: OwnReaders, signal: AbortSignal): Promise<IngestInput | undefined> {
  const { hls } = own;
  const flv = isFlvAddress(address) ? own.flv?.() : undefined;
  if (flv !== undefined) return flv.input(address, signal);
  const isWeb = /^https?:/iu.test(address);
  return isWeb && (isPlaylistUrl(address) || hls.isPlaylist()) ? hls.source.input(address, signal) : undefined;
}

function openResolved({ source, children, own }: Opening): InputOpener {
  return async (signal) => {
    const { videositeResolver: setting } = environment();
    const program = resolverProgram(setting);
    if (program === undefined)
      throw new SourceUnavailable(
        setting
          ? `${VIDEOSITE_RESOLVER} of this Device names ${setting}, which is no program that can be run.`
          : `This Device has no resolver of the video site. Install ${INSTALL_RESOLVER}, or name another program in ${VIDEOSITE_RESOLVER}.`,
      );
    const args = resolverArgs(source.settings.video_id!, setting);
    const question = { name: 'resolver', program, args, timeoutMs: RESOLVE_MS, signal };
    const address = resolvedAddress(await askProgram(children, question));
    return (await ownInput(address, own, signal)) ?? resolvedInput(address);
  };
}

function openCard(connection: 'embedded' | 'aes'): Opener {
  return (opening) => (signal) => {
    const { input, audio_groups: groups } = opening.source.settings;
    return feederInputOf(opening, { kind: 'card', connection, input, groups }, signal);
  };
}

function openNdi(opening: Opening): InputOpener {
  const { settings } = opening.source;
  return async (signal) => {
    if (findNdi(environment().variables) === undefined)
      throw new SourceUnavailable(`The NDI runtime is not on this Device. It needs ${CHANNEL_ROWS.NDI.needs.needs}.`);
    const { source_name: name, discovery = 'auto', ndi_hosts: hosts = [], audio_groups: groups } = settings;
    return feederInputOf(opening, { kind: 'ndi', name, discovery, hosts, groups }, signal);
  };
}

/** Rejects with SourceUnavailable and SourceTrouble. */
async function feederInputOf({ children, source }: Opening, order: object, signal: AbortSignal): Promise<IngestInput> {
  try {
    return feederInput(await openFeeder(children, order, signal));
  } catch (error) {
    if (!(error instanceof FeederUnavailable)) throw error;
    const { needs } = CHANNEL_ROWS[source.type].needs;
    throw new SourceUnavailable(`${error.message} A Channel of type ${source.type} needs ${needs}.`);
  }
}
