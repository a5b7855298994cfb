/** Tells which tools take something away or change what is on air, and whether a wish is for that. */
import type { Tool } from '../../toolkit/tool.ts';
import { spokenWords } from './query-classifier.ts';
import { isVerb, meaningsOf, wordsOf } from './synonyms.ts';

/** Their controls are seen by an audience; other controls only look, send or add. */
const TAGS_ON_AIR = ['Live streams', 'Runtime options', 'Workflows'];

const REMOVALS = ['delete', 'stop', 'revoke'];
/** `how do I delete …` asks for the deed; other questions ask for facts. */
const QUESTION =
  /^\W*(?:(?:hey|so|and|well|ok|okay)\W+)?(?:who|what|why|when|which|where|how(?! (?:do|can|to)\b)|did|does|is|are|was|were|has|have)\b/iu;
/** Something else than the deed itself is wanted: that it happens by itself one day, or that what is there stays. */
const LATER =
  /\b(?:automatic\w*|by (?:it|them)sel(?:f|ves)|older than|retention|(?:after|for) (?:\w+ )?(?:days?|weeks?|months?|years?))\b/iu;
const STAYS =
  /\b(?:stay|stays|remain|remains|keep|leave)\b.{0,25}\b(?:on|air|live|running|streaming|going|up)\b|\b(?:go|goes|carry) on\b|\bwithout (?:stopping|going off|interrupt\w*)\b/iu;
/** A deed that is not to be done. */
const NEGATED = /\b(?:do not|don'?t|never|not|without) (?:\w+ )?\w+/giu;

/** `Take us off air`, `we do not need that any more`, `it can go`, `take out its entry`. */
const WORN_OUT =
  /\b(?:off[ -](?:the )?air|no longer|any ?more|obsolete|can go|is gone|(?:clean|tidy) up|not (?:needed|used|wanted)|(?:take|throw|chuck|get|clear) .{0,30}\b(?:out|away|rid))\b/iu;

/** It is asked of every tool at every search, and to take the words out of a name costs a hundred patterns. */
const known = new WeakMap<Tool, boolean>();

/** Whether it ends or deletes something for good. */
export function takesAway(tool: Tool): boolean {
  let answer = known.get(tool);
  if (answer === undefined) known.set(tool, (answer = isRemoval(tool)));
  return answer;
}

function isRemoval({ name, effect }: Tool): boolean {
  const verbs = wordsOf(name).filter(isVerb);
  return verbs.includes('stop') || (effect === 'delete' && !verbs.includes('restore'));
}

export function changesAir({ effect, tag }: Tool): boolean {
  return effect === 'control' && TAGS_ON_AIR.includes(tag);
}

/** Whether the words of a query ask that something is deleted or ended. */
export function saysRemoval(query: string): boolean {
  if (isElse(query)) return false;
  // Phrases are not rewritten here: `delete the intro from the files` is a delete, whatever else it may mean.
  const words = spokenWords(query.replace(NEGATED, ' ')).flatMap(meaningsOf);
  return (REMOVALS.some((removal) => words.includes(removal)) || WORN_OUT.test(query)) && !QUESTION.test(query);
}

/** Whether a query says that what is there stays, or goes only later. */
export function isElse(query: string): boolean {
  return LATER.test(query) || STAYS.test(query);
}
