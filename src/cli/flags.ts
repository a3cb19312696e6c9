import { Args, Flags } from '@oclif/core';
import { CliError } from './cli-error.js';

/** An absolute http(s) address. */
export const httpUrl = Flags.custom<string>({
  parse: async (value) => requireHttpUrl(value),
});

/** The name of a session. */
export function clientIdArg() {
  return Args.string({
    name: 'CLIENTID',
    required: true,
    description: 'the session, letters and digits only',
  });
}

/** The control API of a sandbox network. */
export function sandboxUrlFlag() {
  return httpUrl({
    description: 'address of the sandbox network',
    env: 'SWITCHBOARD_SANDBOX_URL',
    default: 'http://127.0.0.1:3001',
    helpGroup: 'SANDBOX',
  });
}

/** A simulated person's number. */
export function numberArg(description: string) {
  return Args.string({ required: true, description });
}

/** @throws CliError `usage` */
export function requireHttpUrl(value: string): string {
  if (URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)) return value;
  throw new CliError('usage', `${value} is not an absolute http:// or https:// address`);
}
