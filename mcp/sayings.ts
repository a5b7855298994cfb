/** What is said in several words, in the words of the vocabulary. Applied before a text is cut into words, in the order of this table. */

const LOGO = '(?:logo|watermark|bug|branding|emblem|badge)';
const TEXT = '(?:text|captions?|title|banner|headline|lower[ -]third|overlay|ticker|crawl|message)';
const PLACE = '(?:screen|picture|air|image|video|programme?)';
const SOURCE = '(?:camera|cam|feed|source|input|channel|studio)';
const OUTPUT = '(?:output|destination|restream|path|cdn|youtube|twitch|facebook|instagram|linkedin)';
const MACHINE = '(?:machine|encoder|box|slot|device)s?';

const COMMAND = '(?:logo|watermark|blackout|text|banner|caption|switch|cue|break|picture|destination|output)';
const HOUR =
  '(?:\\d{1,2}(?:[:.]\\d\\d)?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|noon|midnight|half past|quarter)';
const DAY =
  '(?:(?:mon|tues|wednes|thurs|fri|satur|sun|week|work)?days?|weekends?|mornings?|evenings?|nights?|weeks?|months?|tomorrow|tonight)';
const LATER = `(?:\\b(?:at|by) ${HOUR}\\b|\\bautomatically\\b|\\bby itself\\b|\\bwithout me\\b)`;

const saying = (pattern: string, meaning: string): readonly [RegExp, string] => [new RegExp(pattern, 'gu'), meaning];

