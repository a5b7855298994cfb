/** The player page: plays one HLS address and says in words how it goes. Safari plays HLS itself. */
import type HlsPlayer from 'hls.js';
import type { ErrorData, Level } from 'hls.js';

/** The script of hls.js, which the page loads before this one; undefined where that has failed. */
const { Hls } = window as unknown as { Hls: typeof HlsPlayer | undefined };
const element = (id: string): HTMLElement => document.getElementById(id)!;
const video = element('video') as HTMLVideoElement;
const quality = element('quality') as HTMLSelectElement;
const edge = element('edge') as HTMLButtonElement;

/** Behind by more than this, a viewer has paused or stalled; less is the player's own steering. */
const BEHIND_SECONDS = 4;
const RETRY_FIRST_MS = 1000;
const RETRY_LONGEST_MS = 15_000;

let hls: HlsPlayer | undefined;
let retryMs = RETRY_FIRST_MS;
let recoveredAt = 0;
let failing = false;

/** Only what this server or a Device of it delivers, by the policy of this page too: a link to it must not make it play anything else. */
function allowedSource(text: string): { url: string } | { problem: string } {
  let url: URL;
  try {
    url = new URL(text, location.href);
  } catch {
    // The page shows the problem.
    return { problem: 'This is not an address.' };
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return { problem: 'The address must begin with http:// or https://.' };
  const isDevices = url.origin === document.documentElement.dataset['media'] && url.pathname.startsWith('/live/');
  if (url.host !== location.host && !isDevices) {
    return { problem: 'Only addresses on this server, or below /live/ on a Device of it, are played here.' };
  }
  return { url: url.href };
}

function setText(id: string, text: string): void {
  const target = element(id);
  // Written only when it changes: a screen reader announces every write to a live region.
  if (target.textContent !== text) target.textContent = text;
}

function setState(state: string, text: string): void {
  element('state').dataset['state'] = state;
  setText('state', text);
}

function fail(text: string): void {
  failing = true;
  setText('fault', text);
  setState('failed', 'Not playing');
}

function recovered(): void {
  failing = false;
  retryMs = RETRY_FIRST_MS;
  setText('fault', '');
}

function retry(text: string, again: () => void): void {
  fail(`${text} Trying again in ${Math.round(retryMs / 1000)} s.`);
  setTimeout(again, retryMs);
  retryMs = Math.min(retryMs * 2, RETRY_LONGEST_MS);
}

function networkWords(data: ErrorData): string {
  const status = data.response?.code ?? 0;
  const what =
    data.details.startsWith('manifest') || data.details.startsWith('level') ? 'The playlist' : 'A part of the stream';
  if (status === 404) return `${what} is not there: the stream is not on air, or the address is wrong.`;
  if (status === 401 || status === 403) return `${what} is not for this viewer (HTTP ${status}).`;
  if (status >= 400) return `${what} cannot be had: the server answered HTTP ${status}.`;
  return `${what} cannot be reached: the server does not answer, or refuses this page.`;
}

function onHlsError(player: HlsPlayer, library: typeof HlsPlayer, url: string, data: ErrorData): void {
  if (!data.fatal) return;
  if (data.type === library.ErrorTypes.NETWORK_ERROR) {
    retry(networkWords(data), () => {
      player.destroy();
      playWithHls(library, url);
    });
  } else if (data.type === library.ErrorTypes.MEDIA_ERROR && performance.now() - recoveredAt > 5000) {
    recoveredAt = performance.now();
    player.recoverMediaError();
  } else {
    fail(`This browser cannot play the stream (${data.details}).`);
    player.destroy();
  }
}

/** A playlist without a master says nothing of its size: then the picture itself does. */
function levelName(level: Level): string {
  const known = level.height ? `${level.width}×${level.height}` : level.name || pictureSize();
  return level.bitrate ? `${known}, ${Math.round(level.bitrate / 1000)} kbit/s` : known;
}

function pictureSize(): string {
  return video.videoHeight ? `${video.videoWidth}×${video.videoHeight}` : '–';
}

function showQualities(levels: readonly Level[]): void {
  quality.replaceChildren(
    new Option('Automatic', '-1'),
    ...levels.map((level, index) => new Option(levelName(level), String(index))),
  );
  quality.disabled = levels.length < 2;
}

function playWithHls(library: typeof HlsPlayer, url: string): void {
  // Who began late, or stood still, comes back to its place behind live; nobody hears a tenth.
  const player = new library({ lowLatencyMode: true, maxLiveSyncPlaybackRate: 1.1, backBufferLength: 30 });
  hls = player;
  player.on(library.Events.MANIFEST_PARSED, (_event, data) => {
    showQualities(data.levels);
    // A browser that plays nothing by itself waits for the person's own press.
    video.play().catch(() => setState('paused', 'Press play'));
  });
  player.on(library.Events.FRAG_BUFFERED, recovered);
  player.on(library.Events.ERROR, (_event, data) => onHlsError(player, library, url, data));
  player.loadSource(url);
  player.attachMedia(video);
}

function playNatively(url: string): void {
  video.addEventListener('playing', recovered);
  video.addEventListener('error', () =>
    retry(`The stream cannot be played (${video.error?.message || 'no reason given'}).`, () => {
      video.src = url;
    }),
  );
  video.src = url;
}

/** Position of the live edge on the video's own time line; undefined for what is not live. */
function liveEdge(): number | undefined {
  if (hls) return hls.levels[hls.currentLevel]?.details?.live ? (hls.liveSyncPosition ?? undefined) : undefined;
  if (video.duration !== Infinity || video.seekable.length === 0) return undefined;
  return video.seekable.end(video.seekable.length - 1);
}

function showState(): void {
  if (failing) return;
  const position = liveEdge();
  const behind = position === undefined ? 0 : position - video.currentTime;
  edge.disabled = position === undefined || behind <= BEHIND_SECONDS;
  if (video.ended) setState('ended', 'Ended');
  else if (video.paused) setState('paused', 'Paused');
  else if (video.readyState < HTMLMediaElement.HAVE_FUTURE_DATA) setState('waiting', 'Waiting for the stream');
  else if (position === undefined) setState('playing', 'Playing a recording');
  else if (behind > BEHIND_SECONDS) setState('behind', `${Math.round(behind)} s behind live`);
  else setState('live', 'Live');
}

function showFigures(): void {
  const level = hls?.levels[hls.currentLevel];
  setText('rendition', level ? levelName(level) : pictureSize());
  setText('latency', hls && liveEdge() !== undefined && hls.latency > 0 ? `${hls.latency.toFixed(1)} s` : '–');
  const { buffered, currentTime } = video;
  const ahead = buffered.length > 0 ? buffered.end(buffered.length - 1) - currentTime : 0;
  setText('buffered', `${Math.max(0, ahead).toFixed(1)} s`);
  setText('dropped', String(video.getVideoPlaybackQuality().droppedVideoFrames));
}

function start(): void {
  const wanted = new URLSearchParams(location.search).get('src')?.trim() ?? '';
  (element('src') as HTMLInputElement).value = wanted;
  if (wanted === '') return;
  const source = allowedSource(wanted);
  if ('problem' in source) {
    fail(source.problem);
    return;
  }
  setState('waiting', 'Waiting for the stream');
  if (Hls?.isSupported()) playWithHls(Hls, source.url);
  else if (video.canPlayType('application/vnd.apple.mpegurl') !== '') playNatively(source.url);
  else fail('This browser can play HLS neither with Media Source Extensions nor by itself.');
  setInterval(() => {
    showState();
    showFigures();
  }, 500);
}

edge.addEventListener('click', () => {
  const position = liveEdge();
  if (position !== undefined) video.currentTime = position;
  // A browser that refuses leaves the video paused, which the controls show.
  video.play().catch(() => undefined);
});
quality.addEventListener('change', () => {
  if (hls) hls.nextLevel = Number(quality.value);
});
start();
