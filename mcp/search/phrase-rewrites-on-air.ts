/** The rewrites of phrase-rewrites.ts for a broadcast on air, and for one at another time. */

const LOGO = '(?:logo|watermark|bug|branding|emblem|badge)';
const TEXT = '(?:text|captions?|title|banner|headline|lower[ -]third|overlay|ticker|crawl|message)';
const PLACE = '(?:screen|picture|air|image|video|programme?)';
const SOURCE = '(?:camera|cam|feed|source|input|channel|studio)';
const OUTPUT = '(?:output|destination|restream|path|cdn|youtube|twitch|facebook|instagram|linkedin)';
const MACHINE = '(?:machine|encoder|box(?:e(?=s))?|slot|device)s?';

const COMMAND = '(?:logo|watermark|blackout|text|banner|caption|switch|cue|break|picture|destination|output)';
const HOUR =
  '(?:\\d{1,2}(?:[:.]\\d\\d)?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|noon|midnight|half past|quarter)';
const DAY =
  '(?:(?:mon|tues|wednes|thurs|fri|satur|sun|week|work)?days?|weekends?|mornings?|evenings?|nights?|weeks?|months?|tomorrow|tonight)';
const LATER =
  `(?:\\b(?:at|by) (?:${HOUR}|an? (?:set|given|certain) time)\\b|\\blater (?:on|in)\\b|\\bin (?:\\d+|a few|five|ten) (?:minutes|seconds)\\b|` +
  '\\bautomatically\\b|\\bby itself\\b|\\bwithout me\\b)';

const saying = (pattern: string, meaning: string): readonly [RegExp, string] => [new RegExp(pattern, 'gu'), meaning];

/** Wishes for another time. They come before wishes for now, whose words they contain. */
export const LATER_ON: readonly (readonly [RegExp, string])[] = [
  saying('\\b(?:minutes?|hours?|an hour|a bit|days?) (?:earlier|later|sooner)\\b', ' update schedule '),
  saying(
    '\\b(?:when|what time) (?:do|does|will|are|is)\\b.{0,20}\\b(?:start|begin|on|live)\\b|\\banything (?:planned|on|scheduled)\\b',
    ' get schedule occurrence ',
  ),
  saying(`\\bnot (?:this|next|on) ${DAY}\\b|\\bleave\\b.{0,20}\\bout\\b`, ' skip schedule occurrence '),
  saying(
    `^(?!\\W*(?:what|which|how|when|why|show|list|who)\\b)(.*?)\\b(?:stream|broadcast|start|go live|air)\\b(.{0,30}?)\\bon ${DAY}\\b`,
    ' add schedule $1 $2 ',
  ),
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
    '\\b(?:cancel|drop|skip|delete|remove|omit)\\b.{0,15}\\b(?:only|just|single|one)\\b.{0,25}\\b(?:dates?|days?|occurrences?|airings?|episodes?|editions?)\\b',
    ' skip schedule occurrence ',
  ),
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

/** Changes of a broadcast on air. */
export const ON_AIR: readonly (readonly [RegExp, string])[] = [
  saying(
    '\\b(?:make|turn|paint)\\b.{0,15}\\b(?:dark|black)\\b|\\bgive (?:us|me) black\\b|\\b(?:picture|programme?) back\\b',
    ' apply runtime blackout ',
  ),
  saying(
    `\\b${LOGO}\\b.{0,25}\\b(?:bottom|top|left|right|corner|centre|center)\\b|\\bno (?:more )?${LOGO}\\b`,
    ' apply runtime logo ',
  ),
  saying(
    '\\b(?:put|show|write)\\b.{1,50}\\b(?:under|over|across|on top of) (?:the )?(?:picture|screen|image)\\b|^\\W*(?:headline|banner|caption|lower third)(?= \\w)',
    ' set livestream text overlay ',
  ),
  saying(
    '\\b(?:other|another|different|next) (?:angle|camera|shot|view)\\b|\\b(?:swap|cut|switch over|change over) to\\b(?! (?:black|live|air|the slate))',
    ' runtime apply source switch ',
  ),
  saying(
    '\\b(?:commercials?|ads?|adverts?) (?:now|please)\\b|\\b(?:break|commercials?|ads?) (?:is|are) (?:over|done|finished)\\b|\\bback from (?:the )?(?:break|commercials?|ads?)\\b',
    ' push metadata cue ',
  ),
  saying(
    `\\b(?:stop|start|pause|resume) (?:the |our )?(?:\\w+ )?${OUTPUT}\\b|^\\W*(?:the )?${OUTPUT} (?:off|on)\\b|\\b(?:use|give|take|bring|go|switch)\\b.{0,12}\\b(?:reserve|spare|backup|secondary|second) path\\b`,
    ' toggle runtime publishing ',
  ),
  saying(
    '\\b(?:going|coming) out\\b|\\b(?:any|are there|is there) (?:problems?|trouble|issues?)\\b(?: with| on)?',
    ' get status livestream ',
  ),
  saying(
    `\\b${MACHINE}\\b.{0,12}\\b(?:down|dead|offline|gone)\\b|\\b(?:who|what) (?:is )?(?:using|uses|occupies)\\b.{0,10}\\b${MACHINE}\\b`,
    ' get device live status ',
  ),
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
    `\\b(?:write|say|display|(?<!\\b(?:the|our|my|this|that|a) )show|type|print|put(?=.*\\b(?:screen|picture|image)\\b))\\b(.{1,60}?)\\bon (?:the |our |my )?${PLACE}\\b`,
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
