/** Writes XML as text, for manifests; namespaces are plain attributes. */
export interface Element {
  /** Returns lines, each with this indentation. */
  text(indent: string): string;
}

export type Attributes = Record<string, string | number | undefined>;

/** Attributes that are undefined are left out. Children: elements, finished XML of one line, or a text alone. */
export function element(
  name: string,
  attributes: Attributes,
  content: string | readonly (Element | string)[] = [],
): Element {
  const head = Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [` ${key}="${escaped(String(value))}"`],
  );
  const open = `<${name}${head.join('')}`;
  return {
    text(indent: string): string {
      if (typeof content === 'string') return `${indent}${open}>${escaped(content)}</${name}>\n`;
      if (content.length === 0) return `${indent}${open}/>\n`;
      const inner = `${indent}  `;
      const children = content.map((child) => (typeof child === 'string' ? `${inner}${child}\n` : child.text(inner)));
      return `${indent}${open}>\n${children.join('')}${indent}</${name}>\n`;
    },
  };
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/** Returns an xs:duration, exact to the microsecond. */
export function duration(seconds: number): string {
  return `PT${Number(seconds.toFixed(6))}S`;
}