/** As a microphone or a hurried hand writes it, and words that only make a request polite. */
const SPELLINGS: readonly (readonly [RegExp, string])[] = [
  [/[’‘]/gu, "'"],
  [/\b(on|off|over) the air\b/gu, '$1 air'],
  [/\bblack out\b/gu, 'blackout'],
  [/\bback up\b/gu, 'backup'],
  [/\byou tube\b/gu, 'youtube'],
  [/\bface book\b/gu, 'facebook'],
  [/\b(?:skedul|shedul|schedual|scedul|sheduel)(?:e|el|al)?(d|s)?\b/gu, 'schedule$1'],
  [/\bre[ -](record|stream|play|arm|enable|validate|name|start)/gu, 're$1'],
  [/^\s*(?:hey|hi|hello|ok|okay|so|well|alright|please|now|and)\b[ ,]*/gu, ''],
  [/\b(?:can|could|would|will) (?:you|we|i) (?:please )?(?!(?:start|launch|go)\b)/gu, ''],
  [/\b(?:i|we) (?:want|need|would like|have) to\b|\bi'd like to\b/gu, ''],
];

/** What is to happen at another time. Before what happens now, which it mentions. */
const LATER_ON: readonly (readonly [RegExp, string])[] = [
  saying('\\b(?:is|are|was|were) ([^.]{0,20}?)\\bset up\\b', ' $1 '),
  saying(`\\bplanned (?:\\w+ )?(?:${COMMAND}|change|start|stop)\\b`, ' planned action '),
  saying(`${COMMAND}\\b.{0,30}${LATER}|\\b(?:set|start|make|create|add) a timer\\b`, ' add livestream action plan '),
  saying('\\b(?:timer|action|command)\\b.{0,30}\\b(?:after all|again)\\b', ' enable planned action '),
  saying(
    '\\b(?:cancelled|canceled|skipped|left out)\\b.{0,40}\\b(?:again|after all|back|anyway)\\b',
    ' restore schedule skip ',
  ),
  saying('\\bafter all\\b', ' restore schedule skip '),
  saying(
    '\\b(?:which|what|have|are|were|any)\\b.{0,25}\\b(?:cancelled|canceled|skipped|left out)\\b',
    ' list schedule skip ',
  ),
  saying('\\bseries\\b.{0,20}\\b(?:run out|runs out|end|ends|stop|stops|finish|finishes)\\b', ' patch schedule until '),
  saying('\\b(?:end|stop|finish) (?:the |this |our )?series\\b', ' patch schedule until '),
  saying(
    '\\bno (?:more|further) (?:shows|episodes|broadcasts|airings|streams)\\b.{0,10}\\b(?:after|from|past)\\b',
    ' patch schedule until ',
  ),
  saying("\\bwhat(?: comes| is|'s) (?:after|before|following)\\b", ' get schedule occurrence '),
  saying('^\\W*(?:schedule|book)\\b(?! (?:\\d|occurrence|skip|until|id))', ' add schedule '),
  saying(
    '\\b(?:put|add|enter|note)\\b(.{0,40}?)(?:\\b(?:in|into|to|on) (?:the|our|my) )?\\b(?:calendar|schedule|timetable|planner|agenda)\\b',
    ' add schedule $1 ',
  ),
  saying(
    `\\b(?:stream|broadcast|start|go live|air|run|show)\\b(.{0,40}?)\\b(?:every|each) ${DAY}\\b`,
    ' add schedule recurring $1 ',
  ),
  saying(
    `\\b(?:every|each) ${DAY}\\b(.{0,40}?)\\b(?:stream|broadcast|start|go live|on air|run)\\b`,
    ' add schedule recurring $1 ',
  ),
  saying(`\\b(?:start|go live|launch|run|stream)\\b(.{0,30}?)${LATER}`, ' add schedule $1 '),
];

/** What is done to a broadcast on air. */
const ON_AIR: readonly (readonly [RegExp, string])[] = [
  saying(
    `\\b(?:hide|show|move|remove|take|put|turn|clear|place|drop|get rid of|switch)\\b(?! me\\b)([^.]{0,30}?)\\b${LOGO}\\b(?! (?:file|image|asset))`,
    ' apply runtime logo $1 ',
  ),
  saying(
    `\\b(?:end|lift|leave|exit|undo|stop|remove|clear|cancel|over)\\b.{0,15}\\b(?:black(?:out)?|slate)\\b`,
    ' apply runtime blackout ',
  ),
  saying(`\\b(?:cover|blank|hide|lose|kill)\\b(?: out)?.{0,20}\\b${PLACE}\\b`, ' apply runtime blackout '),
  saying(
    '\\b(?:be right back|back soon|back shortly|stand-?by|starting soon|please wait|intermission|technical difficult\\w+|holding)\\b(?: \\w+)? (?:card|slate|slide|screen|picture|image|page|loop)',
    ' apply runtime blackout ',
  ),
  saying(
    `\\b(?:write|say|display|show|type|print|put(?=.*\\b(?:screen|picture|image)\\b))\\b(.{1,60}?)\\bon (?:the |our |my )?${PLACE}\\b`,
    ' set livestream text overlay $1 ',
  ),
  saying(
    `\\b(?:clear|remove|hide|lose|drop|show|take (?:away|down|off))\\b.{0,20}\\b${TEXT}\\b`,
    ' set livestream text overlay ',
  ),
  saying(
    `\\b(?:show|display|put up|run)\\b (?:a|the) (?:\\w+ )?(?:timer|clock|countdown|stopwatch)`,
    ' set livestream text clock ',
  ),
  saying(
    `\\b(?:go|cut|change|switch|flip|jump|hop|move)(?: over| back)? to (?:the |our )?(?:\\w+ ){0,2}${SOURCE}\\b`,
    ' runtime apply source switch ',
  ),
  saying(`\\b(?:take|use) (?:the |our )?(?:\\w+ )?${SOURCE}\\b`, ' runtime apply source switch '),
  saying(`\\bmark\\b(.{0,25}?)\\b(?:commercials?|adverts?|ads?|break)\\b`, ' push metadata cue $1 '),
  saying(
    `\\b(?:mute|pause|resume|retry|reconnect|(?:stop|start|continue|keep)? ?sending|(?:stop|start) streaming)\\b(.{0,25}?)\\b${OUTPUT}\\b`,
    ' toggle runtime publishing $1 ',
  ),
  saying(`\\b(?:send|stream) (?:it )?to (${OUTPUT}) again\\b`, ' toggle runtime publishing $1 '),
  saying(
    `\\b(?:turn|switch|flip|bring|cut|take) (?:up|on|off|down)\\b(.{0,25}?)\\b${OUTPUT}\\b`,
    ' toggle runtime publishing $1 ',
  ),
  saying(
    `\\b(?:turn|switch|flip|bring|cut|take)\\b(.{0,25}?)\\b${OUTPUT}\\b(.{0,12}?)\\b(?:up|on|off|down)\\b`,
    ' toggle runtime publishing $1 $2 ',
  ),
  saying(
    '\\bhow long (?:has|have|is|are|was)\\b.{0,30}\\b(?:live|on air|running|up)\\b',
    ' get status livestream uptime ',
  ),
  saying(
    '\\b(?:are|is) (?:we|it|this|everything|anything)(?: still)? (?:live|on air|running)\\b',
    ' onair status livestream ',
  ),
  saying(
    `\\b(?:which|what|where|on which)\\b(.{0,20}?)\\b(?:should|can|could|to)\\b.{0,12}\\b(?:take|run|start|put|carry|host)\\b`,
    ' get start target recommend $1 ',
  ),
  saying(
    `\\b${MACHINE} (?:is |are )?(?:left|free|available|spare)\\b|\\b(?:free|spare) ${MACHINE}\\b`,
    ' capacity slot device ',
  ),
  saying(
    '\\b(?:where|what)\\b.{0,25}\\b(?:send|sending|deliver|delivering|push|pushing)\\b.{0,20}\\bto\\b|\\b(?:we|you) (?:push|send|deliver|stream) to\\b',
    ' get all publishing ',
  ),
  saying(`\\bcall (?:the|this|that|our)\\b(.{0,20}?)\\b${SOURCE}\\b`, ' update channel name $1 '),
];

const ANYWHERE: readonly (readonly [RegExp, string])[] = [
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

const SAYINGS = [...SPELLINGS, ...LATER_ON, ...ON_AIR, ...ANYWHERE];

/** A text in lower case, with what is said in several words replaced. */
export function plainly(text: string): string {
  return SAYINGS.reduce((said, [pattern, meaning]) => said.replace(pattern, meaning), text);
}
