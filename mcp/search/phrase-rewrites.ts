/** Rewrites of phrases in words of the vocabulary. They are applied before a text is cut into words, in the order of the tables. */
import { LATER_ON, ON_AIR } from './phrase-rewrites-on-air.ts';

/** Spellings of speech recognition and of fast typing, and words that only make a request polite. */
const SPELLINGS: readonly (readonly [RegExp, string])[] = [
  [/[’‘]/gu, "'"],
  [/\b(on|off|over) the air\b/gu, '$1 air'],
  [/\bblack out\b/gu, 'blackout'],
  [/\bback up\b/gu, 'backup'],
  // `kick` alone stays, because it is a platform too.
  [/\bkick(?:ing|ed)?[ -]off\b/gu, 'start'],
  [/\byou tube\b/gu, 'youtube'],
  [/\bface book\b/gu, 'facebook'],
  [/\b(?:skedul|shedul|schedual|scedul|sheduel)(?:e|el|al)?(d|s)?\b/gu, 'schedule$1'],
  [/\bre[ -](record|stream|play|arm|enable|validate|name|start)/gu, 're$1'],
  [/^\s*(?:hey|hi|hello|ok|okay|so|well|alright|please|now|and)\b[ ,]*/gu, ''],
  [/\b(?:can|could|would|will) (?:you|we|i) (?:please )?(?!(?:start|launch|go)\b)/gu, ''],
  [/\b(?:i|we) (?:want|need|would like|have) to\b|\bi'd like to\b/gu, ''],
];

const ANYWHERE: readonly (readonly [RegExp, string])[] = [
  [
    /\bdownload\b(?=.{0,30}\b(?:concert|show|match|recording|programme?|broadcast|stream|episode)\b)/gu,
    ' create recording download ',
  ],
  [/\b(?:put|drop|copy|move)\b.{0,15}\bclip\b.{0,15}\b(?:ftp|sftp|s3|bucket|share|server)\b/gu, ' export clip target '],
  [/\b(?:which|what) profiles\b/gu, ' get all encoding '],
  [/\bset to\b/gu, ' '],
  [/\badd (?:an? |the )?(?:\w+ )?(?:file|image|picture)\b/gu, ' upload asset '],
  [
    /\b(?:cut|trim|extract|take|grab|pull)\b(.{0,40}?)\b(?:recording|footage|vod|archive)\b/gu,
    ' create clip recording $1 ',
  ],
  [
    /\b(?:deliver|upload|send|push|export|copy|transfer)\b.{0,20}\b(?:clip|highlight|excerpt)\b/gu,
    ' export clip target ',
  ],
  [/\b(?:which|what|show|list|see|get)\b(.{0,20}?)\b(?:logos|images|pictures|slates)\b/gu, ' get all asset $1 '],
  [/\bdownload (?:a|the|this|that|our) (?:file|logo|image|picture)\b/gu, ' read asset file '],
  [/\bout of (?:service|rotation)\b|\bfor maintenance\b/gu, ' update enabled '],
  [/\bwhat (?:runs|is running|plays) (?:where|on)\b/gu, ' get device live status livestream '],
  [/\bvideo[ -]site\b/gu, ' videosite '],
  [/\bteams?\b/gu, ' user group '],
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
  [
    /\bput (?:the |our |this )?(\w+ )?(?:show|service|stream|broadcast|event|match|game|concert|mass|meeting) on\b(?= *[.!]? *$)/gu,
    ' start $1 livestream ',
  ],
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

const PHRASE_REWRITES = [...SPELLINGS, ...LATER_ON, ...ON_AIR, ...ANYWHERE];

/** Answers a text in lower case with its phrases replaced. */
export function rewritePhrases(text: string): string {
  return PHRASE_REWRITES.reduce((words, [pattern, meaning]) => words.replace(pattern, meaning), text);
}
