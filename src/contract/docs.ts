import { operation } from './operation.js';
import { anyFields, oneOf, record } from './schema.js';

/** The assets of the API page. */
const DOCS_FILES = ['start.js', 'swagger-ui.css', 'swagger-ui-bundle.js'] as const;

export const docs = {
  getOpenApi: operation({
    method: 'GET',
    path: '/openapi.json',
    owner: 'none',
    summary: 'Get this API as an OpenAPI 3.1 document',
    description: 'Printed from the routes.',
    answer: anyFields(),
  }),
  getDocsPage: operation({
    method: 'GET',
    path: '/docs',
    owner: 'none',
    summary: 'Get this API as a page to read and to try out',
    description:
      'In a browser, give the token as the password: `http://:<token>@127.0.0.1:3000/docs`. To try a call, enter the token under **Authorize**.',
    answer: 'text/html',
  }),
  getDocsFile: operation({
    method: 'GET',
    path: '/docs/{file}',
    owner: 'none',
    summary: 'Get a file that the page loads',
    params: record({ file: oneOf(...DOCS_FILES) }),
    answer: '*/*',
  }),
};
