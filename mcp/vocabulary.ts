/**
 * How operators talk, in words of the catalogue. Both the index and the query go through it, so that `kill the restream` and
 * deletePublishing meet at `delete publishing`. A word may stand for several.
 */

/** Said in several words; replaced before a text is cut into words. Order matters: the longer saying first. */
const SAYINGS: readonly (readonly [RegExp, string])[] = [
  [/\bmake (?:him|her|them|\w+) (?:an? |the )?(?:admin(?:istrator)?|operator)\b/gu, ' update user promote '],
  [
    /\b(?:allow|let|permit) (.{0,40}?)\b(?:create|issue|make) (?:api )?(?:keys?|tokens?)\b/gu,
    ' update profile allow token $1 ',
  ],
  [/\b(?:failed|refused|wrong|bad) (?:log-?ins?|sign-?ins?|passwords?)\b/gu, ' get audit security '],
  [
    /\bwhat (?:did|has|have) (?!(?:the|my|our|it|this|that|happen\w*)\b)\w+ (?:change|delete|edit|do|touch)\w*\b/gu,
    ' get audit ',
  ],
  [
    /\blogs? (?:to|for) (?:the )?support\b|\bsupport (?:case|ticket|request)s?\b|\bfor (?:the )?(?:\w+(?:'s)? )?support\b/gu,
    ' system info download ',
  ],
  [/\b(?:credentials?|logins?|passwords?|keys?) (?:right|valid|correct|accepted)\b/gu, ' credential validate '],
  [/\bdoes (.{0,40}?)\baccept\b/gu, ' validate $1 '],
  [/\bdoes (.{0,40}?)\bwork\b/gu, ' validate status $1 '],
  [
    /\bencrypt(?:ing)? (?=.{0,40}\b(?:streams?|broadcasts?|outputs?|destinations?|shows?))/gu,
    ' update publishing drm ',
  ],
  [/\b(?:put|go|get|bring) (.{0,40}?)\b(?:on[ -]air|live)\b/gu, ' start $1 livestream '],
  [/\b(?:take|pull|bring|get|cut|go) (.{0,40}?)\b(?:off[ -]air|offline|down)\b/gu, ' stop $1 livestream '],
  [/\b(?:get rid of|throw (?:away|out)|take away)\b/gu, ' delete '],
  [/\b(?:bring back|put back|un-?skip|un-?cancel|undo)\b/gu, ' restore '],
  [/\b(?:leave out|call off|not (?:happen|run|air))\b/gu, ' skip '],
  [/\b(?:turn|switch|flip) (.{0,40}?)\bon\b/gu, ' enable $1 '],
  [/\b(?:turn|switch|flip) (.{0,40}?)\boff\b/gu, ' disable $1 '],
  [/\bset(?:ting)? up\b/gu, ' add '],
  [
    /\b(?:can|may|could|why (?:can|does|will|won|did)\S*) (.{0,40}?)\b(?:start|started|launch|launched|go live)\b/gu,
    ' startconfig start $1 ',
  ],
  [/\b(?:add|put|insert|include|attach) (.{0,40}?)\b(?:to|into|in) (?:the|a|an|my|our|this|that)\b/gu, ' update $1 '],
  [/\b(?:remove|delete|drop|take|detach) (.{0,40}?)\b(?:from|out of) (?:the|a|an|my|our|this|that)\b/gu, ' update $1 '],
  [/^\s*(?:(?:please|now|can you|could you|let me) )?show\b/gu, ' get '],
  [/\b(?:show|tell|give|get) (?:me|us)\b|\bshow (?=all|every|the|which|what|how)/gu, ' get '],
  [/\bsign(?:ing)? up\b/gu, ' add user '],
  [/\bhow (?:is|are|well|healthy)\b|\bhow'?s\b|\bis (.{0,40}?)\b(?:up|ok|alive|working|running)\b/gu, ' status $1 '],
  [/\b(?:on[ -]air|live right now|live now|is live|are live|currently live)\b/gu, ' onair status livestream '],
  [/\bwho (?:did|changed|deleted|started|stopped|touched|edited)\b/gu, ' audit '],
  [/\bwho (?:can|has|have|is allowed|works?)\b/gu, ' get user '],
  [
    /\b(?:what|when)(?:'s| is| are| comes)? (?:next|coming up|on tonight|on today|on tomorrow|planned)\b/gu,
    ' get schedule occurrence ',
  ],
  [/\bcoming up\b|\bup next\b/gu, ' schedule occurrence '],
  [/\b(?:until|from) .{0,20}\bon(?:ward|wards)\b/gu, ' until '],
  [/\blive[ -]streams\b/gu, ' livestreams '],
  [/\blive[ -]stream(?:ing)?\b/gu, ' livestream '],
  [/\bstream[ -]keys?\b/gu, ' streamkey publishing '],
  [/\b(?:api|access|secret|bearer)[ -](?:keys?|tokens?|credentials?)\b/gu, ' token '],
  [/\bad(?:vert|vertising|vertisement)?[ -](?:breaks?|slots?|pods?)\b|\bcommercial breaks?\b/gu, ' ad cue '],
  [/\blower[ -]thirds?\b|\bon[ -]screen\b|\bcrawls?\b|\btickers?\b/gu, ' text overlay '],
  [
    /\b(?:black (?:frames?|screen|picture)|blank (?:out|screen)|go(?:es)? (?:to )?black|(?:fade|cut) to black)\b/gu,
    ' blackout ',
  ],
  [
    /\b(?:standby|stand-by|holding|please wait|technical difficulties) (?:slate|screen|card|picture|image)?\b/gu,
    ' blackout ',
  ],
  [/\b(?:video[ -]on[ -]demand|catch[ -]?up)\b/gu, ' recording '],
  [/\b(?:encoding|abr|bitrate|quality) (?:ladder|set)s?\b|\bladders?\b/gu, ' encoding group '],
  [/\b(?:key servers?|content protection|copy protection)\b/gu, ' drm '],
  [/\b(?:support bundle|diagnostics?|system report|debug info)\b/gu, ' system info download '],
  [/\b(?:network|file) shares?\b|\bnas\b/gu, ' remote folder '],
  [/\bspeech(?:[ -]to[ -]text)?\b/gu, ' transcription '],
  [/\b(?:start|launch) (?:config(?:uration)?|settings?|options?|parameters?)\b/gu, ' startconfig '],
  [/\bwhat (?:went wrong|happened|broke)\b/gu, ' event log '],
  [/\bevents? (?:log|history|journal)\b|\blog of events\b/gu, ' event log '],
  [/\b(?:fail(?:ed)?[ -]?over|backup (?:path|feed|input|source))\b/gu, ' backup '],
];

/** Canonical word → the words that people use for it. */
const FAMILIES: Readonly<Record<string, string>> = {
  get: 'list show display see view what which who find look give tell fetch read browse enumerate inspect where print query lookup',
  all: 'every everything overview any many several',
  add: 'create make new register build define insert introduce pair enrol enroll connect provision generate issue',
  update:
    'change edit modify rename adjust set alter replace correct configure reconfigure amend tweak move raise lower bump rebind',
  delete: 'remove kill drop erase discard purge trash destroy wipe scrap unregister disconnect unlink bin dump',
  start: 'launch begin fire kick roll commence spin',
  stop: 'end halt terminate finish cease abort shutdown conclude',
  skip: 'cancel omit drop miss',
  restore: 'reinstate recover revive return',
  enable: 'arm rearm activate resume unpause reactivate',
  disable: 'disarm deactivate pause suspend hold freeze mute',
  validate: 'verify test recheck revalidate prove try',
  upload: 'import ingestfile send push submit',
  download: 'export save link',
  switch: 'swap flip cutover route patch',
  revoke: 'withdraw invalidate block ban',
  install: 'apply activate unlock',
  publishing:
    'output destination restream endpoint simulcast egress sink youtube twitch facebook cdn distribution syndication multistream',
  encoding: 'rendition rung resolution bitrate quality transcode transcoding codec preset 1080p 720p 480p',
  group: 'set bundle collection pool cluster bouquet',
  logo: 'watermark bug dog branding emblem badge',
  blackout: 'slate black blank hide',
  recording: 'vod episode archive dvr recorded footage replay capture tape',
  clip: 'highlight excerpt snippet trim cutting',
  device: 'encoder box machine node hardware appliance unit rack',
  channel: 'source feed input camera ingest contribution signal cam',
  livestream: 'broadcast show stream programme program transmission production gig news match concert sermon',
  schedule: 'timetable calendar planner series recurring recurrence weekly daily booking agenda rota airtime',
  occurrence: 'airing instance slot tonight tomorrow today week',
  action: 'command automation timer trigger',
  plan: 'planned scheduled timed later queued pending upcoming',
  user: 'person people colleague login staff member operator admin administrator employee',
  token: 'apikey credential bearer jwt',
  license: 'licence licensing entitlement',
  audit: 'accountability trail history',
  asset: 'file media image jpg png mp4 artwork',
  text: 'caption title overlay banner chyron headline message clock score',
  ad: 'commercial advert advertisement sponsor',
  cue: 'scte scte35 splice marker cueout cuein',
  metadata: 'id3 tag daterange',
  drm: 'encryption widevine playready fairplay protection speke clearkey cpix',
  remote: 'nfs webdav mount',
  target: 'ftp sftp ssh s3',
  folder: 'directory share',
  transcription: 'subtitle subtitling transcript transcribe captions',
  preview: 'thumbnail snapshot screenshot still jpeg glimpse',
  event: 'log happened history incident timeline',
  status: 'health state condition doing ok alive running healthy situation',
  capacity: 'room free occupancy load utilisation utilization available busy',
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
  put: ['add', 'update'],
  available: ['get', 'capacity'],
  scheduled: ['schedule', 'plan'],
  cue: ['cue', 'metadata', 'ad'],
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
  'get', 'add', 'update', 'delete', 'start', 'stop', 'skip', 'restore', 'enable', 'disable', 'validate', 'upload', 'download', 'switch', 'revoke', 'install',
] as const; // prettier-ignore

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

/** Plural and verb forms to one stem: crude, and the same on both sides, which is all that matching needs. */
export function stem(word: string): string {
  const single = singular(word);
  const bare = single.replace(/(?:ing|ed)$/u, '');
  if (bare === single || bare.length < 3) return single;
  return /([bdgklmnprt])\1$/u.test(bare) ? bare.slice(0, -1) : bare;
}

function canonOf(word: string): readonly string[] | undefined {
  return CANON.get(word) ?? CANON.get(singular(word)) ?? CANON.get(stem(word)) ?? CANON.get(`${stem(word)}e`);
}

/** A text as the words of the index. `repair` sees each word that means nothing to the vocabulary and may name a better one. */
export function wordsOf(text: string, repair: (word: string) => string | undefined = () => undefined): string[] {
  let spaced = ` ${text
    .replace(/([a-z0-9])([A-Z])/gu, '$1 $2')
    .toLowerCase()
    .replace(/_/gu, ' ')} `;
  for (const [saying, meaning] of SAYINGS) spaced = spaced.replace(saying, meaning);
  const words = spaced.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '' && !IGNORED.has(word));
  return words.flatMap((word) => {
    const known = canonOf(word);
    // `the uploaded clips` asks for no upload.
    if (word.endsWith('ed') && known?.some(isVerb)) return [];
    if (known !== undefined) return known;
    const better = repair(word);
    return better === undefined ? [stem(word)] : (canonOf(better) ?? [stem(better)]);
  });
}

/** Words that the vocabulary knows by themselves. */
export const KNOWN_WORDS: readonly string[] = [...CANON.keys()];
