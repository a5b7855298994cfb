/** Checks answers against the served OpenAPI document, as a client of it would: JSON Schema 2020-12, references resolved. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { routeOf, type Tool } from '../../toolkit/tool.ts';

export interface SchemaCheck {
  /** Lists the faults of an answer of the status; empty when it fits. */
  faultsOf(tool: Tool, status: number, body: unknown): string[];
}

export function createSchemaCheck(document: object): SchemaCheck {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  ajv.addSchema(document, 'openapi');
  const compiled = new Map<string, ValidateFunction>();

  function validatorAt(pointer: string): ValidateFunction {
    let validator = compiled.get(pointer);
    if (validator === undefined) {
      validator = ajv.compile({ $ref: `openapi#${pointer}` });
      compiled.set(pointer, validator);
    }
    return validator;
  }

  return {
    faultsOf(tool, status, body) {
      const route = routeOf(tool);
      const operation = ['paths', route.path, route.method.toLowerCase()];
      const responses = find(document, [...operation, 'responses']) as Record<string, unknown> | undefined;
      // Under `default` stand problems alone.
      const declared = responses?.[status] ?? (status < 400 ? undefined : responses?.['default']);
      if (declared === undefined) return [`status ${status} is not declared`];
      const pointer =
        status < 400
          ? toPointer([...operation, 'responses', String(status), 'content', 'application/json', 'schema'])
          : '/components/schemas/Problem';
      const validate = validatorAt(pointer);
      if (validate(body)) return [];
      return (validate.errors ?? []).map(
        (error) => `${error.instancePath} ${error.message} ${JSON.stringify(error.params)}`,
      );
    },
  };
}

function find(document: object, path: readonly (string | undefined)[]): unknown {
  return path.reduce<unknown>((node, step) => (node as Record<string, unknown> | undefined)?.[step ?? ''], document);
}

function toPointer(path: readonly (string | undefined)[]): string {
  return path
    .map((step) => `/${encodeURIComponent((step ?? '').replaceAll('~', '~0').replaceAll('/', '~1'))}`)
    .join('');
}
