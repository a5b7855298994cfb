/**
 * Tries at the agent's start which encoders in hardware work here, with a picture that is encoded as those of a broadcast are. A list of ffmpeg
 * says only what it was built with. Where a driver is not there at all, nothing is started.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Log } from '../../../domain/base/log.ts';
import { encodingCreate } from '../../../domain/shapes/encodings/encoding.ts';
import {
  HARDWARE_CODECS,
  HARDWARE_KINDS,
  type HardwareEncoder,
  type HardwareKind,
} from '../../../domain/shapes/encodings/hardware.ts';
import type { Capabilities } from '../../../domain/shapes/devices/device.ts';
import { environment } from '../../environment.ts';
import { keepHardware, knownHardware, NO_HARDWARE, type FoundHardware } from '../../ffmpeg/hardware.ts';
import { inputRules } from '../../ffmpeg/input-rules.ts';
import { runMedia } from '../../ffmpeg/run.ts';
import { openingArgs } from '../../media/arguments/hardware-args.ts';
import { videoArgs } from '../../media/arguments/video-args.ts';
import { FIRST_PID, type VideoStreamPlan } from '../../media/ladder/ladder-plan.ts';
import { hardwareSamples } from '../../media/ladder/hardware-samples.ts';
import { frameRate } from '../../media/ladder/frame-rate.ts';
import type { Probed } from '../capability-probe.ts';

/** A card answers within 0.5 s; one that hangs must not hold up the others. */
const TRIAL_MS = 5000;
const SIZE = { width: 256, height: 144 };
const FPS = 25;

/** The library of NVIDIA's driver, which its encoder opens by this name. */
const CUDA = 'libcuda.so.1';
const RENDER_NODES = '/dev/dri';

const NEEDS: Record<HardwareKind, string> = {
  nvenc: 'an NVIDIA card with NVENC and its driver (apt-get install nvidia-driver libnvidia-encode1)',
  qsv: 'an Intel graphics unit, its driver and rights to /dev/dri (apt-get install intel-media-va-driver libmfx1)',
  vaapi: 'a graphics unit that encodes, its VA-API driver and rights to /dev/dri (apt-get install va-driver-all)',
};

interface HardwareTrialDeps {
  deviceDir: string;
  log: Pick<Log, 'info' | 'warn'>;
  /** Ends it with the agent. */
  signal: AbortSignal;
}

/** Begins at once; beside a broadcast it costs a picture of each kind. */
export function tryHardware(deps: HardwareTrialDeps): HardwareTrial {
  const trial = new HardwareTrial(deps);
  void trial.begin();
  return trial;
}

class HardwareTrial {
  private readonly deps: HardwareTrialDeps;
  private found: FoundHardware | undefined;
  private isOpen = true;

  constructor(deps: HardwareTrialDeps) {
    this.deps = deps;
    this.found = knownHardware(deps.deviceDir);
  }

  /** Never rejects. */
  async begin(): Promise<void> {
    const { deviceDir, log, signal } = this.deps;
    const found = await tryAll(signal);
    if (signal.aborted) return;
    this.found = found;
    this.isOpen = false;
    if (found.encoders.length > 0) log.info({ encoders: found.encoders }, 'This machine encodes in hardware.');
    await keepHardware(deviceDir, found).catch((error: unknown) =>
      log.warn(
        { err: error },
        'The encoders in hardware could not be written down: what is left to auto is encoded in software.',
      ),
    );
  }

  /** Adds what was found to what ffmpeg says of itself. */
  withFound({ capabilities, isProbing }: Probed): Probed {
    const { encoders, reasons } = this.found ?? NO_HARDWARE;
    const lacking = reasons.map(({ kind, reason }) => ({
      feature: `encoder ${kind}`,
      needs: `${NEEDS[kind]}: ${reason}`,
    }));
    const able: Capabilities = {
      ...capabilities,
      hardware_encoders: encoders,
      missing: [...capabilities.missing, ...lacking],
    };
    return { capabilities: able, isProbing: isProbing || this.isOpen };
  }
}

async function tryAll(signal: AbortSignal): Promise<FoundHardware> {
  const all: FoundHardware = { encoders: [], reasons: [] };
  for (const kind of HARDWARE_KINDS) {
    const { encoders, node, reason } = await tryKind(kind, signal);
    all.encoders.push(...encoders);
    if (node !== undefined) all.node ??= node;
    if (reason !== undefined) all.reasons.push({ kind, reason });
  }
  return all;
}

