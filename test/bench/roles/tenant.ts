import { Attacker, type Target } from '../../support/attacker.js';
import { serve, vitals } from '../support/role.js';
import { sendTexts } from '../support/send-texts.js';

let attacker: Attacker | undefined;

const commands = {
  ...vitals,
  /** Sends texts one after another. @returns the milliseconds that each of them took */
  async send({ door, chat, ms }: SendOrder): Promise<number[]> {
    const took: number[] = [];
    const end = performance.now() + ms;
    while (performance.now() < end) took.push(await sendTexts(door, [chat], 1, 1));
    return took;
  },
  begin(target: Target): void {
    attacker = new Attacker(target);
    attacker.begin();
  },
  /** @returns how often each status came, by the way that was tried */
  async end(_: object): Promise<Record<string, Record<number, number>>> {
    const outcome = await attacker?.end();
    return outcome?.statuses ?? {};
  },
};

interface SendOrder {
  door: { url: string; token: string };
  chat: { from: string; to: string };
  ms: number;
}

export type TenantRole = typeof commands;

serve(commands);
