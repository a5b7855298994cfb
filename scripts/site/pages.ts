/** The pages of the site: which documents there are, where each is built, and under which heading of the navigation it stands. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Page {
  /** Path from the root of the repository. */
  source: string;
  /** Path from the root of the site. */
  target: string;
  title: string;
  text: string;
}

interface Group {
  title: string;
  pages: readonly Page[];
}

/** Documents in the order of the navigation; whatever is in none of the lists stands under the last heading, and decisions by themselves. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  'Who are you?': ['church', 'streamer', 'assistant', 'script', 'operations', 'broadcast-engineer', 'contributor'].map(
    (name) => `docs/guides/${name}.md`,
  ),
  Broadcasts: ['README.md', 'docs/manual.md', 'docs/assistants.md', 'docs/rest.md', 'docs/drm-providers.md'],
  'Running it': [
    'docs/server.md',
    'docs/upkeep.md',
    'docs/hardware.md',
    'docs/fleet.md',
    'docs/settings.md',
    'docs/cli.md',
    'docs/errors.md',
    'SECURITY.md',
  ],
  'Changing it': ['CONTRIBUTING.md', 'docs/architecture.md', 'docs/glossary.md', 'docs/walk.md', 'docs/rooms.md'],
  Reference: ['docs/tools.md', 'docs/specification-rows.md'],
};
const DECISIONS = 'docs/decisions/';
/** The table of decisions and its pages. */
const isDecision = ({ source }: Page): boolean => source === 'docs/decisions.md' || source.startsWith(DECISIONS);
const START = 'docs/start.md';

export function pagesOf(root: string): Page[] {
  const documents = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`);
  const others = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md'].filter((name) => existsSync(join(root, name)));
  return [...others, ...documents].sort().map((source) => {
    const text = readFileSync(join(root, source), 'utf8');
    const title = /^# (.+)$/mu.exec(text)?.[1]?.replaceAll('`', '');
    if (title === undefined) throw new Error(`${source} has no heading; begin it with one: # Title`);
    return { source, target: targetOf(source), title, text };
  });
}

function targetOf(source: string): string {
  if (source === START) return 'index.html';
  return source
    .replace(/^docs\//u, '')
    .replace(/\.md$/u, '.html')
    .toLowerCase();
}

export function groupsOf(pages: readonly Page[]): Group[] {
  const listed = new Set(Object.values(GROUPS).flat());
  const bySource = new Map(pages.map((page) => [page.source, page]));
  const last = Object.keys(GROUPS).at(-1);
  const groups = Object.entries(GROUPS).map(([title, sources]) => ({
    title,
    pages: [
      ...sources.flatMap((source) => bySource.get(source) ?? []),
      ...(title === last
        ? pages.filter((page) => !listed.has(page.source) && !isDecision(page) && page.source !== START)
        : []),
    ],
  }));
  return [...groups, { title: 'Decisions', pages: pages.filter(isDecision) }];
}
