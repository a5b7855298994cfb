/** The parts of a Live stream, each a link to its page. */
import type { PageName } from '../../../route.ts';
import { hrefOf } from '../../../route.ts';
import { encodingText, outletsOf, sourceText, whereText, type Parts, type StreamRow } from '../list/parts.ts';
import { words } from '../words.ts';
import { Fact } from './overview.tsx';

export function Bindings({ row, parts }: { row: StreamRow; parts: Parts }) {
  const w = words.value.cards;
  return (
    <dl class="stream-facts">
      <Fact name={w.source}>
        <Link page="sources" id={row.channelId} text={sourceText(parts, row)} />
      </Fact>
      <Fact name={w.encoding}>
        <Link page="encodings" id={row.encodingId} text={encodingText(parts, row)} />
      </Fact>
      <Fact name={w.destination}>
        <ul class="stream-plain">
          {outletsOf(parts, row).map(({ id, name, type }) => (
            <li key={id}>
              <Link page="destinations" id={id} text={`${name} (${type})`} />
            </li>
          ))}
        </ul>
      </Fact>
      <Fact name={w.where}>
        {row.deviceId === null && row.idEncoderGroup === null ? (
          whereText(parts, row)
        ) : (
          <Link page="devices" id={row.deviceId} text={whereText(parts, row)} />
        )}
      </Fact>
    </dl>
  );
}

/** A group has no route of its own: the link goes to the page. */
function Link({ page, id, text }: { page: PageName; id: number | null; text: string }) {
  return <a href={hrefOf(page, id ?? undefined)}>{text}</a>;
}
