/**
 * The routing table of the catalogue is a tree of path segments, built once. Static segments win over parameters, and a parameter `{…Id}`
 * takes digits only.
 */
import { AppError } from '../domain/base/errors.ts';
import { routeOf, type Route, type Tool } from '../toolkit/tool.ts';
import { isIdParam } from './decode.ts';
import { methodNotAllowed } from './methods.ts';

export const PREFIX = '/svcapiv2';

export interface RouteTarget<T> {
  target: T;
  /** The raw path segments of the parameters, in the order of the route's `params`. */
  values: string[];
}

interface Node<T> {
  readonly children: Map<string, Node<T>>;
  id: Node<T> | undefined;
  text: Node<T> | undefined;
  readonly targets: Map<string, T>;
}

export interface Routes<T> {
  /** `path` is what follows the prefix, still percent-encoded. Throws AppError unknown_operation, method_not_allowed or retired. */
  match(method: string, path: string): RouteTarget<T>;
  /** The operation that a path would be of, were the texts in the places of ids ids; undefined where there is none. */
  meant(method: string, path: string): RouteTarget<T> | undefined;
  /** The methods that exist at the path; none when the path is unknown. */
  methodsAt(path: string): string[];
}

/** Older clients still call these paths; each has the operation that took its place. */
const RETIRED = [
  { path: /^\/schedules\/[^/]+\/(?:enable|disable)$/u, use: 'updateSchedule', hint: 'with the field enabled' },
];

export function createRoutes<T>(tools: readonly Tool[], targetOf: (tool: Tool, route: Route) => T): Routes<T> {
  const root = emptyNode<T>();
  for (const tool of tools) {
    const route = routeOf(tool);
    const node = route.path
      .split('/')
      .slice(1)
      .reduce((parent, segment) => stepInto(parent, segment, isIdParam(tool, segment.slice(1, -1))), root);
    if (node.targets.has(route.method)) throw new Error(`Two operations have the route ${route.method} ${route.path}`);
    node.targets.set(route.method, targetOf(tool, route));
  }

  function find(path: string, ids = DIGITS): { node: Node<T>; values: string[] } | undefined {
    if (path.charCodeAt(0) !== 47) return undefined;
    const values: string[] = [];
    const node = descend(root, path.split('/'), 1, { values, ids });
    return node === undefined ? undefined : { node, values };
  }

  function methodsAt(path: string): string[] {
    const methods = [...(find(path)?.node.targets.keys() ?? [])];
    return methods.includes('GET') ? [...methods, 'HEAD'] : methods;
  }

  function targetAt(method: string, found: ReturnType<typeof find>): RouteTarget<T> | undefined {
    const target = found?.node.targets.get(method === 'HEAD' ? 'GET' : method);
    return found === undefined || target === undefined ? undefined : { target, values: found.values };
  }

  return {
    methodsAt,
    meant: (method, path) => targetAt(method, find(path, ANY)),
    match(method, path) {
      const found = targetAt(method, find(path));
      if (found !== undefined) return found;
      throw unknown(method, path, methodsAt(path));
    },
  };
}

function emptyNode<T>(): Node<T> {
  return { children: new Map(), id: undefined, text: undefined, targets: new Map() };
}

function stepInto<T>(node: Node<T>, segment: string, isId: boolean): Node<T> {
  if (isId) return (node.id ??= emptyNode());
  if (segment.startsWith('{')) return (node.text ??= emptyNode());
  const child = node.children.get(segment) ?? emptyNode<T>();
  node.children.set(segment, child);
  return child;
}

const DIGITS = /^\d+$/u;
const ANY = /./u;

/** The raw values that were passed, and what an id may look like. */
interface Descent {
  values: string[];
  ids: RegExp;
}

/** Searches depth first, the narrower branch before the wider one, and steps back where a branch leads nowhere. */
function descend<T>(node: Node<T>, segments: string[], at: number, descent: Descent): Node<T> | undefined {
  if (at === segments.length) return node.targets.size > 0 ? node : undefined;
  const segment = segments[at] ?? '';
  const child = node.children.get(segment);
  const found = child === undefined ? undefined : descend(child, segments, at + 1, descent);
  if (found !== undefined || segment === '') return found;
  return (
    (descent.ids.test(segment) ? through(node.id, segments, at, descent) : undefined) ??
    through(node.text, segments, at, descent)
  );
}

function through<T>(node: Node<T> | undefined, segments: string[], at: number, descent: Descent): Node<T> | undefined {
  if (node === undefined) return undefined;
  descent.values.push(segments[at] ?? '');
  const found = descend(node, segments, at + 1, descent);
  if (found === undefined) descent.values.pop();
  return found;
}

function unknown(method: string, path: string, methods: string[]): AppError {
  const retired = RETIRED.find((entry) => entry.path.test(path));
  if (retired !== undefined) {
    return new AppError('retired', `This path has been retired. Use ${retired.use} ${retired.hint}.`, {
      facts: { use: retired.use },
    });
  }
  if (methods.length > 0) return methodNotAllowed(method, `${PREFIX}${path}`, methods);
  const place = JSON.stringify(`${PREFIX}${path}`.slice(0, 200));
  return new AppError(
    'unknown_operation',
    `There is no operation at ${place}. ${PREFIX}/openapi.json lists all of them.`,
  );
}
