import { createReadStream } from 'node:fs';
import { createRequire } from 'node:module';
import Joi from 'joi';
import { type Route, route } from '../../route.js';

const require = createRequire(import.meta.url);

const PAGE = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Switchboard API</title><link rel="stylesheet" href="docs/swagger-ui.css"></head>
<body><div id="ui"></div><script src="docs/swagger-ui-bundle.js"></script><script src="docs/start.js"></script></body>
</html>
`;
const START = "SwaggerUIBundle({ url: 'openapi.json', dom_id: '#ui', validatorUrl: null });\n";

/** Only what this server gives; the page's own styles are set by its script. */
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

/** What the page loads. */
const ASSETS = {
  'start.js': { type: 'text/javascript', open: () => START },
  'swagger-ui.css': { type: 'text/css', open: () => packaged('swagger-ui.css') },
  'swagger-ui-bundle.js': { type: 'text/javascript', open: () => packaged('swagger-ui-bundle.js') },
} as const;

const page = route({
  method: 'GET',
  path: '/docs',
  owner: 'none',
  description: 'This API as a page to read and to try out',
  handler: (_request, _parts, h) =>
    h.response(PAGE).type('text/html').header('content-security-policy', POLICY),
});

const asset = route({
  method: 'GET',
  path: '/docs/{file}',
  owner: 'none',
  description: 'What that page loads',
  params: Joi.object<{ file: keyof typeof ASSETS }>({
    file: Joi.string()
      .valid(...Object.keys(ASSETS))
      .required(),
  }),
  handler({ params }, _parts, h) {
    const { type, open } = ASSETS[params.file];
    return h.response(open()).type(type).header('cache-control', 'private, max-age=3600');
  },
});

export const docs: Route[] = [page, asset];

function packaged(file: string) {
  return createReadStream(require.resolve(`swagger-ui-dist/${file}`));
}
