/** Application and key as people and encoders write them: what other servers take for the same is the same here. */

export interface RtmpNames {
  app: string;
  key: string;
}

/**
 * Answers the names that an encoder may mean, the most literal first, for a key may itself hold a slash or a question mark. Else a query names
 * nothing here; slashes and spaces at the ends are slips; an address that was pasted whole has the key behind the application, and one that
 * was copied has it escaped.
 */
export function namesMeant({ app, key }: RtmpNames): RtmpNames[] {
  const meant = [{ app, key }];
  for (const server of [app, withoutQuery(app)]) {
    const [name = '', ...rest] = server.split('/');
    const whole = [...rest, key].join('/');
    for (const one of [whole, withoutQuery(whole)])
      for (const text of [one, unescaped(one)]) meant.push({ app: bare(withoutQuery(name)), key: bare(text) });
  }
  return meant;
}

function withoutQuery(text: string): string {
  return text.replace(/\?.*$/su, '');
}

function bare(text: string): string {
  return text.replace(/^[\s/]+|[\s/]+$/gu, '');
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A stray percent sign shows that nothing is escaped.
    return text;
  }
}
