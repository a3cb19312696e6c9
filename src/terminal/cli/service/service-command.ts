import { Flags } from '@oclif/core';
import { BaseCommand } from '../command.js';
import { scopeOn } from './manager.js';
import type { ServicePlan } from './unit.js';

/** A command for the daemon as a service of this machine. */
export abstract class ServiceCommand extends BaseCommand {
  static override baseFlags = {
    system: Flags.boolean({ description: "use the service of the whole machine instead of this user's" }),
  };

  protected scopeOf({ system }: { system?: boolean }): ServicePlan['scope'] {
    return scopeOn(process.platform, system ?? false);
  }
}
