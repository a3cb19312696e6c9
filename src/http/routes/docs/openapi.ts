import { openApiDocument } from '../../openapi/document.js';
import { route } from '../../route.js';

export const openapi = route({
  method: 'GET',
  path: '/openapi.json',
  owner: 'none',
  description: 'This API as an OpenAPI 3.1 document',
  handler: ({ server }, { facts }) => openApiDocument(server.table(), facts.version),
});
