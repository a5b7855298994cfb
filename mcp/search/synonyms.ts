/**
 * The vocabulary of operators in words of the catalogue. Both the index and the query go through it, so that `kill the restream` and
 * deletePublishing meet at `delete publishing`. A word may stand for several. Phrases of several words are in phrase-rewrites.ts.
 */
import { rewritePhrases } from './phrase-rewrites.ts';

/** Canonical word → the words that people use for it. */
const FAMILIES: Readonly<Record<string, string>> = {
  get: 'list show display see view what which who find look give tell fetch read browse enumerate inspect where print query lookup',
  all: 'every everything overview any many several',
  add: 'create make new register build define insert introduce prepare pair enrol enroll connect provision generate issue',
  update:
    'change edit modify rename adjust set alter replace correct configure reconfigure amend tweak move raise lower bump rebind rotate renew reset shift postpone delay relocate repoint exchange',
  delete:
    'remove kill forget drop erase discard purge trash destroy wipe scrap unregister disconnect unlink bin dump scratch ditch retire decommission dissolve chuck',
  start: 'launch begin fire kick roll commence spin',
  stop: 'end halt terminate finish cease abort shutdown conclude close wrap quit',
  skip: 'cancel omit drop miss',
  restore: 'reinstate recover revive return',
  enable: 'arm rearm activate resume unpause reactivate',
  disable: 'disarm deactivate pause suspend hold freeze mute',
  validate: 'verify test recheck revalidate prove try',
  upload: 'import ingestfile send push submit',
  download: 'export save link',
  switch: 'swap flip cutover route patch',
  revoke: 'withdraw invalidate block ban',
  install: 'activate unlock',
  publishing:
    'output destination restream endpoint simulcast egress sink youtube twitch facebook cdn distribution syndication multistream vimeo dailymotion tiktok instagram linkedin kick rumble odysee telegram akamai cloudfront fastly limelight wowza platform',
  encoding:
    'rendition rung resolution bitrate quality transcode transcoding codec preset 1080p 720p 480p gop keyframe h264 h265 hevc x264 x265 av1 vp9 uhd 4k 2160p 1440p 540p 360p 240p',
  group: 'set bundle collection pool cluster bouquet',
  logo: 'watermark bug dog branding emblem badge crest ident',
  blackout: 'slate black blank hide',
  recording: 'vod episode archive dvr recorded footage replay capture tape',
  clip: 'highlight excerpt snippet trim cutting reel teaser cutdown snip',
  device: 'encoder box machine node hardware appliance unit rack blade transcoder chassis workstation',
  channel:
    'source feed input camera ingest contribution signal cam obs vmix wirecast larix teradek liveu webcam ptz ndi sdi rtsp playout satellite drone',
  livestream:
    'broadcast show stream programme program transmission production gig news match concert sermon webcast webinar wedding funeral baptism mass vespers vigil liturgy worship lecture seminar conference congress keynote debate hearing meeting graduation ceremony gala recital opera festival parade marathon race derby game final semifinal tournament bulletin council townhall church',
  schedule: 'timetable calendar planner series recurring recurrence weekly daily booking agenda rota airtime',
  occurrence: 'airing instance slot tonight tomorrow today week',
  action: 'command automation timer trigger',
  plan: 'planned scheduled timed later queued pending upcoming',
  user: 'person people colleague login staff member operator admin administrator employee volunteer intern trainee freelancer coworker',
  token: 'apikey credential bearer jwt plugin bot script integration',
  license: 'licence licensing entitlement',
  audit: 'accountability trail history',
  asset: 'file media image jpg png mp4 artwork',
  text: 'caption title overlay banner chyron headline message clock score',
  ad: 'commercial advert advertisement sponsor midroll preroll postroll',
  cue: 'scte scte35 splice marker cueout cuein',
  metadata: 'id3 tag daterange',
  drm: 'encryption widevine playready fairplay protection speke clearkey cpix axinom ezdrm buydrm irdeto castlabs verimatrix nagra pallycon expressplay keyserver',
  remote: 'nfs webdav mount synology qnap truenas nextcloud owncloud samba smb fileserver',
  target: 'ftp sftp ssh s3 minio wasabi backblaze',
  folder: 'directory share',
  transcription: 'subtitle subtitling transcript transcribe captions captioning',
  preview: 'thumbnail snapshot screenshot still jpeg glimpse',
  event: 'log happened history incident timeline',
  status: 'health state condition doing ok okay fine alright alive running healthy situation uptime',
  capacity: 'room free occupancy load utilisation utilization busy occupied',
  cloud: 'managed aws hosted',
  track: 'languages audiotrack stem',
  system: 'server platform installation service',
  account: 'contract tenant',
  crop: 'zoom cutoff',
};

