import { Command, Errors } from '@oclif/core';
import { exitCodeOf } from './exit-code.js';
import { errorReport, Output } from './output.js';

/** What all commands share: `--json`, one printer, and exit codes that mean something. */
export abstract class BaseCommand extends Command {
  static override enableJsonFlag = true;

  /** True for commands that print one JSON value per line, as things happen. */
  protected readonly streams: boolean = false;
  protected readonly output = new Output();

  /** Prints the error and sets the exit code; the framework itself would end every `--json` error with 1. */
  protected override async catch(error: Error): Promise<void> {
    if (error instanceof Errors.ExitError) throw error;
    // arguments that cannot be parsed are reported here; the framework need not warn about them as well
    this.parsed = true;
    process.exitCode = exitCodeOf(error);
    const report = errorReport(error);
    if (this.jsonEnabled()) this.logJson(report);
    else this.output.error(report);
    if (process.env.DEBUG) this.output.note(error.stack ?? '');
  }

  override logJson(value: unknown): void {
    this.output.json(value, { indent: !this.streams });
  }
}
