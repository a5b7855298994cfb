/** Names and values of one thing, as in a drawer. */
import type { ComponentChildren } from 'preact';

type Fact = readonly [name: string, value: ComponentChildren];

/** A fact without a value (null, undefined, false, an empty text) is left out. */
export function Facts({ of }: { of: readonly Fact[] }) {
  return (
    <dl class="fact-list">
      {of
        .filter(([, value]) => value !== null && value !== undefined && value !== false && value !== '')
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