interface Tried {
  encoders: HardwareEncoder[];
  node?: string | undefined;
  /** Why something of it does not work. */
  reason?: string | undefined;
}

async function tryKind(kind: HardwareKind, signal: AbortSignal): Promise<Tried> {
  if (kind === 'nvenc') return hasCuda() ? tryCodecs(kind, undefined, signal) : none(`${CUDA} is not there`);
  const nodes = renderNodes();
  let tried = none(`there is no render node in ${RENDER_NODES}`);
  for (const node of nodes) {
    tried = await tryCodecs(kind, node, signal);
    if (tried.encoders.length > 0) break;
  }
  return tried;
}

function none(reason: string): Tried {
  return { encoders: [], reason };
}

async function tryCodecs(kind: HardwareKind, node: string | undefined, signal: AbortSignal): Promise<Tried> {
  const encoders: HardwareEncoder[] = [];
  let reason: string | undefined;
  for (const codec of HARDWARE_CODECS) {
    const wrong = await trial({ kind, codec, node, isTenBit: false }, signal);
    if (wrong !== undefined) reason ??= `${codec}: ${wrong}`;
    // A card that does not make the first codec makes none: each trial costs a start of ffmpeg.
    if (wrong !== undefined && encoders.length === 0) break;
    if (wrong !== undefined) continue;
    const ten_bit = codec === 'hevc' && (await trial({ kind, codec, node, isTenBit: true }, signal)) === undefined;
    encoders.push({ kind, codec, ten_bit });
  }
  return { encoders, node: encoders.length > 0 ? node : undefined, reason };
}

interface Wanted {
  kind: HardwareKind;
  codec: (typeof HARDWARE_CODECS)[number];
  node: string | undefined;
  isTenBit: boolean;
}

/** Answers what is wrong; undefined where a picture was encoded. */
async function trial(wanted: Wanted, signal: AbortSignal): Promise<string | undefined> {
  const {
    code,
    signal: endedBy,
    stderr,
    failure,
  } = await runMedia('ffmpeg', trialArgs(wanted), {
    work: 'encode',
    limitMs: TRIAL_MS,
    signal,
    usesDrivers: true,
  });
  if (code === 0) return undefined;
  if (failure !== undefined) return failure.message;
  if (endedBy === 'SIGKILL') return `it gave nothing within ${TRIAL_MS / 1000} s`;
  const [first = `ffmpeg ended with ${code ?? 'a signal'}`] = stderr.trim().split('\n');
  return first.replace(/^\[[^\]]*\]\s*/u, '').slice(0, 200);
}

export function trialArgs({ kind, codec, node, isTenBit }: Wanted): string[] {
  const hevc = isTenBit ? { profile: 'main10' } : {};
  const given = encodingCreate.settings_video.parse({ codec, encoder: kind, bitrate: 500, hevc, ...SIZE });
  const settings = { ...given, ...SIZE, fps: FPS };
  const stream: VideoStreamPlan = { encodingId: 0, pid: FIRST_PID, settings, rate: frameRate(FPS), gop: FPS };
  return [
    ...['-hide_banner', '-nostdin', '-nostats', '-loglevel', 'error', ...openingArgs([kind], node), '-f', 'lavfi'],
    ...[
      ...inputRules({ protocols: 'pipe', formats: 'lavfi' }),
      '-i',
      `color=size=${SIZE.width}x${SIZE.height}:rate=${FPS}`,
    ],
    ...[
      '-vf',
      `format=${hardwareSamples(kind, settings)}`,
      '-frames:v',
      '1',
      ...videoArgs(stream, 0),
      '-f',
      'null',
      '-',
    ],
  ];
}

function renderNodes(): string[] {
  try {
    const names = readdirSync(RENDER_NODES).filter((name) => name.startsWith('renderD'));
    return names.sort().map((name) => join(RENDER_NODES, name));
  } catch {
    // A machine without graphics has no such folder.
    return [];
  }
}

/** Tells whether the loader would find it. */
function hasCuda(): boolean {
  const folders = (environment().variables['LD_LIBRARY_PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  if (folders.some((folder) => existsSync(join(folder, CUDA)))) return true;
  try {
    return readFileSync('/etc/ld.so.cache').includes(CUDA);
  } catch {
    // A system without a cache of its loader has its libraries in folders that every loader knows.
    return ['/lib', '/usr/lib', '/usr/lib64'].some((folder) => existsSync(join(folder, CUDA)));
  }
}
