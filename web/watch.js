/** The player page: plays one HLS address and says in words how it goes. Hls is the global of hls.js; Safari plays HLS itself. */

const element = (id) => document.getElementById(id);
const video = element('video');
const quality = element('quality');
const edge = element('edge');

/** Behind by more than this, a viewer has paused or stalled; less is the player's own steering. */
const BEHIND_SECONDS = 4;
const RETRY_FIRST_MS = 1000;
const RETRY_LONGEST_MS = 15_000;

let hls;
let retryMs = RETRY_FIRST_MS;
let recoveredAt = 0;
let failing = false;

/** Only what this server or a Device of it delivers, by the policy of this page too: a link to it must not make it play anything else. */
function allowedSource(text) {
  let url;
  try {
    url = new URL(text, location.href);
  } catch {
    // The page shows the problem.
    return { problem: 'This is not an address.' };
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return { problem: 'The address must begin with http:// or https://.' };
  const isDevices = url.origin === document.documentElement.dataset.media && url.pathname.startsWith('/live/');
  if (url.host !== location.host && !isDevices) {
    return { problem: 'Only addresses on this server, or below /live/ on a Device of it, are played here.' };
  }
  return { url: url.href };
}

function setText(id, text) {
  const target = element(id);
  // Written only when it changes: a screen reader announces every write to a live region.
  if (target.textContent !== text) target.textContent = text;
}

function setState(state, text) {
  element('state').dataset.state = state;
  setText('state', text);
}

function fail(text) {
  failing = true;
  setText('fault', text);
  setState('failed', 'Not playing');
}

function recovered() {
  failing = false;
  retryMs = RETRY_FIRST_MS;
  setText('fault', '');
}

function retry(text, again) {
  fail(`${text} Trying again in ${Math.round(retryMs / 1000)} s.`);
  setTimeout(again, retryMs);
  retryMs = Math.min(retryMs * 2, RETRY_LONGEST_MS);
}

function networkWords(data) {
  const status = data.response?.code ?? 0;
  const what =
    data.details.startsWith('manifest') || data.details.startsWith('level') ? 'The playlist' : 'A part of the stream';
  if (status === 404) return `${what} is not there: the stream is not on air, or the address is wrong.`;
  if (status === 401 || status === 403) return `${what} is not for this viewer (HTTP ${status}).`;
  if (status >= 400) return `${what} cannot be had: the server answered HTTP ${status}.`;
  return `${what} cannot be reached: the server does not answer, or refuses this page.`;
}

function onHlsError(url, data) {
  if (!data.fatal) return;
  if (data.type === Hls.ErrorTypes.NETWORK_ERROR) {
    retry(networkWords(data), () => {
      hls.destroy();
      playWithHls(url);
    });
  } else if (data.type === Hls.ErrorTypes.MEDIA_ERROR && performance.now() - recoveredAt > 5000) {
    recoveredAt = performance.now();
    hls.recoverMediaError();
  } else {
    fail(`This browser cannot play the stream (${data.details}).`);
    hls.destroy();
  }
}

/** A playlist without a master says nothing of its size: then the picture itself does. */
function levelName(level) {
  const known = level.height ? `${level.width}×${level.height}` : level.name || pictureSize();
  return level.bitrate ? `${known}, ${Math.round(level.bitrate / 1000)} kbit/s` : known;
}

function pictureSize() {
  return video.videoHeight ? `${video.videoWidth}×${video.videoHeight}` : '–';
}

function showQualities(levels) {
  quality.replaceChildren(
    new Option('Automatic', '-1'),
    ...levels.map((level, index) => new Option(levelName(level), String(index))),
  );
  quality.disabled = levels.length < 2;
}

function playWithHls(url) {
  // Who began late, or stood still, comes back to its place behind live; nobody hears a tenth.
  hls = new Hls({ lowLatencyMode: true, maxLiveSyncPlaybackRate: 1.1, backBufferLength: 30 });
  hls.on(Hls.Events.MANIFEST_PARSED, (_event, data) => {
    showQualities(data.levels);
    // A browser that plays nothing by itself waits for the person's own press.
    video.play().catch(() => setState('paused', 'Press play'));
  });
  hls.on(Hls.Events.FRAG_BUFFERED, recovered);
  hls.on(Hls.Events.ERROR, (_event, data) => onHlsError(url, data));
  hls.loadSource(url);
  hls.attachMedia(video);
}

function playNatively(url) {
  video.addEventListener('playing', recovered);
  video.addEventListener('error', () =>
    retry(`The stream cannot be played (${video.error?.message || 'no reason given'}).`, () => {
      video.src = url;
    }),
  );
  video.src = url;
}

/** Position of the live edge on the video's own time line; undefined for what is not live. */
function liveEdge() {
  if (hls) return hls.levels[hls.currentLevel]?.details?.live ? (hls.liveSyncPosition ?? undefined) : undefined;
  if (video.duration !== Infinity || video.seekable.length === 0) return undefined;
  return video.seekable.end(video.seekable.length - 1);
}

function showState() {
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

function showFigures() {
  const level = hls?.levels[hls.currentLevel];
  setText('rendition', level ? levelName(level) : pictureSize());
  setText('latency', hls && liveEdge() !== undefined && hls.latency > 0 ? `${hls.latency.toFixed(1)} s` : '–');
  const { buffered, currentTime } = video;
  const ahead = buffered.length > 0 ? buffered.end(buffered.length - 1) - currentTime : 0;
  setText('buffered', `${Math.max(0, ahead).toFixed(1)} s`);
  setText('dropped', String(video.getVideoPlaybackQuality?.().droppedVideoFrames ?? '–'));
}

function start() {
  const asked = new URLSearchParams(location.search).get('src')?.trim() ?? '';
  element('src').value = asked;
  if (asked === '') return;
  const { url, problem } = allowedSource(asked);
  if (problem) {
    fail(problem);
    return;
  }
  setState('waiting', 'Waiting for the stream');
  if (window.Hls?.isSupported()) playWithHls(url);
  else if (video.canPlayType('application/vnd.apple.mpegurl')) playNatively(url);
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
