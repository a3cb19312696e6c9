/** What a process of a measurement can be asked for. */
export interface Commands {
  [name: string]: { run(input: unknown): unknown }['run'];
}

export interface Question {
  id: number;
  name: string;
  input: unknown;
}

export interface Answer {
  id: number;
  /** As JSON. */
  result?: string;
  error?: string;
}

/** Answers the commands of whoever started this process, until they let go of it. */
export function serve(commands: Commands): void {
  // the compiled product has no source maps to read for each stack that the library takes
  process.setSourceMapsEnabled(false);
  process.on('message', async (text) => {
    const { id, name, input }: Question = JSON.parse(String(text));
    process.send?.(JSON.stringify(await answer(commands, id, name, input)));
  });
  process.on('disconnect', () => process.exit());
}

async function answer(commands: Commands, id: number, name: string, input: unknown): Promise<Answer> {
  try {
    const command = commands[name];
    if (!command) throw new Error(`there is no command ${name}`);
    return { id, result: JSON.stringify((await command(input)) ?? null) };
  } catch (error) {
    return { id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}
