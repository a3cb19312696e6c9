import { createServer, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { buffer } from 'node:stream/consumers';
import { runInNewContext } from 'node:vm';
import Joi from 'joi';
import { readJson } from '../../src/domain/json.js';

/** A workflow as n8n exports it; of the parameters those that the nodes of the example have. */
interface Workflow {
  nodes: {
    name: string;
    type: string;
    parameters: {
      jsCode: string;
      conditions: { conditions: { leftValue: string }[] };
      options: { responseCode: number; rawBody: boolean };
      url: string;
      headerParameters: { parameters: { name: string; value: string }[] };
      jsonBody: string;
    };
  }[];
  connections: Record<string, { main: { node: string; type: 'main'; index: number }[][] }>;
}

interface Item {
  json: object;
}

const SCHEMA = Joi.object<Workflow>({
  nodes: Joi.array()
    .items(
      Joi.object({
        id: Joi.string().required(),
        name: Joi.string().required(),
        type: Joi.string()
          .pattern(/^n8n-nodes-base\./)
          .required(),
        typeVersion: Joi.number().required(),
        position: Joi.array().items(Joi.number()).length(2).required(),
        parameters: Joi.object().required(),
        webhookId: Joi.string(),
      }),
    )
    .unique('name')
    .unique('id'),
  connections: Joi.object().pattern(
    Joi.string(),
    Joi.object({
      main: Joi.array().items(
        Joi.array().items(Joi.object({ node: Joi.string(), type: Joi.valid('main'), index: Joi.number() })),
      ),
    }),
  ),
}).unknown();

/** @throws Joi.ValidationError when it has not the form of a workflow */
export function readWorkflow(text: string): Workflow {
  const workflow: Workflow = Joi.attempt(readJson(text), SCHEMA);
  return workflow;
}

/**
 * Plays a workflow: no n8n, but the code and the expressions of its nodes are those that n8n would run, given what n8n 2 gives
 * them (its `Webhook.node.ts`: the headers in `json.headers`, the raw body in `binary.data`). Knows the types of nodes that the
 * example has.
 */
export async function playWorkflow(
  { nodes, connections }: Workflow,
  $env: Record<string, string>,
): Promise<{ url: string; stop(): Promise<void> }> {
  const evaluate = (expression: string, json: object): unknown =>
    runInNewContext(/^=\{\{(.*)\}\}$/s.exec(expression)?.[1] ?? JSON.stringify(expression), {
      $json: json,
      $env,
    });

  async function run(name: string, item: Item, body: Buffer, response: ServerResponse): Promise<void> {
    const node = nodes.find((candidate) => candidate.name === name);
    if (!node) throw new Error(`the workflow has no node "${name}"`);
    const { type, parameters } = node;
    let next = item;
    let output = 0;
    if (type === 'n8n-nodes-base.code') {
      const context = {
        ...{ $env, $input: { first: () => item }, require: createRequire(import.meta.url) },
        helpers: { getBinaryDataBuffer: async () => body },
      };
      const program = `(async function () {${parameters.jsCode}}).call({ helpers })`;
      [next] = await runInNewContext(program, context);
    } else if (type === 'n8n-nodes-base.if') {
      const [condition] = parameters.conditions.conditions;
      output = evaluate(condition?.leftValue ?? '', item.json) === true ? 0 : 1;
    } else if (type === 'n8n-nodes-base.respondToWebhook') {
      response.writeHead(parameters.options.responseCode).end();
    } else if (type === 'n8n-nodes-base.httpRequest') {
      const value = (expression: string) => String(evaluate(expression, item.json));
      const headers = parameters.headerParameters.parameters.map((header) => [
        header.name,
        value(header.value),
      ]);
      await fetch(value(parameters.url), {
        method: 'POST',
        headers: { ...Object.fromEntries(headers), 'content-type': 'application/json' },
        body: value(parameters.jsonBody),
      });
    } else if (type !== 'n8n-nodes-base.webhook') throw new Error(`a node of type ${type} is not played`);
    for (const { node: following } of connections[name]?.main[output] ?? [])
      await run(following, next, body, response);
  }

  const trigger = nodes.find(({ type }) => type === 'n8n-nodes-base.webhook');
  if (!trigger?.parameters.options.rawBody) throw new Error('the workflow does not keep the raw body');
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    await run(trigger.name, { json: { headers: request.headers } }, body, response).catch(() => {
      if (!response.headersSent) response.writeHead(500).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : address;
  return {
    url: `http://127.0.0.1:${port}/webhook`,
    stop() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
