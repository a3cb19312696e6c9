import { Args, Flags } from '@oclif/core';
import type { SendAnswer } from '../../src/contract/index.js';
import { CliError } from '../../src/terminal/cli/errors.js';
import {
  envelopeFlags,
  envelopeOf,
  recipientArgs,
  SendCommand,
} from '../../src/terminal/cli/send-command.js';

export default class SendLocation extends SendCommand {
  static override summary = 'Send a location';
  static override description = 'The recipient sees a pin on a map.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme +15550000002 52.5200,13.4050 --name "Berlin office"',
    '<%= config.bin %> <%= command.id %> acme +15550000002 -33.8568,151.2153 --address "Bennelong Point"',
  ];
  static override args = {
    ...recipientArgs(),
    position: Args.string({ required: true, description: 'latitude,longitude in degrees' }),
  };
  static override flags = {
    name: Flags.string({ description: 'name of the place' }),
    address: Flags.string({ description: 'street address' }),
    ...envelopeFlags(),
  };

  async run(): Promise<SendAnswer> {
    const { args, flags } = await this.parse(SendLocation);
    const { clientId, to } = args;
    const place = { ...parsePosition(args.position), name: flags.name, address: flags.address };
    const request = { clientId, to, ...place, ...envelopeOf(flags) };
    return this.send(flags, (client, options) => client.sendLocation(request, options));
  }
}

/** Parses a position; the daemon checks its bounds. */
function parsePosition(text: string): { latitude: number; longitude: number } {
  const match = /^\s*(-?\d+(?:\.\d+)?)\s*,\s*(-?\d+(?:\.\d+)?)\s*$/.exec(text);
  if (match) return { latitude: Number(match[1]), longitude: Number(match[2]) };
  throw new CliError('usage', `${text} is not a position: latitude,longitude in degrees`, {
    suggestions: ['such as 52.5200,13.4050'],
  });
}