/** Words that stand for more than one thing. */
const DOUBLE: Readonly<Record<string, readonly string[]>> = {
  check: ['validate', 'get', 'status'],
  log: ['event'],
  event: ['livestream', 'event'],
  service: ['livestream', 'system'],
  history: ['event', 'audit'],
  drop: ['delete', 'skip'],
  cancel: ['skip', 'delete', 'disable'],
  picture: ['preview', 'asset', 'logo'],
  image: ['asset', 'logo', 'preview'],
  target: ['target', 'publishing'],
  account: ['account', 'user'],
  cut: ['clip', 'switch', 'stop'],
  activate: ['enable', 'install'],
  share: ['remote', 'folder'],
  server: ['device', 'system'],
  people: ['user'],
  who: ['get', 'user'],
  box: ['device'],
  slot: ['slot', 'capacity', 'occurrence'],
  set: ['update', 'group'],
  kill: ['delete', 'stop'],
  swap: ['switch', 'update'],
  send: ['publishing', 'upload'],
  push: ['publishing', 'upload'],
  show: ['livestream'],
  stream: ['livestream'],
  streams: ['livestream'],
  shows: ['livestream'],
  captions: ['transcription', 'text'],
  overlay: ['text', 'logo'],
  hide: ['blackout', 'text'],
  backup: ['backup', 'publishing'],
  ready: ['start', 'status'],
  run: ['status', 'livestream'],
  running: ['status', 'livestream'],
  kick: ['start', 'publishing'],
  put: ['add', 'update'],
  available: ['get'],
  scheduled: ['schedule', 'plan'],
  cue: ['cue', 'metadata', 'ad', 'action'],
  crew: ['user', 'group'],
  reschedule: ['update', 'schedule'],
};

const IGNORED = new Set(
  (
    'a an the of to in on for is are was were be been my our your me us please can could would should will i we you it its this that these those ' +
    'with and or do does did have has had want need like just now at by from into as so if there here let lets got up out off then than too some ' +
    'am about configured existing right how why when much more per via using use used them their his her'
  ).split(' '),
);

const CANON = new Map<string, readonly string[]>();
for (const [canon, words] of Object.entries(FAMILIES)) {
  for (const word of [canon, ...words.split(' ')]) CANON.set(word, [canon]);
}
for (const [word, canons] of Object.entries(DOUBLE)) CANON.set(word, canons);

const VERBS = [
  'get',
  'add',
  'update',
  'delete',
  'start',
  'stop',
  'skip',
  'restore',
  'enable',
  'disable',
  'validate',
  'upload',
  'download',
  'switch',
  'revoke',
  'install',
] as const;

export function isVerb(word: string): boolean {
  return (VERBS as readonly string[]).includes(word);
}

function singular(word: string): string {
  if (word.length <= 3) return word;
  return word
    .replace(/ies$/u, 'y')
    .replace(/(ch|sh|x|ss)es$/u, '$1')
    .replace(/([^isu])s$/u, '$1');
}

/** Brings plural and verb forms to one stem. It is crude and the same on both sides, and matching needs no more. */
export function stem(word: string): string {
  const single = singular(word);
  const bare = single.replace(/(?:ing|ed)$/u, '');
  if (bare === single || bare.length < 3) return single;
  return /([bdgklmnprt])\1$/u.test(bare) ? bare.slice(0, -1) : bare;
}

function canonOf(word: string): readonly string[] | undefined {
  return CANON.get(word) ?? CANON.get(singular(word)) ?? CANON.get(stem(word)) ?? CANON.get(`${stem(word)}e`);
}

export function isKnown(word: string): boolean {
  return IGNORED.has(word) || canonOf(word) !== undefined;
}

/** Whether a word says nothing about a wish. */
export function isSmall(word: string): boolean {
  return IGNORED.has(word);
}

/** The canonical words for a single word; none where it stands for nothing in particular. */
export function meaningsOf(word: string): readonly string[] {
  return IGNORED.has(word) ? [] : (canonOf(word) ?? []);
}

/** The name of a file says nothing about a wish but its kind: `opening_titles.mp4` asks for no titles. */
const FILE_KINDS: readonly (readonly [RegExp, string])[] = [
  [/[\p{L}\p{N}_.-]+\.(?:png|jpe?g|gif|webp|svg|tiff?|bmp|psd)\b/giu, 'picture file'],
  [/[\p{L}\p{N}_.-]+\.(?:mp4|mov|mkv|webm|avi|m4v|mxf|mpe?g|ts)\b/giu, 'video file'],
  [/[\p{L}\p{N}_.-]+\.(?:wav|mp3|m4a|aac|flac|ogg)\b/giu, 'sound file'],
];

export function withFileKinds(text: string): string {
  return FILE_KINDS.reduce((result, [pattern, kind]) => result.replace(pattern, kind), text);
}

/** Puts spaces between the words of a name such as `getAllUsers` or `start_livestream`. `FairPlay` and `WebDAV` are one word. */
export function splitName(text: string): string {
  return withFileKinds(text)
    .replace(/\b[a-z][a-z0-9]*[A-Z]\w*/gu, (name) => name.replace(/([a-z0-9])([A-Z])/gu, '$1 $2'))
    .replace(/_/gu, ' ');
}

/** Turns a text into the words of the index. */
export function wordsOf(text: string): string[] {
  const spaced = splitName(text).toLowerCase();
  const words = rewritePhrases(` ${spaced} `)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '' && !IGNORED.has(word));
  return words.flatMap((word) => {
    const known = canonOf(word);
    // A participle is no verb of the wish: `the uploaded clips` asks for no upload.
    if (word.endsWith('ed') && known?.some(isVerb)) return [];
    return known ?? [stem(word)];
  });
}

/** All words of the vocabulary. */
export const KNOWN_WORDS: readonly string[] = [...CANON.keys()];
