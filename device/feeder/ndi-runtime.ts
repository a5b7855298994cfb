/** The NDI runtime by its C functions, in the layouts of the public headers of versions 5 and 6 (Processing.NDI.structs.h). */
import type Koffi from 'koffi';
import { FeederFailure, FeederUnfit } from './failures.ts';

export interface VideoFrame {
  xres: number;
  yres: number;
  fourCC: number;
  rateN: number;
  rateD: number;
  aspect: number;
  form: number;
  data: unknown;
  stride: number;
  timestamp: number | bigint;
}

export interface AudioFrame {
  sampleRate: number;
  channels: number;
  samples: number;
  data: unknown;
  /** Bytes from one channel to the next. */
  stride: number;
  timestamp: number | bigint;
}

export type Captured = { kind: 'video'; frame: VideoFrame } | { kind: 'audio'; frame: AudioFrame } | { kind: 'none' };

/** Values of NDIlib_recv_capture_v3. */
const [VIDEO, AUDIO, FAILED] = [1, 2, 4];
/** UYVY, or UYVA where there is a key; fields as they come. */
const FASTEST = 100;
const HIGHEST = 100;
/** Bytes of the structures as the runtime has them on every 64-bit Linux. */
const SIZES = { video: 72, audio: 64, receiver: 40, finder: 24 };
const CAPTURE_MS = 100;

interface Source {
  name: string;
  address: string | null;
}

export class NdiRuntime {
  private readonly koffi: typeof Koffi;
  private readonly call: Record<string, (...args: unknown[]) => unknown>;
  private readonly types;

  /** Throws FeederFailure for a library that is no runtime of these versions. */
  constructor(koffi: typeof Koffi, path: string) {
    this.koffi = koffi;
    this.types = typesOf(koffi);
    this.call = functionsOf(koffi, path);
    const sizes = Object.entries(SIZES).filter(([name, size]) => this.types[name as keyof typeof SIZES].size !== size);
    if (sizes.length > 0)
      throw new FeederUnfit('The NDI runtime has other structures on this machine; it needs a 64-bit Linux.');
    if (this.call['initialize']!() !== true) throw new FeederUnfit('The NDI runtime does not run on this processor.');
  }

  get version(): string {
    return String(this.call['version']!());
  }

  /** Looks until the wanted one is there, for so long at most; `hosts` are called beside the announcements of the network. */
  find(ms: number, hosts: readonly string[], isWanted: (source: Source) => boolean): Source[] {
    const extra = hosts.length === 0 ? null : hosts.join(',');
    const finder = this.call['find_create_v2']!({ show_local_sources: true, p_groups: null, p_extra_ips: extra });
    if (finder === null) throw new FeederFailure('The NDI runtime cannot look for sources.');
    const until = performance.now() + ms;
    let found: Source[] = [];
    for (let left = ms; left > 0 && !found.some(isWanted); left = until - performance.now()) {
      this.call['find_wait_for_sources']!(finder, Math.ceil(left));
      const count = [0];
      const list = this.call['find_get_current_sources']!(finder, count);
      if (count[0]! === 0 || list === null) continue;
      const sources = this.koffi.decode(list as never, this.types.source, count[0]!) as Source[];
      found = sources.map(({ name, address }) => ({ name, address }));
    }
    this.call['find_destroy']!(finder);
    return found;
  }

  /** Without an address the runtime looks for the name itself, also before the source is there. */
  receive({ name, address }: Source): () => Captured {
    const receiver = this.call['recv_create_v3']!({
      source: { name, address },
      color_format: FASTEST,
      bandwidth: HIGHEST,
      allow_video_fields: true,
      p_ndi_recv_name: 'onair',
    });
    if (receiver === null) throw new FeederFailure(`The NDI runtime cannot receive ${name}.`);
    const [video, audio] = [[{}], [{}]];
    let release = (): void => undefined;
    return () => {
      release();
      release = () => undefined;
      const kind = this.call['recv_capture_v3']!(receiver, video, audio, null, CAPTURE_MS);
      if (kind === FAILED) throw new FeederFailure(`The connection to ${name} has ended.`);
      if (kind === VIDEO) {
        release = () => void this.call['recv_free_video_v2']!(receiver, video);
        return { kind: 'video', frame: video[0] as VideoFrame };
      }
      if (kind !== AUDIO) return { kind: 'none' };
      release = () => void this.call['recv_free_audio_v3']!(receiver, audio);
      return { kind: 'audio', frame: audio[0] as AudioFrame };
    };
  }

  /** The memory of a frame, until the next one is received. */
  bytesAt(data: unknown, length: number): Buffer {
    return Buffer.from(this.koffi.view(data as never, length) as ArrayBuffer);
  }
}

const VIDEO_LAYOUT = {
  xres: 'int',
  yres: 'int',
  fourCC: 'uint32_t',
  rateN: 'int',
  rateD: 'int',
  aspect: 'float',
  form: 'int',
  timecode: 'int64_t',
  data: 'void *',
  stride: 'int',
  metadata: 'void *',
  timestamp: 'int64_t',
};
const AUDIO_LAYOUT = {
  sampleRate: 'int',
  channels: 'int',
  samples: 'int',
  timecode: 'int64_t',
  fourCC: 'uint32_t',
  data: 'void *',
  stride: 'int',
  metadata: 'void *',
  timestamp: 'int64_t',
};

function typesOf(koffi: typeof Koffi) {
  const source = koffi.struct('NdiSource', { name: 'const char *', address: 'const char *' });
  return {
    source,
    finder: koffi.struct('NdiFinder', {
      show_local_sources: 'bool',
      p_groups: 'const char *',
      p_extra_ips: 'const char *',
    }),
    receiver: koffi.struct('NdiReceiver', {
      source,
      color_format: 'int',
      bandwidth: 'int',
      allow_video_fields: 'bool',
      p_ndi_recv_name: 'const char *',
    }),
    video: koffi.struct('NdiVideo', VIDEO_LAYOUT),
    audio: koffi.struct('NdiAudio', AUDIO_LAYOUT),
  };
}

const SIGNATURES: Record<string, string> = {
  initialize: 'bool NDIlib_initialize()',
  version: 'const char *NDIlib_version()',
  find_create_v2: 'void *NDIlib_find_create_v2(NdiFinder *settings)',
  find_wait_for_sources: 'bool NDIlib_find_wait_for_sources(void *finder, uint32_t ms)',
  find_get_current_sources: 'void *NDIlib_find_get_current_sources(void *finder, _Out_ uint32_t *count)',
  find_destroy: 'void NDIlib_find_destroy(void *finder)',
  recv_create_v3: 'void *NDIlib_recv_create_v3(NdiReceiver *settings)',
  recv_capture_v3:
    'int NDIlib_recv_capture_v3(void *receiver, _Out_ NdiVideo *video, _Out_ NdiAudio *audio, void *metadata, uint32_t ms)',
  recv_free_video_v2: 'void NDIlib_recv_free_video_v2(void *receiver, NdiVideo *video)',
  recv_free_audio_v3: 'void NDIlib_recv_free_audio_v3(void *receiver, NdiAudio *audio)',
};

function functionsOf(koffi: typeof Koffi, path: string): NdiRuntime['call'] {
  try {
    const library = koffi.load(path);
    return Object.fromEntries(Object.entries(SIGNATURES).map(([name, signature]) => [name, library.func(signature)]));
  } catch (error) {
    throw new FeederUnfit(`${path} is no NDI runtime of version 5 or 6: ${(error as Error).message}`);
  }
}
