/** A command on its way to the server. */
export interface SentCommand {
  /** As `update`. */
  name: string;
  collection: string;
}

const HEADER = 16;
const OP_MSG = 2013;
/** Flags and the kind of the first section. */
const BEFORE_BODY = 5;
const TEXT = 2;

/**
 * The command that begins in these bytes of a connection; undefined if they only continue one.
 * @see https://www.mongodb.com/docs/manual/reference/mongodb-wire-protocol/#op_msg
 */
function commandIn(chunk: Buffer): SentCommand | undefined {
  if (chunk.length < HEADER + BEFORE_BODY + 6 || chunk.readInt32LE(12) !== OP_MSG) return undefined;
  const element = HEADER + BEFORE_BODY + 4;
  const end = chunk.indexOf(0, element + 1);
  if (chunk[element] !== TEXT || end < 0) return undefined;
  const length = chunk.readInt32LE(end + 1);
  const collection = chunk.toString('utf8', end + 5, end + 4 + length);
  return { name: chunk.toString('utf8', element + 1, end), collection };
}

/** Collections of the node itself, whose commands come with time and not with messages. */
const OF_NODES: readonly string[] = ['leases', 'nodes', 'probe', 'versions', 'data_keys'];

/** Collections to which commits are applied. */
const APPLIED: readonly string[] = ['keys', 'journal', 'sends', 'traces'];

/** Counts the commands for sessions that pass through a relay; the relay's `watch` calls it with every chunk. */
export class CommandCount {
  /** All but those that apply commits. */
  readonly commands: SentCommand[] = [];
  /** Commands that apply commits: how many depends on time, because one is for all commits so far. */
  applying = 0;

  readonly watch = (chunk: Buffer): 'pass' => {
    const command = commandIn(chunk);
    if (!command || OF_NODES.includes(command.collection)) return 'pass';
    const { name, collection } = command;
    const isTidy = collection === 'commits' && chunk.includes('$pull');
    if (isTidy || (name === 'update' && APPLIED.includes(collection))) this.applying += 1;
    else this.commands.push(command);
    return 'pass';
  };

  /** Number of commands by name and collection. */
  get byKind(): Record<string, number> {
    const found: Record<string, number> = {};
    for (const { name, collection } of this.commands) {
      const kind = `${name} ${collection}`;
      found[kind] = (found[kind] ?? 0) + 1;
    }
    return found;
  }
}
