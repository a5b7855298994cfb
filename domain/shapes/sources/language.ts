/** Names and codes of languages. */
import { UNKNOWN_LANGUAGE } from './audio-tracks.ts';

/** The codes of ISO 639-1, each with that of ISO 639-2/T behind it. */
const CODES = [
  'aaaar ababk aeave afafr akaka amamh anarg arara asasm avava ayaym azaze babak bebel bgbul bibis bmbam bnben',
  'bobod brbre bsbos cacat ceche chcha cocos crcre csces cuchu cvchv cycym dadan dedeu dvdiv dzdzo eeewe elell',
  'eneng eoepo esspa etest eueus fafas ffful fifin fjfij fofao frfra fyfry gagle gdgla glglg gngrn guguj gvglv',
  'hahau heheb hihin hohmo hrhrv hthat huhun hyhye hzher iaina idind ieile igibo iiiii ikipk ioido isisl itita',
  'iuiku jajpn jvjav kakat kgkon kikik kjkua kkkaz klkal kmkhm knkan kokor krkau kskas kukur kvkom kwcor kykir',
  'lalat lbltz lglug lilim lnlin lolao ltlit lulub lvlav mgmlg mhmah mimri mkmkd mlmal mnmon mrmar msmsa mtmlt',
  'mymya nanau nbnob ndnde nenep ngndo nlnld nnnno nonor nrnbl nvnav nynya ococi ojoji omorm orori ososs papan',
  'pipli plpol pspus ptpor quque rmroh rnrun roron rurus rwkin sasan scsrd sdsnd sesme sgsag sisin skslk slslv',
  'smsmo snsna sosom sqsqi srsrp ssssw stsot susun svswe swswa tatam tetel tgtgk ththa titir tktuk tltgl tntsn',
  'toton trtur tstso tttat twtwi tytah uguig ukukr ururd uzuzb veven vivie vovol wawln wowol xhxho yiyid yoyor',
  'zazha zhzho zuzul',
];
const THREE_LETTERS = new Map(
  CODES.flatMap((line) => line.split(' ')).map((pair) => [pair.slice(0, 2), pair.slice(2)] as const),
);

/** Returns the three letters that transport streams and MP4 have for a language tag; und for one without such a code. */
export function iso639(tag: string): string {
  const [language = ''] = tag.toLowerCase().split('-');
  return language.length === 3 ? language : (THREE_LETTERS.get(language) ?? UNKNOWN_LANGUAGE);
}

const NAMES = new Intl.DisplayNames('en', { type: 'language' });

/** Returns the English name of a language; undefined for one that nobody has stated or that has no name. */
export function languageName(tag: string): string | undefined {
  if (tag.toLowerCase() === UNKNOWN_LANGUAGE) return undefined;
  const name = NAMES.of(tag);
  return name === undefined || name.toLowerCase() === tag.toLowerCase() ? undefined : name;
}
