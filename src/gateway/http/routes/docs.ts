import { createReadStream } from 'node:fs';
import { createRequire } from 'node:module';
import { docs } from '../../../contract/docs.js';
import { openApiDocument } from '../../../contract/print/openapi.js';
import { type Route, route } from '../route.js';

const require = createRequire(import.meta.url);

const PAGE = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Switchboard API</title><link rel="stylesheet" href="docs/swagger-ui.css"></head>
<body><div id="ui"></div><script src="docs/swagger-ui-bundle.js"></script><script src="docs/start.js"></script></body>
</html>
`;
/** The URL of the page may contain a password, which `fetch` refuses; `location.origin` does not. */
const START = `SwaggerUIBundle({
  url: new URL('openapi.json', location.origin + location.pathname).href,
  dom_id: '#ui',
  validatorUrl: null,
});
`;

/** Content security policy: only resources of this server; the page's script sets styles. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const FILES = {
  'start.js': { type: 'text/javascript', open: () => START },
  'swagger-ui.css': { type: 'text/css', open: () => packaged('swagger-ui.css') },
  'swagger-ui-bundle.js': { type: 'text/javascript', open: () => packaged('swagger-ui-bundle.js') },
} as const;

/** The document is generated at the first request, because that takes time. */
let document: ReturnType<typeof openApiDocument> | undefined;

export const docsRoutes: readonly Route[] = [
  route(docs.getOpenApi, (_request, { facts }) => {
    document ??= openApiDocument(facts.version);
    return document;
  }),
  route(docs.getDocsPage, (_request, _parts, h) =>
    h.response(PAGE).type('text/html').header('content-security-policy', POLICY),
  ),
  route(docs.getDocsFile, ({ params }, _parts, h) => {
    const { type, open } = FILES[params.file];
    return h.response(open()).type(type).header('cache-control', 'private, max-age=3600');
  }),
];

function packaged(file: string) {
  return createReadStream(require.resolve(`swagger-ui-dist/${file}`));
}
