import type { RequestRoute } from '@hapi/hapi';
import type { ObjectSchema } from 'joi';
import { type RouteInputs, shownPath } from '../route.js';
import { type JsonSchema, jsonSchemaOf } from './schema.js';

const ERROR = { $ref: '#/components/responses/Error' };
const UNAVAILABLE = { $ref: '#/components/responses/Unavailable' };
/** Statuses that any route may answer with; what they mean for it stands in docs/api.md. */
const FAILURES = ['400', '401', '403', '404', '409', '500', '502'];

/**
 * The API as an OpenAPI 3.1 document, made of the routes themselves, so that it cannot say anything else than they do.
 * @param routes the server's table
 * @param version of the API, `<year>-<month>`
 */
export function openApiDocument(routes: readonly RequestRoute[], version: string): JsonSchema {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Switchboard',
      version,
      description: 'A self-hosted WhatsApp gateway. Every error is `{"error": "<message>"}`.',
      license: { name: 'GPL-3.0-or-later', identifier: 'GPL-3.0-or-later' },
    },
    servers: [{ url: '/' }],
    security: [{ bearer: [] }, { secret: [] }],
    paths: pathsOf(routes),
    components: COMPONENTS,
  };
}

const ERROR_BODY = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } };

const COMPONENTS = {
  securitySchemes: {
    bearer: { type: 'http', scheme: 'bearer', description: "The API token, or a session's own secret" },
    secret: { type: 'apiKey', in: 'header', name: 'X-V3-Secret', description: 'The same, in a header' },
  },
  responses: {
    Error: {
      description: 'It failed; the message says why and what to do',
      content: ERROR_BODY,
    },
    Unavailable: {
      description: 'The store, or the node that holds the session, cannot be reached',
      headers: { 'Retry-After': { description: 'Seconds', schema: { type: 'integer' } } },
      content: ERROR_BODY,
    },
  },
  schemas: {
    Error: { type: 'object', properties: { error: { type: 'string' } }, required: ['error'] },
  },
};

function pathsOf(routes: readonly RequestRoute[]): Record<string, Record<string, JsonSchema>> {
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const route of routes) {
    if (!route.settings.tags?.includes('api')) continue;
    const path = shownPath(route);
    paths[path] = { ...paths[path], [route.method]: operation(route) };
  }
  return paths;
}

function operation({ method, path, settings }: RequestRoute): JsonSchema {
  const inputs = settings.app?.inputs ?? {};
  const body = bodyOf(inputs);
  return {
    operationId: operationId(method, path),
    summary: settings.description ?? '',
    parameters: [
      ...parametersOf('query', inputs.query),
      ...parametersOf('path', inputs.params),
      ...parametersOf('header', inputs.headers),
    ],
    ...(method === 'post' && body && { requestBody: body }),
    ...(settings.app?.open && { security: [] }),
    responses: {
      '200': { description: 'Done' },
      ...Object.fromEntries(FAILURES.map((status) => [status, ERROR])),
      '503': UNAVAILABLE,
    },
  };
}

function bodyOf({ body, form }: RouteInputs): JsonSchema | undefined {
  if (!body) return undefined;
  return {
    required: true,
    content: {
      'application/json': { schema: jsonSchemaOf(body) },
      ...(form && { 'multipart/form-data': { schema: jsonSchemaOf(form) } }),
    },
  };
}

function parametersOf(where: 'query' | 'path' | 'header', schema: ObjectSchema | undefined): JsonSchema[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = jsonSchemaOf(schema);
  if (typeof properties !== 'object' || properties === null || !Array.isArray(required)) return [];
  return Object.entries(properties).map(([name, field]) => ({
    name,
    in: where,
    required: where === 'path' || required.includes(name),
    schema: field,
  }));
}

/** `POST /failed-deliveries/{id}/resend` → `postFailedDeliveriesIdResend` */
function operationId(method: string, path: string): string {
  const words = path.split(/[^A-Za-z0-9]+/).filter(Boolean);
  return method + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}
